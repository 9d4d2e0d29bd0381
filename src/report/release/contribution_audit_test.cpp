// Exact audits of a release with bounded contributions, under one sampling key after the other. They go through all tables of two persons
// with up to two records each in two groups, and through what each key keeps of these tables. The audits stand in this room because
// quantiles and source do not know each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fractile/release.hpp"
#include "quantiles/audit/groups_test_support.hpp"
#include "source/counting/keyed_sample.hpp"
#include "source/counting/person_values.hpp"
#include "source/counting/shared_sample.hpp"
#include "support/neighbors.hpp"

namespace fractile {
namespace {

using testing::both_relations;

using source_detail::CellType;
using source_detail::KeyedRecord;
using source_detail::KeyedSample;
using source_detail::PersonValues;

/// The records are sorted, so that equal multisets are equal.
using Records = std::vector<KeyedRecord>;
using Persons = std::array<Records, 2>;
using Bounding = Records (*)(const Persons& table, std::uint32_t most, const SamplingKey& key);

constexpr std::int64_t candidates = 24;
constexpr Position first_place = 1;
constexpr Position last_place = 2 * candidates - 1;
const std::vector<std::string> groups{"north", "south"};
const std::array<std::string, 2> names{"ada", "bob"};

void sort_records(Records& records) {
  std::ranges::sort(records, {}, [](const KeyedRecord& r) { return std::pair(r.key, r.position); });
}

/// The bounding that ships.
Records by_person(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  KeyedSample sample(key, most, groups);
  Records kept;
  for (std::size_t who = 0; who < table.size(); ++who) {
    Records his = table[who];
    sample.keep(names[who], his);
    kept.insert(kept.end(), his.begin(), his.end());
  }
  sort_records(kept);
  return kept;
}

Records all_records(const Persons& table) {
  Records all = table[0];
  all.insert(all.end(), table[1].begin(), table[1].end());
  sort_records(all);
  return all;
}

/// Mutants. The first keeps every record. The second keeps one more record of each person. The third keeps as many records of the whole
/// table as two persons may have.
Records unbounded(const Persons& table, std::uint32_t, const SamplingKey&) { return all_records(table); }
Records one_more(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  return by_person(table, most + 1, key);
}
Records by_table(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  Records all = all_records(table);
  KeyedSample(key, 2 * most, groups).keep("everybody", all);
  sort_records(all);
  return all;
}

std::vector<Persons> all_tables() {
  std::vector<KeyedRecord> places;
  for (const Position position : {first_place, last_place}) {
    for (const std::uint32_t group : {0U, 1U}) places.push_back({position, group});
  }
  std::vector<Records> one{{}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    one.push_back({places[i]});
    for (std::size_t j = i; j < places.size(); ++j) one.push_back({places[i], places[j]});
  }
  std::vector<Persons> all;
  for (const Records& a : one) {
    for (const Records& b : one) all.push_back({a, b});
  }
  return all;
}

/// Whether the tables differ in one person: in whether the person is there, or (change-one) in the person's records.
bool are_neighbors(const Persons& a, const Persons& b, Neighbors neighbors) {
  const bool first = a[0] != b[0];
  const bool second = a[1] != b[1];
  if (first == second) return false;
  const std::size_t who = first ? 0 : 1;
  return neighbors == Neighbors::change_one || a[who].empty() || b[who].empty();
}

std::vector<SamplingKey> some_keys() {
  RandomBits bits = RandomBits::unsafe_seeded(29);
  std::vector<SamplingKey> keys;
  for (int i = 0; i < 8; ++i) keys.push_back(SamplingKey::draw(bits));
  return keys;
}

/// The number of a group's records at the first place and at the last one.
using Counts = std::array<std::uint64_t, 2>;

Counts counts_of(const Records& records, std::uint32_t group) {
  Counts counts{};
  for (const KeyedRecord& record : records) {
    if (record.key == group) ++counts.at(record.position == first_place ? 0 : 1);
  }
  return counts;
}

RankProfile profile_of(const Counts& counts) {
  ProfileBuilder builder(Lattice::regular(0, Rational(candidates - 1), 1));
  if (counts[0] > 0) builder.add_position(first_place, counts[0]);
  if (counts[1] > 0) builder.add_position(last_place, counts[1]);
  return builder.finish();
}

/// The largest log ratio of what one group publishes, by the counts that are kept in it.
class Losses {
 public:
  explicit Losses(LawOfTable law) : law_(std::move(law)) {}

  const Enclosure& between(const Counts& a, const Counts& b) {
    const auto at = losses_.find({a, b});
    if (at != losses_.end()) return at->second;
    return losses_.emplace(std::pair(a, b), max_log_ratio(law_(profile_of(a)), law_(profile_of(b)))).first->second;
  }

 private:
  LawOfTable law_;
  std::map<std::pair<Counts, Counts>, Enclosure> losses_;
};

struct Verdict {
  bool holds = true;
  Enclosure attained = Enclosure::of(Rational(0));
};

/// Goes through all pairs of neighbors under each key. All groups run the query independently, as in release(), and their losses must add
/// up to no more than the claim.
Verdict audit_all(const QuantileQuery& query, std::uint32_t places, const Enclosure& claim,
                  const std::vector<Persons>& tables, Bounding bounding) {
  Losses losses(release_law(group_query(query), candidates, 1));
  Verdict verdict;
  for (const SamplingKey& key : some_keys()) {
    std::vector<std::vector<Counts>> kept;
    for (const Persons& table : tables) {
      const Records records = bounding(table, query.records_per_person, key);
      kept.emplace_back();
      for (std::uint32_t place = 0; place < places; ++place) kept.back().push_back(counts_of(records, place));
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (std::size_t j = 0; j < tables.size(); ++j) {
        if (!are_neighbors(tables[i], tables[j], query.neighbors)) continue;
        Enclosure loss = losses.between(kept[i][0], kept[j][0]);
        for (std::uint32_t place = 1; place < places; ++place) {
          loss = loss + losses.between(kept[i][place], kept[j][place]);
        }
        verdict.holds = verdict.holds && certainly_at_most(loss, claim);
        if (certainly_less(verdict.attained, loss)) verdict.attained = loss;
      }
    }
  }
  return verdict;
}

/// Audits two groups.
Verdict audit(const QuantileQuery& query, Bounding bounding) {
  return audit_all(query, 2, Enclosure::of(query.budget.epsilon()), all_tables(), bounding);
}

QuantileQuery asking(const char* quantile, Neighbors neighbors, std::uint32_t most, const char* epsilon = "1") {
  return query_of({quantile}, pure(epsilon), Mechanism::exponential, neighbors, most);
}

TEST(ContributionAudit, SampledPersonsKeepThePromiseUnderEveryKey) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t most : {1U, 2U}) {
      for (const char* quantile : {"0", "1/2"}) {
        for (const char* epsilon : {"0.1", "1", "4"}) {
          const QuantileQuery query = asking(quantile, neighbors, most, epsilon);
          const Verdict verdict = audit(query, by_person);
          EXPECT_TRUE(verdict.holds) << to_string(neighbors) << " " << most << " " << verdict.attained.to_string();
          const double spent = verdict.attained.to_double() / query.budget.epsilon().to_double();
          EXPECT_GT(spent, quantile == std::string("0") ? 0.45 : 0.2) << to_string(neighbors) << " " << most;
        }
      }
    }
  }
}

/// As by_person(), but each person's records in a group are first combined into one.
Records one_value(const Persons& table, std::uint32_t most, const SamplingKey& key, PerPerson how) {
  const Lattice lattice = Lattice::regular(0, Rational(candidates - 1), 1);
  PersonValues values(how, lattice, CellType::integer);
  Persons combined = table;
  for (Records& of_one : combined) {
    for (KeyedRecord& record : of_one)
      record.position = values.keep_positions() ? record.position : record.position / 2;
    values.combine(of_one);
    for (KeyedRecord& record : of_one) {
      // Only two places are counted here.
      record.position = record.position > last_place / 2 ? last_place : first_place;
    }
  }
  return by_person(combined, most, key);
}
Records sums(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  return one_value(table, most, key, PerPerson::sum);
}
Records medians(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  return one_value(table, most, key, PerPerson::median);
}
/// Mutant: it keeps both groups of a person who is in two.
Records unsampled_sums(const Persons& table, std::uint32_t, const SamplingKey& key) { return sums(table, 2, key); }

TEST(ContributionAudit, OneValueAPersonKeepsThePromiseUnderEveryKey) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t most : {1U, 2U}) {
      for (const Bounding bounding : {sums, medians}) {
        const QuantileQuery query = asking("0", neighbors, most);
        const Verdict verdict = audit(query, bounding);
        EXPECT_TRUE(verdict.holds) << to_string(neighbors) << " " << most << " " << verdict.attained.to_string();
        EXPECT_GT(verdict.attained.to_double(), 0.45) << to_string(neighbors) << " " << most;
      }
    }
  }
}

/// A whole record has the position of its number in the first column. Its `key` encodes the rest: the number in the second column (at the
/// first place, at the last one, or none), and whether the record's key is listed for the first column.
struct Beside {
  static constexpr std::uint32_t no_number = 2;
  std::uint32_t second;
  bool is_listed;
  explicit Beside(std::uint32_t key) : second(key % 3), is_listed(key / 3 == 0) {}
};

/// The sample of two columns that ships. What it keeps of the first column gets the key 0, and of the second column the key 1.
Records whole_records(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  const Lattice lattice = Lattice::regular(0, Rational(candidates - 1), 1);
  RecordSelection by_key{
      .person = "who", .records_per_person = most, .by = "key", .keys = {"k"}, .whole_records = true};
  RecordSelection of_all{.person = "who", .records_per_person = most, .whole_records = true};
  source_detail::SharedSample sample({{lattice, by_key}, {lattice, of_all}}, key, 1, 0);
  std::vector<std::string> whose;
  std::vector<Beside> beside;
  std::array<std::vector<std::int64_t>, 2> numbers;
  std::uint64_t validity = 0;
  for (std::size_t who = 0; who < table.size(); ++who) {
    for (const KeyedRecord& record : table[who]) {
      beside.emplace_back(record.key);
      if (beside.back().second != Beside::no_number) validity |= std::uint64_t{1} << whose.size();
      whose.push_back(names[who]);
      numbers[0].push_back(static_cast<std::int64_t>(record.position / 2));
      numbers[1].push_back(beside.back().second == 0 ? 0 : candidates - 1);
    }
  }
  if (!whose.empty()) {
    const source_detail::CellReading whole{CellType::integer};
    const std::vector<source_detail::SharedCells> cells{
        {source_detail::ColumnView(numbers[0].data(), nullptr, whose.size()), whole},
        {source_detail::ColumnView(numbers[1].data(), &validity, whose.size()), whole}};
    sample.add(
        cells, [&](std::size_t row) { return std::string_view(whose[row]); },
        [&](std::size_t, std::size_t, std::size_t row) { return beside[row].is_listed ? "k" : "other"; });
  }
  Records kept;
  std::vector<source_detail::SelectedProfiles> found = sample.finish({});
  for (std::uint32_t column = 0; column < 2; ++column) {
    const RankProfile& profile = found[column].profiles.at(0);
    for (std::size_t k = 0; k < profile.distinct(); ++k) {
      for (std::uint64_t i = 0; i < profile.count(k); ++i) kept.push_back({profile.position(k), column});
    }
  }
  return kept;
}
/// Mutants. The first keeps one more record of each person. The second does not distinguish persons.
Records one_whole_record_more(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  return whole_records(table, most + 1, key);
}
Records whole_records_of_one(const Persons& table, std::uint32_t most, const SamplingKey& key) {
  return whole_records({all_records(table), {}}, 2 * most, key);
}

std::vector<Persons> all_tables_of_two_columns() {
  std::vector<KeyedRecord> places;
  for (const Position position : {first_place, last_place}) {
    for (const std::uint32_t beside : {0U, 1U, Beside::no_number, 3U}) places.push_back({position, beside});
  }
  std::vector<Records> one{{}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    one.push_back({places[i]});
    for (std::size_t j = i; j < places.size(); ++j) one.push_back({places[i], places[j]});
  }
  std::vector<Persons> all;
  for (const Records& a : one) {
    for (const Records& b : {Records{}, Records{places[0]}, Records{places[3], places[6]}}) all.push_back({a, b});
  }
  return all;
}

/// Audits two columns, each released at the query's epsilon. Together, they lose at most twice this epsilon.
Verdict audit_columns(const QuantileQuery& query, Bounding bounding) {
  const Enclosure claim = Enclosure::of(query.budget.epsilon()) + Enclosure::of(query.budget.epsilon());
  return audit_all(query, 2, claim, all_tables_of_two_columns(), bounding);
}

TEST(ContributionAudit, OneSampleOfWholeRecordsKeepsThePromiseUnderEveryKey) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t most : {1U, 2U}) {
      const QuantileQuery query = asking("0", neighbors, most);
      const Verdict verdict = audit_columns(query, whole_records);
      EXPECT_TRUE(verdict.holds) << to_string(neighbors) << " " << most << " " << verdict.attained.to_string();
      EXPECT_GT(verdict.attained.to_double(), 0.9) << to_string(neighbors) << " " << most;
    }
  }
}

TEST(ContributionAuditMutant, KeepingOneWholeRecordMoreIsCaught) {
  EXPECT_FALSE(audit_columns(asking("0", Neighbors::add_remove, 1), one_whole_record_more).holds);
}

TEST(ContributionAuditMutant, SamplingWholeRecordsOfATableIsCaught) {
  EXPECT_FALSE(audit_columns(asking("0", Neighbors::add_remove, 1), whole_records_of_one).holds);
}

TEST(ContributionAuditMutant, CountingAPersonInEveryGroupIsCaught) {
  EXPECT_FALSE(audit(asking("0", Neighbors::add_remove, 1), unsampled_sums).holds);
}

TEST(ContributionAuditMutant, KeepingEveryRecordIsCaught) {
  for (const Neighbors neighbors : both_relations) EXPECT_FALSE(audit(asking("0", neighbors, 1), unbounded).holds);
}

TEST(ContributionAuditMutant, KeepingOneMoreIsCaught) {
  for (const Neighbors neighbors : both_relations) EXPECT_FALSE(audit(asking("0", neighbors, 1), one_more).holds);
}

TEST(ContributionAuditMutant, SamplingTheTableIsCaught) {
  EXPECT_FALSE(audit(asking("0", Neighbors::add_remove, 1), by_table).holds);
}

}  // namespace
}  // namespace fractile

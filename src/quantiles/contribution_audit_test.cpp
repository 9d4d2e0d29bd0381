// Exact audits of a release of bounded contributions: all tables of two persons with up to two records each, and the law of
// the release mixed over which records are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "quantiles/groups_test_support.hpp"

namespace fractile {
namespace {

using Records = std::vector<Position>;
using Persons = std::array<Records, 2>;
/// Probability of each list of kept records.
using Kept = std::map<Records, Rational>;
using Bounding = Kept (*)(const Persons& table, std::size_t most);

/// Every choice of `most` of the records, equally likely.
Kept uniform_sample(const Records& records, std::size_t most) {
  std::vector<bool> taken(records.size(), false);
  std::fill_n(taken.rbegin(), std::min(most, records.size()), true);
  Kept kept;
  std::int64_t choices = 0;
  do {
    Records some;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (taken[i]) some.push_back(records[i]);
    }
    std::ranges::sort(some);
    kept[some] += Rational(1);
    ++choices;
  } while (std::next_permutation(taken.begin(), taken.end()));
  for (auto& [some, p] : kept) p /= Rational(choices);
  return kept;
}

Kept by_person(const Persons& table, std::size_t most) {
  Kept both;
  for (const auto& [a, p] : uniform_sample(table[0], most)) {
    for (const auto& [b, q] : uniform_sample(table[1], most)) {
      Records all = a;
      all.insert(all.end(), b.begin(), b.end());
      std::ranges::sort(all);
      both[all] += p * q;
    }
  }
  return both;
}

Records all_records(const Persons& table) {
  Records all = table[0];
  all.insert(all.end(), table[1].begin(), table[1].end());
  return all;
}

/// The mutant that keeps every record, and the one that samples as many as two persons may have from the whole table.
Kept unbounded(const Persons& table, std::size_t) { return uniform_sample(all_records(table), 4); }
Kept by_record(const Persons& table, std::size_t most) { return uniform_sample(all_records(table), 2 * most); }

RankProfile profile_of(const Records& sorted, std::uint64_t candidates) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  for (const Position p : sorted) {
    if (positions.empty() || positions.back() != p) {
      positions.push_back(p);
      counts.push_back(0);
    }
    ++counts.back();
  }
  return {candidates, std::move(positions), counts};
}

OutputLaw mixed_law(const Kept& kept, const LawOfTable& law, std::uint64_t candidates) {
  OutputLaw mixture;
  for (const auto& [records, p] : kept) {
    for (const auto& [output, q] : law(profile_of(records, candidates))) {
      mixture.try_emplace(output, Enclosure::of(Rational(0))).first->second += Enclosure::of(p) * q;
    }
  }
  return mixture;
}

constexpr std::uint64_t candidates = 24;

std::vector<Persons> all_tables() {
  const std::array<Position, 3> places{1, candidates + 1, 2 * candidates - 1};
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

/// Whether one person, whoever, is there or not, or has other records.
bool are_neighbors(const Persons& a, const Persons& b, Neighbors neighbors) {
  const bool first = a[0] != b[0];
  const bool second = a[1] != b[1];
  if (first == second) return false;
  const std::size_t who = first ? 0 : 1;
  return neighbors == Neighbors::change_one || a[who].empty() || b[who].empty();
}

struct Verdict {
  bool holds = true;
  Enclosure attained = Enclosure::of(Rational(0));
};

Verdict audit(const QuantileQuery& query, Bounding bounding) {
  const LawOfTable law = release_law(query, candidates, 1);
  const std::vector<Persons> tables = all_tables();
  std::vector<OutputLaw> laws;
  laws.reserve(tables.size());
  for (const Persons& table : tables)
    laws.push_back(mixed_law(bounding(table, query.records_per_person), law, candidates));
  const Enclosure claim = Enclosure::of(query.budget.epsilon());
  Verdict verdict;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t j = 0; j < tables.size(); ++j) {
      if (!are_neighbors(tables[i], tables[j], query.neighbors)) continue;
      const Enclosure loss = max_log_ratio(laws[i], laws[j]);
      verdict.holds = verdict.holds && certainly_at_most(loss, claim);
      if (certainly_less(verdict.attained, loss)) verdict.attained = loss;
    }
  }
  return verdict;
}

QuantileQuery median(Neighbors neighbors, std::uint32_t most, const char* epsilon = "1") {
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Exponent::parse(epsilon))};
  query.mechanism = Mechanism::exponential;
  query.neighbors = neighbors;
  query.records_per_person = most;
  return query;
}

constexpr std::array both_relations{Neighbors::add_remove, Neighbors::change_one};

TEST(ContributionAudit, SampledPersonsKeepThePromise) {
  for (const Neighbors neighbors : both_relations) {
    for (const std::uint32_t most : {1U, 2U}) {
      for (const char* epsilon : {"0.1", "1", "4"}) {
        const QuantileQuery query = median(neighbors, most, epsilon);
        const Verdict verdict = audit(query, by_person);
        EXPECT_TRUE(verdict.holds) << to_string(neighbors) << " " << most << " " << verdict.attained.to_string();
        EXPECT_GT(verdict.attained.to_double(), 0.4 * query.budget.epsilon().to_double());
      }
    }
  }
}

TEST(ContributionAuditMutant, KeepingEveryRecordIsCaught) {
  for (const Neighbors neighbors : both_relations) EXPECT_FALSE(audit(median(neighbors, 1), unbounded).holds);
}

TEST(ContributionAuditMutant, SamplingTheTableIsCaught) {
  EXPECT_FALSE(audit(median(Neighbors::add_remove, 1, "4"), by_record).holds);
}

}  // namespace
}  // namespace fractile

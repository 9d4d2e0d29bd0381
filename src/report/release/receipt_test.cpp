#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>

#include "exact/digest.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "libraries/fmt.hpp"
#include "report/text/canonical_query.hpp"
#include "support/described.hpp"
#include "support/errors.hpp"
#include "support/preliminary_outcome.hpp"
#include "support/releases.hpp"

namespace fractile {
namespace {

using testing::described;

const SourceDescription source{"people.csv", "", "age", NullPolicy::drop, "DuckDB v1"};

Release released(const QuantileQuery& query, const Lattice& lattice) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  return release(reference_table(lattice, Shape::normal, 300), query, bits);
}

QuantileQuery quartiles(const Budget& budget) { return {{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, budget}; }

const SourceDescription by_town{"people.csv", "", "age", NullPolicy::drop, "DuckDB v1", "id", "town"};

/// Two groups that differ in what ran, since only the second found a granularity.
Release grouped(const QuantileQuery& query, const Lattice& lattice) {
  RandomBits bits = RandomBits::unsafe_seeded(2);
  const std::uint64_t whole = lattice.size() / 200 * 100;
  ProfileBuilder round(lattice);
  round.add_position(2 * whole + 1, 1000);
  return release({"a", "b,\"c"}, {reference_table(lattice, Shape::uniform, 300), round.finish()}, query, bits);
}

/// Groups by two columns. The two keys read the same when their texts are joined.
Release grouped_twice(const QuantileQuery& query, const Lattice& lattice) {
  RandomBits bits = RandomBits::unsafe_seeded(2);
  const std::vector<GroupKey> keys = GroupKeys::tuples({{"a,b", "c"}, {"a", "b,c"}}).all();
  Release groups = release(
      keys, {reference_table(lattice, Shape::uniform, 300), reference_table(lattice, Shape::normal, 9)}, query, bits);
  groups.source = by_town;
  groups.source.by = {"town", "value"};
  return groups;
}

Release bounded() {
  RandomBits bits = RandomBits::unsafe_seeded(3);
  const BoundsSearch search{Rational(1)};
  return release(reference_table(search.lattice(), Shape::normal, 300),
                 {quartiles(Budget::zcdp(Rational(1))), BoundsToFind{search, Rational(1, 10)}}, bits);
}

/// A release with counts, shares and a mean.
Release with_counts(const Budget& budget, const Lattice& lattice, const std::vector<Rational>& below,
                    std::uint64_t rows = 300) {
  RandomBits bits = RandomBits::unsafe_seeded(4);
  const ReleaseOptions options(quartiles(budget), {}, StatisticsRequest{below, lattice.is_regular(), Rational(1, 3)});
  return release(reference_table(lattice, Shape::normal, rows), options, bits);
}

std::vector<std::string> all_kinds() {
  const Lattice ages = Lattice::regular(0, 125, 1);
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  std::vector<std::string> texts;
  for (const Mechanism mechanism : all_mechanisms) {
    QuantileQuery query = quartiles(Budget::pure(Exponent::parse("ln 3")));
    query.mechanism = mechanism;
    if (mechanism == Mechanism::exponential) query.quantiles = {Rational(1, 2)};
    query.expected_rows = 300;
    for (const Lattice& lattice : {ages, cents}) texts.push_back(to_json(described(released(query, lattice), source)));
  }
  texts.push_back(to_json(described(released(quartiles(Budget::zcdp(Rational(1, 2))), ages), source)));
  QuantileQuery approximate = quartiles(Budget::approximate(Rational(1), Rational(1, 1'000'000)));
  approximate.mechanism = Mechanism::independent;
  texts.push_back(to_json(described(released(approximate, ages), source)));
  const Lattice few = Lattice::explicit_points({Rational(-1), Rational(5, 2), Rational(10)});
  texts.push_back(to_json(described(released(quartiles(Budget::pure(Rational(1))), few),
                                    {"", "SELECT 1 AS \"a\"", "a", NullPolicy::error, "E"})));
  Release counted = released(quartiles(Budget::pure(Rational(1))), ages);
  counted.public_rows = 300;
  counted.query.neighbors = Neighbors::change_one;
  texts.push_back(to_json(described(counted, source)));
  QuantileQuery many = quartiles(Budget::pure(Rational(1)));
  many.quantiles = synthetic_rows(100);
  texts.push_back(to_json(described(released(many, cents), source)));  // this release counts the records
  texts.push_back(to_json(described(grouped(quartiles(Budget::pure(Rational(4))), cents), by_town)));
  texts.push_back(to_json(grouped_twice(quartiles(Budget::pure(Rational(4))), ages)));
  texts.push_back(to_json(described(bounded(), source)));
  texts.push_back(to_json(described(with_counts(Budget::pure(Exponent::parse("ln 3")), ages, {}), source)));
  texts.push_back(
      to_json(described(with_counts(Budget::zcdp(Rational(1, 2)), ages, {Rational(18), Rational(65)}), source)));
  texts.push_back(to_json(described(with_counts(Budget::pure(Rational(1, 100)), ages, {Rational(18)}, 0), source)));
  const Lattice days = Lattice::regular(0, 63, 7, ValueKind::date);
  texts.push_back(to_json(described(with_counts(Budget::pure(Rational(4)), days, {Rational(14)}), source)));
  texts.push_back(to_json(described(with_counts(Budget::pure(Rational(4)), few, {Rational(10)}), source)));
  many.expected_rows = 300;
  texts.push_back(to_json(described(released(many, cents), source)));
  return texts;
}

// A page is a function of its receipt. It depends on nothing else that was known when it was made.
TEST(TypicalErrors, OfAReleaseAreThoseOfItsReceiptReadBack) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  QuantileQuery many = quartiles(Budget::pure(Rational(1)));
  many.quantiles = synthetic_rows(100);
  QuantileQuery each = many;
  each.interpolate = false;
  QuantileQuery told = quartiles(Budget::pure(Rational(1)));
  told.expected_rows = 300;
  std::vector<Release> releases{released(many, cents),
                                released(each, cents),
                                released(told, ages),
                                released(quartiles(Budget::zcdp(Rational(1, 2))), ages),
                                bounded(),
                                with_counts(Budget::pure(Rational(1)), ages, {}),
                                grouped(quartiles(Budget::pure(Rational(4))), cents)};
  for (const Release& release : releases) {
    const std::optional<TypicalError> typical = typical_error(release);
    const std::optional<TypicalError> again = typical_error(read_receipt(to_json(release), "r.json"));
    ASSERT_EQ(typical.has_value(), again.has_value());
    if (!typical) continue;
    EXPECT_EQ(typical->rows, again->rows);
    EXPECT_EQ(typical->median, again->median);
    EXPECT_EQ(typical->nine_in_ten, again->nine_in_ten);
  }
}

TEST(TypicalErrors, AreThoseThatThePlanOfAsManyRecordsHas) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  const QuantileQuery query = quartiles(Budget::pure(Rational(1, 10)));
  Release release = released(query, cents);
  release.public_rows = 1'000;
  const TypicalError typical = typical_error(release).value();
  EXPECT_EQ(typical.rows, 1'000U);
  const ReleasePlan plan = plan_release(query, cents, {.rows = 1'000});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(typical.mean[i], plan.typical.mean[i], plan.typical.mean[i] / 2) << i;
  const Release counted = with_counts(Budget::pure(Rational(1, 10)), cents, {}, 1'000);  // counting takes a third
  EXPECT_GT(typical_error(counted).value().mean[1], 1.2 * typical.mean[1]);
}

TEST(Receipt, EveryKindKeepsTheSchemaAndItsHash) {
  for (const std::string& text : all_kinds()) {
    const Release receipt = read_receipt(text, "r.json");
    EXPECT_FALSE(receipt.groups.at(0).indices.empty());
    for (const Prose prose : {Prose::text, Prose::markdown})
      EXPECT_NE(explain(receipt, prose).find("What was assumed"), std::string::npos);
  }
}

TEST(Receipt, SaysWhatTheReleaseWas) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  const Release release = released(quartiles(Budget::pure(Exponent::parse("ln 3"))), cents);
  const Release receipt = read_receipt(to_json(described(release, source)), "r.json");
  ASSERT_EQ(receipt.groups.size(), 1U);
  EXPECT_EQ(to_csv(receipt), to_csv(release));
  EXPECT_EQ(receipt.query.quantiles, release.query.quantiles);
  EXPECT_EQ(receipt.only().indices, release.only().indices);
  EXPECT_EQ(receipt.only().used, release.only().used);
  const WorstCase worst = worst_case(release, Rational(19, 20));
  EXPECT_EQ(receipt.only().rank_errors, worst.ranks);
  EXPECT_EQ(receipt.errors->simultaneous_rank, worst.simultaneous_rank);
  EXPECT_EQ(receipt.cost().to_string(), "epsilon = ln 3");
  EXPECT_EQ(receipt.query.neighbors, Neighbors::add_remove);
  EXPECT_EQ(receipt.lattice, cents);
  EXPECT_EQ(receipt.source.file, "people.csv");
  EXPECT_EQ(receipt.source.column, "age");
  EXPECT_EQ(receipt.unsafe_seed, 1U);
}

TEST(Receipt, NamesTheKeysOfSeveralColumnsByColumn) {
  const Release groups = grouped_twice(quartiles(Budget::pure(Rational(4))), Lattice::regular(0, 125, 1));
  const std::string text = to_json(groups);
  EXPECT_NE(text.find("\"by\": [\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"keys\": {\n        \"town\": \"a,b\",\n        \"value\": \"c\"\n"), std::string::npos)
      << text;
  const Release receipt = read_receipt(text, "r.json");
  EXPECT_EQ(receipt.source.by, (KeyColumns{"town", "value"}));
  EXPECT_EQ(receipt.keys(), groups.keys());
  const std::string csv = to_csv(receipt);
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "town,key.value,quantile,value,unsafe_seed");
  EXPECT_NE(csv.find("\n\"a,b\",c,1/4,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\na,\"b,c\",1/4,"), std::string::npos) << csv;
  EXPECT_EQ(to_table(receipt).find("town  value  quantile  age"), 0U) << to_table(receipt);
  EXPECT_NE(explain(receipt, Prose::text).find("by town and value"), std::string::npos);
}

/// A receipt with members that no other kind of receipt has.
std::string of_everything() {
  QuantileQuery query = quartiles(Budget::zcdp(Rational(1, 2)));
  query.expected_rows = 300;
  query.intervals = IntervalRequest{Rational(9, 10), IntervalSubject::table, true};
  const Lattice days = Lattice::regular(0, 63, 7, ValueKind::date);
  Release whole = described(released(query, days), by_town);
  whole.source.by = {};
  whole.source.sql = "SELECT 1";
  whole.source.tables = {{"t", "t.csv"}};
  whole.source.sql_stability = 3;
  whole.source.disjoint_persons = true;
  whole.source.missing = {"NA", "-9"};
  whole.source.unreadable = Unreadable::missing;
  whole.charge = Charge{"people", 12, std::string(64, 'a')};
  return to_json(whole);
}

// The reader reads everything that the writer writes: what was read back is written to the same bytes.
TEST(Receipt, ReadingAndWritingUndoEachOther) {
  std::vector<std::string> texts = all_kinds();
  texts.push_back(of_everything());
  for (const std::string& text : texts) {
    Release read = read_receipt(text, "r.json");
    EXPECT_EQ(to_json(read), text);
    if (read.charge) {
      EXPECT_EQ(read.charge->dataset, "people");
    }
    read.receipt.clear();
    EXPECT_EQ(to_json(read), text);
  }
}

TEST(Receipt, SaysWhatWasCountedBesideTheQuantiles) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  const Release release = described(with_counts(Budget::pure(Rational(2)), ages, {Rational(18), Rational(65)}), source);
  const Release receipt = read_receipt(to_json(release), "r.json");
  EXPECT_EQ(receipt.only().statistics, release.only().statistics);
  EXPECT_EQ(receipt.statistics->request.below, release.statistics->request.below);
  EXPECT_TRUE(receipt.statistics->request.mean);
  EXPECT_EQ(receipt.statistics->request.share, Rational(1, 3));
  EXPECT_EQ(receipt.statistics->count_noise, release.statistics->count_noise);
  EXPECT_EQ(receipt.statistics->sum_noise, release.statistics->sum_noise);
  EXPECT_EQ(to_csv(receipt), to_csv(release));
}

// A receipt with other counts does not belong to the ledger's query.
TEST(Receipt, IsThatOfAQueryWithTheSameCounts) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  Release release = described(with_counts(Budget::pure(Rational(2)), ages, {Rational(18), Rational(65)}), source);
  release.unsafe_seed.reset();
  const Release receipt = read_receipt(to_json(release), "r.json");
  const auto is_of = [&](const std::optional<StatisticsRequest>& statistics) {
    ReleaseDetails details;
    details.statistics = statistics;
    const std::optional<Error> error = testing::error_if_any(
        [&] { require_receipt_of(canonical_query(release.query, ages, source, details), receipt, "r.json"); });
    if (!error) return true;
    EXPECT_NE(std::string(error->what()).find("the counts, shares and means"), std::string::npos) << error->what();
    return false;
  };
  EXPECT_TRUE(is_of(StatisticsRequest{{Rational(18), Rational(65)}, true, Rational(1, 3)}));
  EXPECT_FALSE(is_of(StatisticsRequest{{Rational(18)}, true, Rational(1, 3)}));
  EXPECT_FALSE(is_of(StatisticsRequest{{Rational(18), Rational(65)}, false, Rational(1, 3)}));
  EXPECT_FALSE(is_of(StatisticsRequest{{Rational(18), Rational(65)}, true, Rational(1, 4)}));
  EXPECT_FALSE(is_of({}));
}

TEST(Receipt, SaysWhatWasDeclared) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  const Release release = released(quartiles(Budget::pure(Rational(1))), ages);
  SourceDescription merged = source;
  merged.disjoint_persons = true;
  const Release receipt = read_receipt(to_json(described(release, merged)), "r.json");
  EXPECT_TRUE(receipt.source.disjoint_persons);
  const char* const sentence = "o person has records in two of the profiles that were merged";
  EXPECT_NE(explain(receipt, Prose::text).find(sentence), std::string::npos);
  EXPECT_NE(to_table(described(release, merged)).find(sentence), std::string::npos);
  const std::string none = to_json(described(release, source));
  EXPECT_EQ(none.find("declared"), std::string::npos);
  EXPECT_FALSE(read_receipt(none, "r.json").source.disjoint_persons);
  EXPECT_EQ(explain(read_receipt(none, "r.json"), Prose::text).find(sentence), std::string::npos);
}

TEST(Receipt, SaysWhatWasSpentOnWhat) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  QuantileQuery query = quartiles(Budget::pure(Rational(4)));
  query.mechanism = Mechanism::joint_total;
  Release release = released(query, cents);
  const Release receipt = read_receipt(to_json(described(release, source)), "r.json");
  const std::vector<PartCost>& spent = receipt.groups.at(0).spent;
  const std::vector<PartCost> charged = release.only().spent;
  ASSERT_EQ(spent.size(), charged.size());
  for (std::size_t i = 0; i < spent.size(); ++i) {
    EXPECT_EQ(spent[i].part, charged[i].part);
    EXPECT_EQ(spent[i].amount, charged[i].amount);
  }
  std::string words = explain(receipt, Prose::text);
  std::replace(words.begin(), words.end(), '\n', ' ');
  EXPECT_NE(words.find("The parts of epsilon = 4 are: 1/10 for finding the"), std::string::npos) << words;
  // Older programs wrote receipts without `spent`.
  release.groups.front().spent.clear();
  const std::string old = to_json(described(release, source));
  EXPECT_EQ(old.find("spent"), std::string::npos);
  EXPECT_TRUE(read_receipt(old, "r.json").groups.at(0).spent.empty());
  EXPECT_EQ(explain(read_receipt(old, "r.json"), Prose::text).find("charged"), std::string::npos);
}

TEST(Receipt, OfGroupsAndOfBoundsThatWereFound) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  const Release groups = grouped(quartiles(Budget::pure(Rational(4))), cents);
  const Release receipt = read_receipt(to_json(described(groups, by_town)), "r.json");
  ASSERT_EQ(receipt.groups.size(), 2U);
  EXPECT_EQ(receipt.groups[1].key, "b,\"c");
  EXPECT_EQ(receipt.source.person, "id");
  EXPECT_EQ(to_csv(receipt), to_csv(groups));
  EXPECT_NE(explain(receipt, Prose::text).find("in all groups together"), std::string::npos);

  const Release release = bounded();
  const Release found = read_receipt(to_json(described(release, source)), "r.json");
  EXPECT_EQ(found.cost().to_string(), "rho = 1");
  EXPECT_EQ(found.bounds->share, Rational(1, 10));
  EXPECT_EQ(found.errors->unbounded_reason, worst_case(release, Rational(1, 2)).unbounded_reason);
  EXPECT_NE(explain(found, Prose::text).find("10 % of the budget found the range"), std::string::npos);
}

TEST(Receipt, TellsWhenValuesAreMostlyNoise) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  for (const Budget& budget : {Budget::pure(Rational(1, 10)), Budget::zcdp(Rational(1, 200))}) {
    QuantileQuery query = quartiles(budget);
    query.expected_rows = 20;
    RandomBits bits = RandomBits::system();
    const RankProfile profile = reference_table(cents, Shape::uniform, 1000);
    const Release noisy = release(profile, query, bits);
    const std::optional<MostlyNoise> noise = mostly_noise(noisy).front();
    ASSERT_TRUE(noise);
    for (const std::string& text :
         {to_json(described(noisy, source)), to_json(described(grouped(query, cents), by_town))}) {
      const Release receipt = read_receipt(text, "r.json");
      const std::optional<MostlyNoise>& found = receipt.groups.back().noise;
      ASSERT_TRUE(found);
      EXPECT_EQ(found->rows, 20U);
      EXPECT_NEAR(found->share, noise->share, 0.005);
      EXPECT_EQ(found->sufficient_budget->to_string(), noise->sufficient_budget->to_string());
      EXPECT_NE(explain(receipt, Prose::text).find("these values are mostly noise"), std::string::npos);
    }
    query.expected_rows = 1'000'000;
    const Release clear = read_receipt(to_json(described(release(profile, query, bits), source)), "r.json");
    EXPECT_FALSE(noise_in_words(clear));
    EXPECT_EQ(explain(clear, Prose::text).find("mostly noise"), std::string::npos);
  }
}

TEST(Receipt, TellsWhichGroupsAreMostlyNoise) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  QuantileQuery query = quartiles(Budget::pure(Rational(1)));
  query.quantiles.clear();
  for (int i = 1; i <= 9; ++i) query.quantiles.emplace_back(i, 10);
  RandomBits bits = RandomBits::unsafe_seeded(3);
  const Release groups =
      release({"few <", "many"},
              {reference_table(cents, Shape::normal, 3), reference_table(cents, Shape::normal, 9'000)}, query, bits);
  const Release receipt = read_receipt(to_json(described(groups, by_town)), "r.json");
  ASSERT_TRUE(receipt.groups[0].noise);
  EXPECT_EQ(receipt.groups[0].noise->rows, groups.groups[0].used.rows);
  EXPECT_FALSE(receipt.groups[1].noise);
  EXPECT_EQ(noise_in_words(receipt)->what, "with this budget the values of 1 of 2 groups are mostly noise (few <)");
  std::string text = explain(receipt, Prose::text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  EXPECT_NE(text.find("mostly noise (few <): in few < among "), std::string::npos);
  EXPECT_NE(to_html(receipt, {}, {}).html.find("mostly noise (few &lt;)"), std::string::npos);
}

TEST(Receipt, AFlippedBitIsFound) {
  const std::string text = all_kinds().front();
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {  // the last byte is the line's end
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_THROW(read_receipt(flipped, "r.json"), Error) << i << ' ' << bit;
    }
  }
}

std::string refusal_of(const std::string& text) {
  return testing::refusal(ErrorCode::data, [&] { read_receipt(text, "r.json"); });
}

TEST(Receipt, SaysWhatIsWrong) {
  std::string text = all_kinds().front();
  EXPECT_EQ(refusal_of(""), "'r.json' is not a receipt: it is not JSON (The document is empty.) at byte 0");
  EXPECT_EQ(refusal_of("{}"), "'r.json' is not a receipt: it breaks the schema's rule 'required'");
  EXPECT_NE(refusal_of(std::string(1'000'000, '[')), "");
  const std::size_t at = text.find("\"pure\"");
  EXPECT_EQ(refusal_of(std::string(text).replace(at, 6, "\"poor\"")),
            "'r.json' is not a receipt: /privacy/measure breaks the schema's rule 'enum'");
  for (const char* number : {"1.8e48", "-1.8e48", "1e308"}) {  // larger than 64 bits: UBSan would see a conversion
    EXPECT_EQ(refusal_of(fmt::format("{{\"schema_version\": {}, \"measure\": {}}}", number, number)),
              "'r.json' is not a receipt: /schema_version breaks the schema's rule 'enum'");
  }
  text.insert(text.find("\"mechanism\""), " ");
  EXPECT_EQ(refusal_of(text), "'r.json' is not as it was written: its hash does not match");
}

/// The text with a hash that matches.
std::string signed_again(const std::string& text) {
  const std::string start = "\"sha256\": \"";
  const std::size_t at = text.rfind(start) + start.size();
  std::string without = text;
  without.erase(at, 64);
  return without.insert(at, sha256(without));
}

/// The receipt as a program of version 1 would have written it.
std::string of_version_one(std::string text) {
  const std::pair<const char*, const char*> names[] = {{R"("schema_version": 2)", R"("schema_version": 1)"},
                                                       {R"("branch_rows")", R"("counted_rows")"},
                                                       {R"("part")", R"("on")"},
                                                       {R"("subject")", R"("of")"},
                                                       {R"("simultaneous")", R"("together")"},
                                                       {R"("rounding")", R"("rounded")"},
                                                       {R"("null_policy")", R"("null")"},
                                                       {R"("public_rows")", R"("public_records")"},
                                                       {R"("charge")", R"("ledger")"},
                                                       {"\n    \"dataset\": \"people\",", ""}};
  for (const auto& [name, old] : names) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.replace(at, std::string(name).size(), old);
    }
  }
  const std::size_t worst = text.find("\"worst_case\"");
  const std::size_t reason = text.find("\"reason\"", worst);
  if (reason < text.find('}', worst)) text.replace(reason, 8, "\"without\"");
  return signed_again(text);
}

TEST(Receipt, GroupsHaveAKeyInEveryKeyColumn) {
  const std::string text = to_json(grouped_twice(quartiles(Budget::pure(Rational(4))), Lattice::regular(0, 125, 1)));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal_of(signed_again(changed));
  };
  EXPECT_EQ(refused("\"town\": \"a\"", "\"city\": \"a\""),
            "'r.json' is not a receipt: a group has no key in the column 'town'");
  EXPECT_EQ(refused("\"town\": \"a\"", "\"city\": \"a\", \"town\": \"a\""),
            "'r.json' is not a receipt: a group has a key of a column that is not named");
  EXPECT_NE(refused("\"town\": \"a\"", "\"town\": \"\"").find("breaks the schema's rule"), std::string::npos);
  EXPECT_NE(refused("\"keys\": {", "\"key\": \"x\", \"keys\": {").find("breaks the schema's rule"), std::string::npos);
  const std::string list =
      text.substr(text.find("\"by\": ["), text.find(']', text.find("\"by\": [")) + 1 - text.find("\"by\": ["));
  EXPECT_EQ(refused(list, "\"by\": \"town\""), "'r.json' is not a receipt: a group has no key");
}

// The renaming to version 2 loses nothing.
TEST(Receipt, VersionOneSaysTheSame) {
  std::vector<std::string> texts = all_kinds();
  texts.push_back(of_everything());
  std::string together;
  for (const std::string& text : texts) {
    if (text.find("\"keys\"") != std::string::npos) continue;  // version 1 has one key column only
    const std::string old = of_version_one(text);
    EXPECT_EQ(old.find("\"branch_rows\""), std::string::npos);
    Release read = read_receipt(old, "r.json");
    EXPECT_EQ(to_json(read), old);
    if (read.charge) {
      EXPECT_EQ(std::exchange(read.charge->dataset, "people"), "");
    }
    read.receipt.clear();
    EXPECT_EQ(to_json(read), text);
    together += old;
  }
  for (const char* name : {"counted_rows", "on", "together", "without", "of", "null", "ledger", "public_records"}) {
    EXPECT_NE(together.find("\"" + std::string(name) + "\": "), std::string::npos) << name;
  }
}

/// Without this check, a receipt made by hand could name a drawn value that the lattice does not have.
TEST(Receipt, ValuesAreAmongThePossibleOnes) {
  std::string text =
      to_json(described(released({{Rational(1, 2)}, Budget::pure(Rational(1))}, Lattice::regular(0, 5, 1)), source));
  const std::string member = "\"value\": ";
  const std::size_t at = text.find(member) + member.size();
  for (const char* value : {"2.5", "6", "-1", "\"2024-01-31\""}) {
    EXPECT_NE(refusal_of(signed_again(std::string(text).replace(at, 1, value))), "") << value;
  }
  EXPECT_EQ(refusal_of(signed_again(std::string(text).replace(at, 1, "5.0"))), "");
}

/// The schema requires only the share of the bounds, not their cost.
TEST(Receipt, BoundsSayWhatTheyCost) {
  std::string text = to_json(described(bounded(), source));
  const std::size_t at = text.find("\"rho\"", text.find("\"bounds\": {"));
  EXPECT_NE(refusal_of(signed_again(text.replace(at, 5, "\"new\""))).find("what its bounds cost"), std::string::npos);
}

/// When a member stands twice, one reader takes the first and another the last. So what was promised must be said once.
TEST(Receipt, MembersThatStandTwiceAreRefused) {
  std::string text = all_kinds().front();
  const std::size_t at = text.find("\"measure\"");
  text.insert(at, "\"epsilon\": \"1/1000\", ");
  const std::string refusal = refusal_of(signed_again(text));
  EXPECT_TRUE(refusal.starts_with("'r.json' is not a receipt: an object has a member twice at byte ")) << refusal;
  EXPECT_EQ(refusal_of(R"({"a": 1, "\u0061": 2})"),
            "'r.json' is not a receipt: an object has a member twice at byte 17");
  EXPECT_EQ(refusal_of(R"({"a": {"a": [{"a": 1}, {"a": 1}]}})"),
            "'r.json' is not a receipt: it breaks the schema's rule 'required'");
}

/// The schema allows unknown members, so only the stack limited how deeply they could be nested.
TEST(Receipt, DeepNestingIsRefused) {
  const auto nested = [](std::size_t depth) {
    std::string text = all_kinds().front();
    return signed_again(
        text.insert(text.find("\"privacy\""), "\"new\": " + std::string(depth, '[') + std::string(depth, ']') + ", "));
  };
  EXPECT_EQ(refusal_of(nested(15)), "");
  const std::string deep = "is not a receipt: it is nested more than 16 deep at byte ";
  for (const std::size_t depth : {16U, 10'000U, 1'000'000U}) {
    EXPECT_NE(refusal_of(nested(depth)).find(deep), std::string::npos) << depth;
  }
  EXPECT_NE(refusal_of(std::string(1'000'000, '[')).find(deep), std::string::npos);
}

TEST(Receipt, WhatIsNotUtf8IsRefused) {
  std::string text = all_kinds().front();
  text.replace(text.find("people.csv"), 10, "people\xff.cs");
  EXPECT_NE(refusal_of(signed_again(text)).find("it is not JSON (Invalid encoding in string.) at byte "),
            std::string::npos);
}

/// Receipts with a fraction by zero, or with more than a name as the program's name, were accepted until explain.
TEST(Receipt, FractionsAndTheProgramAreOfTheirForm) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = all_kinds().front();
    return refusal_of(signed_again(text.replace(text.find(from), from.size(), to)));
  };
  EXPECT_NE(with("\"19/20\"", "\"19/0\"").find("/worst_case/confidence breaks the schema's rule 'pattern'"),
            std::string::npos);
  EXPECT_NE(with("\"fractile 0", "\"fractile 0](http://x)").find("/program breaks the schema's rule 'pattern'"),
            std::string::npos);
}

TEST(Receipt, NamesAreKept) {
  EXPECT_TRUE(rc::check([](const std::string& column, const std::string& sql) {
    const auto clean = [](std::string words) {
      std::erase_if(words, [](unsigned char c) { return c == 0 || c >= 128; });
      return words;
    };
    const SourceDescription odd{"a", clean(sql), clean(column), NullPolicy::drop, "E"};
    const Release release = released(quartiles(Budget::pure(Rational(1))), Lattice::regular(0, 5, 1));
    const Release receipt = read_receipt(to_json(described(release, odd)), "r.json");
    RC_ASSERT(receipt.source.column == odd.column);
    RC_ASSERT(receipt.source.sql == odd.sql);
    const std::string page = explain(receipt, Prose::markdown);
    RC_ASSERT(page.find('\x1b') == std::string::npos);
  }));
}

/// The page of a release's receipt, as one line.
std::string page_of(const Release& release) {
  std::string page = explain(read_receipt(to_json(described(release, source)), "r"), Prose::text);
  std::string line;
  for (const char c : page) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || !line.ends_with(' ')) line += next;
  }
  return line;
}

Release of_ages(const Budget& budget) { return released(quartiles(budget), Lattice::regular(0, 125, 1)); }

#define EXPECT_SAYS(page, words) EXPECT_NE((page).find(words), std::string::npos) << (page)
#define EXPECT_DOES_NOT_SAY(page, words) EXPECT_EQ((page).find(words), std::string::npos) << (page)

TEST(Explain, BoundsWhatMayComeOfARelease) {
  Release release = of_ages(Budget::pure(Rational(1)));
  std::string page = page_of(release);
  EXPECT_SAYS(page, "NOT PRIVATE");  // the release has a seed
  EXPECT_SAYS(page, "without that person's records");
  EXPECT_SAYS(page, "1 in 100 2.8 in 100");
  EXPECT_SAYS(page, "10 in 100 28 in 100");  // e/10 = 0.2718
  EXPECT_SAYS(page, "50 in 100 82 in 100");  // 1 - 0.5/e = 0.8161
  release.query.neighbors = Neighbors::change_one;
  release.unsafe_seed.reset();
  page = page_of(release);
  EXPECT_DOES_NOT_SAY(page, "NOT PRIVATE");
  EXPECT_SAYS(page, "with any other records in place of that person's");
  EXPECT_SAYS(page, "10 in 100 28 in 100");
  page = page_of(of_ages(Budget::zcdp(Rational(1, 2))));
  EXPECT_SAYS(page, "10 in 100 63 in 100");  // a Gaussian mechanism reaches 39
  EXPECT_SAYS(page, "rho is not comparable with epsilon.");
}

/// Under add-remove, two tables in which the person's record says different things are two steps apart.
TEST(Explain, OddsOfWhatARecordSaysMoveTwiceAsFarUnderAddRemove) {
  Release release = of_ages(Budget::pure(Rational(1)));
  std::string page = page_of(release);
  EXPECT_SAYS(page,
              "the odds that the person's records are in the table by a factor of at most 2.72 (e^1), and "
              "the odds of what these records say by a factor of at most 7.39 (e^2)");
  EXPECT_SAYS(page, "truthfully with a probability of 89 %");  // e^2 / (1 + e^2) = 0.8808
  release.query.neighbors = Neighbors::change_one;
  page = page_of(release);
  EXPECT_SAYS(page, "the values change the odds of what these records say by a factor of at most 2.72 (e^1)");
  EXPECT_SAYS(page, "truthfully with a probability of 74 %");  // e / (1 + e) = 0.7311
  EXPECT_DOES_NOT_SAY(page_of(of_ages(Budget::zcdp(Rational(1, 2)))), "odds");
}

TEST(Explain, SaysWhatMoreRecordsCost) {
  Release release = of_ages(Budget::pure(Rational(1)));
  release.query.records_per_person = 3;
  EXPECT_SAYS(page_of(release),
              "at most 3 records in the table. For somebody with twice as many records, the cost is twice");
  EXPECT_SAYS(page_of(of_ages(Budget::zcdp(Rational(1, 2)))),
              "with twice as many records, the cost is four times as high");
  QuantileQuery query = quartiles(Budget::approximate(Rational(1), Rational(1, 1000)));
  query.mechanism = Mechanism::independent;
  EXPECT_SAYS(page_of(released(query, Lattice::regular(0, 125, 1))),
              "epsilon is twice as high, and delta is 1 + e^epsilon");
}

TEST(Explain, TellsWhatRoundNumbersWereFound) {
  Release release = released(quartiles(Budget::pure(Rational(4))), Lattice::regular(0, 300, Rational(1, 1000)));
  const auto page = [&] {
    std::string text = explain(read_receipt(to_json(described(release, source)), "r"), Prose::text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const auto tells = [&](const char* words) { return page().find(words) != std::string::npos; };
  release.groups.front().used.granularity = Rational(1, 2);
  release.groups.front().used.heaping = Rational(5, 2);
  EXPECT_TRUE(tells("suggested that most values are multiples of 0.5, and many are multiples of 2.5;"));
  release.groups.front().used.granularity.reset();
  EXPECT_TRUE(tells("suggested that many are multiples of 2.5;"));
  release.groups.front().used.heaping.reset();
  EXPECT_FALSE(tells("multiples of"));
}

TEST(Explain, TellsOfRecordsThatMayHaveBeenRounded) {
  QuantileQuery query{{}, Budget::pure(Rational(4))};
  for (int i = 1; i < 40; ++i) query.quantiles.emplace_back(i, 40);
  query.expected_rows = 5000;
  const Lattice fine = Lattice::regular(0, 300, Rational(1, 1000));
  const Release release = released(query, fine);
  const Release rounded = testing::as_if_found(release, {RoundGrid{0, 1000}, {}});
  std::string page = explain(read_receipt(to_json(described(rounded, source)), "r"), Prose::text);
  std::replace(page.begin(), page.end(), '\n', ' ');
  EXPECT_NE(page.find("finer than the granularity"), std::string::npos);
  page = explain(read_receipt(to_json(described(testing::as_if_found(release, {}), source)), "r"), Prose::text);
  EXPECT_EQ(page.find("finer than"), std::string::npos);
}

}  // namespace
}  // namespace fractile

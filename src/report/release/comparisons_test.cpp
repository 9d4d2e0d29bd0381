#include <gtest/gtest.h>

#include <sstream>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "support/described.hpp"
#include "support/errors.hpp"
#include "support/releases.hpp"

namespace fractile {
namespace {

const Lattice cents = Lattice::regular(1, 300, Rational(1, 100));
const SourceDescription alone{"wages.csv", "", "wage", NullPolicy::drop, "DuckDB v1"};
const SourceDescription wages_by_town{"wages.csv", "", "wage", NullPolicy::drop, "DuckDB v1", "", "town"};

QuantileQuery quartiles(bool together = false) {
  QuantileQuery query{{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, Budget::pure(Rational(2))};
  query.expected_rows = 1000;
  query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::population, together};
  return query;
}

Release towns(const QuantileQuery& query) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  return release({"0.25", "\"b\", c"},
                 {reference_table(cents, Shape::normal, 1000), reference_table(cents, Shape::log_normal, 1000)}, query,
                 bits);
}

Release receipt_of(const Release& groups) {
  return read_receipt(to_json(testing::described(groups, wages_by_town)), "it");
}

Release receipt_alone(const QuantileQuery& query) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const RankProfile table = reference_table(cents, Shape::normal, 1000);
  return read_receipt(to_json(testing::described(release(table, query, bits), alone)), "it");
}

TEST(Comparisons, OfTwoKeysAreThoseOfTheirEstimatesQuantileByQuantile) {
  const Release groups = towns(quartiles());
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt_of(groups), {"0.25", "\"b\", c"});
  ASSERT_EQ(comparisons.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(comparisons[i].key, "\"b\", c");
    EXPECT_EQ(comparisons[i].against, "0.25");
    const Comparison expected =
        compare(estimate_in_pairs(groups, groups.groups[0], i), estimate_in_pairs(groups, groups.groups[1], i));
    EXPECT_EQ(comparisons[i].comparison.difference, expected.difference);
    EXPECT_EQ(comparisons[i].comparison.ratio, expected.ratio);
  }
}

TEST(Comparisons, OfTwoQuantilesAreMadeInEveryGroup) {
  const Release groups = towns(quartiles());
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt_of(groups), {"0.25", "3/4"});
  ASSERT_EQ(comparisons.size(), 2U);
  for (std::size_t g = 0; g < 2; ++g) {
    EXPECT_EQ(comparisons[g].key, groups.groups[g].key);
    EXPECT_EQ(comparisons[g].quantile, "3/4");
    EXPECT_EQ(comparisons[g].against, "1/4");
    EXPECT_EQ(comparisons[g].comparison.difference.value,
              groups.value(groups.groups[g], 2) - groups.value(groups.groups[g], 0));
  }
}

/// Three towns by two sexes, without one of the combinations.
Release people() {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const GroupKeys keys = GroupKeys::tuples({{"n", "f"}, {"n", "m"}, {"s", "m"}, {"s", "f"}, {"e", "m"}, {"f", "f"}});
  const std::vector<RankProfile> profiles(keys.size(), reference_table(cents, Shape::normal, 1000));
  Release groups = release(keys.all(), profiles, quartiles(), bits);
  groups.source = alone;
  groups.source.by = {"town", "sex"};
  return read_receipt(to_json(groups), "it");
}

TEST(Comparisons, OfKeysOfOneColumnAreMadeWithTheOthersAlike) {
  const Release receipt = people();
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt, {"f", "m"});
  ASSERT_EQ(comparisons.size(), 6U);
  EXPECT_EQ(comparisons[0].key, receipt.groups[1].key);
  EXPECT_EQ(comparisons[3].key, receipt.groups[2].key);
  EXPECT_EQ(comparisons[3].against, "f");
  EXPECT_EQ(comparisons[3].comparison.difference,
            compare(estimate_in_pairs(receipt, receipt.groups[3], 0), estimate_in_pairs(receipt, receipt.groups[2], 0))
                .difference);
  EXPECT_EQ(comparisons_of(receipt, {"s", "n"}).size(), 6U);
  const std::string csv = to_csv(receipt, comparisons);
  EXPECT_NE(csv.find("statistic,town,sex,quantile,against,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ndifference,s,m,1/4,f,"), std::string::npos) << csv;
  EXPECT_NE(to_table(receipt, comparisons).find("each line by itself"), std::string::npos);
}

std::string refusal_of(const Release& receipt, const ComparisonRequest& request) {
  return testing::refusal(ErrorCode::usage, [&] { comparisons_of(receipt, request); });
}

TEST(Comparisons, OfWhatIsNotThereAreRefused) {
  const Release receipt = receipt_of(towns(quartiles()));
  EXPECT_EQ(refusal_of(receipt, {"0.25", "c"}), "'c' is neither a key of the groups nor one of the quantiles");
  EXPECT_EQ(refusal_of(receipt, {"c", "\"b\", c"}), "'c' is neither a key of the groups nor one of the quantiles");
  EXPECT_EQ(refusal_of(receipt, {"\"b\", c", "0.5"}),
            "'\"b\", c' is a key, and would be compared with something that is not a key");
  EXPECT_EQ(refusal_of(receipt, {"0.5", "0.9"}), "'0.9' is not one of the quantiles");
  EXPECT_EQ(refusal_of(receipt, {"\"b\", c", "0.9"}), "'0.9' is neither a key of the groups nor one of the quantiles");
  EXPECT_EQ(refusal_of(receipt, {"0.5", "1/2"}), "'0.5' would be compared with itself");
  EXPECT_EQ(refusal_of(receipt, {"0.25", "0.25"}), "'0.25' would be compared with itself");
  EXPECT_EQ(refusal_of(people(), {"e", "f"}), "no group with 'e' has a counterpart with 'f'");
  EXPECT_EQ(refusal_of(people(), {"n", "m"}), "'n' and 'm' are keys of different columns");
  QuantileQuery without = quartiles();
  without.intervals.reset();
  EXPECT_EQ(refusal_of(receipt_alone(without), {"0.25", "0.5"}),
            "the receipt has no intervals, so nothing can be compared");
}

std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Comparisons, AreWrittenAsCsvWithRatiosRoundedOutwards) {
  const Release receipt = receipt_alone(quartiles());
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt, {"0.25", "0.75"});
  const auto rows = cells_of(to_csv(receipt, comparisons));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"statistic", "quantile", "against", "value", "lower", "upper", "unsafe_seed"}));
  EXPECT_EQ(rows[1][0], "value");
  EXPECT_EQ(rows[1][2], "");
  ASSERT_EQ(rows[4][0], "difference");
  EXPECT_EQ(Rational::parse(rows[4][4]), comparisons.front().comparison.difference.lower);
  const std::vector<std::string> quantiles{"0.25", "0.5", "0.75"};
  for (const std::string& first : quantiles) {
    for (const std::string& second : quantiles) {
      if (first == second) continue;
      const std::vector<NamedComparison> pair = comparisons_of(receipt, {first, second});
      const std::vector<std::string> row = cells_of(to_csv(receipt, pair)).back();
      ASSERT_EQ(row[0], "ratio");
      const Rational lower = Rational::parse(row[4]);
      const Rational upper = Rational::parse(row[5]);
      const Estimate& exact = *pair.front().comparison.ratio;
      EXPECT_LE(lower, exact.lower);
      EXPECT_GE(upper, exact.upper);
      EXPECT_LE(exact.lower - lower, exact.lower * Rational(1, 100'000));
      EXPECT_LE(upper - exact.upper, exact.upper * Rational(1, 100'000));
      EXPECT_LE(row[5].size(), 8U);
    }
  }
}

TEST(Comparisons, SayHowSurelyTheyHold) {
  const auto words = [](const Release& receipt, const ComparisonRequest& request) {
    return to_table(receipt, comparisons_of(receipt, request));
  };
  const Release together = receipt_of(towns(quartiles(true)));
  EXPECT_NE(words(together, {"0.25", "\"b\", c"}).find("between their ends at once"), std::string::npos);
  // In several groups, each group's intervals hold at once, but not those of all groups.
  EXPECT_NE(words(together, {"0.5", "0.75"}).find("each line by itself"), std::string::npos);
  EXPECT_NE(words(receipt_alone(quartiles()), {"0.5", "0.75"}).find("each line by itself"), std::string::npos);
  const std::string page = explain(together, Prose::markdown, comparisons_of(together, {"0.25", "\"b\", c"}));
  EXPECT_NE(page.find("What was compared"), std::string::npos);
  EXPECT_NE(page.find("\\\"b\\\"\\, c"), std::string::npos);
}

}  // namespace
}  // namespace fractile

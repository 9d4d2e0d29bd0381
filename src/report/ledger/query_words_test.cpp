#include "report/ledger/query_words.hpp"

#include <gtest/gtest.h>

#include "report/text/canonical_query.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

QuantileQuery asked(std::vector<Rational> quantiles) {
  return {std::move(quantiles), Budget::pure(Exponent::parse("1"))};
}

TEST(QueryWords, SayWhatWasAsked) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  SourceDescription source{"/data/people.csv", "", "age", NullPolicy::drop, "DuckDB v1"};
  const auto words = [&](const QuantileQuery& query, const Lattice& lattice, const ReleaseDetails& details = {}) {
    return query_in_words(canonical_query(query, lattice, source, details));
  };
  EXPECT_EQ(words(asked({Rational(1, 2)}), ages), "median of age (0 to 125 in steps of 1), in people.csv");
  EXPECT_EQ(words(asked({Rational(1, 4), Rational(1, 2), Rational(3, 4)}), ages),
            "quartiles of age (0 to 125 in steps of 1), in people.csv");
  EXPECT_EQ(words(asked({Rational(1, 10), Rational(9, 10)}), Lattice::explicit_points({1, 2, 5})),
            "1/10, 9/10 of age (3 candidates), in people.csv");
  std::vector<Rational> many;
  for (int k = 1; k < 100; ++k) many.emplace_back(k, 100);
  EXPECT_EQ(words(asked(many), ages), "percentiles of age (0 to 125 in steps of 1), in people.csv");
  many.pop_back();
  EXPECT_EQ(words(asked(many), ages),
            "98 quantiles from 1/100 to 49/50 of age (0 to 125 in steps of 1), in people.csv");
  source.sql = "SELECT age FROM input";
  source.by = "region";
  ReleaseDetails details;
  details.source = "monday";
  details.keys = {"north", "south"};
  QuantileQuery query = asked({Rational(1, 2)});
  query.intervals = IntervalRequest{Rational(19, 20)};
  EXPECT_EQ(
      words(query, ages, details),
      "median of age (0 to 125 in steps of 1), by region (2 groups), with intervals at 19/20, in a query of monday");
}

TEST(QueryWords, SayWhatEachPersonsRecordsBecome) {
  SourceDescription source{"/data/visits.csv", "", "cost", NullPolicy::drop, "DuckDB v1", "id"};
  source.per_person = PerPerson::sum;
  EXPECT_EQ(query_in_words(canonical_query(asked({Rational(1, 2)}), Lattice::regular(0, 400, 1), source, {})),
            "median of cost, sum of each person (0 to 400 in steps of 1), in visits.csv");
}

TEST(QueryWords, SayTheWeightsOfRecords) {
  SourceDescription source{"/data/survey.csv", "", "income", NullPolicy::drop, "DuckDB v1"};
  source.weights = WeightsDescription{{"w", Rational(0), Rational(300), Rational(1, 2)}, 1};
  EXPECT_EQ(query_in_words(canonical_query(asked({Rational(1, 2)}), Lattice::regular(0, 400, 1), source, {})),
            "median of income (0 to 400 in steps of 1), weighted by w (0 to 300 in steps of 1/2), in survey.csv");
}

TEST(QueryWords, WhatIsNoQueryOfOursIsShownFromItsBeginning) {
  const std::string long_text(100, 'x');
  for (const std::string text :
       {"", "SELECT 1", "{}", "[1]", R"({"column":"a"})", R"({"column":"a","quantiles":[]})",
        R"({"column":"a","quantiles":[1]})", R"({"column":1,"quantiles":["1/2"]})", "{\"column\""}) {
    EXPECT_EQ(query_in_words(text), text);
  }
  EXPECT_EQ(query_in_words(long_text), long_text.substr(0, 60) + "...");
  EXPECT_EQ(query_in_words(long_text.substr(0, 59) + "\u00fc\u00fc"), long_text.substr(0, 59) + "...");
}

TEST(QueryWords, NothingInAQueryActsOnATerminal) {
  const std::string words =
      query_in_words(R"({"column":"a\u001b[31m\n","quantiles":["1/2"],"lower":"0","upper":"1","step":"1"})");
  EXPECT_EQ(words, shown_text(words));
  EXPECT_EQ(words.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace fractile::report_detail

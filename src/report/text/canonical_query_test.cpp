#include "report/text/canonical_query.hpp"

#include <gtest/gtest.h>

#include "fractile/error.hpp"
#include "fractile/release.hpp"

namespace fractile {
namespace {

Release some_release() {
  const Lattice lattice = Lattice::regular(0, Rational::parse("4611686018427387.90"), Rational::parse("0.01"));
  const QuantileQuery query{{Rational(1, 3), Rational(1, 2)}, Budget::pure(Rational(1))};
  return {query, lattice, {}};
}

SourceDescription some_source() { return {"t.csv", "", "age", NullPolicy::drop, "DuckDB v1"}; }

TEST(CanonicalQuery, SaysAllThatDeterminesARelease) {
  Release release = some_release();
  QuantileQuery& query = release.query;
  EXPECT_EQ(
      canonical_query(query, release.lattice, some_source(), {}),
      R"({"column":"age","file":"t.csv","null":"drop","quantiles":["1/3","1/2"],"epsilon":"1",)"
      R"("neighbors":"add-remove","records_per_person":"1","lower":"0","upper":"4611686018427387.9","step":"0.01",)"
      R"("mechanism":"auto","rates":"tight"})");
  query.budget = Budget::approximate(Exponent::parse("ln 2"), Rational(1, 1000));
  query.mechanism = Mechanism::independent;
  query.neighbors = Neighbors::change_one;
  query.base = Base::adaptive;
  query.rates = Rates::as_published;
  query.records_per_person = 3;
  query.expected_rows = 99;
  query.interpolate = false;
  SourceDescription source{"", "SELECT \"a\"", "age", NullPolicy::error, "another engine", "id", "town"};
  source.missing = {"NA", "-9"};
  source.per_person = PerPerson::median;
  ReleaseDetails details{"csv", ";", true, true, {"a", "b,c"}, Rational(1, 10)};
  details.unreadable = Unreadable::error;
  EXPECT_EQ(
      canonical_query(query, Lattice::explicit_points({1, Rational(5, 2)}), source, details),
      R"({"column":"age","sql":"SELECT \"a\"","null":"error","missing":["-9","NA"],"unreadable":"error","input_format":"csv",)"
      R"("delimiter":";","single_line_records":"yes",)"
      R"("person":"id","per_person":"median","by":"town","keys":["a","b,c"],)"
      R"("quantiles":["1/3","1/2"],"epsilon":"ln 2","delta":"1/1000","neighbors":"change-one",)"
      R"("records_per_person":"3","candidates":["1","2.5"],"bounds_share":"1/10","mechanism":"independent","rates":"as-published",)"
      R"("base":"adaptive","expected_rows":"99","interpolate":"no","public_rows":"yes"})");
}

// The same groups are the same query, however they were typed. A key is a list of texts, which no separator joins.
TEST(CanonicalQuery, ListsTheKeysOfSeveralColumnsByThemselves) {
  const Release release = some_release();
  SourceDescription source = some_source();
  source.by = {"town", "sex"};
  const auto text = [&](GroupKeys keys) {
    ReleaseDetails details;
    details.keys = std::move(keys);
    return canonical_query(release.query, release.lattice, source, details);
  };
  const std::string crossed = text(GroupKeys::crossed({{"a", "b"}, {"f", "m"}}));
  EXPECT_NE(crossed.find(R"("by":["town","sex"],"keys":[["a","f"],["a","m"],["b","f"],["b","m"]],)"), std::string::npos)
      << crossed;
  EXPECT_EQ(text(GroupKeys::tuples({{"a", "f"}, {"a", "m"}, {"b", "f"}, {"b", "m"}})), crossed);
  EXPECT_NE(text(GroupKeys::tuples({{"a", "f"}, {"a", "m"}, {"b", "m"}, {"b", "f"}})), crossed);
  EXPECT_NE(text(GroupKeys::tuples({{"a,b", "c"}})), text(GroupKeys::tuples({{"a", "b,c"}})));
}

// The order in which texts that count as missing were typed made two queries of one release.
TEST(CanonicalQuery, OrdersListsWhoseOrderDecidesNothing) {
  const Release release = some_release();
  const auto text = [&](std::vector<std::string> missing, std::vector<NamedTable> tables, bool is_as_typed = false) {
    SourceDescription source = some_source();
    source.missing = std::move(missing);
    ReleaseDetails details;
    details.tables = std::move(tables);
    details.is_as_typed = is_as_typed;
    return canonical_query(release.query, release.lattice, source, details);
  };
  const NamedTable towns{"towns", "/towns.csv"};
  const NamedTable jobs{"jobs", "/jobs.csv"};
  EXPECT_EQ(text({"NA", "-9"}, {towns, jobs}), text({"-9", "NA"}, {jobs, towns}));
  EXPECT_EQ(text({"NA", "-9"}, {towns, jobs}), text({"-9", "NA"}, {jobs, towns}, true));
  EXPECT_NE(text({"NA", "-9"}, {}), text({"NA", "-9"}, {}, true));  // the text of an earlier program
  EXPECT_NE(text({"NA"}, {}), text({"NA", "-9"}, {}));
}

TEST(CanonicalQuery, SaysWhichIntervals) {
  Release release = some_release();
  release.query.intervals = IntervalRequest{Rational(19, 20), IntervalSubject::table, true};
  const std::string text = canonical_query(release.query, release.lattice, some_source(), {});
  EXPECT_NE(text.find(R"("intervals":"19/20","intervals_of":"table","intervals_together":"yes")"), std::string::npos)
      << text;
  release.query.intervals = IntervalRequest{Rational(1, 2)};
  const std::string other = canonical_query(release.query, release.lattice, some_source(), {});
  EXPECT_NE(other.find(R"("intervals":"1/2","intervals_of":"population")"), std::string::npos) << other;
  EXPECT_EQ(other.find("together"), std::string::npos) << other;
}

TEST(CanonicalQuery, SaysWhichCountsSharesAndMeans) {
  const Release release = some_release();
  ReleaseDetails details;
  details.statistics = StatisticsRequest{{Rational(1), Rational(5, 2)}, true, Rational(1, 5)};
  const std::string text = canonical_query(release.query, release.lattice, some_source(), details);
  EXPECT_NE(text.find(R"("rates":"tight","statistics_share":"1/5","below":["1","2.5"],"mean":"yes"})"),
            std::string::npos)
      << text;
  details.statistics = StatisticsRequest{};
  const std::string count = canonical_query(release.query, release.lattice, some_source(), details);
  EXPECT_NE(count.find(R"("rates":"tight","statistics_share":"1/10"})"), std::string::npos) << count;
}

TEST(CanonicalQuery, NamesTheTable) {
  const Release release = some_release();
  const auto beginning = [&](const std::string& source) {
    ReleaseDetails details;
    details.source = source;
    const std::string text = canonical_query(release.query, release.lattice, some_source(), details);
    return text.substr(0, text.find(R"(,"null")"));
  };
  EXPECT_EQ(beginning("/data/t.csv"), R"({"column":"age","file":"/data/t.csv")");
  EXPECT_EQ(beginning("monday"), R"({"column":"age","source":"monday")");
  EXPECT_EQ(beginning("/other/t.csv"), R"({"column":"age","file":"/other/t.csv")");
}

TEST(CanonicalQuery, SaysTheBudgetsMeasure) {
  Release release = some_release();
  release.query.budget = Budget::zcdp(Rational(1, 8));
  const std::string text = canonical_query(release.query, release.lattice, some_source(), {});
  EXPECT_NE(text.find(R"("rho":"1/8")"), std::string::npos) << text;
  EXPECT_EQ(text.find("epsilon"), std::string::npos) << text;
}

}  // namespace
}  // namespace fractile

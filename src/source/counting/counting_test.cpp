#include "source/counting/counting.hpp"

#include <rapidcheck.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ranks/lattice_test_support.hpp"
#include "source/entries/table_test_support.hpp"
#include "support/limits.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using source_test::lattice_of;
using source_test::profile_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Lattice> coarse_lattices() {
  return {lattice_of("0", "100", "1"),
          lattice_of("0", "10", "0.1"),
          lattice_of("0", "10.23", "0.01"),
          lattice_of("-0.7", "0.7", "0.05"),
          lattice_of("-1", "1", "0.00390625"),
          lattice_of("0", "1000000", "1000"),
          lattice_of("1e6", "1000000.1", "0.001"),
          lattice_of("-1e18", "1e18", "2e15"),
          lattice_of("3", "3", "1"),
          lattice_of("0", "1e-280", "1e-282"),
          lattice_of("-1e200", "1e200", "1e199")};
}

/// Doubles at which an inexact index would be seen: around every threshold and bound, and the extremes.
std::vector<double> telling_doubles(const Lattice& lattice) {
  std::vector<double> doubles{0.0,
                              -0.0,
                              infinity,
                              -infinity,
                              std::numeric_limits<double>::denorm_min(),
                              -std::numeric_limits<double>::denorm_min(),
                              std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::lowest(),
                              0x1p53,
                              0x1p53 + 2,
                              -0x1p63,
                              0x1p63};
  const auto add_neighbours = [&](double value) {
    for (const double x : {std::nextafter(value, -infinity), value, std::nextafter(value, infinity)})
      doubles.push_back(x);
  };
  for (std::uint64_t i = 0; i < lattice.size(); ++i) {
    add_neighbours(lattice.at(i).to_double());
    if (i > 0) add_neighbours(ranks_test::double_threshold(lattice, 2 * i + 1));
  }
  std::mt19937_64 generator(7);
  const double lower = lattice.lower().to_double();
  const double upper = lattice.upper().to_double();
  std::uniform_real_distribution<double> inside(0, 1);
  for (int k = 0; k < 1000; ++k) doubles.push_back(lower + (upper - lower) * (inside(generator) * 1.2 - 0.1));
  return doubles;
}

std::vector<std::int64_t> telling_integers(const Lattice& lattice) {
  using testing::least;
  using testing::most;
  std::vector<std::int64_t> integers{0, -1, 1, least, least + 1, most, most - 1, (std::int64_t{1} << 53) + 1};
  const auto add_neighbours = [&](const Rational& value) {
    for (const Rational& x : {value.floor() - Rational(1), value.floor(), value.ceil(), value.ceil() + Rational(1)}) {
      if (x.fits_int64()) integers.push_back(x.to_int64());
    }
  };
  for (std::uint64_t i = 0; i < lattice.size(); ++i) {
    add_neighbours(lattice.at(i));
    add_neighbours(lattice.at(i) - lattice.step() * Rational(1, 2));
  }
  return integers;
}

template <class Number>
std::string text_of(Number number) {
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

template <class Number>
std::string csv_of(const std::vector<Number>& numbers) {
  std::string csv = "x,y\n";
  for (const Number number : numbers) csv += text_of(number) + ",\n";
  return csv;
}

class CountingTest : public EngineTest {
 protected:
  std::string parquet_of(const std::string& csv, const std::string& type) const {
    const std::string file = folder.path("x.parquet");
    run_sql("COPY (SELECT CAST(x AS " + type + ") AS x FROM read_csv(" + quote_literal(csv) +
            ", header = true, all_varchar = true)) TO " + quote_literal(file));
    return file;
  }
  void expect_profile(const std::string& file, const Lattice& lattice, const RankProfile& expected) const {
    const Table table = open(file);
    EXPECT_EQ(table.profile("x", lattice, NullPolicy::error, Counting::stream), expected) << file;
    EXPECT_EQ(table.profile("x", lattice, NullPolicy::error), expected) << file;
  }
};

// Among all texts of up to five of these characters, exactly those are numbers that Table's documentation lists.
TEST_F(CountingTest, TextsThatAreNumbersFollowOneGrammar) {
  const Column column{"x", "x", "VARCHAR"};
  const std::string letters =
      "(SELECT unnest(['', '0', '7', '.', 'e', 'E', '+', '-', '_', ' ', E'\\t', E'\\n', chr(11), chr(160), ',', 'x', "
      "'f']) AS c)";
  const std::string texts = "(SELECT DISTINCT a.c || b.c || d.c || e.c || f.c AS x FROM " + letters + " a, " + letters +
                            " b, " + letters + " d, " + letters + " e, " + letters + " f)";
  const std::string decimal = R"('[ \t\n\v\f\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t\n\v\f\r]*')";
  const auto is = [](CellState state) { return std::to_string(static_cast<std::int64_t>(state)); };
  const Session connection = Session::open({});
  ResultStream rows = connection.query(
      "SELECT shown FROM (SELECT replace(replace(x, E'\\t', 't'), E'\\n', 'n') AS shown, x, " +
          cell_state_expression(column, lattice_of("0", "100", "1")) + " AS state FROM " + texts +
          ") WHERE state <> CASE WHEN regexp_full_match(x, " + decimal + ") THEN " + is(CellState::number) +
          " WHEN regexp_full_match(x, '[ \\t\\n\\v\\f\\r]*') THEN " + is(CellState::missing) + " ELSE " +
          is(CellState::no_number) + " END ORDER BY shown LIMIT 20",
      {CellType::text});
  while (const auto chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) ADD_FAILURE() << chunk->column(0).text(row);
  }
}

TEST_F(CountingTest, DoublesAreReadBitForBit) {
  for (const Lattice& lattice : coarse_lattices()) {
    SCOPED_TRACE(lattice.lower().to_string() + " " + lattice.upper().to_string() + " " + lattice.step().to_string());
    const std::vector<double> numbers = telling_doubles(lattice);
    const RankProfile expected = profile_of<double>(lattice, numbers);
    const std::string csv = folder.write("x.csv", csv_of(numbers));
    expect_profile(csv, lattice, expected);
    expect_profile(parquet_of(csv, "DOUBLE"), lattice, expected);
  }
}

TEST_F(CountingTest, WholeNumbersAreReadBitForBit) {
  for (const Lattice& lattice : coarse_lattices()) {
    SCOPED_TRACE(lattice.lower().to_string() + " " + lattice.upper().to_string() + " " + lattice.step().to_string());
    const std::vector<std::int64_t> numbers = telling_integers(lattice);
    const std::string csv = folder.write("x.csv", csv_of(numbers));
    expect_profile(parquet_of(csv, "BIGINT"), lattice, profile_of<std::int64_t>(lattice, numbers));
  }
}

TEST_F(CountingTest, NarrowAndWideTypesAreReadByValue) {
  const Lattice lattice = lattice_of("-100", "100", "0.5");
  const std::vector<std::int64_t> numbers{0, 1, 2, 3, 100, 100, 99, 127};
  const std::string csv = folder.write("x.csv", csv_of(numbers));
  for (const char* type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
                           "HUGEINT", "DECIMAL(9,2)", "DECIMAL(38,5)", "FLOAT", "DOUBLE"}) {
    SCOPED_TRACE(type);
    expect_profile(parquet_of(csv, type), lattice, profile_of<std::int64_t>(lattice, numbers));
  }
}

TEST_F(CountingTest, RandomLatticesAndNumbers) {
  EXPECT_TRUE(rc::check("random", [this] {
    const auto lower = *rc::gen::inRange<std::int64_t>(-100000, 100000);
    const auto size = *rc::gen::inRange<std::int64_t>(1, 200);
    const auto step = *rc::gen::inRange<std::int64_t>(1, 1000);
    const auto exponent = *rc::gen::inRange<std::int64_t>(-6, 3);
    const Rational unit = Rational(10).pow(exponent);
    const Lattice lattice =
        Lattice::regular(Rational(lower) * unit, Rational(lower + (size - 1) * step) * unit, Rational(step) * unit);
    std::vector<double> numbers;
    for (const auto tick :
         *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-10, 2 * size + 10))) {
      numbers.push_back((lattice.lower() + lattice.step() * Rational(tick, 2)).to_double());
    }
    const Table table = open(folder.write("x.csv", csv_of(numbers)));
    const RankProfile expected = profile_of<double>(lattice, numbers);
    RC_ASSERT(table.profile("x", lattice, NullPolicy::error, Counting::stream) == expected);
    RC_ASSERT(table.profile("x", lattice, NullPolicy::error) == expected);
  }));
}

TEST_F(CountingTest, WholeNumbersAreGroupedByValueOnAnyNarrowLattice) {
  std::vector<Lattice> lattices{lattice_of("0", "125", "1"),
                                lattice_of("-2000", "2000", "0.001"),
                                lattice_of("0.5", "4000.5", "0.5"),
                                lattice_of("-7.25", "1.75", "4.5"),
                                lattice_of("-9223372036854775700", "-9223372036854775600", "1"),
                                lattice_of("9223372036854775700", "9223372036854775806", "2")};
  lattices.push_back(Lattice::explicit_points({Rational::parse("-0.5"), 3, Rational::parse("3.5"), 1000}));
  for (const Lattice& lattice : lattices) {
    SCOPED_TRACE(lattice.lower().to_string() + " " + lattice.upper().to_string());
    std::vector<std::int64_t> numbers{std::numeric_limits<std::int64_t>::min(),
                                      std::numeric_limits<std::int64_t>::max()};
    const std::int64_t middle = lattice.lower().floor().to_int64();
    for (std::int64_t k = -20; k < 4020; k += 7) {
      if (k < 0 || middle < std::numeric_limits<std::int64_t>::max() - k) numbers.push_back(middle + k);
    }
    const std::string csv = folder.write("x.csv", csv_of(numbers));
    expect_profile(parquet_of(csv, "BIGINT"), lattice, profile_of<std::int64_t>(lattice, numbers));
  }
}

TEST(Counting, TheEngineCountsOnNarrowLatticesOnly) {
  const Column whole{"x", "x", "BIGINT"};
  EXPECT_TRUE(engine_can_count(whole, lattice_of("0", "4095", "1")));
  EXPECT_TRUE(engine_can_count(whole, lattice_of("0.5", "4096.5", "0.000001")));
  EXPECT_TRUE(engine_can_count(whole, Lattice::explicit_points({Rational(1), Rational(2)})));
  EXPECT_FALSE(engine_can_count(whole, lattice_of("0", "4096", "1")));
  EXPECT_FALSE(engine_can_count(whole, lattice_of("0", "1e15", "1e14")));
  EXPECT_FALSE(engine_can_count(whole, lattice_of("-9223372036854775808", "-9223372036854775800", "1")));
  EXPECT_FALSE(engine_can_count(whole, lattice_of("9223372036854775800", "9223372036854775807", "1")));
}

TEST_F(CountingTest, RealNumbersAreStreamed) {
  const Lattice lattice = lattice_of("0", "1e12", "1e-6");
  const std::vector<double> numbers{0, 1.5, 1e-6, 5e11, 2e12};
  const Table table = open(folder.write("x.csv", csv_of(numbers)));
  EXPECT_EQ(table.profile("x", lattice, NullPolicy::error), profile_of<double>(lattice, numbers));
  for (const Lattice& any : {lattice, lattice_of("0", "10", "1")}) {
    const Error error = error_of([&] { (void)table.profile("x", any, NullPolicy::error, Counting::push_down); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST_F(CountingTest, TheNumberOfThreadsChangesNothing) {
  const std::string file = folder.path("x.parquet");
  run_sql(
      "COPY (SELECT (hash(i) % 100000007) / 3.0 AS x, CAST(hash(i) % 5000 AS INTEGER) AS k FROM range(600000) t(i)) "
      "TO " +
      quote_literal(file));
  const std::vector<Lattice> lattices{lattice_of("0", "30000000", "1000"), lattice_of("0", "30000000", "0.000001")};
  const Table one = Table::open({.file = file, .threads = 1});
  for (const std::uint32_t threads : {0U, 2U, 5U}) {
    const Table several = Table::open({.file = file, .threads = threads});
    for (const Lattice& lattice : lattices) {
      for (const char* column : {"x", "k"}) {
        EXPECT_TRUE(several.profile(column, lattice, NullPolicy::error) ==
                    one.profile(column, lattice, NullPolicy::error))
            << threads;
      }
    }
  }
  EXPECT_EQ(error_of([&] { (void)Table::open({.file = file, .threads = 257}); }).code(), ErrorCode::usage);
}

TEST_F(CountingTest, ManyRecordsOverManyBatches) {
  const std::string file = folder.path("x.parquet");
  run_sql(
      "COPY (SELECT (i % 1009) / 4.0 AS x, i % 1009 AS k, CASE WHEN i % 3 = 0 THEN i END AS holes FROM range(700000) "
      "t(i)) TO " +
      quote_literal(file));
  const Lattice lattice = lattice_of("0", "252", "0.5");
  const Table table = Table::open({.file = file, .threads = 1});  // with several, others may do every task
  int calls = 0;
  const RankProfile streamed = table.profile("x", lattice, NullPolicy::error, Counting::stream, [&] { ++calls; });
  EXPECT_EQ(streamed.records(), 700000u);
  EXPECT_GT(calls, 1);
  EXPECT_EQ(table.profile("k", lattice, NullPolicy::error, Counting::push_down, [&] { ++calls; }),
            table.profile("k", lattice, NullPolicy::error, Counting::stream));
  for (const Counting counting : {Counting::stream, Counting::push_down}) {
    EXPECT_EQ(table.profile("holes", lattice, NullPolicy::drop, counting).records(), 233334u);
  }
}

}  // namespace
}  // namespace fractile::source_detail

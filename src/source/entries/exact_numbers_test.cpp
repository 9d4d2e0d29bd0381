// Decimals and wide integers have the positions that exact arithmetic gives them, through every entry, whole or in pieces.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/entries/table_test_support.hpp"
#include "source/files/input_file.hpp"

namespace fractile {
namespace {

using source_test::error_of;
using source_test::lattice_of;

/// By the definition: the nearest point, the upper one when two are equally near, clamped to the ends; missing cells are left out.
RankProfile exactly_placed(const Lattice& lattice, const std::vector<std::string>& cells) {
  ProfileBuilder builder(lattice);
  for (const std::string& cell : cells) {
    if (cell == "NULL") continue;
    const Rational steps = (Rational::parse(cell) - lattice.lower()) / lattice.step() + Rational(1, 2);
    const Rational last(static_cast<std::int64_t>(lattice.size() - 1));
    const Rational nearest = steps.sign() < 0 ? Rational(0) : (steps > last ? last : steps.floor());
    builder.add_position(2 * nearest.to_uint64() + 1, 1);
  }
  return builder.finish();
}

class ExactNumbers : public source_test::EngineTest {
 protected:
  std::string parquet(const std::string& type, const std::vector<std::string>& cells) const {
    std::string values;
    for (const std::string& cell : cells) {
      const std::string text = cell == "NULL" ? cell : "'" + cell + "'";
      values += (values.empty() ? "(" : ", (") + ("CAST(" + text + " AS " + type + "))");
    }
    return write_parquet("p.parquet",
                         "SELECT x, 'k' AS k, 'p' || row_number() OVER () AS p FROM (VALUES " + values + ") t(x)");
  }
  /// Expects the profile when the file is counted whole, by key, by person, and in two pieces that are merged.
  static void expect_defined(const TableOptions& options, const Lattice& lattice, const RankProfile& expected,
                             const std::string& what) {
    const Table table = Table::open(options);
    EXPECT_NO_THROW(table.require_countable("x", lattice)) << what;
    EXPECT_EQ(table.profile("x", lattice, NullPolicy::drop), expected) << what;
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const RecordSelection by_key{.by = "k", .keys = {"k"}};
    EXPECT_EQ(table.count({{"x", lattice, NullPolicy::drop, by_key}}, bits).front().profiles().at(0), expected) << what;
    EXPECT_EQ(table.count({{"x", lattice, NullPolicy::drop, {.person = "p"}}}, bits).front().profiles().at(0), expected)
        << what;
  }
  void expect_exact(const std::string& type, const Lattice& lattice, const std::vector<std::string>& cells) const {
    const RankProfile expected = exactly_placed(lattice, cells);
    const bool is_stored = type.find("HUGEINT") == std::string::npos;  // the engine writes those as doubles
    if (is_stored) {
      const std::string file = parquet(type, cells);
      expect_defined({.file = file}, lattice, expected, type);
      expect_defined({.file = file, .sql = "SELECT x, k, p FROM input"}, lattice, expected, type + " in SQL");
    }
    std::string csv = "x,k,p\n";
    for (const std::string& cell : cells)
      csv += (cell == "NULL" ? "" : cell) + ",k," + std::to_string(csv.size()) + "\n";
    const std::string cast = "SELECT CAST(x AS " + type + ") AS x, k, p FROM input";
    expect_defined({.file = folder.write("p.csv", csv), .sql = cast}, lattice, expected, type + " of text");
    if (!is_stored) return;
    const auto half = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 2);
    const RankProfile first = open(parquet(type, {cells.begin(), half})).profile("x", lattice, NullPolicy::drop);
    const RankProfile second = open(parquet(type, {half, cells.end()})).profile("x", lattice, NullPolicy::drop);
    EXPECT_EQ(RankProfile::merge(first, second), expected) << type << " in pieces";
  }
};

const std::vector<std::string> hundredths{"1.005",  "0.995", "-0.005", "0.015", "1",
                                          "-1.004", "NULL",  "99.995", "0.004"};
const std::vector<std::string> large{"90071992547409.93", "90071992547409.92", "-90071992547409.93", "NULL", "0.01"};

TEST_F(ExactNumbers, DecimalsOfEveryWidth) {
  const Lattice cents = lattice_of("-1", "100", "0.01");
  for (const char* type : {"DECIMAL(6, 3)", "DECIMAL(9, 3)", "DECIMAL(14, 3)", "DECIMAL(15, 3)", "DECIMAL(18, 3)",
                           "DECIMAL(19, 3)", "DECIMAL(18, 16)", "DECIMAL(19, 16)", "DECIMAL(38, 3)"}) {
    std::vector<std::string> cells = hundredths;
    if (std::string(type).find("16)") != std::string::npos) cells.erase(cells.begin() + 7);
    expect_exact(type, cents, cells);
  }
  const Lattice wide = lattice_of("-90071992547410", "90071992547410", "0.01");
  for (const char* type : {"DECIMAL(16, 2)", "DECIMAL(18, 2)", "DECIMAL(20, 2)", "DECIMAL(38, 2)"}) {
    expect_exact(type, wide, large);
  }
}

// Small decimals are read differently from large ones.
TEST_F(ExactNumbers, DecimalsAroundWhereTheirReadingChanges) {
  const std::vector<std::string> cells{"9999999999999.99",
                                       "10000000000000.00",
                                       "10000000000000.01",
                                       "NULL",
                                       "-9999999999999.99",
                                       "-10000000000000.00",
                                       "0.00"};
  for (const char* type : {"DECIMAL(16, 2)", "DECIMAL(18, 2)", "DECIMAL(19, 2)", "DECIMAL(38, 2)"}) {
    expect_exact(type, lattice_of("9999999999999", "10000000000001", "0.01"), cells);
    expect_exact(type, lattice_of("-10000000000001", "-9999999999999", "0.01"), cells);
  }
  expect_exact("DECIMAL(18, 8)", lattice_of("-10", "10", "0.00000001"),
               {"9.99999999", "10.00000000", "-9.99999999", "-10.00000001", "0.00000001"});
  expect_exact("DECIMAL(38, 0)", lattice_of("99999999999999990", "100000000000000010", "1"),
               {"99999999999999999", "100000000000000000", "100000000000000001", "-99999999999999999"});
}

TEST_F(ExactNumbers, WhatIsBeyond64BitsLiesBeyondTheBound) {
  const Lattice cents = lattice_of("-1", "100", "0.01");
  const std::string most(35, '9');
  expect_exact("DECIMAL(38, 3)", cents, {most, "-" + most, "1.005"});
  expect_exact("DECIMAL(38, 30)", lattice_of("0", "0.000000000001", "0.000000000000000001"),
               {"0.0000000000000000015", "99999999", "-99999999", "0.000000000000000001499999999999"});
  expect_exact("HUGEINT", lattice_of("-5", "9007199254740995", "1"),
               {"9007199254740993", "-170141183460469231731687303715884105727",
                "170141183460469231731687303715884105727", "NULL"});
  expect_exact("UHUGEINT", lattice_of("5", "120", "1"), {"0", "340282366920938463463374607431768211455", "7"});
}

TEST_F(ExactNumbers, WideIntegers) {
  const std::vector<std::string> cells{"9007199254740993", "9007199254740992", "18446744073709551615", "0", "NULL"};
  for (const char* type : {"UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL(38, 0)"}) {
    expect_exact(type, lattice_of("9007199254740990", "9007199254740999", "1"), cells);
    expect_exact(type, lattice_of("0", "120", "1"), {"5", "120", "121", "18446744073709551615", "NULL"});
  }
  expect_exact("BIGINT", lattice_of("9007199254740990", "9007199254740999", "1"), {"9007199254740993", "-5", "NULL"});
}

// Lattices as for bounds that are found: their ends lie beyond every number of the type.
TEST_F(ExactNumbers, NarrowDecimalsOnLatticesOfAnyReach) {
  const std::string huge = "1152921504606846976";  // 2^60
  for (const char* step : {"1", "1024"}) {
    expect_exact("DECIMAL(18, 2)", lattice_of("-" + huge, huge, step),
                 {"2.5", "9999999999999999.99", "-9999999999999999.99", "0.49"});
  }
  const Lattice far = lattice_of("-" + huge, huge, "1");
  const Table wide = open(parquet("DECIMAL(38, 2)", {"1"}));
  const Error error = error_of([&] { wide.require_countable("x", far); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(std::string(error.what()).find("column 'x' is DECIMAL(38,2), and the bounds are beyond"), std::string::npos)
      << error.what();
}

TEST_F(ExactNumbers, FramesAgreeWithFiles) {
  const Lattice cents = lattice_of("-1", "100", "0.01");
  std::vector<std::array<std::uint64_t, 2>> units;
  std::vector<std::string> cells;
  for (const std::int64_t thousandths : {1005, 995, -5, 15, 1000, -1004, 99995, 4}) {
    const auto low = static_cast<std::uint64_t>(thousandths);
    units.push_back({low, thousandths < 0 ? ~std::uint64_t{0} : 0});
    cells.push_back((Rational(thousandths) / Rational(1000)).to_decimal());
  }
  std::array<const void*, 2> buffers{nullptr, units.data()};
  ArrowSchema schema{"d:18,3", "x", nullptr, 0, 0, nullptr, nullptr, [](ArrowSchema* s) { s->release = nullptr; },
                     nullptr};
  ArrowArray array{static_cast<std::int64_t>(units.size()),     0,      0, 2, 0, buffers.data(), nullptr, nullptr,
                   [](ArrowArray* a) { a->release = nullptr; }, nullptr};
  const RankProfile of_frame = Frame::of(schema, array, "x").profile("x", cents, NullPolicy::drop);
  EXPECT_EQ(of_frame, exactly_placed(cents, cells));
  EXPECT_EQ(of_frame, open(parquet("DECIMAL(18, 3)", cells)).profile("x", cents, NullPolicy::drop));
}

// The engine reads such a decimal as some other number.
TEST_F(ExactNumbers, ParquetDecimalsOfMoreThan38DigitsAreRefusedBySchema) {
  const std::string file = write_parquet("d.parquet", "SELECT CAST(1.5 AS DECIMAL(38, 2)) AS d, 40 AS age, 'p' AS p");
  std::string bytes = source_detail::InputFile::open(file).head(std::size_t{1} << 20);
  const std::string digits = "\x15\x04\x15\x4C";  // a scale of 2, 38 digits
  for (std::size_t at = 0; (at = bytes.find(digits, at)) != std::string::npos;) bytes[at + 3] = '\x4E';
  const Table table = open(folder.write("d.parquet", bytes));
  for (const Error& error :
       {error_of([&] { table.require_countable("d"); }), error_of([&] {
          table.require_countable({{"age", source_test::ages_to_120, NullPolicy::drop, {.person = "d"}}});
        }),
        error_of([&] { Table::open({.file = file, .sql = "SELECT D + 1 AS x FROM input"}); })}) {
    EXPECT_NE(std::string(error.what()).find("column 'd' holds decimals of 39 digits, and at most 38 are read"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(table.profile("age", source_test::ages_to_120, NullPolicy::drop).equal(40), 1u);
  EXPECT_EQ(Table::open({.file = file, .sql = "SELECT * FROM input"})
                .profile("age", source_test::ages_to_120, NullPolicy::drop)
                .equal(40),
            1u);
}

}  // namespace
}  // namespace fractile

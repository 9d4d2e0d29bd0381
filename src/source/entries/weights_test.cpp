// A record of weight w counts as w / step records, law for law: the profile is that of the table in which it stands so often.
// Proof: docs/proofs/weights.md
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::ages_to_120;
using source_test::error_of;
using source_test::lattice_of;

/// 0.5 to 20 in steps of 0.5: 1 to 40 units.
const RecordWeights weights_in_halves{"w", Rational(1, 2), Rational(20), Rational(1, 2)};

struct Row {
  std::string who;
  std::string city;
  std::string age;
  std::string weight;
};

/// A weight's units on the grid of weights_in_halves, exactly: clamped, then rounded to the nearest, and a tie upwards.
int units_of(double weight) {
  const double clamped = std::min(20.0, std::max(0.5, weight));
  return static_cast<int>(std::floor(clamped * 2 + 0.5));
}

class Weights : public source_test::EngineTest {
 protected:
  static std::string text_of(const std::vector<Row>& rows) {
    std::string text = "who,city,age,w\n";
    for (const Row& row : rows) text += row.who + "," + row.city + "," + row.age + "," + row.weight + "\n";
    return text;
  }
  static std::vector<Row> some_rows(int count) {
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) {
      rows.push_back({fmt::format("p{}", i % 97), i % 3 == 0 ? "north" : "south", std::to_string((i * 7) % 121),
                      fmt::format("{:.2f}", (i * 37 % 2500) / 100.0)});
    }
    return rows;
  }
  /// The table in which every record stands as often as it has units.
  static std::vector<Row> expanded(const std::vector<Row>& rows) {
    std::vector<Row> all;
    for (const Row& row : rows) {
      for (int i = 0; i < units_of(std::stod(row.weight)); ++i) all.push_back(row);
    }
    return all;
  }

  static RecordSelection weighted(RecordWeights weights = weights_in_halves) {
    RecordSelection selection;
    selection.weights = std::move(weights);
    return selection;
  }

  std::vector<RankProfile> count(const TableOptions& options, const RecordSelection& selection,
                                 NullPolicy policy = NullPolicy::drop, const Lattice& lattice = ages_to_120) const {
    RandomBits bits = RandomBits::unsafe_seeded(1);
    return Table::open(options).count({{"age", lattice, policy, selection}}, bits).front().profiles();
  }
  std::vector<RankProfile> count(const std::vector<Row>& rows, const RecordSelection& selection,
                                 const Lattice& lattice = ages_to_120) const {
    return count({.file = folder.write("t.csv", text_of(rows))}, selection, NullPolicy::drop, lattice);
  }
};

TEST_F(Weights, CountAsSoManyRecordsAsTheyHaveUnits) {
  const std::vector<Row> rows = some_rows(5000);
  for (const Lattice& lattice :
       {ages_to_120, lattice_of("0", "2000000", "1"), lattice_of("-1000000", "1000000", "0.25"),
        Lattice::explicit_points({Rational(10), Rational(20), Rational(77)})}) {
    EXPECT_EQ(count(rows, weighted(), lattice), count(expanded(rows), {}, lattice));
    RecordSelection by_city = weighted();
    by_city.by = "city";
    by_city.keys = {"south", "north", "nowhere"};
    RecordSelection unweighted = by_city;
    unweighted.weights.reset();
    EXPECT_EQ(count(rows, by_city, lattice), count(expanded(rows), unweighted, lattice));
  }
}

TEST_F(Weights, AreEqualInEveryFormatAndOnAnyThreads) {
  const std::vector<Row> rows = some_rows(20'000);
  const std::string csv = folder.write("t.csv", text_of(rows));
  const std::string from = " FROM read_csv(" + source_detail::quote_literal(csv) + ", all_varchar = true)";
  const std::string typed =
      write_parquet("t.parquet", "SELECT who, city, CAST(age AS INTEGER) AS age, CAST(w AS DECIMAL(8,2)) AS w" + from);
  const std::string real =
      write_parquet("r.parquet", "SELECT who, city, CAST(age AS DOUBLE) AS age, CAST(w AS DOUBLE) AS w" + from);
  run_sql("COPY (SELECT who, city, CAST(age AS INTEGER) AS age, CAST(w AS DOUBLE) AS w" + from + ") TO " +
          source_detail::quote_literal(folder.path("t.jsonl")) + " (FORMAT json)");
  for (const Lattice& lattice : {ages_to_120, lattice_of("0", "2000000", "1")}) {
    for (const bool with_persons : {false, true}) {
      RecordSelection selection = weighted();
      selection.by = "city";
      selection.keys = {"north", "south"};
      if (with_persons) {
        selection.person = "who";
        selection.records_per_person = 5;
      }
      const std::vector<RankProfile> expected = count({.file = csv}, selection, NullPolicy::drop, lattice);
      for (const std::string& file : {csv, typed, real, folder.path("t.jsonl")}) {
        for (const std::uint32_t threads : {1U, 4U}) {
          for (const std::uint64_t memory : {std::uint64_t{0}, TableOptions::least_memory}) {
            const TableOptions options{
                .file = file, .format = file.ends_with(".jsonl") ? "json" : "", .threads = threads, .memory = memory};
            EXPECT_EQ(count(options, selection, NullPolicy::drop, lattice), expected) << file;
          }
        }
      }
    }
  }
}

TEST_F(Weights, AreClampedAndRoundedByThemselves) {
  const auto total = [&](const std::string& weight, const RecordWeights& weights = weights_in_halves) {
    return count({{"p", "north", "3", weight}}, weighted(weights)).front().records();
  };
  EXPECT_EQ(total("0.74"), 1U);
  EXPECT_EQ(total("0.75"), 2U);
  EXPECT_EQ(total("1"), 2U);
  EXPECT_EQ(total("-3"), 1U);
  EXPECT_EQ(total("inf"), 40U);
  EXPECT_EQ(total("19.75"), 40U);
  EXPECT_EQ(total("1e300"), 40U);
  const RecordWeights from_none{"w", Rational(0), Rational(1), Rational(1)};
  EXPECT_EQ(total("0.4", from_none), 0U);
  EXPECT_EQ(total("0.5", from_none), 1U);
  EXPECT_EQ(total("7", from_none), 1U);
  const RecordWeights tenths{"w", Rational(0), Rational(20), Rational(1, 10)};
  EXPECT_EQ(total("0.15", tenths), 1U);  // the nearest double is less
  EXPECT_EQ(total("0.25", tenths), 3U);
}

TEST_F(Weights, ARecordWithoutOneIsLeftOut) {
  const std::string text = "who,city,age,w\na,x,1,2\nb,x,2,\nc,x,3,nan\nd,x,4,NA\ne,x,,5\nf,x,6,1\n";
  const std::string file = folder.write("t.csv", text);
  const TableOptions options{.file = file, .missing = {"NA"}};
  EXPECT_EQ(count(options, weighted()).front().records(), 6U);
  const Error missing = error_of([&] { count(options, weighted(), NullPolicy::error); });
  EXPECT_EQ(std::string(missing.what()), file + ": row 5, column 'age': empty, NULL or NaN");
  const Error unreadable = error_of([&] { count({.file = file}, weighted()); });
  EXPECT_EQ(std::string(unreadable.what()), file + ": row 4, column 'w': not a number");
  EXPECT_EQ(count({.file = file, .unreadable = Unreadable::missing}, weighted()).front().records(), 6U);
  const std::string without_w = folder.write("w.csv", "who,city,age,w\na,x,1,2\nb,x,2,\n");
  const Error empty = error_of([&] { count({.file = without_w}, weighted(), NullPolicy::error); });
  EXPECT_EQ(std::string(empty.what()), without_w + ": row 2, column 'w': empty, NULL or NaN");
}

// A sample of each person's records counts, whatever their weights, and each record with all of its units.
TEST_F(Weights, APersonHasNoMoreThanTheUnitsOfTheirRecords) {
  std::vector<Row> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({"one", "north", "50", std::to_string(i % 30)});
  for (const std::uint32_t most : {1U, 3U}) {
    RecordSelection selection = weighted();
    selection.person = "who";
    selection.records_per_person = most;
    const std::uint64_t units = count(rows, selection).front().records();
    EXPECT_LE(units, std::uint64_t{40} * most);
    EXPECT_GE(units, most);
  }
  rows.clear();
  for (int i = 0; i < 300; ++i) rows.push_back({"one", "north", std::to_string(i % 100), "1000"});
  RecordSelection selection = weighted();
  selection.person = "who";
  selection.records_per_person = 3;
  EXPECT_EQ(count(rows, selection).front().records(), 120U);
}

// One column is both the value and the weight; and a column of weights may be one of groups.
TEST_F(Weights, MayBeTheColumnItself) {
  RecordWeights ages{"age", Rational(0), Rational(120), Rational(1)};
  const std::vector<Row> rows{{"a", "x", "3", "1"}, {"b", "x", "5", "1"}, {"c", "x", "0", "1"}};
  const RankProfile profile = count(rows, weighted(ages)).front();
  EXPECT_EQ(profile.records(), 8U);
  EXPECT_EQ(profile.equal(5), 5U);
}

// One weighted record more changes one position, by no more than the largest weight.
TEST_F(Weights, OneRecordMoreAddsItsUnitsAndNothingElse) {
  EXPECT_TRUE(rc::check([&] {
    std::vector<Row> rows;
    const int count_of_rows = *rc::gen::inRange(0, 12);
    const auto any_row = [] {
      const std::vector<std::string> weights{"",   "0",  "0.25", "3",   "17.74999", "20",
                                             "25", "-1", "inf",  "nan", "1e-300"};
      return Row{fmt::format("p{}", *rc::gen::inRange(0, 3)), *rc::gen::element<std::string>("x", "y"),
                 std::to_string(*rc::gen::inRange(-5, 130)),
                 weights[*rc::gen::inRange<std::size_t>(0, weights.size())]};
    };
    for (int i = 0; i < count_of_rows; ++i) rows.push_back(any_row());
    const std::vector<RankProfile> before = count(rows, weighted());
    const Row more = any_row();
    rows.insert(rows.begin() + *rc::gen::inRange(0, count_of_rows + 1), more);
    const std::vector<RankProfile> after = count(rows, weighted());
    const bool counts = !more.weight.empty() && more.weight != "nan";
    const std::uint64_t units = counts ? static_cast<std::uint64_t>(units_of(std::stod(more.weight))) : 0;
    const Position at = ages_to_120.position_of(std::stod(more.age));
    const RankProfile added = units == 0 ? RankProfile(ages_to_120, {}, {})
                                         : RankProfile(ages_to_120, {at}, std::vector<std::uint64_t>{units});
    RC_ASSERT(after.front() == RankProfile::merge(before.front(), added));
  }));
}

TEST_F(Weights, GridsThatCannotBeAreRefused) {
  const auto refusal = [&](const RecordWeights& weights) {
    return std::string(error_of([&] { weighted(weights).validate(); }).what());
  };
  const auto with = [](Rational lower, Rational upper, Rational step) {
    return RecordWeights{"w", std::move(lower), std::move(upper), std::move(step)};
  };
  EXPECT_EQ(refusal(with(0, 10, 0)), "weight_step: not above 0");
  EXPECT_EQ(refusal(with(-1, 10, 1)),
            "weight_bounds: the smallest weight is at least 0, and the largest is above 0 and not smaller");
  EXPECT_EQ(refusal(with(0, 0, 1)),
            "weight_bounds: the smallest weight is at least 0, and the largest is above 0 and not smaller");
  EXPECT_EQ(refusal(with(1, 10, 2)), "weight_bounds: 1 is not a multiple of weight_step, 2");
  EXPECT_EQ(refusal(with(0, 4097, 1)), "weight_step: the largest weight is more than 4096 steps");
  EXPECT_EQ(refusal({"", 0, 1, 1}), "weight is missing: the column of weights");
  EXPECT_EQ(refusal({"w", 0, 1, 1, 0}), "weight_stability: a person's own record is one of those that change");
  EXPECT_EQ(refusal({"w", 0, 1, 1, {}, Rational(2)}),
            "expected_weight: a mean of weights lies within weight_bounds and above 0");
  const Table table = open(folder.write("t.csv", "age,w\n1,1\n"));
  const Error error = error_of([&] {
    table.require_countable({{"age", ages_to_120, NullPolicy::drop, weighted({"v", 0, 1, 1})}});
  });
  EXPECT_EQ(error.code(), ErrorCode::data);
}

// The records that a file of this size can hold could be more units than can be counted: it is refused before a record is read.
TEST_F(Weights, NoTotalOfThemEndsACounting) {
  const std::string path = folder.write("t.csv", "age,w\n1,1\n");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 37);  // of which nothing is written
  const Table table = open(path);
  const RecordWeights finest{"w", 0, 4096, 1};
  const Error error = error_of([&] {
    table.require_countable({{"age", ages_to_120, NullPolicy::drop, weighted(finest)}});
  });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.field(), "weight_step");
  const RecordWeights coarser{"w", 0, 4096, 4};
  table.require_countable({{"age", ages_to_120, NullPolicy::drop, weighted(coarser)}});
}

TEST_F(Weights, OfFramesAreThoseOfFiles) {
  const std::vector<Row> rows = some_rows(3000);
  std::vector<double> ages;
  std::vector<double> weights;
  for (const Row& row : rows) {
    ages.push_back(std::stod(row.age));
    weights.push_back(std::stod(row.weight));
  }
  const RankProfile expected = count(rows, weighted()).front();
  // One Arrow array whose columns are doubles.
  const auto nothing = [](auto* given_back) { given_back->release = nullptr; };
  const void* const of_ages[] = {nullptr, ages.data()};
  const void* const of_weights[] = {nullptr, weights.data()};
  const void* const of_table[] = {nullptr};
  const auto size = static_cast<std::int64_t>(rows.size());
  const auto column = [&](const void* const* buffers) {
    return ArrowArray{size, 0, 0, 2, 0, const_cast<const void**>(buffers), nullptr, nullptr, nothing, nullptr};
  };
  const auto schema_of = [&](const char* name) {
    return ArrowSchema{"g", name, nullptr, 0, 0, nullptr, nullptr, nothing, nullptr};
  };
  ArrowArray columns[] = {column(of_ages), column(of_weights)};
  ArrowArray* column_pointers[] = {&columns[0], &columns[1]};
  ArrowSchema schemas[] = {schema_of("age"), schema_of("w")};
  ArrowSchema* schema_pointers[] = {&schemas[0], &schemas[1]};
  ArrowSchema schema{"+s", "", nullptr, 0, 2, schema_pointers, nullptr, nothing, nullptr};
  ArrowArray table{size, 0, 0, 1, 2, const_cast<const void**>(of_table), column_pointers, nullptr, nothing, nullptr};
  const Frame frame = Frame::of(schema, table);
  RandomBits bits = RandomBits::unsafe_seeded(1);
  EXPECT_EQ(frame.count({{"age", ages_to_120, NullPolicy::drop, weighted()}}, bits).front().profiles().front(),
            expected);
}

TEST_F(Weights, GoWithNoPublicRows) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const Table table = open(folder.write("t.csv", "age,w\n1,1\n"));
  const Error error = error_of([&] { table.count({{"age", ages_to_120, NullPolicy::drop, weighted(), true}}, bits); });
  EXPECT_EQ(error.field(), "public_rows");
}

}  // namespace
}  // namespace fractile

// No record decides anything about another: one more record, however nasty, wherever it stands, changes the profile by at most that
// record, or the reading fails; and nothing that happens before the charge depends on it. docs/proofs/rank_profile.md, lemma 1.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/entries/table_test_support.hpp"
#include "source/text/packing_test_support.hpp"
#include "support/errors.hpp"
#include "support/nasty_records.hpp"
#include "support/properties.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using source_detail::quote_literal;
using source_test::EngineTest;
using source_test::lattice_of;
using testing::effort;
using testing::TextTable;

const Lattice halves = lattice_of("0", "120", "0.5");
const RecordSelection by_id{.person = {}, .records_per_person = 1, .by = "id", .keys = {"p1", "p3", "5"}};

std::uint64_t distance(const RankProfile& a, const RankProfile& b) {
  std::map<Position, std::int64_t> difference;
  for (std::size_t k = 0; k < a.distinct(); ++k) difference[a.position(k)] += static_cast<std::int64_t>(a.count(k));
  for (std::size_t k = 0; k < b.distinct(); ++k) difference[b.position(k)] -= static_cast<std::int64_t>(b.count(k));
  std::uint64_t sum = 0;
  for (const auto& [position, count] : difference) sum += static_cast<std::uint64_t>(count < 0 ? -count : count);
  return sum;
}

/// Everything that a table shows: the errors before records are read, and then its profiles, unless reading failed.
struct Seen {
  std::vector<std::string> before;  ///< of open() and each question; empty: no error
  std::optional<RankProfile> ages;
  std::vector<RankProfile> groups;
};

template <class Action>
std::string outcome(Action action) {
  const std::optional<Error> error = testing::error_if_any(action);
  return error ? std::string(error->what()) + " / " + error->hint() : "";
}

/// Whether reading succeeded; it may fail only with an error of code `data`.
template <class Action>
bool reads(Action action) {
  const std::optional<ErrorCode> code = testing::code_of(action);
  RC_ASSERT(code.value_or(ErrorCode::data) == ErrorCode::data);
  return !code;
}

Seen see(const TableOptions& options, bool groups_too) {
  Seen seen;
  std::optional<Table> table;
  seen.before.push_back(outcome([&] { table.emplace(Table::open(options)); }));
  if (!table) return seen;
  for (const char* column : {"age", "Age", "id", "nobody has it", "7", "null"}) {
    seen.before.push_back(outcome([&] { table->require_countable(column); }));
    seen.before.push_back(outcome([&] {
      table->require_countable({{"id", halves, NullPolicy::drop, {.person = column}}});
    }));
  }
  reads([&] { seen.ages = table->profile("age", halves, NullPolicy::drop); });
  if (!groups_too) return seen;
  RandomBits bits = RandomBits::unsafe_seeded(1);
  reads([&] { seen.groups = table->count({{"age", halves, NullPolicy::drop, by_id}}, bits).front().profiles(); });
  return seen;
}

class RecordWise : public EngineTest {
 protected:
  static void compare(const Seen& without, const Seen& with) {
    RC_ASSERT(with.before == without.before);
    RC_ASSERT(without.ages.has_value());
    if (with.ages) RC_ASSERT(distance(*without.ages, *with.ages) <= 1u);
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < with.groups.size(); ++k) sum += distance(without.groups[k], with.groups[k]);
    RC_ASSERT(sum <= 1u);
  }

  static constexpr std::uint64_t few = 2;
  static constexpr std::uint64_t many = 8;

  /// Adds one record of `nasty`, at the beginning, the end or between, `count` times. write(text): the options that read it.
  template <class Write>
  void expect_record_wise(const TextTable& table, const rc::Gen<std::string>& nasty, std::uint64_t count,
                          Write write) const {
    const bool groups_too = table.records.size() < 10;
    const Seen without = see(write(table.text()), groups_too);
    ASSERT_TRUE(without.ages.has_value());
    ASSERT_EQ(without.ages->records(), table.records.size());
    std::uint64_t done = 0;
    const std::size_t end = table.records.size();
    const auto place = rc::gen::oneOf(rc::gen::element<std::size_t>(0, end), rc::gen::inRange<std::size_t>(0, end + 1));
    while (done < effort(count, 1)) {
      ASSERT_TRUE(rc::check("one record more", [&] {
        if (done >= effort(count, 1)) return;
        const std::string record = *nasty;
        compare(without, see(write(table.with(record, *place).text()), groups_too));
        ++done;
      }));
    }
  }
  auto to_file(const std::string& name) const {
    return
        [this, name](const std::string& text) { return TableOptions{.file = folder.write(name, text), .threads = 1}; };
  }
  auto to_packed(const std::string& packing, const std::string& name) const {
    return [this, packing, name](const std::string& text) {
      return TableOptions{.file = folder.write(name, source_test::packed_by(packing, text))};
    };
  }
};

using testing::nasty_delimited;
using testing::nasty_json;
using testing::plain_delimited;
using testing::plain_json;

constexpr std::size_t above_the_sample = 25'000;  // records: DuckDB looks at 20,480 to guess types and keys
constexpr std::size_t buffered = 3'000;           // records, with ...
constexpr std::size_t padding = 12'000;           // ... this many bytes each: more than a buffer of 32 MB holds

TEST_F(RecordWise, Csv) {
  for (const std::size_t count : {0U, 1U, 5U}) {
    expect_record_wise(plain_delimited(',', "\n", count), nasty_delimited(','), many, to_file("t.csv"));
    expect_record_wise(plain_delimited(',', "\r\n", count), nasty_delimited(','), few, to_file("t.csv"));
  }
  TextTable quoted = plain_delimited(';', "\n", 3);
  quoted.records[1] = R"("p3 ""and""
more";"5")";
  // In this table an odd number of quotes may pair with those of the next record: then the file says something else.
  const auto well_formed = rc::gen::map(testing::nasty_text(), [](const std::string& text) {
    return testing::quoted_cell("\n" + text + "\";\n") + ";5";
  });
  expect_record_wise(quoted, well_formed, many, to_file("t.csv"));
}

TEST_F(RecordWise, Tsv) {
  expect_record_wise(plain_delimited('\t', "\n", 5), nasty_delimited('\t'), many, to_file("t.tsv"));
}

TEST_F(RecordWise, JsonLines) {
  for (const std::size_t count : {0U, 1U, 5U}) {
    expect_record_wise(plain_json(false, count), nasty_json(), many, to_file("t.jsonl"));
  }
}

TEST_F(RecordWise, JsonArray) {
  for (const std::size_t count : {0U, 1U, 5U}) {
    expect_record_wise(plain_json(true, count), nasty_json(), many, to_file("t.json"));
  }
}

TEST_F(RecordWise, Packed) {
  for (const std::string& packing : source_test::all_packings) {
    expect_record_wise(plain_delimited(',', "\n", 5), nasty_delimited(','), few, to_packed(packing, "t.csv.gz"));
  }
  expect_record_wise(plain_json(false, 5), nasty_json(), few, to_packed("gzip", "t.jsonl.gz"));
  expect_record_wise(plain_json(true, 5), nasty_json(), few, to_packed("gzip", "t.json.gz"));
}

TEST_F(RecordWise, StandardInput) {
  const int saved = dup(STDIN_FILENO);
  const auto to_stdin = [&](const std::string& format) {
    return [this, format](const std::string& text) {
      EXPECT_NE(std::freopen(folder.write("in", text).c_str(), "r", stdin), nullptr);
      return TableOptions{.file = "-", .format = format};
    };
  };
  expect_record_wise(plain_delimited(',', "\n", 5), nasty_delimited(','), many, to_stdin("csv"));
  expect_record_wise(plain_json(false, 5), nasty_json(), many, to_stdin("json"));
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST_F(RecordWise, Parquet) {
  const auto write = [&](const std::vector<std::string>& ages) {
    std::string rows = "(NULL, CAST(NULL AS DOUBLE))";
    for (const std::string& age : ages) rows += ", ('p1', " + age + ")";
    run_sql("COPY (FROM (VALUES " + rows + ") t(id, age)) TO " + quote_literal(folder.path("t.parquet")));
    return TableOptions{.file = folder.path("t.parquet")};
  };
  const std::vector<std::string> plain{"1", "2.5", "3"};
  const Seen without = see(write(plain), true);
  std::uint64_t done = 0;
  EXPECT_TRUE(rc::check([&] {
    if (done++ >= effort(many, 1)) return;
    std::vector<std::string> more = plain;
    const std::size_t place = *rc::gen::inRange<std::size_t>(0, 4);
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(place), *testing::nasty_double_sql());
    compare(without, see(write(more), true));
  }));
}

TEST_F(RecordWise, JsonOnOneLine) {
  for (const char* separator : {"", " "}) {
    TextTable table = plain_json(false, 5);
    table.separator = separator;
    table.tail = "";
    expect_record_wise(table, nasty_json(), many, to_file("t.jsonl"));
    expect_record_wise(table, nasty_json(), few, to_packed("gzip", "t.jsonl.gz"));
  }
}

TEST_F(RecordWise, MissingAndUnreadable) {
  const auto declared = [&](const std::string& name) {
    return [this, name](const std::string& text) {
      return TableOptions{.file = folder.write(name, text),
                          .unreadable = Unreadable::missing,
                          .missing = {"NA", "x", "-7", "p3", "0.5", "9007199254740993"}};
    };
  };
  for (const std::uint64_t count : {1U, 2U}) {  // none of them is among these records
    expect_record_wise(plain_delimited(',', "\n", count), nasty_delimited(','), many, declared("t.csv"));
    expect_record_wise(plain_json(false, count), nasty_json(), many, declared("t.jsonl"));
  }
}

// A query's casts fail in one record, and so does its condition; that record alone is missing.
TEST_F(RecordWise, Queries) {
  const auto asked = [&](const std::string& name, const std::string& sql) {
    return [this, name, sql](const std::string& text) {
      return TableOptions{.file = folder.write(name, text), .sql = sql};
    };
  };
  for (const char* sql :
       {"SELECT id, CAST(age AS DOUBLE) AS age FROM input", "SELECT id, CAST(age AS DECIMAL(9, 2)) AS age FROM input",
        "SELECT id, CAST(age AS BIGINT) AS age FROM input WHERE CAST(age AS INTEGER) >= 0 OR length(id) < 3",
        "SELECT id, abs(CAST(age AS TINYINT)) AS age FROM input WHERE substr(id, 1, 1) <> 'x'"}) {
    expect_record_wise(plain_delimited(',', "\n", 5), nasty_delimited(','), many, asked("t.csv", sql));
    expect_record_wise(plain_json(false, 5), nasty_json(), many, asked("t.jsonl", sql));
  }
}

/// Records of three cells, of which the last holds anything.
rc::Gen<std::string> with_a_third_cell() {
  return rc::gen::map(testing::nasty_text(),
                      [](const std::string& text) { return "p1,5," + testing::quoted_cell(text + "\n1,2,3\n"); });
}

TEST_F(RecordWise, TwinsButForLetterCase) {
  TextTable table{"id,age,Age\n", "\n", "\n", {"p1,1,70", "p2,2,80", "p3,3,"}};
  expect_record_wise(table, with_a_third_cell(), many, to_file("t.csv"));
  const Seen without = see({.file = folder.write("t.csv", table.text())}, false);
  EXPECT_EQ(without.ages->position(0), halves.position_of(1.0)) << "the ages of the column that is named";
}

// R's write.table names its rows, and its header does not.
TEST_F(RecordWise, RowNamesEndTheReading) {
  const TextTable plain = plain_delimited(',', "\n", 5);
  const Seen without = see({.file = folder.write("t.csv", plain.text())}, true);
  EXPECT_TRUE(testing::check_cases(testing::effort(30), [&] {  // a row with its name
    const TextTable more = plain.with(*with_a_third_cell(), *rc::gen::inRange<std::size_t>(0, 6));
    const Seen with = see({.file = folder.write("t.csv", more.text())}, true);
    RC_ASSERT(with.before == without.before);
    RC_ASSERT(!with.ages);
    RC_ASSERT(with.groups.empty());
  }));
}

TEST_F(RecordWise, ZonesOfTheMachine) {
  const auto write = [&](const std::vector<std::string>& moments) {
    std::string rows;
    for (const std::string& moment : moments)
      rows += (rows.empty() ? "" : ", ") + ("('p1', CAST(" + moment + " AS TIMESTAMPTZ))");
    run_sql("COPY (FROM (VALUES " + rows + ") t(id, moment)) TO " + quote_literal(folder.path("t.parquet")));
    return TableOptions{.file = folder.path("t.parquet"),
                        .sql = "SELECT id, hour(moment) + day(moment) AS age FROM input"};
  };
  const std::vector<std::string> plain{"'2024-03-05 20:30:00+00'", "'2024-03-31 01:30:00+00'"};
  const Seen without = see(write(plain), true);
  for (const char* const zone : {"UTC", "Asia/Tokyo", "America/Los_Angeles"}) {
    setenv("TZ", zone, 1);
    for (const char* const moment : {"NULL", "'infinity'", "'-infinity'", "'0001-01-01 00:00:00+00'",
                                     "'290000-01-01 00:00:00+00'", "'2024-03-31 02:30:00+01'"}) {
      std::vector<std::string> more = plain;
      more.insert(more.begin(), moment);
      const Seen with = see(write(more), true);
      EXPECT_EQ(with.before, without.before) << zone << moment;
      ASSERT_TRUE(with.ages && without.ages) << zone << moment;
      EXPECT_LE(distance(*without.ages, *with.ages), 1U) << zone << moment;
    }
  }
  unsetenv("TZ");
}

// Arrays with masks, and one more record, masked or not.
TEST_F(RecordWise, Frames) {
  const auto seen = [](const std::vector<double>& numbers, std::uint8_t mask) {
    Frame frame = Frame::of(
        NumberBuffer{std::as_bytes(std::span(numbers)).data(), "g", numbers.size(), 8, nullptr, &mask}, "age");
    frame.use_missing({"NA", "-9", "0.5"});
    return frame.profile("age", halves, NullPolicy::drop);
  };
  const std::vector<double> plain{1, 2.5, 3};
  const RankProfile without = seen(plain, 0xFF);
  for (const double number :
       {0.0, -0.0, 0.5, -9.0, 5.0, 1e300, -1e300, 4.9e-324, 0x1p53, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t place = 0; place <= plain.size(); ++place) {
      std::vector<double> more = plain;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(place), number);
      EXPECT_LE(distance(without, seen(more, 0xFF)), 1U) << number;
      EXPECT_EQ(without, seen(more, static_cast<std::uint8_t>(~(1U << place)))) << number;
      if (number == -9 || number == 0.5 || std::isnan(number)) {
        EXPECT_EQ(without, seen(more, 0xFF)) << number;
      }
    }
  }
}

TEST_F(RecordWise, ManyRecords) {
  expect_record_wise(plain_delimited(',', "\n", above_the_sample), nasty_delimited(','), few, to_file("t.csv"));
  expect_record_wise(plain_json(false, above_the_sample), nasty_json(), few, to_file("t.jsonl"));
  expect_record_wise(plain_json(true, above_the_sample), nasty_json(), few, to_file("t.json"));
}

TEST_F(RecordWise, MoreThanABufferHolds) {
  expect_record_wise(plain_delimited(',', "\n", buffered, padding), nasty_delimited(','), 1, to_file("t.csv"));
  expect_record_wise(plain_json(false, buffered, padding), nasty_json(), 1, to_file("t.jsonl"));
  expect_record_wise(plain_json(true, buffered, padding), nasty_json(), 1, to_file("t.json"));
}

}  // namespace
}  // namespace fractile

// Delimited text is counted without the engine, and JSON with it: the same cells have the same counts.
#include "source/counting/text_cells.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/files/input_files.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;
using source_test::lattice_of;

std::string quoted(const std::string& text, const std::string& quote) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? quote : std::string(1, c);
  return cell + "\"";
}

/// Texts as files have them, and the ends of what is a number, a time, nothing or damage.
const std::vector<std::string> nasty_texts{"",
                                           " ",
                                           "7",
                                           " 7 ",
                                           "-7.5",
                                           "007",
                                           "1e2",
                                           "+5",
                                           "+-5",
                                           "1_0",
                                           "1e400",
                                           "inf",
                                           "NaN",
                                           "nan",
                                           " NaN",
                                           "NaT",
                                           "NA",
                                           "na ",
                                           "-9",
                                           "-9.0",
                                           "9007199254740993",
                                           "9007199254740992",
                                           "9007199254740993.5",
                                           "100000000000000000000",
                                           "2024-02-29",
                                           " 2024-02-29 ",
                                           "2024-02-30",
                                           "2024-02-29T12:00:00",
                                           "2024-02-29T12:00:00Z",
                                           "2024-02-29 12:00:00+01:00",
                                           "infinity",
                                           "a longer text than fits",
                                           "  a longer text than fits  ",
                                           "5,0",
                                           "\xC3\xA4",
                                           "'",
                                           "0x1F",
                                           "true"};

struct Answer {
  std::string error;
  std::vector<RankProfile> profiles;
  bool operator==(const Answer&) const = default;
};

class TextCells : public source_test::EngineTest {
 protected:
  /// The same table as both formats.
  void write(const std::vector<std::vector<std::string>>& rows) const {
    std::string csv = "x,p,k\r\n";
    std::string json;
    for (const auto& row : rows) {
      for (std::size_t column = 0; column < 3; ++column)
        csv += quoted(row[column], "\"\"") + (column < 2 ? "," : "\r\n");
      json += "{\"x\": " + quoted(row[0], "\\\"") + ", \"p\": " + quoted(row[1], "\\\"") +
              ", \"k\": " + quoted(row[2], "\\\"") + "}\n";
    }
    folder.write("t.csv", csv);
    folder.write("t.json", json);
  }
  Answer answer(const std::string& file, const TableOptions& options, const ColumnToCount& asked) const {
    TableOptions of_file = options;
    of_file.file = folder.path(file);
    RandomBits bits = RandomBits::unsafe_seeded(1);
    try {
      return {"", Table::open(of_file).count({asked}, bits).front().profiles()};
    } catch (const Error& error) {
      std::string what = error.what();
      return {what.substr(what.find(": ")), {}};  // without the file's name
    }
  }
};

TEST_F(TextCells, AreWhatTheEngineReads) {
  const std::vector<Lattice> lattices{lattice_of("-10", "10", "1/2"), lattice_of("0", "18014398509481984", "1"),
                                      Lattice::regular(0, 36500, 1, ValueKind::date),
                                      Lattice::regular(0, 3600000000000, 3600000000, ValueKind::instant)};
  EXPECT_TRUE(rc::check([&] {
    const bool are_mild = *rc::gen::arbitrary<bool>();
    const auto text = are_mild ? rc::gen::element<std::string>("7", "-2.5", "3e0", " 4 ", "9007199254740993",
                                                               "9007199254740993.5", "1e17")
                               : rc::gen::elementOf(nasty_texts);
    const auto row = rc::gen::container<std::vector<std::string>>(3, text);
    write(*rc::gen::container<std::vector<std::vector<std::string>>>(*rc::gen::inRange<std::size_t>(0, 40), row));
    ColumnToCount asked{"x", *rc::gen::elementOf(lattices), *rc::gen::element(NullPolicy::drop, NullPolicy::error)};
    if (*rc::gen::arbitrary<bool>()) {
      asked.selection.by = {"k"};
      asked.selection.keys = {"7", "NA", "a longer text than fits", " 7 "};
    }
    if (*rc::gen::arbitrary<bool>()) {
      asked.selection.person = "p";
      asked.selection.sampling_key = SamplingKey::draw(*std::make_unique<RandomBits>(RandomBits::unsafe_seeded(2)));
      if (*rc::gen::arbitrary<bool>() && asked.selection.by.empty())
        asked.selection.per_person = *rc::gen::element(PerPerson::count, PerPerson::max);
    }
    TableOptions options;
    options.unreadable = *rc::gen::element(Unreadable::error, Unreadable::missing);
    if (*rc::gen::arbitrary<bool>()) options.missing = {"NA", "-9", "a longer text than fits", "2024-02-29"};
    options.threads = 1;
    const Answer of_text = answer("t.csv", options, asked);
    const Answer of_engine = answer("t.json", options, asked);
    if (!(of_text == of_engine)) RC_FAIL("'" + of_text.error + "', '" + of_engine.error + "'");
  }));
}

TEST_F(TextCells, AreSeenByTheirOwnerAsTheEngineReadsThem) {
  EXPECT_TRUE(rc::check([&] {
    const auto row = rc::gen::container<std::vector<std::string>>(3, rc::gen::elementOf(nasty_texts));
    write(*rc::gen::container<std::vector<std::vector<std::string>>>(*rc::gen::inRange<std::size_t>(0, 40), row));
    const std::vector<std::string> missing =
        *rc::gen::elementOf(std::vector<std::vector<std::string>>{{}, {"NA", "-9"}});
    const auto of = [&](const std::string& file) {
      std::vector<TableColumn> columns = Table::open({.file = folder.path(file), .missing = missing}).checked_columns();
      std::ranges::sort(columns, {}, &TableColumn::name);
      return columns;
    };
    const std::vector<TableColumn> of_text = of("t.csv");
    const std::vector<TableColumn> of_engine = of("t.json");
    for (std::size_t k = 0; k < of_engine.size(); ++k) {
      RC_ASSERT(of_text[k].cells->read_as == of_engine[k].cells->read_as);
      RC_ASSERT(of_text[k].cells->missing == of_engine[k].cells->missing);
      RC_ASSERT(of_text[k].cells->read == of_engine[k].cells->read);
      RC_ASSERT(of_text[k].cells->unreadable_rows == of_engine[k].cells->unreadable_rows);
    }
  }));
}

// Without DuckDB, text without a query is still read.
TEST(TextWithoutEngine, IsCountedAndItsFaultsAreFound) {
  const source_test::TemporaryFolder folder;
  const std::string file = folder.write("t.csv", "x,p\n7,a\n8,a\nfive,b\n9,\n");
  const auto open = [&](Unreadable unreadable) {
    return Table::open({.file = file, .library = "/no/such/library.so", .unreadable = unreadable});
  };
  const Table table = open(Unreadable::missing);
  const Lattice lattice = lattice_of("0", "10", "1");
  EXPECT_EQ(table.engine(), "text");
  EXPECT_EQ(table.reader(), "text");
  EXPECT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.profile("x", lattice, NullPolicy::drop).records(), 3U);
  EXPECT_EQ(table.checked_columns()[0].cells->unreadable_rows, std::vector<std::uint64_t>{3});
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const ColumnToCount of_persons{"x", lattice, NullPolicy::drop, {.person = "p"}};
  EXPECT_EQ(table.count({of_persons}, bits).front().profiles().at(0).records(), 1U);
  const auto refused = [&](const ColumnToCount& asked, Unreadable unreadable) {
    return error_of([&] { static_cast<void>(open(unreadable).count({asked}, bits)); });
  };
  EXPECT_TRUE(
      source_test::holds(refused({"x", lattice, NullPolicy::drop}, Unreadable::error), "row 3, column 'x': not a"));
  EXPECT_TRUE(source_test::holds(refused({"x", lattice, NullPolicy::error, {.person = "p"}}, Unreadable::missing),
                                 "row 4, column 'p': empty or NULL"));
  EXPECT_TRUE(source_test::holds(error_of([&] { static_cast<void>(open(Unreadable::error).texts({"p"})); }), "row 4"));
}

TEST(TextWithoutEngine, EveryThreadReadsRecordsOfItsOwn) {
  const source_test::TemporaryFolder folder;
  std::string text = "x\n";
  constexpr std::size_t records = 400'000;
  for (std::size_t i = 0; i < records; ++i) text += std::to_string(i % 1000) + "\n";
  const Lattice lattice = lattice_of("0", "999", "1");
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < records; ++i) numbers.push_back(static_cast<std::int64_t>(i % 1000));
  const RankProfile expected = source_test::profile_of<std::int64_t>(lattice, numbers);
  for (const std::uint32_t threads : {1U, 2U, 5U, 0U}) {
    const Table table = Table::open({.file = folder.write("t.csv", text), .threads = threads});
    std::size_t calls = 0;
    EXPECT_EQ(table.profile("x", lattice, NullPolicy::drop, Counting::automatic, [&] { ++calls; }), expected);
    EXPECT_GT(calls, 0U);
    struct Interrupt {};
    EXPECT_THROW(static_cast<void>(
                     table.profile("x", lattice, NullPolicy::drop, Counting::automatic, [] { throw Interrupt(); })),
                 Interrupt);
  }
  // the fault with the first line, whichever thread meets which first
  text.replace(1000, 1, "x");
  text.replace(text.size() - 1000, 1, "\xFF");
  for (int times = 0; times < 20; ++times) {
    const Table table = Table::open({.file = folder.write("t.csv", text), .threads = 5});
    const Error error = error_of([&] { static_cast<void>(table.profile("x", lattice, NullPolicy::drop)); });
    EXPECT_TRUE(source_test::holds(error, "not a number")) << error.what();
  }
}

// The line in the message was that of the thread which failed first.
TEST(TextWithoutEngine, TheFirstKeyThatIsNoTextIsNamedOnAnyThreads) {
  const source_test::TemporaryFolder folder;
  std::string text = "x,k\n";
  constexpr std::size_t records = 600'000;
  for (std::size_t i = 0; i < records; ++i) text += i > 100'000 && i % 50'000 == 7 ? "1,\xFF\n" : "1,key\n";
  const std::string file = folder.write("t.csv", text);
  const ColumnToCount by_key{"x", lattice_of("0", "10", "1"), NullPolicy::drop, {.by = {"k"}, .keys = {"key"}}};
  for (int times = 0; times < 20; ++times) {
    const Table table = Table::open({.file = file, .threads = 16});
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const Error error = error_of([&] { static_cast<void>(table.count({by_key}, bits)); });
    EXPECT_TRUE(source_test::holds(error, "line 100009 is not UTF-8")) << error.what();
  }
}

}  // namespace
}  // namespace fractile::source_detail

// When any one bit of a ledger is wrong, no release overspends.
#include <gtest/gtest.h>

#include <algorithm>

#include "fractile/ledger.hpp"
#include "support/errors.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using testing::effort;
using testing::impatient;
using testing::request;

/// Committed and reserved entries spend 7/8 of a budget of 1, so 1/8 remains. One more entry is void.
class FlippedBits : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      Ledger ledger = Ledger::create(path);
      ledger.add_dataset({"people", Budget::pure(Rational(1)), Neighbors::add_remove, "person", "id", 2});
      ledger.add_dataset({"others", Budget::pure(Rational(1))});
      for (int i = 0; i < 14; ++i) {
        const LedgerReservation entry = ledger.reserve(asked(Rational(1, 16)));
        if (i % 7 != 6) ledger.commit(entry, "receipt " + std::to_string(i));
      }
      ledger.void_entry(ledger.reserve(asked(Rational(1, 8))).id, "because");
    }
    std::ifstream file(path, std::ios::binary);
    whole = {std::istreambuf_iterator<char>(file), {}};
  }

  static LedgerRequest asked(const Rational& epsilon) {
    LedgerRequest result = request("a query of some length", Budget::pure(epsilon));
    result.person = "id";
    result.records_per_person = 2;
    return result;
  }

  /// Writes the ledger with this bit flipped, and removes the files next to it.
  void flip(std::size_t bit) const {
    for (const char* beside : {"-journal", "-wal", "-shm"}) std::filesystem::remove(path + beside);
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << bytes;
  }

  /// The code of the ledger's error; `nullopt` when it did as asked.
  std::optional<ErrorCode> answer(const std::function<void(Ledger&)>& ask) const {
    return testing::code_of([&] {
      Ledger ledger = Ledger::open(path, impatient());
      ask(ledger);
    });
  }

  /// Flips about every `stride`-th bit of bytes that are not 0, and fewer bits of
  /// others, and asks each time. Returns how often the ledger was found damaged.
  std::size_t refusals(std::size_t stride, const std::function<void(Ledger&)>& ask, ErrorCode otherwise) const {
    // The stride is odd, so that the flips reach every bit of a byte.
    stride = std::max<std::size_t>(1, 100 * stride / effort(100, 1)) | 1;
    std::size_t refused = 0;
    std::size_t passed = 0;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      if (++passed % (whole[bit / 8] != 0 ? stride : 21 * stride) != 0) continue;
      flip(bit);
      const std::optional<ErrorCode> code = answer(ask);
      EXPECT_TRUE(code == otherwise || code == ErrorCode::ledger) << "bit " << bit << " of byte " << bit / 8;
      refused += code == ErrorCode::ledger ? 1U : 0U;
    }
    return refused;
  }

  /// The least number of refusals to expect; with less effort, fewer bits are flipped.
  static std::uint64_t at_least(std::uint64_t refused) { return std::min(refused, effort(refused)); }

  testing::Folder folder;
  std::string path = folder.file("budget.db");
  std::string whole;
};

TEST_F(FlippedBits, NeverOverspend) {
  const auto overspend = [](Ledger& ledger) { ledger.reserve(asked(Rational(126, 1000))); };
  ASSERT_EQ(answer(overspend), ErrorCode::budget_refused);
  EXPECT_GT(refusals(29, overspend, ErrorCode::budget_refused), at_least(50));
}

/// The test removes all entries from the index; one flipped bit can remove one entry.
TEST_F(FlippedBits, AnIndexWithoutItsEntriesDecidesNothing) {
  testing::RawDatabase(path).run(
      "CREATE INDEX empty ON entries (dataset) WHERE dataset = 99; PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty') "
      "WHERE name = 'entries_of'; DELETE FROM sqlite_schema WHERE name = 'empty'");
  EXPECT_EQ(answer([](Ledger& ledger) { ledger.reserve(asked(Rational(126, 1000))); }), ErrorCode::budget_refused);
}

/// An index that has lost a source's entry does not change how the source is read.
TEST_F(FlippedBits, AnIndexWithoutItsEntriesLoosensNoReading) {
  LedgerRequest first = asked(Rational(1, 1000));
  first.source = "/t.csv";
  first.reading = {{"delimiter", ";"}};
  Ledger::open(path).reserve(first);
  testing::RawDatabase(path).run(
      "CREATE INDEX empty ON entries (dataset, source) WHERE dataset = 99; PRAGMA writable_schema = ON;"
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty') "
      "WHERE name = 'read_as'; DELETE FROM sqlite_schema WHERE name = 'empty'");
  LedgerRequest other = first;
  other.reading = {};
  EXPECT_EQ(answer([&](Ledger& ledger) { ledger.reserve(other); }), ErrorCode::usage);
  EXPECT_EQ(answer([&](Ledger& ledger) { ledger.reserve(first); }), std::nullopt);
}

/// The amount spent is read from the last line, so altered entries do not change it.
TEST_F(FlippedBits, AnAlteredChargeIsNotSummed) {
  testing::alter(path, "UPDATE entries SET epsilon = '1/96' WHERE id = 3");
  EXPECT_EQ(answer([](Ledger& ledger) { ledger.reserve(asked(Rational(126, 1000))); }), ErrorCode::budget_refused);
  EXPECT_EQ(answer([](Ledger& ledger) { ledger.reserve(asked(Rational(1, 8))); }), std::nullopt);
  EXPECT_EQ(answer([](Ledger& ledger) { ledger.reserve(asked(Rational(1, 1000))); }), ErrorCode::budget_refused);
  EXPECT_EQ(answer([](Ledger& ledger) { ledger.verify(); }), ErrorCode::ledger);
}

TEST_F(FlippedBits, NeverGiveBackWhatWasPublished) {
  const auto give_back = [](Ledger& ledger) { ledger.void_entry(3, "because"); };
  ASSERT_EQ(answer(give_back), ErrorCode::usage);
  EXPECT_GT(refusals(199, give_back, ErrorCode::usage), at_least(20) / 2);
}

TEST_F(FlippedBits, NeverLoosenWhatIsPinned) {
  const auto weaken = [](Ledger& ledger) {
    LedgerRequest cheaper = asked(Rational(1, 16));
    cheaper.records_per_person = 1;
    ledger.reserve(cheaper);
  };
  ASSERT_EQ(answer(weaken), ErrorCode::usage);
  EXPECT_GT(refusals(199, weaken, ErrorCode::usage), at_least(20) / 2);
}

}  // namespace
}  // namespace fractile

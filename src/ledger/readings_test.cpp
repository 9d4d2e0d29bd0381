#include "ledger/readings.hpp"

#include <gtest/gtest.h>

#include "support/ledger_files.hpp"

namespace fractile {
namespace {

using testing::expect_failure;
using testing::request;

class LedgerReadings : public testing::EveryStore {
 protected:
  Ledger with(const LedgerReading& declared, const std::string& person = {}) const {
    Ledger ledger = Ledger::create(path);
    LedgerDataset dataset{"people", Budget::pure(Rational(10))};
    dataset.reading = declared;
    dataset.person = person;
    ledger.add_dataset(dataset);
    return ledger;
  }

  static LedgerRequest asked(const std::string& source, const LedgerReading& reading) {
    LedgerRequest result = request("q", Budget::pure(Rational(1)));
    result.source = source;
    result.reading = reading;
    return result;
  }

  static void expect_refused(Ledger& ledger, const LedgerRequest& request, const std::string& part) {
    expect_failure(ErrorCode::usage, part, [&] { ledger.require_fit(request); });
    expect_failure(ErrorCode::usage, part, [&] { ledger.reserve(request); });
  }

  const LedgerReading semicolons{{"delimiter", ";"}};
};
FRACTILE_ON_EVERY_STORE(LedgerReadings);

TEST_P(LedgerReadings, WhatIsDeclaredHoldsForEveryRelease) {
  Ledger ledger = with(semicolons);
  const std::string other =
      "the release reads the file '/t.csv' with delimiter = \",\", and dataset 'people' is read with "
      "delimiter = \";\"";
  expect_refused(ledger, asked("/t.csv", {{"delimiter", ","}}), other);
  expect_refused(ledger, asked("/t.csv", {{"delimiter", ","}}),
                 "fractile ledger init declares it for a new dataset: with");
  expect_refused(ledger, asked("/t.csv", {}), "the file '/t.csv' without delimiter, and dataset 'people' is read with");
  expect_refused(ledger, asked("/t.csv", {}),
                 "read it with delimiter = \";\"; a new dataset of fractile ledger init can be read without delimiter");
  expect_refused(ledger, asked("", {}), "reads a source without a name without delimiter");
  EXPECT_TRUE(ledger.statement().entries.empty());
  EXPECT_EQ(ledger.reserve(asked("/t.csv", semicolons)).id, 1);
  EXPECT_EQ(ledger.reserve(asked("", semicolons)).id, 2);
  EXPECT_EQ(Ledger::open(path).datasets().front().reading, semicolons);
  ledger.verify();
}

TEST_P(LedgerReadings, TheFirstReleaseFixesWhatIsLeftOpen) {
  Ledger ledger = with({});
  LedgerRequest first = asked("/t.csv", {{"delimiter", ";"}, {"missing", "NA"}});
  first.records_per_person = 3;
  ledger.reserve(first);
  LedgerRequest other = first;
  other.reading["missing"] = "x";
  expect_refused(ledger, other,
                 "the release reads the file '/t.csv' with missing = \"x\", and entry 1 of dataset 'people', which "
                 "fixed how that is read, with missing = \"NA\"");
  other.reading["missing"] = "NA,-9";  // a file and Python take no text with a comma
  expect_refused(ledger, other, "with missing = {\"NA\", \"-9\"}, and entry 1");
  other.reading.erase("missing");
  expect_refused(ledger, other, "without missing, and entry 1");
  other = first;
  other.reading["table"] = "p=/p.csv";
  expect_refused(ledger, other,
                 "with table = \"p=/p.csv\", and entry 1 of dataset 'people', which fixed how that is "
                 "read, without table");
  other = first;
  other.person = "id";
  expect_refused(ledger, other, "with person = \"id\", and entry 1");
  other = first;
  other.records_per_person = 2;
  expect_refused(ledger, other, "write records_per_person = 3, or more");
  other.records_per_person = 4;
  EXPECT_EQ(ledger.reserve(other).id, 2);
  other.records_per_person = 3;  // as the first release had it
  EXPECT_EQ(ledger.reserve(other).id, 3);
  EXPECT_EQ(ledger.reserve(asked("/u.csv", {})).id, 4);  // another source
  ledger.add_dataset({"others", Budget::pure(Rational(1))});
  LedgerRequest elsewhere = asked("/t.csv", {});
  elsewhere.dataset = "others";
  EXPECT_EQ(ledger.reserve(elsewhere).id, 5);
  const std::vector<LedgerSource> sources = Ledger::open_to_read(path).statement().sources;
  ASSERT_EQ(sources.size(), 3U);
  EXPECT_EQ(sources[0].reading, first.reading);
  EXPECT_EQ(std::tie(sources[0].source, sources[0].entry), std::tuple("/t.csv", 1));
  EXPECT_EQ(sources[0].records_per_person, 3U);
  EXPECT_EQ(std::tie(sources[2].dataset, sources[2].entry), std::tuple("others", 5));
  ledger.verify();
}

// The order in which texts that count as missing were typed made two readings.
TEST_P(LedgerReadings, TheOrderOfTextsThatAreMissingDecidesNothing) {
  Ledger ledger = with({});
  LedgerRequest first = asked("/t.csv", {{"missing", "-9,NA"}});
  ledger.reserve(first);
  first.reading["missing"] = "NA,-9";
  EXPECT_EQ(ledger.reserve(first).id, 2);
  first.reading["missing"] = "NA,-9,NA";  // ledger init took a text twice, which no release has
  EXPECT_EQ(ledger.reserve(first).id, 3);
  first.reading["missing"] = "NA,-9,.";
  expect_refused(ledger, first, "which fixed how that is read, with missing = {\"-9\", \"NA\"}");
}

// An extra --table made another source of the same file, so that the next release chose another column of persons and fewer records.
TEST_P(LedgerReadings, AFileIsReadAsBeforeBesideOtherFiles) {
  Ledger ledger = with({});
  LedgerRequest first = asked("/t.csv", {});
  first.person = "id";
  first.records_per_person = 3;
  ledger.reserve(first);
  for (const char* source : {"/t.csv,/a.csv", "/a.csv,/t.csv", "/a.csv,/t.csv,/b.csv"}) {
    LedgerRequest beside = asked(source, {});
    expect_refused(ledger, beside,
                   "without person, and entry 1 of dataset 'people', which fixed how the file '/t.csv' is read, with "
                   "person = \"id\"");
    beside.person = "id";
    expect_refused(ledger, beside, "fixed how the file '/t.csv' is read, is for persons with 3");
    beside.records_per_person = 3;
    ledger.reserve(beside);
  }
  expect_refused(ledger, asked("/b.csv", {}), "which fixed how the file '/a.csv,/t.csv,/b.csv' is read");
  for (const char* source : {"/tt.csv", "/t.csv.gz", "/d/t.csv", "/t.csv/a,/c.csv"}) {
    SCOPED_TRACE(source);
    EXPECT_NO_THROW(ledger.reserve(asked(source, {})));  // other files
  }
  ledger.verify();
}

TEST_P(LedgerReadings, AVoidEntryBesideOtherFilesFixesNothing) {
  Ledger ledger = with({});
  ledger.reserve(asked("/t.csv,/a.csv", {{"missing", "NA"}}));
  expect_refused(ledger, asked("/t.csv", {}), "which fixed how the file '/t.csv,/a.csv' is read, with");
  ledger.void_entry(1, "a mistake");
  EXPECT_EQ(ledger.reserve(asked("/t.csv", {})).id, 2);
}

TEST_P(LedgerReadings, AVoidEntryFixesNothing) {
  Ledger ledger = with({});
  ledger.reserve(asked("/t.csv", semicolons));
  expect_refused(ledger, asked("/t.csv", {}), "with delimiter = \";\"");
  ledger.void_entry(1, "a mistake");
  EXPECT_EQ(ledger.reserve(asked("/t.csv", {})).id, 2);
  expect_refused(ledger, asked("/t.csv", semicolons), "and entry 2");
}

/// Releases of a source without a name cannot be told apart from releases of another source without a name.
TEST_P(LedgerReadings, ASourceWithoutANameIsReadAsDeclaredOrAsByDefault) {
  Ledger ledger = with({}, "id");
  LedgerRequest unknown = asked("", {});
  unknown.person = "id";
  EXPECT_EQ(ledger.reserve(unknown).id, 1);
  unknown.records_per_person = 7;
  EXPECT_EQ(ledger.reserve(unknown).id, 2);
  unknown.records_per_person = 1;
  EXPECT_EQ(ledger.reserve(unknown).id, 3);
  unknown.reading = semicolons;
  expect_refused(ledger, unknown, "since nothing is known about what this release reads");
  EXPECT_TRUE(ledger.statement().sources.empty());
}

TEST_P(LedgerReadings, AreHashed) {
  with(semicolons).reserve(asked("/t.csv", {{"delimiter", ";"}, {"missing", "NA"}}));
  for (const std::string& change :
       {std::string(is_postgres() ? "UPDATE datasets SET reading = ''" : "UPDATE pins SET reading = ''"),
        std::string("UPDATE entries SET reading = ''"), std::string("UPDATE entries SET source = '/u.csv'"),
        std::string("UPDATE entries SET records_per_person = 2"), std::string("UPDATE entries SET person = 'id'"),
        std::string("UPDATE entries SET nonce = 'a'"), std::string("UPDATE events SET sums = '1:0,' WHERE id = 2"),
        std::string("UPDATE events SET sums = NULL WHERE id = 2")}) {
    const std::string copy = copy_of(path);
    testing::alter(copy, change);
    SCOPED_TRACE(change);
    expect_failure(ErrorCode::ledger, "does not match its hash", [&] { Ledger::open(copy).verify(); });
  }
  testing::alter(path, "UPDATE entries SET question = 'a'");
  expect_failure(ErrorCode::ledger, "entry 1 does not have the digest of its query",
                 [&] { Ledger::open(path).verify(); });
}

TEST(Readings, OfSourcesThatShareAFileShareAPart) {
  using ledger_detail::files_of;
  EXPECT_EQ(files_of("visits"), std::vector<std::string>{"visits"});
  EXPECT_EQ(files_of("/a.csv"), std::vector<std::string>{"/a.csv"});
  EXPECT_EQ(files_of("/a,b.csv,/c.csv"), (std::vector<std::string>{"/a,b.csv", "/c.csv"}));
  EXPECT_EQ(files_of("/a,/b.csv"), (std::vector<std::string>{"/a", "/b.csv"}));  // one path, or two
}

TEST(Readings, AreTextsThatAreReadBack) {
  using namespace ledger_detail;
  for (const LedgerReading& reading :
       {LedgerReading{}, LedgerReading{{"", ""}}, LedgerReading{{"a", ","}, {"b", "1:x,"}, {"c", "\n\xff"}}}) {
    EXPECT_EQ(read_reading(reading_text(reading)), reading);
  }
  for (const char* other : {"1", "1:a", "1:a,", "2:a,", "1:a,x:b,", "-1:a,1:b,", "99:a,1:b,"}) {
    EXPECT_FALSE(read_reading(other)) << other;
  }
}

}  // namespace
}  // namespace fractile

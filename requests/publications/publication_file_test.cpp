#include "requests/publications/publication_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "fractile/error.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::requests {
namespace {

const char* const whole_file = R"([publication]
title = "Hourly earnings 2026"
epsilon = 1
person = "id"
records_per_person = 2

[input]
file = "payroll.csv"
missing = ["NA", "."]

[keys]
region = ["n", "s"]
sex = { m = "men", f = "women" }
year = [2024, 2025]

[[table]]
name = "pay"
column = "pay"
bounds = [0, 500]
step = 0.01
quantiles = "deciles"
count = true
mean = true
below = [12.5, 20]
by = ["region", "sex"]
totals = "all"
intervals = 0.95
rows = 1000
share = 2

[[table]]
column = "hired"
bounds = [2000-01-01, 2026-01-01]
step = "1d"
quantiles = [0.1, "1/2"]
count = true
below = [2010-01-01]
by = "region"
totals = [[]]
intervals = { level = 0.9, together = true }
mechanism = "independent"

[marks]
unreliable = 0.2
hidden = 10
)";

PublicationFile read(const std::string& text) { return publication_in(text, "earnings.toml", ""); }

TEST(PublicationFiles, SayAPublication) {
  const PublicationFile file = read(whole_file);
  const Publication& publication = file.publication;
  EXPECT_EQ(publication.title, "Hourly earnings 2026");
  EXPECT_EQ(publication.budget.to_string(), "epsilon = 1");
  EXPECT_EQ(publication.person, "id");
  EXPECT_EQ(publication.records_per_person, 2U);
  EXPECT_EQ(file.input.read.file, "payroll.csv");
  EXPECT_EQ(file.input.read.missing, (std::vector<std::string>{"NA", "."}));
  EXPECT_EQ(file.input.read.unreadable, Unreadable::missing)
      << "a cell that is no number must not end a paid publication";
  ASSERT_EQ(publication.keys.size(), 3U);
  EXPECT_EQ(publication.keys[1].keys, (std::vector<std::string>{"m", "f"})) << "in the order of the file";
  EXPECT_EQ(publication.keys[1].labels, (std::vector<std::string>{"men", "women"}));
  EXPECT_EQ(publication.keys[2].keys, (std::vector<std::string>{"2024", "2025"}));
  ASSERT_EQ(publication.tables.size(), 2U);
  const PublicationTable& pay = publication.tables[0];
  EXPECT_EQ(pay.lattice, Lattice::regular(0, 500, Rational(1, 100)));
  EXPECT_EQ(pay.quantiles.size(), 9U);
  EXPECT_TRUE(pay.count && pay.mean);
  EXPECT_EQ(pay.below, (std::vector<Rational>{Rational(25, 2), 20}));
  EXPECT_EQ(pay.levels, (std::vector<KeyLevel>{{0, 1}, {0}, {1}, {}}));
  EXPECT_EQ(pay.intervals->level, Rational(19, 20));
  EXPECT_EQ(pay.intervals->subject, IntervalSubject::table);
  EXPECT_EQ(pay.expected_rows, std::vector<std::uint64_t>(4, 1000));
  EXPECT_EQ(pay.share, Rational(2));
  const PublicationTable& hired = publication.tables[1];
  EXPECT_EQ(hired.name, "hired");
  EXPECT_EQ(hired.lattice.kind(), ValueKind::date);
  EXPECT_EQ(hired.below, (std::vector<Rational>{Rational(14610)}));
  EXPECT_EQ(hired.levels, (std::vector<KeyLevel>{{0}, {}}));
  EXPECT_EQ(hired.intervals->subject, IntervalSubject::table);
  EXPECT_TRUE(hired.intervals->is_simultaneous);
  EXPECT_EQ(hired.mechanism, Mechanism::independent);
  EXPECT_EQ(publication.marks.hidden, 10U);
  EXPECT_EQ(publication.marks.unreliable, Rational(1, 5));
}

TEST(PublicationFiles, SayWhatOtherKeysAreCalled) {
  const auto other = [](const std::string& said) {
    std::string text = whole_file;
    text.replace(text.find("totals = \"all\""), 14, "totals = \"all\"\nother = " + said);
    return read(text).publication.tables[0].others;
  };
  EXPECT_EQ(other("true"), (std::vector<std::string>{"other", "other"}));
  EXPECT_EQ(other("false"), std::vector<std::string>{});
  EXPECT_EQ(other("[\"sex\"]"), (std::vector<std::string>{"", "other"}));
  EXPECT_EQ(other("\"region\""), (std::vector<std::string>{"other", ""}));
  EXPECT_EQ(other("{ region = \"elsewhere\" }"), (std::vector<std::string>{"elsewhere", ""}));
}

TEST(PublicationFiles, MayHaveNoQuantiles) {
  std::string text = whole_file;
  for (const char* const line : {"quantiles = \"deciles\"\n", "intervals = 0.95\n"})
    text.erase(text.find(line), std::string(line).size());
  const PublicationFile file = read(text);
  EXPECT_TRUE(file.publication.tables[0].quantiles.empty());
  EXPECT_EQ(file.parts.size(), 3U) << "totals of counts cost nothing";
}

TEST(PublicationFiles, HaveAnExample) {
  const PublicationFile file = publication_in(std::string(example_publication()), "people.toml", "");
  EXPECT_EQ(file.publication.tables.size(), 2U);
  EXPECT_EQ(file.input.read.file, "people.csv");
  EXPECT_EQ(file.parts.size(), 5U);
}

TEST(PublicationFiles, AreBesideWhatTheyName) {
  const std::string text = std::regex_replace(whole_file, std::regex("payroll"), "in/payroll");
  EXPECT_EQ(publication_in(text, "/data/earnings.toml", "").input.read.file, "/data/in/payroll.csv");
}

/// The input of a small file whose [input] says this.
PublicationInput input_of(const std::string& said) {
  return read("[publication]\nepsilon = 1\n[input]\n" + said +
              "\n[[table]]\ncolumn = \"pay\"\nbounds = [0, 9]\nstep = 1\nquantiles = \"median\"\n")
      .input;
}

TEST(PublicationFiles, SayWhereRecordsComeFrom) {
  const PublicationInput joined = input_of(
      "file = \"-\"\nsql = \"SELECT 1\"\nsql_stability = 3\ntables = { visits = \"v.csv\" }\nformat = \"csv\"\n"
      "delimiter = \";\"\nsingle_line_records = true\nunreadable = \"error\"");
  EXPECT_EQ(joined.read.file, "-");
  EXPECT_EQ(joined.read.sql, "SELECT 1");
  EXPECT_EQ(joined.read.sql_stability, 3U);
  ASSERT_EQ(joined.read.tables.size(), 1U);
  EXPECT_EQ(joined.read.tables.front().name, "visits");
  EXPECT_EQ(joined.read.tables.front().file, "v.csv");
  EXPECT_EQ(joined.read.format, "csv");
  EXPECT_EQ(joined.read.delimiter, ";");
  EXPECT_TRUE(joined.read.single_line_records);
  EXPECT_EQ(joined.read.unreadable, Unreadable::error);
  const PublicationInput server = input_of("postgres = \"postgres://host/db\"\nsql = \"SELECT pay FROM people\"");
  EXPECT_EQ(server.postgres, "postgres://host/db");
  EXPECT_TRUE(server.read.file.empty());
  const PublicationInput counted = input_of("counts = \"pay.counts\"");
  EXPECT_EQ(counted.counts, "pay.counts");
  EXPECT_THROW(input_of("counts = \"pay.counts\"\nsql = \"SELECT 1\""), Error);
  EXPECT_THROW(input_of("file = \"a.csv\"\ncounts = \"pay.counts\""), Error);
  EXPECT_THROW(PublicationInput{}.source(), Error) << "no records are named";
  const PublicationInput elsewhere = input_of("missing = [\"NA\"]\nunreadable = \"error\"\nnull = \"error\"");
  EXPECT_FALSE(elsewhere.names_records()) << "the publisher has them";
  EXPECT_EQ(elsewhere.read.missing, std::vector<std::string>{"NA"});
  EXPECT_EQ(elsewhere.read.unreadable, Unreadable::error);
  EXPECT_TRUE(server.names_records() && counted.names_records() && joined.names_records());
}

TEST(PublicationFiles, SolveForTheirBudget) {
  const PublicationFile file = read(
      "[publication]\nepsilon = \"least\"\n[[table]]\ncolumn = \"pay\"\nbounds = [0, 500]\nstep = 1\nquantiles = "
      "\"median\"\n"
      "target = { rank_error = 100 }\n");
  ASSERT_EQ(file.parts.size(), 1U);
  EXPECT_EQ(file.parts.front().cost.to_string(), file.publication.budget.to_string());
  EXPECT_LT(file.publication.budget.epsilon(), Exponent(Rational(1)));
}

/// Expects that the file is refused when one piece is replaced. `where` is the line and the member, `what` says what is wrong, and `hint`
/// says what to write.
void expect_refused(const std::string& piece, const std::string& instead, const std::string& where,
                    const std::string& what, const std::string& hint) {
  std::string text = whole_file;
  const std::size_t at = text.find(piece);
  ASSERT_NE(at, std::string::npos) << piece;
  text.replace(at, piece.size(), instead);
  const Error error = testing::error_of([&] { read(text); });
  EXPECT_EQ(error.code(), ErrorCode::data) << error.what();
  EXPECT_EQ(std::string(error.what()).rfind("earnings.toml:" + where + ": ", 0), 0U)
      << where << " is not where: " << error.what();
  EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  EXPECT_NE(error.hint().find(hint), std::string::npos) << error.hint();
}

TEST(PublicationFiles, SayWhatAPersonContributes) {
  std::string text = whole_file;
  text.replace(text.find("column = \"pay\""), 14, "column = \"pay\"\nper_person = \"median\"");
  const Publication values = read(text).publication;
  EXPECT_EQ(values.tables.at(0).per_person, PerPerson::median);
  EXPECT_FALSE(values.tables.at(1).per_person);
  text = whole_file;
  for (const char* const counted :
       {"count = true\nmean = true\nbelow = [12.5, 20]\n", "count = true\nbelow = [2010-01-01]\n"})
    text.erase(text.find(counted), std::string(counted).size());
  text.erase(text.find("hidden = 10"), 11);
  text.replace(text.find("epsilon = 1\n"), 12,
               "epsilon = 1\nweight = \"w\"\nweight_bounds = [0, 300]\nweight_step = 0.5\nexpected_weight = 40\n");
  const std::optional<RecordWeights> weights = read(text).publication.weights;
  EXPECT_EQ(weights, (RecordWeights{"w", 0, 300, Rational(1, 2), {}, Rational(40)}));
}

TEST(PublicationFiles, AreRefusedWhereTheyAreWrong) {
  expect_refused("column = \"pay\"", "column = \"pay\"\nper_person = \"total\"", "19: table[0].per_person",
                 "'total' is not known", "choose one of");
  expect_refused("person = \"id\"\n", "weight = \"w\"\n", "1: publication", "weight_bounds is missing",
                 "weight_bounds = [0, 300]");
  expect_refused("person = \"id\"\n", "weight_step = 1\n", "4: publication.weight_step", "goes with weight",
                 "weight = ");
  expect_refused("person = \"id\"\n", "weight = \"w\"\nweight_bounds = [0, 3]\nweight_step = 1\n", "18: table[0]",
                 "a total weight does not say", "leave it out");

  expect_refused("title", "titl", "2: publication.titl", "unknown key", "did you mean title?");
  expect_refused("[marks]", "[mark]", "43: mark", "unknown key", "did you mean marks?");
  expect_refused("epsilon = 1", "", "1: publication", "a budget is missing", "write epsilon = 1");
  expect_refused("epsilon = 1", "epsilon = 0", "3: publication.epsilon", "", "");
  expect_refused("epsilon = 1", "epsilon = 1\nrho = 1", "1: publication", "two measures", "rho = \"1/2\"");
  expect_refused("epsilon = 1", "epsilon = \"least\"", "1: publication", "table 'pay' has none",
                 "give every table a target");
  expect_refused("= 2\n", "= 0\n", "5: publication.records_per_person", "'0' is not a whole number",
                 "records_per_person = 1");
  expect_refused("file =", "fil =", "8: input.fil", "unknown key", "did you mean file?");
  expect_refused("missing = [", "unreadable = \"drop\"\nmissing = [", "9: input.unreadable", "'drop' is not known",
                 "choose one of");
  expect_refused("missing = [\"NA\"", "missing = [3", "9: input.missing[0]", "a text is expected", "in quotes");
  expect_refused("missing = [\"NA\"", "missing = [\"NA,-9\"", "9: input.missing", "'NA,-9' has a comma in it",
                 "by itself");
  // `plan` took what `publish` refuses.
  expect_refused("missing = [", "decimal = \";\"\nmissing = [", "9: input.decimal",
                 "decimals follow a point or a comma", "decimal = \",\"");
  expect_refused("missing = [", "encoding = \"ebcdic\"\nmissing = [", "9: input.encoding", "unknown encoding 'ebcdic'",
                 "encoding = \"latin1\"");
  expect_refused("missing = [", "format = \"xls\"\nmissing = [", "9: input.format", "unknown format 'xls'",
                 "format = \"csv\"");
  expect_refused("missing = [\"NA\"", "missing = [\"NA\", \"NA\"", "9: input.missing", "declared to be missing twice",
                 "name it once");
  expect_refused("missing = [", "postgres = \"postgres://h/d\"\nmissing = [", "9: input.postgres",
                 "input.file is another", "name one");
  expect_refused("[\"n\", \"s\"]", "\"n\"", "12: keys.region", "neither a list of keys", "write [\"north\"");
  expect_refused("[\"n\", \"s\"]", "[\"n\", 0.5]", "12: keys.region[1]", "a text or a whole number", "in quotes");
  expect_refused("[\"n\", \"s\"]", "[\"n\", \"n\"]", "12: keys.region[1]", "a key 'n' appears twice", "each once");
  expect_refused("column = \"hired\"", "name = \"pay\"\ncolumn = \"hired\"", "32: table[1].name",
                 "a table 'pay' appears twice", "give each a name");
  expect_refused("column = \"hired\"", "column = \"pay\"", "32: table[1].column", "a table 'pay' appears twice",
                 "a name");
  expect_refused("column = \"pay\"", "", "16: table[0].column", "missing", "column = \"pay\"");
  expect_refused("bounds = [0, 500]", "", "16: table[0]", "bounds is missing", "bounds = [0, 125]");
  expect_refused("bounds = [0, 500]", "bounds = [0]", "19: table[0].bounds", "two ends are expected", "[0, 125]");
  expect_refused("bounds = [0, 500]", "bounds = [0, \"x\"]", "19: table[0].bounds", "'x'", "");
  expect_refused("step = 0.01", "", "16: table[0]", "step is missing", "step = 1");
  expect_refused("\"deciles\"", "\"decils\"", "21: table[0].quantiles", "'decils' is neither", "did you mean deciles?");
  expect_refused("\"deciles\"", "[0.5, 0.5]", "21: table[0].quantiles", "appears twice", "");
  expect_refused("mean = true", "mean = 1", "23: table[0].mean", "true or false is expected", "without quotes");
  expect_refused("mean = true", "interpolat = false", "23: table[0].interpolat", "unknown key",
                 "did you mean interpolate?");
  expect_refused("[12.5, 20]", "[20, 12.5]", "24: table[0].below", "do not increase", "the smallest first");
  expect_refused("[2010-01-01]", "[3]", "37: table[1].below[0]", "'3' cannot be compared", "below = \"20");
  expect_refused("[\"region\", \"sex\"]", "[\"region\", \"sexx\"]", "25: table[0].by", "'sexx' are not listed",
                 "did you mean sex?");
  expect_refused("totals = \"all\"", "totals = \"al\"", "26: table[0].totals", "'al' is not known",
                 "did you mean all?");
  expect_refused("totals = \"all\"", "totals = true", "26: table[0].totals", "neither a word nor a list of levels",
                 "write \"all\", \"none\" or a list: [[\"region\"], []]");
  expect_refused("[\"region\", \"sex\"]", "\"region,sex\"", "25: table[0].by", "one text names one column",
                 "by = [\"region\", \"sex\"]");
  expect_refused("totals = \"all\"", "totals = [[\"age\"]]", "26: table[0].totals[0][0]", "'age' is not among",
                 "region, sex");
  expect_refused("totals = \"all\"", "totals = [[\"sex\"], \"sex\"]", "26: table[0].totals[1]", "already listed",
                 "each once");
  expect_refused("totals = \"all\"", "other = { age = \"old\" }", "26: table[0].other.age", "'age' is not among",
                 "region, sex");
  expect_refused("totals = \"all\"", "other = { region = \"n\" }", "26: table[0].other",
                 "'n' is already a key of column 'region'", "other = { region = \"elsewhere\" }");
  expect_refused("intervals = 0.95", "intervals = 95", "27: table[0].intervals", "", "");
  expect_refused("intervals = 0.95", "", "16: table[0]", "'pay' has no intervals", "intervals = 0.95");
  expect_refused("rows = 1000", "rows = 0", "28: table[0].rows", "0 is not a whole number", "write for example");
  expect_refused("rows = 1000", "rows = \"1000\"", "28: table[0].rows", "a number in quotes", "rows = 1000");
  expect_refused("share = 2", "share = 0", "29: table[0].share", "not above 0", "share = 2");
  expect_refused("share = 2", "level_shares = [1, 2]", "29: table[0].level_shares", "2 shares for 4 levels",
                 "one a level");
  expect_refused("share = 2", "target = { interval_width = 3 }", "29: table[0].target", "says nothing",
                 "interval_width = 0.1");
  expect_refused("share = 2", "target = 10", "29: table[0].target", "it does not say what it limits",
                 "share_error = 0.02");
  expect_refused("share = 2", "target = {}", "29: table[0].target", "no target is named", "share_error = 0.02");
  expect_refused("share = 2", "possible = [[\"n\", \"x\"]]", "29: table[0].possible",
                 "'x' is not a key of column 'sex'", "leave the cell out");
  expect_refused("share = 2", "possible = [\"n\"]", "29: table[0].possible[0]", "a cell is a list of keys",
                 "one list a cell");
  expect_refused("share = 2", "possible = [[\"n\"]]", "29: table[0].possible",
                 "a cell has 1 key, and the table 2 columns", "one key a column");
  expect_refused("count = true\nmean", "mean", "16: table[0]", "releases no count", "count = true");
  expect_refused("hidden = 10", "hidden = -1", "45: marks.hidden", "-1 is not a whole number", "write for example");
  // These had no place, or the place or the words of something else.
  expect_refused("count = true\nmean", "count = true\ncount = true\nmean", "23", "'count' is written twice", "once");
  expect_refused("[marks]", "[publication]", "43", "'publication' is written twice", "once");
  expect_refused("2000-01-01", "2024-02-30", "33", "there is no such date or time", "2024-02-29");
  expect_refused("missing = [", "tables = { v = \"v.csv\" }\nmissing = [", "9: input.tables", "tables goes with sql",
                 "write a query");
  expect_refused("rows = 1000", "rows = \"\"", "28: table[0].rows", "an empty text", "\"codes.csv\"");
  expect_refused("rows = 1000", "rows = \"-\"", "28: table[0].rows", "- is standard input", "name a public file");
  expect_refused("share = 2", "mechanism = [\"joint\"]", "29: table[0].mechanism",
                 "one text, number or date is expected, and this is a list", "a text in quotes");
  expect_refused("missing = [", "null = false\nmissing = [", "9: input.null",
                 "one text, number or date is expected, and this is true or false", "a text in quotes");
  expect_refused("quantiles = \"deciles\"", "", "27: table[0].intervals", "intervals need quantiles", "leave it out");
  expect_refused("unreliable = 0.2", "unreliable = 0", "44: marks.unreliable", "not above 0", "0.2");
}

/// The file that is read is the one that the callback saw, even if its name has come to lead to another file.
TEST(PublicationFiles, ReadThePublicFileThatWasOpened) {
  const testing::Folder folder;
  const auto written = [&](const char* name, const std::string& contents) {
    std::ofstream(folder.file(name)) << contents;
    return folder.file(name);
  };
  const std::string declared = written("declared.csv", "code\nn\ns\n");
  const std::string secret = written("secret.csv", "code\nhidden\n");
  const std::string link = folder.file("regions.csv");
  std::filesystem::create_symlink(declared, link);
  std::string text = whole_file;
  text.replace(text.find("[\"n\", \"s\"]"), 10, "{ file = \"regions.csv\", key = \"code\" }");
  const std::string file = written("earnings.toml", text);
  std::string looked_at;
  const auto swapped = [&](const std::string& path) {
    looked_at = path;
    std::filesystem::remove(link);
    std::filesystem::create_symlink(secret, link);
  };
  try {
    const PublicationFile read = read_publication(file, "", swapped);
    EXPECT_EQ(looked_at, std::filesystem::canonical(declared).string());
    EXPECT_EQ(read.publication.keys.at(0).keys, (std::vector<std::string>{"n", "s"}));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    GTEST_SKIP() << error.what() << ": " << error.hint();
  }
}

}  // namespace
}  // namespace fractile::requests

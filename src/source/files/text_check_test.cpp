#include "source/files/text_check.hpp"

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using source_test::TemporaryFolder;

std::uint64_t check(const std::string& path) {
  return check_delimited(InputFile::open(path), {",", false}, LineEndsInCells::allowed, {});
}
bool has_json_lines(const std::string& path) { return check_json_lines(InputFile::open(path), {}); }

TEST(TextCheck, RecordsUpToTheLimitPass) {
  const TemporaryFolder folder;
  const std::string line(longest_record, 'x');
  EXPECT_EQ(check(folder.write("x.csv", "age\n" + line + "\n" + line)), 2u);
  EXPECT_EQ(check(folder.write("x.csv", "age\n\"" + line.substr(2) + "\"\n")), 1u);
  EXPECT_EQ(check(folder.write("x.csv", "")), 0u);
}

TEST(TextCheck, LongerRecordsAreRefusedWhereverTheyStand) {
  const TemporaryFolder folder;
  const std::string line(longest_record + 1, 'x');
  const std::string lines = "\"" + std::string(longest_record / 2, '\n') + std::string(longest_record / 2, 'x') + "\"";
  for (const std::string& text :
       {"age\n1\n" + line, "age\n1\n" + line + "\n", "age\n1\n" + line + "\n2\n", "age\n1\n" + lines + "\n2\n"}) {
    EXPECT_EQ(std::string(error_of([&] { check(folder.write("x.csv", text)); }).what()),
              folder.path("x.csv") + ": line 3 is longer than 2,000,000 bytes");
  }
}

TEST(TextCheck, TheFirstByteTellsTheFormOfJson) {
  const TemporaryFolder folder;
  const auto form = [&](const std::string& text) {
    return json_form_by_first_byte(InputFile::open(folder.write("x.json", text)));
  };
  for (const char* text : {"[]", " \t\r\n[{}]", "\xEF\xBB\xBF["}) EXPECT_EQ(form(text), JsonForm::array) << text;
  for (const char* text : {"", "  ", "{}", "{}[", "x", "\x1F\x8B damaged gzip"}) {
    EXPECT_EQ(form(text), JsonForm::values) << text;
  }
}

TEST(TextCheck, LinesOfJsonBeginAndEndWithBraces) {
  const TemporaryFolder folder;
  for (const char* text : {"{}", "{}\n", "\n {\"a\":1} \r\n\t\n{}\n", ""}) {
    EXPECT_TRUE(has_json_lines(folder.write("x.json", text))) << text;
  }
  for (const char* text : {"{\n}", "{}\n5\n", "{}\n{\n\"a\":1}\n", "{} x\n", "\xEF\xBB\xBF{}\n"}) {
    EXPECT_FALSE(has_json_lines(folder.write("x.json", text))) << text;
  }
  const std::string line = "{\"a\":\"" + std::string(300'000, 'x') + "\"}\n";  // longer than what is seen at once
  EXPECT_TRUE(has_json_lines(folder.write("x.json", line + line)));
  EXPECT_FALSE(has_json_lines(folder.write("x.json", line + "x" + line)));
}

using GzipCheck = EngineTest;

TEST_F(GzipCheck, CutOrDamagedFilesAreRefused) {
  const std::string file = folder.path("x.csv.gz");
  run_sql("COPY (SELECT hash(i) AS age FROM range(100000) t(i)) TO " + quote_literal(file) + " (HEADER)");
  EXPECT_EQ(check(file), 100'000u);
  std::string bytes = InputFile::open(file).head(std::size_t{1} << 22);
  const std::string cut = folder.write("cut.csv.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(std::string(error_of([&] { check(cut); }).what()).find("truncated or damaged gzip"), std::string::npos);
  EXPECT_THROW(has_json_lines(cut), Error);
  const Table table = open(cut);  // the engine itself would count half of the records
  EXPECT_THROW((void)table.profile("age", source_test::lattice_of("0", "1", "1"), NullPolicy::drop), Error);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  EXPECT_EQ(error_of([&] { check(folder.write("bad.csv.gz", bytes)); }).code(), ErrorCode::data);
}

}  // namespace
}  // namespace fractile::source_detail

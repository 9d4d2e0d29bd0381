#include "source/text_check.hpp"

#include "source/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::EngineTest;
using source_test::error_of;
using source_test::TemporaryFolder;

void check(const std::string& path, bool is_delimited) { check_text(InputFile::open(path), is_delimited, {}); }

TEST(TextCheck, LinesUpToTheLimitPass) {
  const TemporaryFolder folder;
  const std::string line(longest_line, 'x');
  EXPECT_NO_THROW(check(folder.write("x.csv", "age\n" + line + "\n" + line), true));
  EXPECT_NO_THROW(check(folder.write("x.csv", ""), true));
}

TEST(TextCheck, LongerLinesAreRefusedWhereverTheyStand) {
  const TemporaryFolder folder;
  const std::string line(longest_line + 1, 'x');
  for (const std::string& text : {"age\n1\n" + line, "age\n1\n" + line + "\n", "age\n1\n" + line + "\n2\n"}) {
    EXPECT_EQ(std::string(error_of([&] { check(folder.write("x.csv", text), true); }).what()),
              folder.path("x.csv") + ": line 3 is longer than 2,000,000 bytes");
    EXPECT_NO_THROW(check(folder.write("x.json", text), false));
  }
}

using GzipCheck = EngineTest;

TEST_F(GzipCheck, CutOrDamagedFilesAreRefused) {
  const std::string file = folder.path("x.csv.gz");
  run_sql("COPY (SELECT hash(i) AS age FROM range(100000) t(i)) TO " + quote_literal(file) + " (HEADER)");
  EXPECT_NO_THROW(check(file, true));
  std::string bytes = InputFile::open(file).head(std::size_t{1} << 22);
  const std::string cut = folder.write("cut.csv.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(std::string(error_of([&] { check(cut, true); }).what()).find("truncated or damaged gzip"),
            std::string::npos);
  const Table table = open(cut);  // the engine itself would count half of the records
  EXPECT_THROW((void)table.profile("age", source_test::lattice_of("0", "1", "1"), NullPolicy::drop), Error);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  EXPECT_EQ(error_of([&] { check(folder.write("bad.csv.gz", bytes), true); }).code(), ErrorCode::data);
}

}  // namespace
}  // namespace fractile::source_detail

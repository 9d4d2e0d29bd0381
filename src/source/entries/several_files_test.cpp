// Several files that are one table.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/files/input_files.hpp"
#include "source/files/table_names.hpp"
#include "source/files/text_table.hpp"

namespace fractile {
namespace {

using source_detail::InputFiles;
using source_detail::named_files;
using source_test::ages_to_120;
using source_test::error_of;
using source_test::holds;

class SeveralFiles : public source_test::EngineTest {
 protected:
  SeveralFiles() { std::filesystem::create_directory(folder.path("in")); }

  std::string in(const std::string& name) const { return folder.path("in/" + name); }
  std::string write(const std::string& name, const std::string& content) const {
    return folder.write("in/" + name, content);
  }
  void write_gzip(const std::string& name, const std::string& content) const {
    gzFile file = gzopen(in(name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }

  static Table table(std::vector<std::string> files, std::uint32_t threads = 0) {
    TableOptions options{.file = files.front(), .threads = threads};
    options.more_files.assign(files.begin() + 1, files.end());
    return Table::open(options);
  }
  static std::vector<CountedColumn> of_persons(const Table& read) {
    ColumnToCount asked{"age", ages_to_120};
    asked.selection.person = "id";
    RandomBits bits = RandomBits::unsafe_seeded(7);
    return read.count({asked}, bits);
  }
  static OpenedFile opened(const std::vector<std::string>& names) {
    return InputFiles::open(named_files(names)).opened();
  }
};

std::string line(int i) { return std::to_string(i % 40) + "," + std::to_string(i % 97) + "\n"; }

TEST_F(SeveralFiles, AreTheTableThatTheirRecordsMake) {
  std::string whole = "id,age\n";
  std::vector<std::string> parts{"id,age\r\n", "\xEF\xBB\xBFid,age\n", "id,age\n", "id,age\n"};
  for (int i = 0; i < 3000; ++i) {
    whole += line(i);
    std::string& part = parts[static_cast<std::size_t>(i * i % 3)];
    part += part.find('\r') == std::string::npos ? line(i) : line(i).insert(line(i).size() - 1, "\r");
  }
  write("a.csv", parts[0]);
  write("b.csv", parts[1]);
  write_gzip("c.csv.gz", parts[2]);
  write("d.csv", parts[3]);  // of no record
  const Table one = open(folder.write("whole.csv", whole));
  for (const std::uint32_t threads : {0U, 1U}) {
    for (const auto& names :
         std::vector<std::vector<std::string>>{{in("")}, {in("*.csv*")}, {in("b.csv"), in("[ac]*"), in("d.csv")}}) {
      const Table several = table(names, threads);
      EXPECT_EQ(several.rows(), 3000u);
      EXPECT_EQ(several.profile("age", ages_to_120, NullPolicy::error),
                one.profile("age", ages_to_120, NullPolicy::error));
      EXPECT_EQ(of_persons(several).front().profiles(), of_persons(one).front().profiles());
      EXPECT_EQ(several.files().size(), 4u);
      EXPECT_EQ(several.share_read(), 1.0);
    }
  }
  EXPECT_EQ(one.files(), std::vector<std::string>());
}

TEST_F(SeveralFiles, OfOtherFormats) {
  write("a.json", "{\"id\": 1, \"age\": 7}\n");
  write("b.json", "{\"id\": 1, \"age\": 9}\n{\"id\": 2, \"age\": 9}\n");
  EXPECT_EQ(table({in("")}).profile("age", ages_to_120, NullPolicy::error).records(), 3u);
  EXPECT_EQ(of_persons(table({in("")})).front().profiles().front().records(),
            2u);  // a person's records are in two files
  write("c.json", "[{\"id\": 1, \"age\": 7}]");
  EXPECT_TRUE(holds(error_of([&] { table({in("")}); }), "c.json and " + in("a.json") + " are not written alike"));

  const auto parquet = [&](const std::string& name, const std::string& select) {
    return write_parquet("in/" + name, select);
  };
  const std::string a = parquet("a.parquet", "SELECT i AS id, i % 97 AS age FROM range(100) t(i)");
  const std::string b = parquet("b.parquet", "SELECT i AS id, i % 97 AS age FROM range(100, 250) t(i)");
  const std::string all = parquet("all.parquet", "SELECT i AS id, i % 97 AS age FROM range(250) t(i)");
  EXPECT_EQ(table({a, b}).profile("age", ages_to_120, NullPolicy::error),
            open(all).profile("age", ages_to_120, NullPolicy::error));
  const std::string c = parquet("c.parquet", "SELECT i AS id, CAST(i AS DOUBLE) AS age FROM range(9) t(i)");
  EXPECT_TRUE(holds(error_of([&] { table({a, c}); }), "other names or types than those of " + a));
  const auto twins_in = [&](const std::string& name) {  // the engine writes none
    std::string bytes =
        source_detail::InputFile::open(parquet(name, R"(SELECT 5 AS "Age", 40 AS aqe FROM range(3))")).head(1 << 20);
    for (std::size_t at = 0; (at = bytes.find("aqe", at)) != std::string::npos;) bytes.replace(at, 3, "age");
    return write(name, bytes);
  };
  const std::string twins = twins_in("t.parquet");
  const std::string others = twins_in("u.parquet");
  EXPECT_TRUE(holds(error_of([&] { table({twins, others}); }), "differ in letter case only"));
  EXPECT_TRUE(holds(error_of([&] { table({a, in("a.json")}); }), "have different formats"));
}

TEST_F(SeveralFiles, HaveTheSameColumnsAndSayNothingOfThem) {
  const std::string a = write("a.csv", "id,age\n1,7\n");
  for (const std::string header : {"age,id", "id", "id,age,x", "id;age", "Ada,36"}) {
    const Error error = error_of([&] { table({a, write("b.csv", header + "\n1,7\n")}); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_TRUE(holds(error, "b.csv: its first line has other column names than those of " + a)) << header;
    EXPECT_FALSE(holds(error, "Ada"));
  }
  EXPECT_EQ(table({a, write("b.csv", "\"id\",\"age\"\n1,8\n")}).rows(), 2u);
}

TEST_F(SeveralFiles, ARowIsNumberedInItsFile) {
  write("a.csv", "id,age\n1,7\n2,8\n");
  write("b.csv", "id,age\n");
  write("c.csv", "id,age\n1,7\n2,x\n");
  const auto message = [&](const std::string& name) {
    return std::string(error_of([&] { table({name}).profile("age", ages_to_120, NullPolicy::error); }).what());
  };
  EXPECT_EQ(message(in("")), in("c.csv") + ": row 2, column 'age': not a number");
  write("c.csv", "id,age\n1,7\n2,\n");
  EXPECT_EQ(message(in("")), in("c.csv") + ": row 2, column 'age': empty, NULL or NaN");
  write("c.csv", "id,age\n1,7\n2,3,4\n");
  EXPECT_TRUE(message(in("*.csv")).starts_with(in("c.csv") + ": line 3")) << message(in("*.csv"));
  write("c.csv", "id,age\n1,7\n2,\xFF\n");
  EXPECT_TRUE(message(in("")).starts_with(in("c.csv") + ": line 3 is not UTF-8")) << message(in(""));
}

TEST_F(SeveralFiles, EachIsWatched) {
  const std::string a = write("a.csv", "id,age\n1,7\n");
  const std::string b = write("b.csv", "id,age\n1,7\n");
  const Table read = table({a, b});
  write("c.csv", "id,age\n1,7\n");  // no part of it
  EXPECT_EQ(read.rows(), 2u);
  write("b.csv", "id,age\n1,7\n2,8\n");
  EXPECT_TRUE(holds(error_of([&] { read.rows(); }), b + " was changed while it was read"));
}

TEST_F(SeveralFiles, AreFoundByNames) {
  const std::string a = write("a.csv", "id,age\n1,7\n");
  const std::string b = write("b.csv", "id,age\n1,7\n");
  write(".hidden.csv", "x");
  write("_SUCCESS", "");
  const std::string place = std::filesystem::canonical(folder.path("in")).string();
  EXPECT_EQ(opened({a}).path, place + "/a.csv");
  EXPECT_TRUE(opened({a}).parts.empty());
  EXPECT_EQ(opened({b, a}).path, place + "/a.csv," + place + "/b.csv");
  EXPECT_EQ(opened({b, a}).parts, (std::vector<std::string>{b, a}));
  EXPECT_EQ(opened({in("")}).path, place + "/");
  EXPECT_EQ(opened({folder.path("in")}).parts, (std::vector<std::string>{a, b}));
  EXPECT_EQ(opened({in("../in/?.c*v")}).path, place + "/?.c*v");
  EXPECT_EQ(opened({folder.path("i*/a.csv")}).parts, std::vector<std::string>{a});
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{a}, {b, a}, {in("")}, {folder.path("in")}, {in("../in/?.c*v")}})
    EXPECT_EQ(source_detail::path_of_table(names), opened(names).path);

  symlink(b.c_str(), in("z.csv").c_str());
  EXPECT_TRUE(holds(error_of([&] { opened({in("")}); }), "is named twice"));
  EXPECT_TRUE(holds(error_of([&] { opened({a, in("*.csv")}); }), "is named twice"));
  EXPECT_EQ(opened({in("[az]*")}).path, "");  // not all of it is there
  unlink(in("z.csv").c_str());

  mkdir(in("deeper").c_str(), 0700);
  EXPECT_TRUE(holds(error_of([&] { opened({in("")}); }), "holds folders"));
  EXPECT_TRUE(holds(error_of([&] { opened({in("deeper")}); }), "holds no file"));
  EXPECT_TRUE(holds(error_of([&] { opened({in("*.parquet")}); }), "no file has a name of the pattern"));
  EXPECT_EQ(opened({write("a[b]*.csv", "x\n1\n")}).path, place + "/a[b]*.csv");  // which is a file's name
  EXPECT_TRUE(holds(error_of([&] { opened({a, write("a,b.csv", "x\n1\n")}); }), "has a comma in its path"));
}

}  // namespace
}  // namespace fractile

#include "source/files/text_check.hpp"

#include "source/entries/table_test_support.hpp"
#include "source/text/packing_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::all_packings;
using source_test::EngineTest;
using source_test::error_of;
using source_test::gzip_member;
using source_test::packed_by;
using source_test::TemporaryFolder;

std::uint64_t check(const std::string& path) {
  return check_delimited(InputFile::open(path), {",", 0}, LineEndsInCells::allowed, {});
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
    return json_head(InputFile::open(folder.write("x.json", text))).form;
  };
  for (const char* text : {"[]", " \t\r\n[{}]", "\xEF\xBB\xBF["}) EXPECT_EQ(form(text), JsonForm::array) << text;
  for (const char* text : {"", "  ", "{}", "{}[", "x", "\x1F\x8B damaged gzip"}) {
    EXPECT_EQ(form(text), JsonForm::values) << text;
  }
}

TEST(TextCheck, LinesOfJsonAreObjects) {
  const TemporaryFolder folder;
  for (const char* text :
       {"{}", "{}\n", "\n {\"a\":1} \r\n\t\n{}\n", "", "{\"a\":{\"b\":[{}, {}]}}\n{\"}{\":\"\\\"}{\\\\\"} \n"}) {
    EXPECT_TRUE(has_json_lines(folder.write("x.json", text))) << text;
  }
  for (const char* text :
       {"{\n}", "{}\n5\n", "{}\n{\n\"a\":1}\n", "{} x\n", "\xEF\xBB\xBF{}\n", "{}{}\n", "{} {}", "{\"a\":1}{\"a\":2}\n",
        "{\"a\":{}}{}\n", "{\"a\":\"x\"} null {}\n", "{\"a\":1},{\"a\":2}\n", "{\"a\":{}\n"}) {
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

/// The error of a table of this file, before its rows are read or while they are.
std::string said_of(const std::string& path) {
  try {
    const Table table = Table::open({.file = path});
    try {
      const RankProfile profile = table.profile("age", source_test::ages_to_120, NullPolicy::drop);
      return std::to_string(profile.records()) + " records";
    } catch (const Error& error) {
      return std::string("then ") + error.what();
    }
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(GzipCheck, WhatTheEngineDoesNotReadIsNamed) {
  std::string comment = "made by hand";
  gz_header with_comment{};
  with_comment.comment = reinterpret_cast<Bytef*>(comment.data());
  gz_header with_checksum{};
  with_checksum.hcrc = 1;
  gz_header with_text{};
  with_text.text = 1;
  gz_header with_name{};
  with_name.name = reinterpret_cast<Bytef*>(comment.data());
  for (const std::string name : {"x.csv.gz", "x.json.gz"}) {
    const bool is_json = name == "x.json.gz";
    const std::string text = is_json ? "{\"age\":1}\n" : "age\n1\n";
    const std::string more = is_json ? text : "1\n";
    const std::string plain = gzip_member(text);
    const std::string file = folder.path(name);
    const auto said = [&](const std::string& bytes) { return said_of(folder.write(name, bytes)); };
    EXPECT_EQ(said(plain), "1 records");
    EXPECT_EQ(said(gzip_member(text, with_name) + gzip_member(more, with_name)), "2 records");
    for (const gz_header& header : {with_comment, with_checksum, with_text}) {
      const std::string words =
          file + " is gzip of a header with a comment, a checksum or a mark of text, which is not read";
      EXPECT_EQ(said(gzip_member(text, header)), words);
      EXPECT_EQ(said(plain + gzip_member(more, header)), "then " + words);
    }
    for (const std::string& tail : {std::string("more"), std::string(512, '\0'), std::string("\x1f\x8b", 2)}) {
      EXPECT_EQ(said(plain + tail), "then " + file + " has other bytes after its last gzip member");
    }
    EXPECT_EQ(said(plain + plain.substr(0, 12)), "then " + file + " is truncated or damaged gzip");
  }
}

using PackedText = EngineTest;

TEST_F(PackedText, IsReadOrRefusedInEveryPackingAlike) {
  for (const std::string& packing : all_packings) {
    for (const std::string name : {"x.csv", "x.jsonl", "x.json"}) {
      if (name != "x.csv" && packing != "gzip") {
        EXPECT_EQ(said_of(folder.write(name, packed_by(packing, "{}"))),
                  folder.path(name) + " is packed by " + packing + ", and JSON is read only if it is packed by gzip");
        continue;
      }
      const bool is_csv = name == "x.csv";
      const bool is_array = name == "x.json";
      const std::string text = is_csv ? "age\n1\n" : is_array ? "[{\"age\":1}\n" : "{\"age\":1}\n";
      const std::string more = is_csv ? "2\n" : is_array ? ", {\"age\": 2}]" : "{\"age\":2}\n";
      const std::string plain = packed_by(packing, text);
      const std::string file = folder.path(name);
      const auto said = [&](const std::string& bytes) { return said_of(folder.write(name, bytes)); };
      EXPECT_EQ(said(packed_by(packing, text + more)), "2 records") << packing << " " << name;
      EXPECT_EQ(said(plain + packed_by(packing, more)), "2 records") << packing << " " << name;
      const std::string cut = packed_by(packing, more);
      EXPECT_EQ(said(plain + cut.substr(0, cut.size() - 1)), "then " + file + " is truncated or damaged " + packing);
      EXPECT_TRUE(said(plain + packed_by(packing, more) + "more")
                      .starts_with("then " + file + " has other bytes after its last " + packing));
    }
    const std::string twice = packed_by("gzip", packed_by(packing, "age\n1\n"));
    EXPECT_EQ(said_of(folder.write("x.csv", twice)), folder.path("x.csv") + " is packed twice");
    EXPECT_EQ(
        said_of(folder.write("x.parquet", packed_by(packing, "PAR1"))),
        folder.path("x.parquet") + " is packed by " + packing + ", and Parquet is read only when it is not packed");
  }
}

TEST_F(PackedText, IsKnownByItsBytesWhateverItsName) {
  for (const std::string& packing : all_packings) {
    const std::string packed = packed_by(packing, "age\n1\n");
    for (const std::string name : {"x.csv", "x.csv.gz", "x.csv.zst", "x.tsv.bz2", "X.CSV.XZ"}) {
      EXPECT_EQ(said_of(folder.write(name, packed)), "1 records") << packing << " " << name;
      EXPECT_EQ(said_of(folder.write(name, "age\n1\n")), "1 records") << name;
    }
  }
}

using EncodingCheck = EngineTest;

TEST_F(EncodingCheck, OtherThanUtf8IsNamed) {
  using namespace std::string_literals;
  const auto said = [&](const std::string& name, const std::string& bytes) {
    return said_of(folder.write(name, bytes));
  };
  for (const std::string name : {"x.csv", "x.json"}) {
    const std::string wanted = name == "x.csv" ? "CSV" : "UTF-8";
    for (const std::string& mark : {"\xFF\xFE\0\0"s, "\0\0\xFE\xFF"s}) {
      EXPECT_EQ(said(name, mark + "{\0\0\0"s), folder.path(name) + " is UTF-32 text by its first bytes, not " + wanted);
    }
    for (const std::string& mark : {"\xFF\xFE"s, "\xFE\xFF"s}) {
      EXPECT_EQ(said(name, mark + "{\0"s), folder.path(name) + " is UTF-16 text by its first bytes, not " + wanted);
    }
  }
  const std::string encoded = folder.path("x.json") + " is UTF-";
  for (const std::string& bytes : {"{\0\"\0"s, "\0{\0\""s, "[\0\n\0"s, "\0 \0["s}) {
    EXPECT_EQ(said("x.json", bytes), encoded + "16 text by its first bytes, not UTF-8");
  }
  for (const std::string& bytes : {"{\0\0\0"s, "\0\0\0["s}) {
    EXPECT_EQ(said("x.json", bytes), encoded + "32 text by its first bytes, not UTF-8");
  }
  for (const std::string& bytes : {"[\0,\n{}]"s, "\0\n{}"s, "[\0]"s}) {  // a record that is a NUL, among others
    EXPECT_EQ(said("x.json", bytes).find("by its first bytes"), std::string::npos);
  }
  EXPECT_EQ(said("x.json", "{\"age\": 1}\n{\"age\": 2, \"name\": \"Andr\xE9\"}\n"),
            "then " + folder.path("x.json") + " is not UTF-8 text");
  EXPECT_EQ(said("x.parquet", "PARE" + std::string(100, 'x') + "PARE"),
            folder.path("x.parquet") +
                " is an encrypted Parquet file by its first bytes, not one that can be read without a key");
  EXPECT_EQ(
      said("x.csv", "\"age\nin years\",y\n1,2\n"),
      folder.path("x.csv") + ": the header line has a quote without its end, or a column name that holds a line end");
}

using JsonLayout = EngineTest;

// With one record on each line the engine reads lines; a line of two once ended a paid release.
TEST_F(JsonLayout, DecidesNothing) {
  for (const std::string text :
       {"{\"age\": 20}{\"age\": 80}", "{\"age\": 20} {\"age\": 80}\n", "{\"age\": 20}\n{\"age\": 80}",
        "{\"age\": 20\n}{\"age\": 80}\n", "{\"age\": 20, \"x\": {\"y\": \"}{\"}}{\"age\": 80}\n"}) {
    EXPECT_EQ(said_of(folder.write("x.json", text)), "2 records") << text;
    EXPECT_EQ(said_of(folder.write("x.json.gz", gzip_member(text))), "2 records") << text;
  }
  EXPECT_EQ(said_of(folder.write("x.json", "{\"age\": 20}{\"age\": 80}\n{\"age\": 7}\n")), "3 records");
  for (const std::string text : {"{\"age\": 20}{\"age\": 80}\n{\"age\":", "{\"age\": 20}\n{\"age\":"}) {
    EXPECT_EQ(said_of(folder.write("x.json", text)),
              "then " + folder.path("x.json") + " is truncated or not of its format");
  }
}

}  // namespace
}  // namespace fractile::source_detail

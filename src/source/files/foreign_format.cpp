#include "source/files/foreign_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

/// What a file is, and what the user can do with it.
struct Foreign {
  std::string_view name;
  std::string_view hint;
  std::string_view format = {};    ///< in place of a hint: the value of input_format with which it can be read
  std::string_view encoding = {};  ///< next to a hint: the value of encoding with which delimited text can be read
};

Words hint_for(const Foreign& foreign) {
  if (!foreign.encoding.empty()) {
    return {"pass ", Field("encoding").text(std::string(foreign.encoding)), ", or ", std::string(foreign.hint)};
  }
  if (foreign.format.empty()) return std::string(foreign.hint);
  const std::string format(foreign.format);
  return {"pass ", Field("input_format").text(format), ", or call it NAME.", format};
}

constexpr Foreign spreadsheet{
    "a spreadsheet",
    R"(save it as CSV from the program that made it; or in Python: pandas.read_excel("FILE").to_csv("people.csv", index=False))"};
constexpr Foreign spss{"an SPSS file",
                       R"(convert it to CSV, for example in R: write.csv(haven::read_sav("FILE"), "people.csv"))"};
constexpr Foreign stata{"a Stata file",
                        R"(convert it to CSV, for example in Python: pandas.read_stata("FILE").to_csv("people.csv"))"};
constexpr Foreign sas{"a SAS file",
                      R"(convert it to CSV, for example in Python: pandas.read_sas("FILE").to_csv("people.csv"))"};
constexpr Foreign r_data{"an R file",
                         R"(convert it to CSV, for example in R: write.csv(readRDS("FILE"), "people.csv"))"};
constexpr Foreign arrow{
    "an Arrow file",
    R"(convert it to Parquet, for example in Python: pandas.read_feather("FILE").to_parquet("people.parquet"))"};
constexpr Foreign avro{"an Avro file", "convert it to CSV or Parquet with the tool that made it, and name that file"};
constexpr Foreign orc{
    "an ORC file",
    R"(convert it to Parquet, for example in Python: pandas.read_orc("FILE").to_parquet("people.parquet"))"};
constexpr Foreign archive{"an archive", "unpack it, and name the one CSV, TSV, Parquet or JSON file that was in it"};
constexpr Foreign sqlite{"an SQLite database",
                         R"(export the table: sqlite3 -header -csv FILE "SELECT * FROM people" > people.csv)"};
constexpr Foreign duckdb{"a DuckDB database", R"(export the table: duckdb FILE "COPY people TO 'people.parquet'")"};
constexpr Foreign pdf{"a PDF document", "a table is expected; ask for it as CSV, or export it from where it was made"};
constexpr Foreign markup{"HTML or XML", "a table is expected; export it as CSV, or check what the download answered"};
constexpr Foreign parquet{"a Parquet file", "", "parquet"};
constexpr Foreign json{"JSON", "", "json"};
constexpr Foreign encrypted{"an encrypted Parquet file",
                            "decrypt it with the tool that holds its keys, and name what comes out"};
constexpr Foreign utf_16{"UTF-16 text", "convert it: iconv -f UTF-16 -t UTF-8 FILE > people.csv", {}, "utf-16"};
constexpr Foreign utf_32{"UTF-32 text", "convert it: iconv -f UTF-32 -t UTF-8 FILE > people.csv"};

// For text without a byte order mark, by which iconv would decide.
constexpr Foreign utf_16_little{"UTF-16 text", "convert it: iconv -f UTF-16LE -t UTF-8 FILE > people.csv"};
constexpr Foreign utf_16_big{"UTF-16 text", "convert it: iconv -f UTF-16BE -t UTF-8 FILE > people.csv"};
constexpr Foreign utf_32_little{"UTF-32 text", "convert it: iconv -f UTF-32LE -t UTF-8 FILE > people.csv"};
constexpr Foreign utf_32_big{"UTF-32 text", "convert it: iconv -f UTF-32BE -t UTF-8 FILE > people.csv"};

struct Extension {
  std::string_view extension;
  const Foreign& foreign;
};

constexpr std::array extensions{
    Extension{".xlsx", spreadsheet}, Extension{".xls", spreadsheet}, Extension{".xlsm", spreadsheet},
    Extension{".xlsb", spreadsheet}, Extension{".ods", spreadsheet}, Extension{".numbers", spreadsheet},
    Extension{".sav", spss},         Extension{".zsav", spss},       Extension{".por", spss},
    Extension{".dta", stata},        Extension{".sas7bdat", sas},    Extension{".xpt", sas},
    Extension{".rds", r_data},       Extension{".rda", r_data},      Extension{".rdata", r_data},
    Extension{".feather", arrow},    Extension{".arrow", arrow},     Extension{".ipc", arrow},
    Extension{".avro", avro},        Extension{".orc", orc},         Extension{".zip", archive},
    Extension{".7z", archive},       Extension{".tar", archive},     Extension{".tgz", archive},
    Extension{".rar", archive},      Extension{".tbz2", archive},    Extension{".txz", archive},
    Extension{".tzst", archive},     Extension{".sqlite", sqlite},   Extension{".sqlite3", sqlite},
    Extension{".db", sqlite},        Extension{".duckdb", duckdb},   Extension{".ddb", duckdb},
    Extension{".pdf", pdf},          Extension{".html", markup},     Extension{".htm", markup},
    Extension{".xml", markup}};

struct Magic {
  std::size_t at;
  std::string_view bytes;
  const Foreign& foreign;
};

using namespace std::string_view_literals;  // some of these literals contain a zero byte

/// No intended header line can begin with one of these.
constexpr std::array magics{Magic{0, "PK\x03\x04"sv, archive},
                            Magic{0, "PK\x05\x06"sv, archive},
                            Magic{0, "7z\xBC\xAF\x27\x1C"sv, archive},
                            Magic{0, "Rar!\x1A\x07"sv, archive},
                            Magic{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, spreadsheet},
                            Magic{0, "%PDF-"sv, pdf},
                            Magic{0, "SQLite format 3\0"sv, sqlite},
                            Magic{8, "DUCK"sv, duckdb},
                            Magic{0, "PAR1"sv, parquet},
                            Magic{0, "PARE"sv, encrypted},
                            Magic{0, "ARROW1\0\0"sv, arrow},
                            Magic{0, "FEA1\0"sv, arrow},
                            Magic{0, "Obj\x01"sv, avro},
                            Magic{0, "ORC\x08"sv, orc},
                            Magic{0, "$FL2@(#)"sv, spss},
                            Magic{0, "$FL3@(#)"sv, spss},
                            Magic{0, "<stata_dta>"sv, stata},
                            Magic{0, "RDX2\n"sv, r_data},
                            Magic{0, "RDX3\n"sv, r_data},
                            Magic{0, "<!DOCTYPE"sv, markup},
                            Magic{0, "<html"sv, markup},
                            Magic{0, "<?xml"sv, markup}};

/// Longer marks come first.
constexpr std::array byte_order_marks{Magic{0, "\xFF\xFE\0\0"sv, utf_32}, Magic{0, "\0\0\xFE\xFF"sv, utf_32},
                                      Magic{0, "\xFF\xFE"sv, utf_16}, Magic{0, "\xFE\xFF"sv, utf_16}};

/// Bytes after a line end may be a record, and do not matter.
const Foreign* found_by(std::span<const Magic> list, std::string_view head) {
  const auto known = std::ranges::find_if(list, [&](const Magic& magic) {
    return head.size() >= magic.at && head.substr(magic.at).starts_with(magic.bytes) &&
           head.substr(0, magic.at).find_first_of("\r\n") == std::string_view::npos;
  });
  return known == list.end() ? nullptr : &known->foreign;
}

/// Whether an archive begins with one of the parts with which programs begin spreadsheets.
bool begins_as_spreadsheet(std::string_view head) {
  constexpr std::size_t name = 30;  // the offset of the part's name
  if (!head.starts_with("PK\x03\x04") || head.size() < name) return false;
  constexpr std::array<std::string_view, 5> parts{"[Content_Types].xml", "_rels/.rels", "docProps/", "xl/",
                                                  "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return head.substr(name).starts_with(part); });
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// Whether the first line begins like JSON: `{` and a key, or `[` and what can follow it in an array of records, with blanks
/// between; or `{` or `[` alone. Bytes after these may be a record, and do not matter.
bool begins_as_json(std::string_view head) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  head = without_blanks(head);
  if (head.empty() || (head.front() != '{' && head.front() != '[')) return false;
  const std::size_t end = head.find_first_of("\r\n");
  const std::string_view next = without_blanks(head.substr(1, end == std::string_view::npos ? end : end - 1));
  if (next.empty()) return end != std::string_view::npos;
  return head.front() == '{' ? next.starts_with('"') || next.starts_with('}')
                             : next.starts_with('{') || next.starts_with(']');
}

[[noreturn]] void refuse_foreign(const std::string& file, const Foreign& foreign, const std::string& wanted) {
  throw Error(ErrorCode::data, file + " is " + std::string(foreign.name) + " by its first bytes, not " + wanted,
              hint_for(foreign));
}

}  // namespace

void refuse_foreign_extension(const std::string& file, const std::string& extension) {
  const auto* const known = std::ranges::find(extensions, extension, &Extension::extension);
  if (known == extensions.end()) return;
  throw Error(ErrorCode::usage,
              file + " is " + std::string(known->foreign.name) + " by its name, which fractile does not read",
              hint_for(known->foreign));
}

void refuse_foreign_text(const std::string& file, std::string_view head) {
  if (const Foreign* foreign = found_by(byte_order_marks, head)) refuse_foreign(file, *foreign, "CSV");
  if (begins_as_spreadsheet(head)) refuse_foreign(file, spreadsheet, "CSV");
  if (const Foreign* foreign = found_by(magics, head)) refuse_foreign(file, *foreign, "CSV");
  if (begins_as_json(head)) refuse_foreign(file, json, "CSV");
}

namespace {

/// JSON begins with an ASCII character, which is not NUL and has no NUL next to it in UTF-8. Without a byte order mark, the first
/// two characters show the encoding. One character does not suffice: a first record that begins with NUL would decide for all
/// others.
const Foreign* wide_json(std::string_view head) {
  const auto begins_json = [&](std::size_t at) {
    constexpr std::string_view first = "{[ \t\r\n";
    return head.size() > at && head[at] != '\0' && first.find(head[at]) != std::string_view::npos;
  };
  const auto is_zero = [&](std::size_t at) { return head.size() > at && head[at] == '\0'; };
  if (begins_json(0) && is_zero(1) && is_zero(3)) return is_zero(2) ? &utf_32_little : &utf_16_little;
  if (is_zero(0) && is_zero(1) && is_zero(2) && begins_json(3)) return &utf_32_big;
  return is_zero(0) && begins_json(1) && is_zero(2) && head.size() > 3 && !is_zero(3) ? &utf_16_big : nullptr;
}

}  // namespace

void refuse_foreign_json(const std::string& file, std::string_view head) {
  const Foreign* foreign = found_by(byte_order_marks, head);
  if (foreign == nullptr) foreign = wide_json(head);
  if (foreign == nullptr) return;
  const std::string hint(foreign->hint.substr(0, foreign->hint.find(" > ")));
  refuse_foreign(file, {foreign->name, hint + " > people.json"}, "UTF-8");
}

void refuse_encrypted_parquet(const std::string& file, std::string_view head) {
  if (head.starts_with("PARE")) refuse_foreign(file, encrypted, "one that can be read without a key");
}

void refuse_signed_parquet(const std::string& file) {
  throw Error(ErrorCode::data,
              file + " is " + std::string(encrypted.name) + " by its footer, not one that can be read without a key",
              std::string(encrypted.hint));
}

std::string hint_for_missing(const std::string& path) {
  constexpr std::string_view elsewhere = "://";
  if (path.starts_with("file://")) return "name the file by its path alone, without file://";
  if (path.find(elsewhere) != std::string::npos) {
    return "fractile reads files of this machine only: download it first, and name the file";
  }
  return "check the path and its permissions";
}

}  // namespace fractile::source_detail

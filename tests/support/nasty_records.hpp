// Shared by tests: records that try to change how others are read. A test adds one of them to plain records. Every generator gives the
// text of a record, or a text that is not a record and must make the reading fail.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fractile::testing {

/// A text table with the columns "id" and "age" whose records stand between `head` and `tail`.
struct TextTable {
  std::string head;
  std::string separator;  ///< between two records
  std::string tail;
  std::vector<std::string> records;

  std::string text() const {
    std::string text = head;
    for (std::size_t k = 0; k < records.size(); ++k) text += (k == 0 ? "" : separator) + records[k];
    return text + tail;
  }
  /// The table with an additional record before the record at `place` (0 .. records.size()).
  TextTable with(const std::string& record, std::size_t place) const {
    TextTable more = *this;
    more.records.insert(more.records.begin() + static_cast<std::ptrdiff_t>(place), record);
    return more;
  }
};

/// "id" and "age" of plain records. The ages are whole numbers below 100, some of them heaped; "id" has `padding` more bytes.
inline std::vector<std::pair<std::string, std::string>> plain_cells(std::size_t count, std::size_t padding) {
  std::vector<std::pair<std::string, std::string>> cells;
  for (std::size_t i = 0; i < count; ++i) {
    cells.emplace_back("p" + std::to_string(i % 7) + std::string(padding, 'x'), std::to_string(i * i % 97));
  }
  return cells;
}

inline TextTable plain_delimited(char delimiter, const std::string& line_end, std::size_t count,
                                 std::size_t padding = 0) {
  TextTable table{std::string("id") + delimiter + "age" + line_end, line_end, count == 0 ? "" : line_end, {}};
  for (const auto& [id, age] : plain_cells(count, padding)) table.records.push_back(id + delimiter + age);
  return table;
}

inline TextTable plain_json(bool is_array, std::size_t count, std::size_t padding = 0) {
  TextTable table{is_array ? "[" : "", is_array ? ",\n" : "\n", is_array ? "]\n" : "\n", {}};
  for (const auto& [id, age] : plain_cells(count, padding)) {
    table.records.push_back(R"({"id": ")" + id + R"(", "age": )" + age + "}");
  }
  return table;
}

/// Texts that are odd as numbers, as text and as syntax; none holds a quote, a line end or a tab.
inline rc::Gen<std::string> nasty_text() {
  return rc::gen::weightedOneOf<std::string>(
      {{8, rc::gen::element<std::string>(
               "", " ", "0.5", "-0", "007", "+8", "1e300", "-1e300", "1e400", "1e-400", "nan", "-nan", "inf",
               "-Infinity", "9007199254740993", "9223372036854775808", "18446744073709551616",
               "123456789012345678901234567890", "0x10", "1_000", "true", "null", "NULL", "2020-01-01", "12:30", "3,5",
               "3;5", "a|b", "#", "--", "'", "\\", "\\N", "x", "[1]", "{}",
               "\xEF\xBB\xBF"
               "5",
               "\xE2\x80\xA8", "\xF0\x9F\x98\x80", "\x1F\x8B\x08", "\xFF", "\xC3", "p3", "\x1A", "\x0B")},
       {1, rc::gen::just(std::string("5\0", 2))},
       {1, rc::gen::just(std::string(1, '\0'))},
       {1, rc::gen::map(rc::gen::inRange(20, 100'000),
                        [](int length) { return std::string(static_cast<std::size_t>(length), '7'); })},
       {1, rc::gen::map(rc::gen::arbitrary<double>(), [](double number) { return std::to_string(number); })}});
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline std::string quoted_cell(const std::string& text) { return '"' + replaced(text, "\"", "\"\"") + '"'; }

/// A cell: nasty text, bare or quoted, or quoted together with text that only quotes may hold.
inline rc::Gen<std::string> nasty_cell(char delimiter) {
  const rc::Gen<std::string> quoted =
      rc::gen::map(rc::gen::pair(nasty_text(), rc::gen::element<std::string>("\"", "\n", "\r\n", "\r", "\n\n", "\",\"",
                                                                             "\n1,2\n", ",", "\t", "\"\n\"", " ")),
                   [](const auto& parts) { return quoted_cell(parts.second + parts.first); });
  const rc::Gen<std::string> bare = rc::gen::map(
      nasty_text(), [=](const std::string& text) { return replaced(text, std::string(1, delimiter), "/"); });
  return rc::gen::oneOf(bare, quoted, rc::gen::map(nasty_text(), quoted_cell), rc::gen::just(std::string(R"(5' 11")")));
}

/// A line of a table of two columns, or a text that is not such a line.
inline rc::Gen<std::string> nasty_delimited(char delimiter) {
  const auto line = [=](const auto& cells) { return cells.first + delimiter + cells.second; };
  const auto broken = [=](const std::string& text) { return replaced(text, ",", std::string(1, delimiter)); };
  return rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::map(rc::gen::pair(nasty_cell(delimiter), nasty_cell(delimiter)), line)},
       {2, rc::gen::map(rc::gen::pair(nasty_cell(delimiter), rc::gen::just(std::string("5"))), line)},
       {3, rc::gen::map(rc::gen::element<std::string>("7,\"never closed", "\"never closed,7", "\""), broken)},
       {3, rc::gen::map(rc::gen::element<std::string>("7,\"never closed", "\"never closed,7", "7,\"a\"b", "7,  \"8\"",
                                                      "7, \"8\"", "7,\"8\" ", "7,\"a\" \"b\"", "7,8\r", "7\r,8", "\r",
                                                      "", " ", "7", "7,8,9", ",,,", "id,age", "7,\"\"\"", "\"", "\"\"",
                                                      "7,8\"", "\"7\",\"8\"\"\""),
                        broken)}});
}

/// A value of JSON as its text.
inline rc::Gen<std::string> nasty_json_value() {
  const rc::Gen<std::string> text = rc::gen::map(nasty_text(), [](const std::string& value) {
    return '"' + replaced(replaced(value, "\\", "\\\\"), std::string(1, '\0'), "\\u0000") + '"';
  });
  return rc::gen::oneOf(
      rc::gen::element<std::string>(
          "0.5", "5", "-0", "1e300", "1e400", "-1e400", "NaN", "Infinity", "-inf", "null", "true", "9007199254740993",
          "9007199254740993.0", "18446744073709551616", "123456789012345678901234567890", "[1, 2]", "[]", "{}",
          R"({"age": 5})", R"([{"age": 5}])", R"("5\n6")", R"("\u0035")", R"("\ud83d\ude00")", R"("\ud800")", R"("[")",
          R"("]}")", "007", "+7", ".5", "0x10", "'5'", "undefined", "\n5\n", "\"a\nb\""),
      text);
}

inline rc::Gen<std::string> nasty_key() {
  return rc::gen::weightedElement<std::string>({{6, "\"age\""},
                                                {2, "\"Age\""},
                                                {2, "\"AGE\""},
                                                {2, "\"id\""},
                                                {1, "\"ID\""},
                                                {1, "\"\""},
                                                {1, R"("\u0061ge")"},
                                                {1, "\"a.b\""},
                                                {1, R"("\"")"},
                                                {1, "\"$\""},
                                                {1, "\"*\""},
                                                {1, "\"json\""},
                                                {1, "\"age \""},
                                                {1, "age"}});
}

/// An object with random keys and values, some of them repeated, or a text that is not an object.
inline rc::Gen<std::string> nasty_json() {
  const rc::Gen<std::string> object =
      rc::gen::map(rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
                       rc::gen::pair(nasty_key(), nasty_json_value())),
                   [](const auto& members) {
                     std::string text = "{";
                     for (std::size_t k = 0; k < std::min<std::size_t>(members.size(), 6); ++k) {
                       text += (k == 0 ? "" : ", ") + members[k].first + ": " + members[k].second;
                     }
                     return text + "}";
                   });
  const rc::Gen<std::string> other = rc::gen::element<std::string>(
      "5", "null", "\"x\"", "[1]", R"([{"age": 5}])", "[", "]", "{", "}", R"({"age": 5,})", R"({"age": 5}})",
      R"({"age": 5)", R"({"age": "never closed})", R"({"age": 5} x)", R"({"age":)", "", " ", "\r", "//", "#",
      "{\n\"age\": 5\n}", "\xFF", "\xEF\xBB\xBF{\"age\": 5}", "\x1F\x8B", "id,age", std::string(1, '\0'));
  return rc::gen::weightedOneOf<std::string>({{4, object}, {1, other}});
}

/// A DOUBLE as SQL.
inline rc::Gen<std::string> nasty_double_sql() {
  return rc::gen::map(rc::gen::element<std::string>("NULL", "'nan'", "'-nan'", "'inf'", "'-inf'", "1e300", "-1e300",
                                                    "0.5", "-0.0", "4.9e-324", "9007199254740993", "'1e308'", "5"),
                      [](const std::string& value) { return "CAST(" + value + " AS DOUBLE)"; });
}

}  // namespace fractile::testing

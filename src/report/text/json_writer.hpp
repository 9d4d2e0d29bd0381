// One JSON object, written member by member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "libraries/rapidjson.hpp"

namespace fractile::report_detail {

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

/// A document that begins with the version of its format and of the program.
class Document {
 public:
  explicit Document(std::uint64_t schema_version = 1);
  Writer& json() { return json_; }
  /// Ends the object and returns its text.
  std::string text();

 private:
  rapidjson::StringBuffer buffer_;
  Writer json_;
};

/// The JSON with escapes in place of invisible characters. It has the same meaning.
std::string with_escapes(std::string_view json);

/// Writes a text. Bytes that are not UTF-8 are written as by name_text().
void text(Writer& json, const std::string& value);
/// A number with exactly its decimals, without conversion to double.
void decimal(Writer& json, const Rational& value);

/// A number with its decimals, or the text of a date or time.
void value(Writer& json, ValueKind kind, const Rational& value);
/// A distance between two such values.
void distance(Writer& json, ValueKind kind, const Rational& distance);

void member(Writer& json, const char* name, const std::string& value);
void member(Writer& json, const char* name, const Rational& value);  ///< as a decimal
void member(Writer& json, const char* name, std::uint64_t value);
/// An object whose members `write` writes.
template <class Write>
void object(Writer& json, const char* name, const Write& write) {
  json.Key(name);
  json.StartObject();
  write();
  json.EndObject();
}
/// A list, of which `write` writes one entry.
template <class Entries, class Write>
void list(Writer& json, const Entries& entries, const Write& write) {
  json.StartArray();
  for (const auto& entry : entries) write(entry);
  json.EndArray();
}
template <class Entries, class Write>
void list(Writer& json, const char* name, const Entries& entries, const Write& write) {
  json.Key(name);
  list(json, entries, write);
}
void list(Writer& json, const char* name, const std::vector<std::string>& texts);
/// A list of objects. `write` writes the members of one entry's object.
template <class Entries, class Write>
void objects(Writer& json, const char* name, const Entries& entries, const Write& write) {
  list(json, name, entries, [&](const auto& entry) {
    json.StartObject();
    write(entry);
    json.EndObject();
  });
}
/// The same for the entries 0, 1, ..., count - 1.
template <class Write>
void objects(Writer& json, const char* name, std::size_t count, const Write& write) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  objects(json, name, numbers, write);
}
void truth(Writer& json, const char* name, bool value);
void member_or_null(Writer& json, const char* name, const std::optional<std::string>& value);
/// Writes the decimals unchanged.
void number(Writer& json, const char* name, const std::string& decimals);

}  // namespace fractile::report_detail

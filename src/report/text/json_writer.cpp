#include "report/text/json_writer.hpp"

#include "fractile/version.hpp"
#include "libraries/fmt.hpp"
#include "report/text/characters.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

/// The JSON escape of a character. Characters beyond 16 bits are written in two halves.
std::string unicode_escape(char32_t code) {
  const auto unit = static_cast<std::uint32_t>(code);
  if (unit < 0x10000) return fmt::format("\\u{:04x}", unit);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (unit >> 10U), 0xDC00 + (unit & 0x3FFU));
}

}  // namespace

std::string with_escapes(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (;;) {
    const std::size_t plain = plain_characters(json);
    text += json.substr(0, plain);
    json.remove_prefix(plain);
    if (json.empty()) return text;
    const Character character = first_character(json);
    if (character.valid && character.code != U'\n' && is_hidden(character.code)) {
      text += unicode_escape(character.code);
    } else {
      text += json.substr(0, character.size);
    }
    json.remove_prefix(character.size);
  }
}

Document::Document(std::uint64_t schema_version) : json_(buffer_) {
  json_.SetIndent(' ', 2);
  json_.StartObject();
  member(json_, "schema_version", schema_version);
  member(json_, "program", std::string("fractile ") + version);
}

std::string Document::text() {
  json_.EndObject();
  return with_escapes({buffer_.GetString(), buffer_.GetSize()}) + "\n";
}

void text(Writer& json, const std::string& value) {
  const std::string utf8 = utf8_text(value);
  json.String(utf8.c_str(), static_cast<rapidjson::SizeType>(utf8.size()));
}

void decimal(Writer& json, const Rational& value) {
  const std::string decimals = value.to_decimal();
  json.RawValue(decimals.c_str(), decimals.size(), rapidjson::kNumberType);
}

void value(Writer& json, ValueKind kind, const Rational& value) {
  kind == ValueKind::number ? decimal(json, value) : text(json, value_text(kind, value));
}

void distance(Writer& json, ValueKind kind, const Rational& distance) {
  kind == ValueKind::number ? decimal(json, distance) : text(json, distance_text(kind, distance));
}

void member(Writer& json, const char* name, const std::string& value) {
  json.Key(name);
  text(json, value);
}

void list(Writer& json, const char* name, const std::vector<std::string>& texts) {
  list(json, name, texts, [&](const std::string& each) { text(json, each); });
}

void member(Writer& json, const char* name, const Rational& value) {
  json.Key(name);
  decimal(json, value);
}

void member(Writer& json, const char* name, std::uint64_t value) {
  json.Key(name);
  json.Uint64(value);
}

void truth(Writer& json, const char* name, bool value) {
  json.Key(name);
  json.Bool(value);
}

void member_or_null(Writer& json, const char* name, const std::optional<std::string>& value) {
  json.Key(name);
  value ? text(json, *value) : static_cast<void>(json.Null());
}

void number(Writer& json, const char* name, const std::string& decimals) {
  json.Key(name);
  json.RawValue(decimals.c_str(), decimals.size(), rapidjson::kNumberType);
}

}  // namespace fractile::report_detail

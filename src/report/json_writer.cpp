#include "report/json_writer.hpp"

#include "fractile/version.hpp"

namespace fractile::report_detail {

Document::Document() : json_(buffer_) {
  json_.SetIndent(' ', 2);
  json_.StartObject();
  member(json_, "schema_version", std::uint64_t{1});
  member(json_, "program", std::string("fractile ") + version);
}

std::string Document::text() {
  json_.EndObject();
  return std::string(buffer_.GetString(), buffer_.GetSize()) + "\n";
}

void text(Writer& json, const std::string& value) {
  json.String(value.c_str(), static_cast<rapidjson::SizeType>(value.size()));
}

void decimal(Writer& json, const Rational& value) {
  const std::string decimals = value.to_decimal();
  json.RawValue(decimals.c_str(), decimals.size(), rapidjson::kNumberType);
}

void member(Writer& json, const char* name, const std::string& value) {
  json.Key(name);
  text(json, value);
}

void member(Writer& json, const char* name, const Rational& value) {
  json.Key(name);
  decimal(json, value);
}

void member(Writer& json, const char* name, std::uint64_t value) {
  json.Key(name);
  json.Uint64(value);
}

void number(Writer& json, const char* name, const std::string& decimals) {
  json.Key(name);
  json.RawValue(decimals.c_str(), decimals.size(), rapidjson::kNumberType);
}

}  // namespace fractile::report_detail

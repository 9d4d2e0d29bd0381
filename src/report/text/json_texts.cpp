#include "report/text/json_texts.hpp"

#include "exact/lists.hpp"

namespace fractile::report_detail {

std::string text_in(const Json& value) {
  return value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : std::string();
}

std::string text_at(const Json& object, const char* name) {
  const auto at = object.FindMember(name);
  return at == object.MemberEnd() ? std::string() : text_in(at->value);
}

std::vector<std::string> texts_in(const Json& list) { return mapped(list.GetArray(), text_in); }

std::vector<std::string> texts_at(const Json& object, const char* name) {
  const auto at = object.FindMember(name);
  if (at == object.MemberEnd() || !at->value.IsArray()) return {};
  return texts_in(at->value);
}

}  // namespace fractile::report_detail

#include <rapidjson/document.h>

#include "fractile/error.hpp"
#include "fractile/report.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::data, "this is no receipt of quantiles", "name a receipt that fractile release wrote");
}

const rapidjson::Value& member(const rapidjson::Value& object, const char* name) {
  if (!object.IsObject()) refuse();
  const rapidjson::Value::ConstMemberIterator found = object.FindMember(name);
  if (found == object.MemberEnd()) refuse();
  return found->value;
}

/// Numbers are parsed as texts, which keeps their decimals.
std::string text(const rapidjson::Value& value) {
  if (!value.IsString()) refuse();
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> quantiles_of_receipt(const std::string& receipt) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(receipt.data(),
                                                                                         receipt.size());
  if (document.HasParseError()) refuse();
  const rapidjson::Value& quantiles = member(document, "quantiles");
  if (!quantiles.IsArray() || quantiles.Empty()) refuse();
  std::vector<std::pair<std::string, std::string>> result;
  result.reserve(quantiles.Size());
  for (const rapidjson::Value& entry : quantiles.GetArray()) {
    result.emplace_back(text(member(entry, "quantile")), text(member(entry, "value")));
  }
  return result;
}

}  // namespace fractile

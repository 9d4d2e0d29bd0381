#include <rapidjson/document.h>

#include "fractile/error.hpp"
#include "fractile/report.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::data, "this is no receipt of quantiles", "name a receipt that fractile release wrote");
}

/// Numbers are parsed as texts, which keeps their decimals.
std::string member(const rapidjson::Value& object, const char* name) {
  if (!object.IsObject()) refuse();
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsString()) refuse();
  return {found->value.GetString(), found->value.GetStringLength()};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> quantiles_of_receipt(const std::string& receipt) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag>(receipt.data(),
                                                                                         receipt.size());
  if (document.HasParseError() || !document.IsObject()) refuse();
  const auto quantiles = document.FindMember("quantiles");
  if (quantiles == document.MemberEnd() || !quantiles->value.IsArray() || quantiles->value.Empty()) refuse();
  std::vector<std::pair<std::string, std::string>> result;
  result.reserve(quantiles->value.Size());
  for (const rapidjson::Value& entry : quantiles->value.GetArray()) {
    result.emplace_back(member(entry, "quantile"), member(entry, "value"));
  }
  return result;
}

}  // namespace fractile

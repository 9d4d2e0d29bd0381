#include "report/text/json_fault.hpp"

#include <set>
#include <vector>

#include "libraries/fmt.hpp"
#include "libraries/rapidjson.hpp"

namespace fractile::report_detail {
namespace {

/// Receives every member, and stops the reader at the first one that is not allowed.
class Listener : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Listener> {
 public:
  bool StartObject() { return enter(); }
  bool EndObject(rapidjson::SizeType /*members*/) { return leave(); }
  bool StartArray() { return enter(); }
  bool EndArray(rapidjson::SizeType /*items*/) { return leave(); }
  bool Key(const char* name, rapidjson::SizeType size, bool /*copy*/) {
    if (members_.back().emplace(name, size).second) return true;
    complaint_ = "an object has a member twice";
    return false;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  bool enter() {
    members_.emplace_back();
    if (members_.size() <= deepest_json) return true;
    complaint_ = fmt::format("it is nested more than {} deep", deepest_json);
    return false;
  }
  bool leave() {
    members_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> members_;  // of the open objects and arrays
  std::string complaint_;
};

}  // namespace

std::optional<JsonFault> fault_of(const std::string& text) {
  constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> input(stream);
  rapidjson::Reader reader;
  Listener listener;
  const rapidjson::ParseResult result = reader.Parse<flags>(input, listener);
  if (!result.IsError()) return {};
  if (!listener.complaint().empty()) return JsonFault{listener.complaint(), result.Offset()};
  return JsonFault{fmt::format("it is not JSON ({})", rapidjson::GetParseError_En(result.Code())), result.Offset()};
}

}  // namespace fractile::report_detail

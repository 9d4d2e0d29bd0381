#include "report/text/receipt_digest.hpp"

#include "exact/digest.hpp"

namespace fractile::report_detail {
namespace {

// Inside a JSON string, the quotation marks would have backslashes. So this text is found only as the member itself.
const std::string empty_member = R"("sha256": "")";
constexpr std::size_t digits = 64;

}  // namespace

std::string with_digest(Document& document) {
  member(document.json(), "sha256", std::string{});
  std::string text = document.text();
  const std::size_t at = text.rfind(empty_member) + empty_member.size() - 1;
  return text.insert(at, sha256(text));
}

std::string intact_digest(const std::string& text) {
  const std::string start = empty_member.substr(0, empty_member.size() - 1);
  const std::size_t member = text.rfind(start);
  if (member == std::string::npos || text.size() < member + start.size() + digits) return {};
  const std::size_t at = member + start.size();
  std::string digest = text.substr(at, digits);
  return sha256(std::string(text).erase(at, digits)) == digest ? digest : std::string{};
}

}  // namespace fractile::report_detail

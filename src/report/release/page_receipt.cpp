// Receipts, from pages that hold them.
#include <string_view>

#include "fractile/receipts.hpp"

namespace fractile {
namespace {

struct Entity {
  std::string_view text;
  char character;
};

// Those that figures::escaped() writes.
constexpr Entity entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};

}  // namespace

std::string receipt_of_page(const std::string& html) {
  constexpr std::string_view start = "<pre id=\"receipt\">";
  const std::size_t begin = html.rfind(start);
  if (begin == std::string::npos) return {};
  const std::size_t end = html.find("</pre>", begin);
  if (end == std::string::npos) return {};
  std::string_view rest(html);
  rest = rest.substr(begin + start.size(), end - begin - start.size());
  std::string text;
  while (!rest.empty()) {
    std::size_t taken = 1;
    char character = rest.front();
    for (const Entity& entity : entities) {
      if (!rest.starts_with(entity.text)) continue;
      taken = entity.text.size();
      character = entity.character;
    }
    text += character;
    rest.remove_prefix(taken);
  }
  return text;
}

}  // namespace fractile

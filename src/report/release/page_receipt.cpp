// Extracts receipts from pages that hold them, and checks whether the pages show what their receipts say.
#include "report/release/page_receipt.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/release/explained_parts.hpp"

namespace fractile {
namespace {

struct Entity {
  std::string_view text;
  char character;
};

// The entities that figures::escaped() writes.
constexpr Entity entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};

std::string unescaped(std::string_view rest) {
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

struct Part {
  std::string heading;
  std::string_view html;
};

/// The page's parts, each from one heading to the next.
std::vector<Part> parts_of(std::string_view page) {
  constexpr std::string_view start = "<h2>";
  constexpr std::string_view end = "</h2>";
  std::vector<Part> parts;
  for (std::size_t at = page.find(start); at != std::string_view::npos;) {
    const std::size_t next = page.find(start, at + start.size());
    const std::string_view html = page.substr(at, next == std::string_view::npos ? next : next - at);
    const std::size_t heading = html.find(end);
    parts.push_back(
        {unescaped(html.substr(start.size(), heading == std::string_view::npos ? 0 : heading - start.size())), html});
    at = next;
  }
  return parts;
}

/// Whether the page has all wanted lines. Its list may have additional lines, such as a ledger's account.
bool has_all_lines(std::string_view html, std::string_view wanted) {
  std::size_t at = 0;
  while (!wanted.empty()) {
    const std::string_view line = wanted.substr(0, wanted.find('\n') + 1);
    if (line.empty()) return html.substr(at) == wanted;
    while (!html.substr(at).starts_with(line)) {
      const std::size_t end = html.find('\n', at);
      if (end == std::string_view::npos || !html.substr(at).starts_with("<li>")) return false;
      at = end + 1;
    }
    at += line.size();
    wanted.remove_prefix(line.size());
  }
  return at == html.size();
}

}  // namespace

std::vector<std::string> altered_parts(const std::string& html, const WebPage& made_again) {
  const std::vector<Part> parts = parts_of(html);
  const std::vector<Part> wanted_parts = parts_of(made_again.html);
  std::vector<std::string> altered;
  for (const Part& wanted : wanted_parts) {
    const auto has_heading = [&](const Part& part) { return part.heading == wanted.heading; };
    const auto part = std::ranges::find_if(parts, has_heading);
    const bool is_there = part != parts.end() && std::ranges::count_if(parts, has_heading) == 1;
    const bool is_same =
        is_there && (wanted.heading == report_detail::short_heading ? has_all_lines(part->html, wanted.html)
                                                                    : part->html == wanted.html);
    if (!is_same) altered.push_back(wanted.heading);
  }
  for (const Part& part : parts) {
    const bool is_known =
        std::ranges::find(wanted_parts, part.heading, &Part::heading) != wanted_parts.end() ||
        std::ranges::find(report_detail::added_headings, part.heading) != std::end(report_detail::added_headings);
    if (!is_known) altered.push_back(part.heading);
  }
  return altered;
}

bool is_cut_off_page(const std::string& text) {
  return text.starts_with("<!DOCTYPE html>") && text.find("</html>") == std::string::npos;
}

std::string receipt_of_page(const std::string& html) {
  constexpr std::string_view start = "<pre id=\"receipt\">";
  const std::size_t begin = html.rfind(start);
  if (begin == std::string::npos) return {};
  const std::size_t end = html.find("</pre>", begin);
  if (end == std::string::npos) return {};
  return unescaped(std::string_view(html).substr(begin + start.size(), end - begin - start.size()));
}

}  // namespace fractile

// Any receipt gives an error or a page. The page is well-formed, runs nothing and loads nothing. It contains the receipt
// if all characters of the receipt are visible.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "report/release/page_receipt.hpp"
#include "report/text/shown_text.hpp"
#include "with_hash.hpp"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// Requires that tags are nested properly, and that only the tags of our pages occur.
void require_well_formed(const std::string& html) {
  static const std::vector<std::string> known{
      "html", "head", "title", "style",  "body",     "main",  "section",    "h1",      "h2",      "p",    "ul", "li",
      "dl",   "dt",   "dd",    "figure", "div",      "table", "caption",    "thead",   "tbody",   "tr",   "th", "td",
      "g",    "pre",  "svg",   "desc",   "clipPath", "text",  "figcaption", "details", "summary", "small"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<', 15); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    require(end != std::string::npos);
    const std::string inside = html.substr(at + 1, end - at - 1);
    require(inside.find('<') == std::string::npos);
    if (inside.front() == '/') {
      require(!open.empty() && open.back() == inside.substr(1));
      open.pop_back();
      continue;
    }
    const std::string name = inside.substr(0, inside.find_first_of(" \n/"));
    if (name == "meta" || inside.back() == '/') continue;
    require(std::find(known.begin(), known.end(), name) != known.end());
    require(inside.find(" on") == std::string::npos || inside.find('"') < inside.find(" on"));
    open.push_back(name);
  }
  require(open.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& each : {text, fractile::fuzzing::with_hash(text)}) {
    try {
      const fractile::Release receipt = fractile::read_receipt(each, "fuzz");
      for (const bool is_public : {false, true}) {
        fractile::PageOptions options;
        options.is_public = is_public;
        options.about.title = receipt.source.sql;
        const fractile::WebPage page = to_html(receipt, {}, options);
        require_well_formed(page.html);
        require(fractile::is_utf8(page.html) && fractile::shown_lines(page.html) == page.html);
        const bool holds_it = !is_public && fractile::shown_lines(each) == each;
        require(fractile::receipt_of_page(page.html) == (holds_it ? each : std::string()));
      }
    } catch (const fractile::Error&) {  // any refusal is correct
    }
  }
  return 0;
}

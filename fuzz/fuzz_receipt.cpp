// Any receipt gives an error or a page. Neither the page nor the shown error controls a terminal.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "report/text/shown_text.hpp"
#include "with_hash.hpp"

namespace {

/// Requires UTF-8 without hidden characters: such a text is shown unchanged.
void require_clean(const std::string& text) {
  if (!fractile::is_utf8(text) || fractile::shown_lines(text) != text) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& each : {text, fractile::fuzzing::with_hash(text)}) {
    try {
      const fractile::Release receipt = fractile::read_receipt(each, "fuzz");
      for (const fractile::Prose prose : {fractile::Prose::text, fractile::Prose::markdown}) {
        require_clean(explain(receipt, prose));
      }
      require_clean(to_table(receipt));
    } catch (const fractile::Error& error) {  // any refusal is correct
      require_clean(fractile::shown_text(error.what()));
    }
  }
  return 0;
}

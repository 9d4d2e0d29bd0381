// Whatever a receipt holds: an error or a page, nothing else.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fractile/error.hpp"
#include "fractile/report.hpp"
#include "ledger/digest.hpp"

namespace {

/// With a hash that fits, so that what follows the hash's check is reached.
std::string with_hash(const std::string& text) {
  const std::string start = "\"sha256\": \"";
  const std::size_t at = text.rfind(start);
  if (at == std::string::npos || text.size() < at + start.size() + 64) return text;
  std::string without = text;
  without.erase(at + start.size(), 64);
  return std::string(text).replace(at + start.size(), 64, fractile::sha256(without));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& each : {text, with_hash(text)}) {
    try {
      const fractile::Receipt receipt = fractile::read_receipt(each, "fuzz");
      for (const fractile::Prose prose : {fractile::Prose::text, fractile::Prose::markdown}) explain(receipt, prose);
    } catch (const fractile::Error&) {  // NOLINT(bugprone-empty-catch): any refusal is well
    }
  }
  return 0;
}

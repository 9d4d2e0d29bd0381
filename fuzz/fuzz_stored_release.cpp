// Any text read as a stored receipt gives pairs, or Error(data).
#include <cstdlib>
#include <string>

#include "fractile/error.hpp"
#include "fractile/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    if (fractile::quantiles_of_receipt(text).empty()) std::abort();
  } catch (const fractile::Error& error) {
    if (error.code() != fractile::ErrorCode::data) std::abort();
  }
  return 0;
}

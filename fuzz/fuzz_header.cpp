// Any bytes are read as a header line, whose names are UTF-8 and not empty, or are refused.
#include <cstdlib>
#include <string_view>

#include "fractile/error.hpp"
#include "source/text/header_line.hpp"

using namespace fractile::source_detail;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string_view header = first_line_of(text);
    for (const std::string& name : column_names(header, delimiter_of(header), "table")) {
      if (name.empty() || !is_utf8(name)) std::abort();
    }
  } catch (const fractile::Error&) {  // refused
  }
  return 0;
}

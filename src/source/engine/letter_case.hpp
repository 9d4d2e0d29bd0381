// Names as the engine compares them: ignoring letter case.
#pragma once

#include <string>
#include <string_view>

namespace fractile::source_detail {

/// Changes ASCII letters only.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace fractile::source_detail

// Texts that the engine's cast accepts as numbers although they are not numbers here: 1_000 and +-5.
#pragma once

#include <string_view>

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// Whether a text has '_' or "+-", which the cast may accept and no number here has.
inline bool is_misread(std::string_view text) {
  return text.find('_') != std::string_view::npos || text.find("+-") != std::string_view::npos;
}

/// Sets a mark for each row: is_misread() of the text; false for NULL.
void mark_misread(const ColumnView& texts, bool* marks);

}  // namespace fractile::source_detail

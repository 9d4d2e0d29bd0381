// Texts that the engine's cast accepts as numbers although they are not numbers here: 1_000 and +-5.
#pragma once

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// Sets a mark for each row: whether the text has '_' or "+-", which the cast may accept and no number here has; false for NULL.
void mark_misread(const ColumnView& texts, bool* marks);

}  // namespace fractile::source_detail

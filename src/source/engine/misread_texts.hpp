// Texts that the engine's cast would take for numbers, and that are none: 1_000 and +-5.
#pragma once

#include "source/engine/column_view.hpp"

namespace fractile::source_detail {

/// Whether each text holds '_' or "+-", which the cast may take and no number here has; false for NULL. `marks`: one for each row.
void mark_misread(const ColumnView& texts, bool* marks);

}  // namespace fractile::source_detail

// Names of datasets. No two names in a ledger differ only in ways that a reader does not see or that normalization removes.
#pragma once

#include <string>

namespace fractile::ledger_detail {

/// Throws `usage` when a name is not UTF-8, begins or ends with a blank, or has more than 200 characters, an invisible one, one that the
/// normal form replaces, or a letter that is written as two. An accepted name is its own normal form (NFC, of the Unicode version that
/// unicode_names.hpp names), so different accepted names stay different after normalization.
void require_name(const std::string& name);

/// Throws `usage` unless an accepted name certainly differs, after normalization, from a name
/// that an older program has put into the ledger. If the older name may not be its own normal
/// form, the new name must have only small letters a to z, digits, blanks, "-", "." and "_".
void require_unlike(const std::string& name, const std::string& other);

}  // namespace fractile::ledger_detail

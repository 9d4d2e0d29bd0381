// Names of datasets: no two names in a ledger look alike to a reader of a list, or are one name to a program that normalizes them.
#pragma once

#include <string>

namespace fractile::ledger_detail {

/// Throws `usage` when it begins or ends with a blank, has more than 200 characters, an invisible one, or one that is written as
/// two, a letter and a mark on it. A name that is accepted is its own normal form (NFC, of the Unicode version that
/// unicode_names.hpp names), so that no two of them are equal after it.
void require_name(const std::string& name);

/// The same for a name that is accepted, beside one that the ledger has from an older program. Throws `usage` unless it is sure
/// that they differ after normalization: where the old one may not be its own normal form, a new one must be of plain letters.
void require_unlike(const std::string& name, const std::string& other);

}  // namespace fractile::ledger_detail

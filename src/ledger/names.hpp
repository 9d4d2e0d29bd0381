// Names of datasets: no two of a ledger look alike to whoever reads them in a list.
#pragma once

#include <string>

namespace fractile::ledger_detail {

/// Error(usage) when it begins or ends with a blank, has more than 200 characters, one that nobody sees, or one that is written as
/// two, a letter and a mark on it: then one name would have two spellings.
void require_name(const std::string& name);

}  // namespace fractile::ledger_detail

// What fractile explain shares with other verbs: reading a receipt, and the page of a release.
#pragma once

#include <string>

#include "shown.hpp"

namespace fractile::cli {

/// Reads what should be a receipt from a file, or from standard input for "-". Throws `data` when the file cannot be read or is far too
/// large.
std::string receipt_text(const std::string& file);

/// The page of a release, with the comparisons that `shown` asks for.
WebPage page_of(const Release& release, const Shown& shown);

}  // namespace fractile::cli

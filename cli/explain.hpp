// fractile explain: explains a receipt in plain language.
#pragma once

#include <string>

#include "options.hpp"
#include "shown.hpp"

namespace fractile::cli {

/// Returns the exit code.
int run_explain(const Typed& typed);

/// Reads what should be a receipt from a file, or from standard input for "-". Throws `data` when the file cannot be read or is far too
/// large.
std::string receipt_text(const std::string& file);

/// The page of a release, with the comparisons that `shown` asks for.
WebPage page_of(const Release& release, const Shown& shown);

}  // namespace fractile::cli

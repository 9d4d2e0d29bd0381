// fractile explain: a receipt in plain language.
#pragma once

#include <string>

#include "options.hpp"
#include "shown.hpp"

namespace fractile::cli {

/// Exit code.
int run_explain(const Typed& typed);

/// What a file, or standard input for "-", holds that should be a receipt; throws `data` when it cannot be read or is
/// far too large.
std::string receipt_text(const std::string& file);

/// The page of a release, with the comparisons that are asked for.
WebPage page_of(const Release& release, const Shown& shown);

}  // namespace fractile::cli

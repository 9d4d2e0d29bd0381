// How often a guess about a person's side of a limit is right, on the page of a release.
#pragma once

#include <string>

#include "fractile/receipts.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

/// Checks before the values are known that a page of such a release can say how often an attacker guesses correctly whether a
/// person's value is above this limit (PageOptions::guess_above). Throws `usage` for groups, for several records a person, and when
/// the limit is not written as its values are.
void require_guess(const std::string& limit, ValueKind kind, const QuantileQuery& query, bool is_grouped);

/// Uses public, declared and published numbers only. Where nothing can be said, as for a limit beyond the published values, the page says
/// so: no values that a release has drawn make its page fail. Throws `usage` when the limit is not written as the values are.
void explain_guess(Page& page, const Release& release, const std::string& limit);

}  // namespace fractile::report_detail

// Turns words about a release into what fractile/publication.hpp takes, for the program and the Python package.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// The release that is asked for. Throws `usage` for an impossible request, and `data` for a file of keys that cannot be read. Reads no
/// table.
ReleaseRequest release_asked(const Typed& typed);

/// The source of the records: `counts`, a server or files. Throws `usage` for impossible options.
Source source_asked(const Typed& typed, std::optional<ProfileFile> counts);

/// The account that pays; nothing if `ledger` is not given. In that case, throws `usage` for options that need a ledger.
std::optional<Payment> payment_asked(const Typed& typed);

}  // namespace fractile::requests

// A release, from words to what fractile/publication.hpp takes: for the program and the Python package.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// What is asked for. Throws `usage` for what cannot be, and `data` for a file of keys that cannot be read. No
/// table is looked at.
ReleaseRequest release_asked(const Typed& typed);

/// What is read: `counts`, or a server, or files. Throws `usage` for what cannot be.
Source source_asked(const Typed& typed, std::optional<ProfileFile> counts);

/// Who pays; nothing without `ledger`. Throws `usage` for options that go with one.
std::optional<Payment> payment_asked(const Typed& typed);

}  // namespace fractile::requests

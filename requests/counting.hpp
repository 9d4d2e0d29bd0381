// fractile count, fractile merge, and releases of what they counted.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads a table, counts a column and writes a new profile file. Refusals first, rows second. Nothing is published.
void count_to_file(const Typed& typed, Attendant& attendant);

/// Adds profile files into a new one.
void merge_to_file(const Typed& typed, Attendant& attendant);

/// What `counts` names, its header read and none of its counts; nothing without it.
std::optional<ProfileFile> counts_of(const Typed& typed);

/// The request for a release, together with the request that the header records from when the profiles were counted. Throws
/// `usage` where the two do not go together, above all for persons of fewer records than the profiles may have of one.
Typed with_header(Typed typed, const ProfileHeader& header);

}  // namespace fractile::requests

// fractile count, fractile merge, and releases from what was counted.
#pragma once

#include <optional>

#include "fractile/publication.hpp"
#include "fractile/source.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads a table, counts a column and writes a new profile file. Refuses what it can before it reads rows. Nothing is published.
void count_to_file(const Typed& typed, Attendant& attendant);

/// Adds profile files and writes the sum as a new one.
void merge_to_file(const Typed& typed, Attendant& attendant);

/// Opens the profile file that `counts` names and reads its header, but none of its counts. Returns nothing if `counts` is not given.
std::optional<ProfileFile> counts_of(const Typed& typed);

/// Completes the request for a release with what the header records about how the profiles were counted. Throws `usage` where the two
/// disagree, in particular if the request allows fewer records per person than the profiles may hold.
Typed with_header(Typed typed, const ProfileHeader& header);

}  // namespace fractile::requests

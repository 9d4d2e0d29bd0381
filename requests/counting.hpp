// fractile count, fractile merge, and releases of what they counted.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fractile/profile_files.hpp"
#include "requests/attendant.hpp"
#include "requests/records.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// Reads a table, counts a column and writes a new profile file. Refusals first, rows second. Nothing is published.
void count_to_file(const Typed& typed, Attendant& attendant);

/// Adds profile files into a new one.
void merge_to_file(const Typed& typed, Attendant& attendant);

/// What `counts` names, its header read and none of its counts; nothing without it.
std::optional<ProfileFile> counts_of(const Typed& typed);

/// What was asked of a release, and with it what the header says was asked when the profiles were counted. Error(usage) where the two do
/// not go together, above all for persons of fewer records than the profiles may have of one.
Typed with_header(Typed typed, const ProfileHeader& header);

/// The profiles of a file, in place of a table; `on_opened` is called as Table::open does.
std::unique_ptr<Records> counted_records(ProfileFile file, const OnOpened& on_opened);

}  // namespace fractile::requests

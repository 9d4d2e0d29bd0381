// What a publisher says of a release, in a TOML file.
#pragma once

#include <string>

#include "fractile/receipts.hpp"

namespace fractile::requests {

/// One of its members by name, "title". Throws `usage`, which lists all members, for another name.
std::string& about_member(About& about, const std::string& name);

/// What a TOML file of a few lines says of a release. Throws `data`, with what it may hold and nothing of what it holds.
About about_in_file(const std::string& path);

}  // namespace fractile::requests

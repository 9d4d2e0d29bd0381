// What a publisher says about a release, in a TOML file.
#pragma once

#include <string>

#include "fractile/receipts.hpp"

namespace fractile::requests {

/// The member of `about` with this name, such as "title". Throws `usage` for an unknown name; the hint lists all members.
std::string& about_member(About& about, const std::string& name);

/// Reads a TOML file of a few lines about a release. Throws `data`; the error says what the file may hold, and quotes nothing from it.
About about_in_file(const std::string& path);

}  // namespace fractile::requests

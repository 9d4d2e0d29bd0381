// Parsing of TOML that someone else may have written.
#pragma once

#include <toml++/toml.h>

#include <string_view>

namespace fractile::requests {

/// Throws toml::parse_error as toml::parse() does, and also for a key of more than 16 parts such as a.b.c. The parser bounds how deeply
/// values nest, but not how deeply keys do, and a table that nests some 100,000 times cannot be destroyed within the stack.
toml::table parsed_toml(std::string_view text, std::string_view name = {});

}  // namespace fractile::requests

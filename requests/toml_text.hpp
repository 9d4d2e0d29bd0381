// Parsing of TOML that someone else may have written.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <string_view>

namespace fractile::requests {

/// a.b.c has three.
inline constexpr std::size_t most_key_parts = 16;

/// Throws toml::parse_error as toml::parse() does, and also for a key of more parts than that. The parser bounds how deeply
/// values nest, but not how deeply keys do, and a table that nests some 100,000 times cannot be destroyed within the stack.
toml::table parsed_toml(std::string_view text, std::string_view name = {});

}  // namespace fractile::requests

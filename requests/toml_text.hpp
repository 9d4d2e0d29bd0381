// Parsing of TOML that someone else may have written.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fractile::requests {

/// a.b.c has three.
inline constexpr std::size_t most_key_parts = 16;

/// Throws toml::parse_error as toml::parse() does, and also for a key of more parts than that. The parser bounds how deeply
/// values nest, but not how deeply keys do, and a table that nests some 100,000 times cannot be destroyed within the stack.
toml::table parsed_toml(std::string_view text, std::string_view name = {});

/// Reads a file of a few lines that an option names. `refuse` is called with what is wrong, which quotes nothing from the file, and throws.
toml::table small_toml(const std::string& path, const std::function<void(const std::string& what)>& refuse);

}  // namespace fractile::requests

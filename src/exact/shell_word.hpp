// Words of commands that a message tells its reader to type.
#pragma once

#include <string>

namespace fractile {

/// The text as one word of a shell. In double quotes if it has spaces, and nothing that a shell interprets within them.
std::string shell_word(const std::string& text);

/// A file's path, or an address, as one word that no program takes for an option.
std::string shell_path(const std::string& path);

}  // namespace fractile

// Keys of groups, as typed or from a file.
#pragma once

#include <string>
#include <vector>

namespace fractile::requests {

/// What stands between commas, spaces around it dropped. Error(usage) for an empty item.
std::vector<std::string> listed_keys(const std::string& text);

/// A key a line, exactly; a byte order mark and the line ends of any system are not part of them. Error(usage) for an empty
/// line or one that is not UTF-8, Error(data) when the file cannot be read.
std::vector<std::string> keys_in_file(const std::string& path);

}  // namespace fractile::requests

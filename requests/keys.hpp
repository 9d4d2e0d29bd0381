// Keys of groups, as typed or from a file.
#pragma once

#include <string>
#include <vector>

namespace fractile::requests {

/// What stands between commas, spaces around it dropped. Error(usage) for an empty item.
std::vector<std::string> listed_keys(const std::string& text);

/// A file of keys, read and not yet looked at.
struct KeysFile {
  std::string path;
  std::string contents;

  /// A key a line, exactly; a byte order mark and the line ends of any system are not part of them. Throws `usage` for a line that is
  /// empty, not UTF-8 or there before. No message holds anything of a line.
  std::vector<std::string> keys() const;
};

/// Throws `data` when it cannot be read, or is no plain file.
KeysFile keys_file(const std::string& path);

}  // namespace fractile::requests

// Keys of groups, as typed or from a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::requests {

/// For one column: what stands between commas, spaces around it dropped. For several: COLUMN=LIST for each of them, in any order; all
/// combinations are groups. Throws `usage` for an empty item, and unless each column has its list.
GroupKeys listed_keys(const KeyColumns& by, const std::vector<std::string>& texts);

/// A file of keys, read and not yet looked at.
class KeysFile {
 public:
  KeysFile(std::string path, std::string contents) : path_(std::move(path)), contents_(std::move(contents)) {}
  const std::string& contents() const { return contents_; }

  /// For one column: one key per line, exactly; a byte order mark and the line ends of any system are not part of them. For several:
  /// CSV whose first line names these columns, in any order, and whose others are a group each. Throws `usage` for a line that is
  /// empty, not UTF-8 or there before, and of CSV for one that has an empty cell or another number of them. No message holds
  /// anything of a line but the first.
  GroupKeys keys(const KeyColumns& by) const;

 private:
  std::vector<std::string> lines() const;
  GroupKeys table(const KeyColumns& by) const;

  std::string path_;
  std::string contents_;
};

/// Throws `data` when it cannot be read, or is not a plain file.
KeysFile keys_file(const std::string& path);

}  // namespace fractile::requests

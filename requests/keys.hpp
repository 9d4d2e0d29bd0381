// Reads the keys of groups, as typed or from a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"

namespace fractile::requests {

/// For one key column, one text lists the keys between commas; spaces around a key are dropped. For several columns, there is one text
/// COLUMN=LIST for each, in any order, and all combinations are groups. Throws `usage` for an empty item, and unless each column has
/// exactly one list.
GroupKeys listed_keys(const KeyColumns& by, const std::vector<std::string>& texts);

/// A file of keys that was read and is not yet parsed.
class KeysFile {
 public:
  KeysFile(std::string path, std::string contents) : path_(std::move(path)), contents_(std::move(contents)) {}
  const std::string& contents() const { return contents_; }

  /// For one key column, each line is exactly one key, without a byte order mark and the line end of any system. For several columns, the
  /// file is CSV: its first line names these columns in any order, and each further line is a group. Throws `usage` for a line that is
  /// empty, is not UTF-8 or appeared before, and in CSV for a line with an empty cell or a wrong number of cells. No message quotes a line
  /// other than the first.
  GroupKeys keys(const KeyColumns& by) const;

 private:
  GroupKeys lines() const;
  GroupKeys table(const KeyColumns& by) const;

  std::string path_;
  std::string contents_;
};

/// Throws `data` when the file cannot be read, or is not a plain file.
KeysFile keys_file(const std::string& path);

}  // namespace fractile::requests

// Files that people have, which are neither delimited text nor Parquet nor JSON: what they are, and how to convert them.
#pragma once

#include <string>
#include <string_view>

namespace fractile::source_detail {

/// Throws `usage` when the last part of a file's name, ".xlsx" in lower case, is that of a format that is not read.
void refuse_foreign_extension(const std::string& file, const std::string& extension);

/// How many of the first bytes are looked at.
constexpr std::size_t longest_magic = 96;

/// Throws `data` when a file that is to be read as text begins as another format does. `head`: its first bytes, which
/// of delimited text belong to the header line.
void refuse_foreign_text(const std::string& file, std::string_view head);

/// Throws `data` when a file that is to be read as JSON begins with the byte order mark of another encoding than UTF-8.
void refuse_foreign_json(const std::string& file, std::string_view head);

/// Throws `data` when a file that is to be read as Parquet begins as those do whose footer is encrypted.
void refuse_encrypted_parquet(const std::string& file, std::string_view head);

/// What to do about a path that cannot be opened: "" when nothing special is known.
std::string hint_for_missing(const std::string& path);

}  // namespace fractile::source_detail

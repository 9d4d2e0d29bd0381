// Recognizes other common files, which are neither delimited text nor Parquet nor JSON, and says how to convert them.
#pragma once

#include <string>
#include <string_view>

namespace fractile::source_detail {

/// Throws `usage` when the last part of a file's name, ".xlsx" in lower case, is that of a format that is not read.
void refuse_foreign_extension(const std::string& file, const std::string& extension);

/// How many of the first bytes are examined.
constexpr std::size_t longest_magic = 96;

/// Throws `data` when a file that should be text begins like another format. `head`: its first bytes, which in delimited text
/// belong to the header line.
void refuse_foreign_text(const std::string& file, std::string_view head);

/// Throws `data` when a file that should be JSON begins with the byte order mark of another encoding than UTF-8.
void refuse_foreign_json(const std::string& file, std::string_view head);

/// Throws `data` when a file that should be Parquet begins like one with an encrypted footer.
void refuse_encrypted_parquet(const std::string& file, std::string_view head);
/// Throws `data` for a Parquet file whose footer is signed and not encrypted, as it is where some columns are encrypted.
[[noreturn]] void refuse_signed_parquet(const std::string& file);

/// The hint for a path that cannot be opened; "" when nothing special is known.
std::string hint_for_missing(const std::string& path);

}  // namespace fractile::source_detail

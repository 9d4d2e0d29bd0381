// What is known of a table by the names of its files.
#pragma once

#include <string>
#include <vector>

namespace fractile::source_detail {

/// The format that a file's name implies, as a value of TableOptions::format: "csv", "tsv", "parquet" or "json"; "" when it implies
/// none.
std::string format_by_name(const std::string& file);

/// Whether a file begins like the output of gzip, zstd, bzip2 or xz; false where it cannot be read.
bool is_packed(const std::string& file);

/// What OpenedFile::path would be for a table with this name; empty when that is not known. No file is read. Throws as
/// Table::open() does.
std::string path_of_table(const std::vector<std::string>& names);

/// The files that a name of TableOptions currently stands for; empty where they cannot be read as one table. No file is opened.
std::vector<std::string> files_of_name(const std::string& name);

}  // namespace fractile::source_detail

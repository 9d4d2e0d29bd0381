// Small files of text, which are read whole.
#pragma once

#include <cstddef>
#include <string>

#include "requests/typed.hpp"

namespace fractile::requests {

struct TextFile {
  std::string text = {};
  std::string trouble = {};  ///< why it was not read: the system's reason, or "larger than N MiB"; empty when it was
};

/// As read_text(), of a regular file on a disk and of nothing else: no pipe or device, nothing that the system makes up as it is read
/// (/proc, /sys), and no database such as a ledger. For files that are named beside what is read.
TextFile read_plain_file(const std::string& path, std::size_t most);

/// All of the file, if it has at most `most` bytes; no more of it is read, as /dev/zero has no end.
TextFile read_text(const std::string& path, std::size_t most);
/// The same for standard input.
TextFile read_standard_input(std::size_t most);

/// With `quantiles`, `candidates` and `sql` as the files hold them that `quantiles_file`, `candidates_file` and `sql_file` name:
/// one number per line, or several with commas between them; the text of a query. Throws `usage` where both are given, with a
/// ledger, as what stands in such a file is quoted and published, and for an empty file, `data` for one that cannot be read.
Typed with_texts_of_files(Typed typed);

}  // namespace fractile::requests

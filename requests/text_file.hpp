// Reads small files of text as a whole.
#pragma once

#include <cstddef>
#include <string>

#include "requests/typed.hpp"

namespace fractile::requests {

struct TextFile {
  std::string text = {};
  std::string trouble = {};  ///< why it was not read: the system's reason, or "larger than N MiB"; otherwise empty
};

/// Reads a file as read_text() does, but only a regular file on a disk: no pipe or device, no file whose contents the system makes up as it
/// is read (/proc, /sys), and no database such as a ledger. For files that options name in addition to the records.
TextFile read_plain_file(const std::string& path, std::size_t most);

/// Reads the whole file, if it has at most `most` bytes. The reading stops there, because a file such as /dev/zero has no end.
TextFile read_text(const std::string& path, std::size_t most);
/// Reads standard input in the same way.
TextFile read_standard_input(std::size_t most);

/// Sets `quantiles`, `candidates` and `sql` to the contents of the files that `quantiles_file`, `candidates_file` and `sql_file` name. A
/// file of numbers has one per line, or several with commas between them; a file of SQL is the text of a query. Throws `usage` when an
/// option and its file are both given, when the file is empty, and with a ledger, because the contents of such a file are quoted and
/// published. Throws `data` for a file that cannot be read.
Typed with_texts_of_files(Typed typed);

}  // namespace fractile::requests

// The file behind a table, held open by descriptor: the engine reads it through the descriptor's name, so that a path
// is never taken for a pattern, a remote address or a partition. Standard input and pipes are spooled to a private file
// that loses its name before a byte is written.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

#include "fractile/source.hpp"
#include "source/text/encoding.hpp"
#include "source/text/packing.hpp"

namespace fractile::source_detail {

/// Which file was opened, and as it was then.
using FileMoment = struct stat;

class InputFile {
 public:
  /// Throws `data` for a path that is missing, unreadable or a directory. "-" is standard input.
  static InputFile open(const std::string& path, TextEncoding encoding = TextEncoding::utf_8);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// What was opened.
  const OpenedFile& opened() const { return opened_; }
  /// How messages call it.
  const std::string& display_name() const { return display_name_; }
  /// A path under which this process, and it alone, can open the file.
  std::string path() const;
  /// Bytes, as the file is now.
  std::size_t size() const;
  /// Throws `data` when the file was written to since it was opened: its size or one of its times is another one. A new file under its
  /// name is no change of the one that was opened, nor is that one's new name.
  void require_unchanged() const;
  const FileMoment& moment() const { return as_opened_; }
  /// Throws `data` when what was opened is another file than this one, or was written to since.
  void require_moment(const FileMoment& moment) const;
  /// How it is packed, by its first bytes; none: it is not.
  const Packing* packing() const;
  /// The encoding of its text, as was declared.
  TextEncoding encoding() const { return encoding_; }
  /// Reads from so many bytes behind the beginning until `bytes` is full or the file ends; how many it read.
  std::size_t read(std::size_t offset, std::span<char> bytes) const;
  /// At most `count` bytes from the beginning.
  std::string head(std::size_t count) const;

 private:
  InputFile(int descriptor, std::string display_name, OpenedFile opened, TextEncoding encoding);
  int descriptor_;
  std::string display_name_;
  OpenedFile opened_;
  FileMoment as_opened_{};
  TextEncoding encoding_;
};

}  // namespace fractile::source_detail

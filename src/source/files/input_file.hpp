// The file behind a table, held open by descriptor: the engine reads it through the descriptor's name, so the engine never
// interprets a path as a pattern, a remote address or a partition. Standard input and pipes are spooled to a private file that
// loses its name before a byte is written.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

#include "fractile/source.hpp"
#include "source/text/encoding.hpp"
#include "source/text/packing.hpp"

namespace fractile::source_detail {

/// The identity and the state of a file when it was opened.
using FileMoment = struct stat;

class InputFile {
 public:
  /// Throws `data` for a path that is missing, unreadable, a directory, or a device other than a terminal. "-" is standard input.
  static InputFile open(const std::string& path, TextEncoding encoding = TextEncoding::utf_8);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// The file that was opened.
  const OpenedFile& opened() const { return opened_; }
  /// How messages call it.
  const std::string& display_name() const { return display_name_; }
  /// A path under which only this process can open the file.
  std::string path() const;
  /// The current size of the file, in bytes.
  std::size_t size() const;
  /// Throws `data` when the file was written to since it was opened: if its size or one of its times differs. A new file under its
  /// name is not a change of the file that was opened, nor is renaming that file.
  void require_unchanged() const;
  const FileMoment& moment() const { return as_opened_; }
  /// Throws `data` when the opened file is another one than this, or was written to since.
  void require_moment(const FileMoment& moment) const;
  /// How the file is packed, by its first bytes; null: it is not packed.
  const Packing* packing() const;
  /// The declared encoding of its text.
  TextEncoding encoding() const { return encoding_; }
  /// Reads from `offset` until `bytes` is full or the file ends, and returns the number of bytes read.
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

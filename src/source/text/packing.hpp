// How text is packed, by its first bytes and never by its name: gzip, zstd, bzip2, xz. One table has all differences between them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "exact/uncopied.hpp"

namespace fractile::source_detail {

/// The outcome of a step.
enum class Unpacked {
  more,             ///< everything was unpacked for which there was input and room
  ended,            ///< the part has ended, and its checksum, if it has one, is right
  damaged,          ///< the bytes are not valid for this packing
  too_wide,         ///< it needs a window beyond widest_window
  with_dictionary,  ///< it was packed with a dictionary, which the file does not have
  unread            ///< it is of a kind that cannot be read: Packing::unread
};

/// The largest window: how many unpacked bytes are kept for reference.
constexpr std::size_t widest_window = std::size_t{1} << 27;

/// Unpacks a file's parts one after another. Every function may throw std::bad_alloc.
class Unpacker : Uncopied {
 public:
  virtual ~Unpacker() = default;

  /// How many of a part's first bytes begin() examines.
  static constexpr std::size_t longest_head = 18;
  /// Called before the first step of a part that begins with `head`: returns `more`, or what is wrong with the part.
  virtual Unpacked begin(std::string_view head) = 0;
  /// Consumes the front of `packed`, and fills the front of `text`. Both are set to what is left of them.
  virtual Unpacked step(std::string_view& packed, std::span<char>& text) = 0;
};

/// How many of a file's first bytes distinguish the packings.
constexpr std::size_t longest_mark = 10;

struct Packing {
  std::string_view name;
  std::string_view extension;  ///< of a file's name, for messages only
  std::string_view part;       ///< what such files consist of, one after the other
  /// Whether a part begins with these bytes: the first `longest_mark` bytes, or all if there are fewer.
  bool (*begins)(std::string_view bytes);
  std::unique_ptr<Unpacker> (*unpacker)();
  std::string_view unpack;       ///< the command that unpacks a file
  std::string_view unpack_wide;  ///< the same for a file whose window is too wide
  std::string_view pack;         ///< the command that packs
  std::string_view unread;       ///< the kind of part that cannot be read
  std::string_view padding;      ///< what may follow a part, any number of times; empty: nothing
  bool is_read_by_engine;        ///< whether the engine, which reads JSON itself, unpacks it under the same name
};

/// The packing of a file that begins with `head`; null if it is not packed in a known way.
const Packing* packing_of(std::string_view head);

/// The packing of files with this extension, such as ".gz", in lower case; null if there is none.
const Packing* packing_named(std::string_view extension);

}  // namespace fractile::source_detail

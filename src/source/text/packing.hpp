// How text is packed, by its first bytes and never by its name: gzip, zstd, bzip2, xz. All differences between them stand in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace fractile::source_detail {

/// The outcome of a step.
enum class Unpacked {
  more,             ///< as far as there was something to unpack, or room for it
  ended,            ///< the part has come to its end, and its checksum, where it has one, is right
  damaged,          ///< these are not bytes of this packing
  too_wide,         ///< it asks for a window beyond widest_window
  with_dictionary,  ///< it was packed with a dictionary, which is not in it
  unread            ///< it is of a kind that is not read: Packing::unread
};

/// How many bytes before the ones that are unpacked are kept at most.
constexpr std::size_t widest_window = std::size_t{1} << 27;

/// Unpacks a file's parts one after another. Every function may throw std::bad_alloc.
class Unpacker {
 public:
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;

  /// How many of a part's first bytes begin() looks at.
  static constexpr std::size_t longest_head = 18;
  /// Before the first step of a part that begins so: `more`, or what is wrong with it.
  virtual Unpacked begin(std::string_view head) = 0;
  /// Takes from the front of `packed`, and fills the front of `text`; each becomes what is left of it.
  virtual Unpacked step(std::string_view& packed, std::span<char>& text) = 0;
};

/// How many of a file's first bytes distinguish the packings.
constexpr std::size_t longest_mark = 10;

struct Packing {
  std::string_view name;
  std::string_view extension;  ///< of a file's name, which is nothing but a name
  std::string_view part;       ///< what such files hold one behind the other
  bool (*begins)(
      std::string_view
          bytes);  ///< whether a part begins so; by the first `longest_mark` bytes, or all where there are fewer
  std::unique_ptr<Unpacker> (*unpacker)();
  std::string_view unpack;       ///< the command that unpacks a file
  std::string_view unpack_wide;  ///< the same of one whose window is too wide
  std::string_view pack;         ///< the command that packs
  std::string_view unread;       ///< what a part is of that is not read
  std::string_view padding;      ///< what may stand behind a part, as often as it likes; empty: nothing
  bool is_read_by_engine;        ///< whether the engine unpacks it, by the same name: JSON, which it reads itself
};

/// The packing of a file that begins so; null if it is not packed in a way that is read.
const Packing* packing_of(std::string_view head);

/// The packing of files whose names end so, such as ".gz", in lower case; null if there is none.
const Packing* packing_named(std::string_view extension);

}  // namespace fractile::source_detail

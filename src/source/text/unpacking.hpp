// The text of packed bytes, part by part, wherever they are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/error.hpp"
#include "source/text/packing.hpp"

namespace fractile::source_detail {

/// What is found where the text is read: a file that is truncated, damaged, or followed by other bytes. The code is `data`.
class DamagedText : public Error {
 public:
  using Error::Error;
};

class Unpacking {
 public:
  /// Reads from `offset` on until `bytes` is full or there are no more; returns how many bytes it read.
  using ReadAt = std::function<std::size_t(std::size_t offset, std::span<char> bytes)>;

  /// `display_name`: how messages call what is read.
  Unpacking(ReadAt read_at, const Packing& packing, std::string display_name);

  /// Fills the front of `text`, which is not empty. Returns with how many bytes: 0 at the end of the file. Throws DamagedText, and `data` for
  /// a part of a kind that is not read.
  std::size_t read(std::span<char> text);
  /// How many packed bytes it has taken.
  std::size_t taken() const { return offset_; }

 private:
  bool is_at_end();
  void fill();
  void begin_part();
  void require(Unpacked step) const;

  ReadAt read_at_;
  const Packing& packing_;
  std::string display_name_;
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<char> chunk_;
  std::string_view packed_;  // of the chunk, what is still to be unpacked
  std::size_t offset_ = 0;   // of the file, behind the chunk
  bool is_first_ = true;
  bool inside_ = false;              // of a part
  Unpacked found_ = Unpacked::more;  // behind what has been read
};

}  // namespace fractile::source_detail

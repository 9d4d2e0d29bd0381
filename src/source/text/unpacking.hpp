// Unpacks packed bytes from any source, part by part.
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

/// A fault that shows only when the text is read: a file that is truncated, damaged, or followed by other bytes. The code is
/// `data`.
class DamagedText : public Error {
 public:
  using Error::Error;
};

class Unpacking {
 public:
  /// Reads from `offset` on until `bytes` is full or there are no more; returns how many bytes it read.
  using ReadAt = std::function<std::size_t(std::size_t offset, std::span<char> bytes)>;

  /// `display_name`: the name of the file in messages.
  Unpacking(ReadAt read_at, const Packing& packing, std::string display_name);

  /// Fills the front of `text`, which is not empty, and returns the number of bytes: 0 at the end of the file. Throws DamagedText,
  /// and `data` for a part of a kind that cannot be read.
  std::size_t read(std::span<char> text);
  /// The number of packed bytes that were read.
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
  std::string_view packed_;  // the part of the chunk that is still to be unpacked
  std::size_t offset_ = 0;   // offset in the file of the end of the chunk
  bool is_first_ = true;
  bool inside_ = false;              // whether a part has begun and not ended
  Unpacked found_ = Unpacked::more;  // the outcome of the last step
};

}  // namespace fractile::source_detail

// Numbers as LEB128: seven bits per byte, the lowest first, so small numbers are short. Profile files and spooled counts write
// them.
#pragma once

#include <cstdint>

namespace fractile::source_detail {

/// Appends a number to a text or a vector of bytes.
template <class Bytes>
void append_leb128(Bytes& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>((number & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(number));
}

}  // namespace fractile::source_detail

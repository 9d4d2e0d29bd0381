// Numbers as LEB128: seven bits a byte, the lowest first, so that small ones are short. Profile files and spooled counts write them.
#pragma once

#include <cstdint>

namespace fractile::source_detail {

/// At the end of a text or a vector of bytes.
template <class Bytes>
void append_leb128(Bytes& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<char>((number & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(number));
}

}  // namespace fractile::source_detail

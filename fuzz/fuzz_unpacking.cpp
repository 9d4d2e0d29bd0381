// Any packed file gives a text or a refusal, and the same in pieces of any size. The first byte is the length of the pieces.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "source/text/packing.hpp"

using namespace fractile::source_detail;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

constexpr std::size_t enough = std::size_t{1} << 20;  // bytes of text, because a small file may unpack to a large text

/// The text of a file's first parts, up to the first incomplete part.
struct Read {
  std::string text;
  bool is_whole = false;  // so far
};

Read read(const Packing& packing, std::string_view packed, std::size_t piece) {
  Read read{{}, true};
  const std::unique_ptr<Unpacker> unpacker = packing.unpacker();
  std::string room(piece, '\0');
  while (read.is_whole && !packed.empty() && packing.begins(packed.substr(0, longest_mark))) {
    Unpacked step = unpacker->begin(packed.substr(0, Unpacker::longest_head));
    while (step == Unpacked::more && read.text.size() < enough) {
      std::string_view next = packed.substr(0, piece);
      std::span<char> rest(room);
      const std::size_t before = next.size();
      step = unpacker->step(next, rest);
      packed.remove_prefix(before - next.size());
      const std::size_t made = room.size() - rest.size();
      read.text.append(room, 0, made);
      if (step == Unpacked::more && before == 0 && made == 0) step = Unpacked::damaged;  // the file is cut off
    }
    if (read.text.size() >= enough) break;
    read.is_whole = step == Unpacked::ended;
  }
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view packed(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Packing* packing = packing_of(packed.substr(0, longest_mark));
  if (packing == nullptr) return 0;
  const Read large = read(*packing, packed, enough);
  const Read small = read(*packing, packed, std::size_t{1} + data[0]);
  if (std::max(large.text.size(), small.text.size()) >= enough) return 0;
  require(large.is_whole == small.is_whole);
  if (large.is_whole) require(large.text == small.text);
  return 0;
}

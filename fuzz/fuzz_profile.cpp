// Any profile file is refused, or its profiles are written as the same bytes. Profiles of the first format are written in today's
// format, and from then on are written as the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "exact/digest.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"

namespace {

constexpr char first_format = '\x01';
constexpr char format = '\x02';
const std::string magic = "fractile-profile";

/// A file with correct hashes, in which `data` follows the magic and the format. The first two bytes give the header's length.
std::string with_hashes(const std::string& data, char of_format) {
  if (data.size() < 2) return data;
  const std::size_t wanted = static_cast<unsigned char>(data[0]) * 256U + static_cast<unsigned char>(data[1]);
  const std::string header = data.substr(2, wanted % 16384);
  std::string file = magic + of_format;
  for (std::size_t size = header.size(); true; size >>= 7) {
    file += static_cast<char>(size >= 128 ? (size & 127U) | 128U : size);
    if (size < 128) break;
  }
  file += header;
  const auto add_hash = [&] {
    fractile::Sha256 hash;
    hash.add(file);
    file += hash.bytes();
  };
  add_hash();
  file += data.substr(2 + header.size());
  add_hash();
  return file;
}

std::string written(const std::string& bytes) { return to_bytes(fractile::profiles_of_bytes(bytes, "fuzz")); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::string& each : {text, with_hashes(text, first_format), with_hashes(text, format)}) {
    try {
      const std::string bytes = written(each);
      const bool is_of_the_first = each.size() > magic.size() && each[magic.size()] == first_format;
      if (is_of_the_first ? written(bytes) != bytes : bytes != each) __builtin_trap();
    } catch (const fractile::Error& error) {
      if (error.code() != fractile::ErrorCode::data) __builtin_trap();
    }
  }
  return 0;
}

#include "keys.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "fractile/error.hpp"
#include "options.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

constexpr std::size_t most_lines = 100'000;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// How many bytes a UTF-8 sequence has that begins with this one; 0 when none begins so.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// The least second byte after this first one that is no overlong form, and the greatest that is no surrogate and not too large.
bool second_byte_fits(unsigned char first, unsigned char second) {
  const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char greatest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return least <= second && second <= greatest;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const std::size_t length = sequence_length(byte(0));
    if (length == 0 || at + length > text.size()) return false;
    if (length > 1 && !second_byte_fits(byte(0), byte(1))) return false;
    for (std::size_t i = 2; i < length; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return false;
    }
    at += length;
  }
  return true;
}

void check_line(const std::string& key, const std::string& path, std::size_t line) {
  const std::string at = fmt::format("--keys-file: {}: line {} ", path, line);
  if (key.empty()) usage(at + "is empty", "every line holds one key");
  if (!is_utf8(key)) usage(at + "is not UTF-8 text", "convert the file, e.g. with iconv -t UTF-8");
  if (line > most_lines) usage(at + "is one too many: at most 100000 keys", "release fewer groups at a time");
}

}  // namespace

std::vector<std::string> listed_keys(const std::string& text) {
  if (!is_utf8(text)) usage("--keys: the list is not UTF-8 text", "convert it, e.g. with iconv -t UTF-8");
  return in_option("--keys", [&] { return words(text); });
}

std::vector<std::string> keys_in_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> keys;
  std::string line;
  while (std::getline(file, line)) {
    if (keys.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.ends_with('\r')) line.pop_back();
    check_line(line, path, keys.size() + 1);
    keys.push_back(line);
  }
  if (!file.eof()) {
    throw Error(ErrorCode::data, fmt::format("--keys-file: cannot read {}: {}", path, std::strerror(errno)),
                "name a text file with a key a line");
  }
  if (keys.empty()) usage("--keys-file: " + path + " holds no keys", "write a key a line");
  return keys;
}

}  // namespace fractile::cli

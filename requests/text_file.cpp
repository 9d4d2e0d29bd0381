#include "requests/text_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace fractile::requests {
namespace {

TextFile read_all(std::FILE* file, std::size_t most) {
  TextFile result;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file)) {
    result.text.append(piece.data(), count);
    if (result.text.size() > most) return {{}, fmt::format("larger than {} MiB", most >> 20U)};
  }
  if (std::ferror(file) != 0) return {{}, std::strerror(errno)};
  return result;
}

}  // namespace

TextFile read_text(const std::string& path, std::size_t most) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return {{}, std::strerror(errno)};
  return read_all(file.get(), most);
}

TextFile read_standard_input(std::size_t most) { return read_all(stdin, most); }

}  // namespace fractile::requests

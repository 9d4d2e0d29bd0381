#include "requests/keys.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <sstream>
#include <string_view>

#include "fractile/error.hpp"
#include "fractile/text.hpp"
#include "requests/text_file.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr std::size_t most_lines = 100'000;
constexpr std::size_t largest_file = std::size_t{256} << 20;  // bytes
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void check_line(const std::string& key, const std::string& path, std::size_t line) {
  const Words at{Field("keys_file"), fmt::format(": {}: line {} ", path, line)};
  if (key.empty()) usage({at, "is empty"}, "every line holds one key");
  if (!is_utf8(key)) usage({at, "is not UTF-8 text"}, "convert the file, e.g. with iconv -t UTF-8");
  if (line > most_lines) usage({at, "is one too many: at most 100000 keys"}, "release fewer groups at a time");
}

}  // namespace

std::vector<std::string> listed_keys(const std::string& text) {
  return in_field("keys", [&] { return words(text); });
}

std::vector<std::string> keys_in_file(const std::string& path) {
  const TextFile file = read_text(path, largest_file);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, {Field("keys_file"), ": cannot read ", path, ": ", file.trouble},
                "name a text file with a key a line");
  }
  std::istringstream lines(file.text);
  std::vector<std::string> keys;
  std::string line;
  while (std::getline(lines, line)) {
    if (keys.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.ends_with('\r')) line.pop_back();
    check_line(line, path, keys.size() + 1);
    keys.push_back(line);
  }
  if (keys.empty()) usage({Field("keys_file"), ": ", path, " holds no keys"}, "write a key a line");
  return keys;
}

}  // namespace fractile::requests

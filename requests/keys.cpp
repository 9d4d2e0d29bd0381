#include "requests/keys.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/text.hpp"
#include "requests/text_file.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr std::size_t most_lines = 100'000;
constexpr std::size_t largest_keys_file = std::size_t{256} << 20;  // bytes
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void refuse_line(const std::string& path, std::size_t line, const char* why, const char* hint) {
  usage({Field("keys_file"), fmt::format(": {}: line {} {}", path, line, why)}, hint);
}

void check_line(const std::string& key, const std::string& path, std::size_t line) {
  if (key.empty()) refuse_line(path, line, "is empty", "every line holds one key");
  if (!is_utf8(key)) refuse_line(path, line, "is not UTF-8 text", "convert the file, e.g. with iconv -t UTF-8");
  if (line > most_lines) {
    refuse_line(path, line, "is one too many: at most 100000 keys", "release fewer groups at a time");
  }
}

}  // namespace

std::vector<std::string> listed_keys(const std::string& text) {
  return in_field("keys", [&] { return words(text); });
}

KeysFile keys_file(const std::string& path) {
  TextFile file = read_plain_file(path, largest_keys_file);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, {Field("keys_file"), ": cannot read ", path, ": ", file.trouble},
                "name a text file with a key a line");
  }
  return {path, std::move(file.text)};
}

std::vector<std::string> KeysFile::keys() const {
  std::istringstream lines(contents);
  std::vector<std::string> keys;
  std::unordered_set<std::string> known;
  std::string line;
  while (std::getline(lines, line)) {
    if (keys.empty() && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.ends_with('\r')) line.pop_back();
    check_line(line, path, keys.size() + 1);
    if (!known.insert(line).second) refuse_line(path, keys.size() + 1, "stands there before", "write every key once");
    keys.push_back(line);
  }
  if (keys.empty()) usage({Field("keys_file"), ": ", path, " holds no keys"}, "write a key a line");
  return keys;
}

}  // namespace fractile::requests

#include "requests/toml_text.hpp"

#include <algorithm>
#include <cstdint>

#include "libraries/fmt.hpp"
#include "requests/text_file.hpp"

namespace fractile::requests {
namespace {

/// Where the string that begins here ends. Whatever the parser refuses may end anywhere.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::size_t long_quote = text.find_first_not_of(quote, at) - at >= 3 ? 3 : 1;
  const bool is_empty = long_quote == 1 && text.substr(at + 1).starts_with(quote);
  if (is_empty) return at + 2;
  for (at += long_quote; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      const std::size_t length = std::min(text.find_first_not_of(quote, at), text.size()) - at;
      if (length >= long_quote) return at + (long_quote == 3 ? length : 1);
      at += length - 1;
    } else if (text[at] == '\n' && long_quote == 1) {
      return at;
    }
  }
  return text.size();
}

/// Throws toml::parse_error for a key of too many parts. Numbers and dates, which have points too, end as keys do.
void check_keys(std::string_view text) {
  std::uint32_t line = 1;
  std::size_t points = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = end_of_string(text, at);
      line += static_cast<std::uint32_t>(std::ranges::count(text.substr(at, end - at), '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.') {
      if (++points == most_key_parts) {
        throw toml::parse_error(fmt::format("a key has more than {} parts", most_key_parts).c_str(),
                                toml::source_position{line, 1});
      }
    } else if (std::string_view("\n=[]{},").find(c) != std::string_view::npos) {
      points = 0;
      if (c == '\n') ++line;
    }
    ++at;
  }
}

}  // namespace

toml::table parsed_toml(std::string_view text, std::string_view name) {
  check_keys(text);
  return toml::parse(text, name);
}

toml::table small_toml(const std::string& path, const std::function<void(const std::string& what)>& refuse) {
  constexpr std::size_t largest = std::size_t{1} << 20;  // bytes
  const TextFile file = read_plain_file(path, largest);
  if (!file.trouble.empty()) refuse("it cannot be read: " + file.trouble);
  toml::table table;
  try {
    table = parsed_toml(file.text);
  } catch (const toml::parse_error& error) {
    refuse(fmt::format("line {} is not TOML", error.source().begin.line));  // what() would quote it
  }
  return table;
}

}  // namespace fractile::requests

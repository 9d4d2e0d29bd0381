#include "requests/typed.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace fractile::requests {
namespace {

/// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string OptionSpec::field() const {
  std::string field = name + 2;
  std::ranges::replace(field, '-', '_');
  return field;
}

std::size_t OptionSpec::values() const {
  const std::string_view words = argument;
  return words.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
}

void usage(const Words& what, const Words& hint, std::optional<std::string> field) {
  throw Error(ErrorCode::usage, what, hint, std::move(field));
}

std::string nearest_word(const std::string& typed, const std::vector<std::string>& words) {
  const auto distance = [&](const std::string& word) {
    return typed.size() > 2 && word.starts_with(typed) ? 0 : edit_distance(typed, word);
  };
  const auto nearest = std::ranges::min_element(words, {}, distance);
  if (nearest == words.end() || distance(*nearest) > std::max<std::size_t>(1, typed.size() / 3)) return {};
  return *nearest;
}

}  // namespace fractile::requests

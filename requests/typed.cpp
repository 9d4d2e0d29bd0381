#include "requests/typed.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fractile::requests {

std::string OptionSpec::field() const {
  std::string field = name + 2;
  std::ranges::replace(field, '-', '_');
  return field;
}

std::size_t OptionSpec::values() const {
  const std::string_view words = argument;
  return words.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(words, ' ')) + 1;
}

std::vector<std::string> Typed::files() const {
  if (file.empty()) return {};
  std::vector<std::string> all{file};
  all.insert(all.end(), more_files.begin(), more_files.end());
  return all;
}

void Typed::set_files(std::vector<std::string> files) {
  if (files.empty()) return;
  file = std::move(files.front());
  files.erase(files.begin());
  more_files = std::move(files);
}

void usage(const Words& what, const Words& hint, std::optional<std::string> field) {
  throw Error(ErrorCode::usage, what, hint, std::move(field));
}

void refuse_given(const Typed& typed, std::initializer_list<const char*> fields, const Words& what, const Words& hint) {
  for (const char* const field : fields) {
    if (typed.has(field)) usage({Field(field), what}, hint);
  }
}

}  // namespace fractile::requests

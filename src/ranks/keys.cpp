#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "ranks/seen_texts.hpp"

namespace fractile {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "keys");
}

[[noreturn]] void refuse_number(const std::string& number, const char* of_what) {
  refuse(fmt::format("{} {} are more than {}", number, of_what, GroupKeys::most), "release fewer groups at a time");
}

std::size_t product_of(const std::vector<std::vector<std::string>>& lists) {
  std::size_t groups = lists.empty() ? 0 : 1;
  for (const std::vector<std::string>& list : lists) {
    if (!list.empty() && groups > std::numeric_limits<std::size_t>::max() / list.size()) {
      refuse_number("all combinations of", "these keys");
    }
    groups *= list.size();
  }
  return groups;
}

/// Refuses keys of one column that are empty or occur twice.
void check_list(const std::vector<std::string>& list) {
  SeenTexts seen(list, list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].empty()) refuse("a key is empty", "every group needs a key with something in it");
    if (seen.add(k)) refuse(fmt::format("the key '{}' appears twice", list[k]), "write every key once");
  }
}

void check_combinations(const GroupKeys& keys) {
  std::vector<std::size_t> groups(keys.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  const auto numbers_of = [&](std::size_t group) {
    return std::span(keys.numbers()).subspan(group * keys.columns(), keys.columns());
  };
  std::ranges::sort(groups, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(numbers_of(a), numbers_of(b));
  });
  const auto twin = std::ranges::adjacent_find(
      groups, [&](std::size_t a, std::size_t b) { return std::ranges::equal(numbers_of(a), numbers_of(b)); });
  if (twin == groups.end()) return;
  refuse(fmt::format("the group '{}' appears twice", to_string(keys[*twin])), "write every combination once");
}

/// In double quotes, which are doubled within it.
std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

KeyColumns::KeyColumns(std::string name) {
  if (!name.empty()) names_.push_back(std::move(name));
}

void KeyColumns::validate() const {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names_) {
    if (name.empty()) throw Error(ErrorCode::usage, "a key column has no name", "name the columns", "by");
    if (seen.insert(name).second) continue;
    throw Error(ErrorCode::usage, fmt::format("the key column '{}' appears twice", name), "name it once", "by");
  }
}

std::string to_string(const KeyColumns& columns) {
  const std::span<const std::string> names = columns.names();
  if (names.empty()) return {};
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

GroupKey::GroupKey(std::string text) {
  if (!text.empty()) texts_.push_back(std::move(text));
}

std::string to_string(const GroupKey& key) {
  if (key.size() == 1) return key[0];
  std::string joined;
  for (const std::string& text : key.texts()) {
    const bool is_plain = text.find_first_of(",\"") == std::string::npos;
    joined += joined.empty() ? "" : ", ";
    joined += is_plain ? text : in_quotes(text);
  }
  return joined;
}

GroupKeys::GroupKeys(std::vector<std::vector<std::string>> lists, std::vector<std::uint32_t> numbers) {
  if (numbers.empty()) return;
  auto content = std::make_shared<Content>();
  content->lists = std::move(lists);
  content->numbers = std::move(numbers);
  content_ = std::move(content);
}

GroupKeys::GroupKeys(std::vector<std::string> keys) {
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::vector<std::vector<std::string>> lists;
  lists.push_back(std::move(keys));
  *this = {std::move(lists), std::move(numbers)};
}

const std::vector<std::uint32_t>& GroupKeys::numbers() const {
  static const std::vector<std::uint32_t> none;
  return content_ ? content_->numbers : none;
}

bool operator==(const GroupKeys& a, const GroupKeys& b) {
  if (a.content_ == b.content_) return true;
  return a.content_ && b.content_ && a.content_->lists == b.content_->lists && a.numbers() == b.numbers();
}

GroupKeys GroupKeys::crossed(std::vector<std::vector<std::string>> lists) {
  const std::size_t groups = product_of(lists);
  if (groups > most) refuse_number(std::to_string(groups), "combinations of keys");
  if (groups == 0) return {};
  std::vector<std::uint32_t> numbers(groups * lists.size());
  std::size_t repeats = groups;  // how often a column's numbers run from its first key to its last
  for (std::size_t column = 0; column < lists.size(); ++column) {
    repeats /= lists[column].size();
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t number = group / repeats % lists[column].size();
      numbers[group * lists.size() + column] = static_cast<std::uint32_t>(number);
    }
  }
  return {std::move(lists), std::move(numbers)};
}

GroupKeys GroupKeys::tuples(const std::vector<std::vector<std::string>>& tuples) {
  if (tuples.empty()) return {};
  if (tuples.size() > most) refuse_number(std::to_string(tuples.size()), "groups");
  const std::size_t columns = tuples.front().size();
  std::vector<std::vector<std::string>> lists(columns);
  std::vector<std::uint32_t> numbers;
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> known(columns);
  for (const std::vector<std::string>& tuple : tuples) {
    if (tuple.empty() || tuple.size() != columns) {
      refuse(
          fmt::format("a group has {} key{}, and another one {}", tuple.size(), tuple.size() == 1 ? "" : "s", columns),
          "write a key for each key column");
    }
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<std::string>& list = lists[column];
      const auto [at, is_new] = known[column].try_emplace(tuple[column], static_cast<std::uint32_t>(list.size()));
      if (is_new) list.push_back(tuple[column]);
      numbers.push_back(at->second);
    }
  }
  return {std::move(lists), std::move(numbers)};
}

GroupKeys GroupKeys::numbered(std::vector<std::vector<std::string>> lists, std::vector<std::uint32_t> numbers) {
  bool is_in_order = lists.empty() ? numbers.empty() : !numbers.empty() && numbers.size() % lists.size() == 0;
  std::vector<std::uint32_t> named(lists.size());
  for (std::size_t i = 0; is_in_order && i < numbers.size(); ++i) {
    std::uint32_t& next = named[i % lists.size()];
    is_in_order = numbers[i] <= next;
    if (numbers[i] == next) ++next;
  }
  for (std::size_t column = 0; column < lists.size(); ++column) {
    is_in_order = is_in_order && named[column] == lists[column].size();
  }
  if (!is_in_order) refuse("keys are not numbered in the order in which they are listed", "number them in it");
  return {std::move(lists), std::move(numbers)};
}

GroupKey GroupKeys::operator[](std::size_t group) const {
  return GroupKey(tabulated(columns(), [&](std::size_t column) { return list(column)[number(group, column)]; }));
}

std::vector<GroupKey> GroupKeys::all() const {
  return tabulated(size(), [&](std::size_t group) { return (*this)[group]; });
}

GroupKeys GroupKeys::with_list(std::size_t column, std::vector<std::string> texts) const {
  std::vector<std::vector<std::string>> lists = content_->lists;
  if (texts.size() != lists.at(column).size()) throw Error(ErrorCode::internal, "keys were lost");
  lists[column] = std::move(texts);
  return {std::move(lists), numbers()};
}

void GroupKeys::validate() const {
  if (!content_ || content_->is_valid) return;
  const OwnEnvironment own;
  if (size() > most) refuse_number(std::to_string(size()), columns() == 1 ? "keys" : "groups");
  if (columns() > most_columns) {
    refuse(fmt::format("{} key columns are more than {}", columns(), most_columns), "group by fewer columns");
  }
  for (const std::vector<std::string>& list : content_->lists) check_list(list);
  if (columns() > 1) check_combinations(*this);
  content_->is_valid = true;
}

}  // namespace fractile

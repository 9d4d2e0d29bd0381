#include "requests/keys.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"
#include "requests/csv_text.hpp"
#include "requests/text_file.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr std::size_t most_lines = GroupKeys::most;
constexpr std::size_t largest_keys_file = std::size_t{256} << 20;  // bytes
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[noreturn]] void refuse_line(const std::string& path, std::size_t line, const char* why, const char* hint) {
  usage({Field("keys_file"), fmt::format(": {}: line {} {}", path, line, why)}, hint);
}

void check_line(std::string_view key, const std::string& path, std::size_t line) {
  if (key.empty()) refuse_line(path, line, "is empty", "every line holds one key");
  if (!is_utf8(key)) refuse_line(path, line, "is not UTF-8 text", "convert the file, e.g. with iconv -t UTF-8");
  if (line > most_lines) {
    refuse_line(path, line, "is one too many: at most 100000 keys", "release fewer groups at a time");
  }
}

/// How `keys` is written for several columns: COLUMN=LIST for each.
Words columns_with_lists(const KeyColumns& by) {
  Words all;
  for (const std::string& name : by.names()) all = {all, all.empty() ? "" : " ", Field("keys").entry(name, "...")};
  return all;
}

/// The column whose name and = begin the text. If several fit, the column with the longest name is meant.
std::size_t column_of(const std::string& text, const KeyColumns& by) {
  std::size_t column = by.size();
  for (std::size_t k = 0; k < by.size(); ++k) {
    if (!text.starts_with(by[k] + "=")) continue;
    if (column == by.size() || by[k].size() > by[column].size()) column = k;
  }
  if (column < by.size()) return column;
  usage({Field("keys"), ": '", text, "' does not begin with one of the columns ", to_string(by), ", followed by ="},
        {"write ", columns_with_lists(by)});
}

}  // namespace

GroupKeys listed_keys(const KeyColumns& by, const std::vector<std::string>& texts) {
  if (by.size() == 1) {
    if (texts.size() > 1)
      usage({Field("keys"), " appears twice, and there is one key column"}, "write all keys in one list");
    return in_field("keys", [&] { return words(texts.at(0)); });
  }
  std::vector<std::vector<std::string>> lists(by.size());
  for (const std::string& text : texts) {
    const std::size_t column = column_of(text, by);
    if (!lists[column].empty())
      usage({Field("keys"), ": the column '", by[column], "' appears twice"}, "list its keys once");
    lists[column] = in_field("keys", [&] { return words(text.substr(by[column].size() + 1)); });
  }
  for (std::size_t column = 0; column < by.size(); ++column) {
    if (lists[column].empty()) {
      usage({Field("keys"), ": the column '", by[column], "' has no list"}, {"write ", columns_with_lists(by)});
    }
  }
  return in_field("keys", [&] { return GroupKeys::crossed(std::move(lists)); });
}

KeysFile keys_file(const std::string& path) {
  TextFile file = read_plain_file(path, largest_keys_file);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, {Field("keys_file"), ": cannot read ", path, ": ", file.trouble},
                "name a text file with one key per line, or for several columns CSV");
  }
  return {path, std::move(file.text)};
}

GroupKeys KeysFile::keys(const KeyColumns& by) const { return by.size() > 1 ? table(by) : lines(); }

namespace {

/// Refuses the first line with a key that stands on a line before it.
void refuse_twin(const std::vector<std::string>& keys, const std::string& path) {
  std::unordered_set<std::string_view> known;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!known.insert(keys[k]).second) refuse_line(path, k + 1, "appeared before", "write every key once");
  }
}

}  // namespace

GroupKeys KeysFile::lines() const {
  std::string_view rest = contents_;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  std::vector<std::string> keys;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    check_line(line, path_, keys.size() + 1);
    keys.emplace_back(line);
  }
  if (keys.empty()) usage({Field("keys_file"), ": ", path_, " holds no keys"}, "write one key per line");
  GroupKeys all(std::move(keys));
  try {
    all.validate();
  } catch (const Error&) {
    refuse_twin(all.list(0), path_);  // nothing else is left to be refused
    throw;
  }
  return all;
}

namespace {

/// Where each key column stands in the first line.
std::vector<std::size_t> places_of(const KeyColumns& by, const std::vector<std::string>& header,
                                   const std::string& path) {
  std::vector<std::size_t> places;
  for (const std::string& name : by.names()) {
    const auto at = std::ranges::find(header, name);
    if (at != header.end()) places.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  if (places.size() == by.size() && header.size() == by.size()) return places;
  usage({Field("keys_file"), ": ", path, ": the first line does not name exactly the columns ", to_string(by)},
        {"begin the file with the line ", text_of_names(by.names())});
}

}  // namespace

GroupKeys KeysFile::table(const KeyColumns& by) const {
  std::string_view text = contents_;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  CsvRecords records(text);
  std::vector<std::size_t> places;
  std::vector<std::vector<std::string>> tuples;
  std::set<std::vector<std::string>> known;
  while (!records.are_done()) {
    const std::size_t line = records.line();
    const auto refuse = [&](const char* why, const char* hint) { refuse_line(path_, line, why, hint); };
    const std::optional<std::vector<std::string>> cells = records.next();
    if (!cells) refuse("has a quote that is not closed, or not around a cell", "double the quotes within a cell");
    if (!std::ranges::all_of(*cells, is_utf8))
      refuse("is not UTF-8 text", "convert the file, e.g. with iconv -t UTF-8");
    if (places.empty()) {
      places = places_of(by, *cells, path_);
      continue;
    }
    if (cells->size() != by.size())
      refuse("has another number of cells than the first one", "write a key for each column");
    std::vector<std::string> tuple = mapped(places, [&](std::size_t place) { return (*cells)[place]; });
    if (std::ranges::count(tuple, "") > 0) refuse("has an empty cell", "write a key for each column");
    if (tuples.size() == GroupKeys::most)
      refuse("is one too many: at most 100000 groups", "release fewer groups at a time");
    if (!known.insert(tuple).second) refuse("appeared before", "write every combination once");
    tuples.push_back(std::move(tuple));
  }
  if (tuples.empty()) {
    usage({Field("keys_file"), ": ", path_, " holds no keys"},
          {"write the line ", text_of_names(by.names()), ", and then one group per line"});
  }
  return GroupKeys::tuples(tuples);
}

}  // namespace fractile::requests

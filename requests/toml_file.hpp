// TOML files and their values. A value knows its place, so errors name the file, the line and the key.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exact/uncopied.hpp"
#include "exact/wording.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "libraries/fmt.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

class Item;

/// "1 row" or "2 rows".
inline std::string counted(std::size_t number, const char* one, const char* more) {
  return fmt::format("{} {}", number, number == 1 ? one : more);
}

/// Whether an error may quote the text at which a file is not TOML. It may not if the file could be anything, such as the data to publish.
enum class Quoting { never, allowed };

/// A parsed file. Its items refer to this object, which must outlive them.
class TomlFile : Uncopied {
 public:
  /// Throws `data` for a text that is not TOML. `help` says where the format is described, such as "see fractile flow --help".
  TomlFile(std::string name, std::string text, std::string help, Quoting quoting = Quoting::never);
  /// Reads a file. Throws `data` for a text that is not TOML, and when the file cannot be read or is larger than `most` bytes.
  static TomlFile read(const std::string& name, std::size_t most, std::string help, Quoting quoting = Quoting::never);

  Item root() const;
  const std::string& name() const { return name_; }
  /// The path that a path in the file means: it is relative to the file's folder.
  std::string beside(const std::string& path) const;
  /// Throws `data`; if `hint` is empty, `help` is the hint.
  [[noreturn]] void refuse(const Words& what, const Words& hint) const;

 private:
  friend class Item;
  /// The rest of the line from `begin` on.
  std::string_view written_from(const toml::source_position& begin) const;

  std::string name_;
  std::string text_;
  std::string help_;
  toml::table root_;
};

/// A value of a file.
class Item {
 public:
  Item(const TomlFile& file, std::string key, const toml::node& node)
      : file_(&file), key_(std::move(key)), node_(&node) {}

  /// Throws `data` with the place of this value.
  [[noreturn]] void refuse(const Words& what, const Words& hint) const { refuse_at(node_->source(), key_, what, hint); }

  /// Calls `make`, and adds the place of this value to an error of the library. The error then names fields as members of the file.
  template <class Make>
  auto checked(Make&& make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      refuse(error.what_words().in(Wording::file), error.hint_words().in(Wording::file));
    }
  }

  bool is_word() const { return node_->is_string(); }
  bool is_whole() const { return node_->is_integer(); }
  bool is_list() const { return node_->is_array(); }
  bool is_table() const { return node_->is_table(); }

  /// The number exactly as it is written, or from a text such as "1/2".
  Rational number() const;
  std::size_t whole_number(std::int64_t least, std::int64_t most) const;
  bool flag() const;
  /// A text in quotes. `example` shows one in the hint of an error.
  std::string word(const std::string& example) const;
  /// A path relative to the file's folder.
  std::string path() const;
  std::vector<Item> items() const;
  std::size_t length() const { return array().size(); }
  std::vector<Rational> numbers() const;
  /// At least one row, all equally long, with entries made by make(item).
  template <class Make>
  auto rows(Make make) const;
  /// A number, a date, a time or any other text, as it would be typed for an option.
  std::string entry() const;

  /// The same, for a member that may also be a text: in its error, too.
  std::string one_entry() const;

  /// The value for one of a few words. Throws `data` for any other word.
  template <class Value>
  Value choice(const std::map<std::string, Value>& choices) const;

  /// Throws `data` if the table has keys that are not among these.
  void require_keys(const std::vector<std::string>& keys) const;
  std::optional<Item> find(const std::string& key) const;
  /// Throws `data` if the table has this key.
  void refuse_member(const std::string& key, const Words& what, const Words& hint) const;
  /// The member with this key. Throws `data` if it is missing; `example` shows what to write.
  Item need(const std::string& key, const std::string& example) const;
  /// All members of a table, by their keys, in the order in which they are written.
  std::vector<std::pair<std::string, Item>> members() const;

  const std::string& key() const { return key_; }
  const TomlFile& file() const { return *file_; }

 private:
  const toml::array& array() const;
  const toml::table& table() const;
  Rational written_number() const;
  std::string key_of(const std::string& key) const { return key_.empty() ? key : key_ + "." + key; }
  [[noreturn]] void refuse_at(const toml::source_region& source, const std::string& key, const Words& what,
                              const Words& hint) const;
  [[noreturn]] void refuse_word(const std::string& word, const std::vector<std::string>& known) const;
  [[noreturn]] void refuse_kind(const char* wanted, const Words& hint) const;

  const TomlFile* file_;
  std::string key_;  ///< "pipeline.post.of[0]"
  const toml::node* node_;
};

template <class Make>
auto Item::rows(Make make) const {
  std::vector<std::vector<decltype(make(*this))>> rows;
  for (const Item& row : items()) {
    rows.emplace_back();
    for (const Item& entry : row.items()) rows.back().push_back(make(entry));
    if (rows.back().empty()) row.refuse("a row without entries", "write at least one in every row");
    if (rows.back().size() != rows.front().size()) {
      row.refuse(fmt::format("a row of {}, but the first has {}", counted(rows.back().size(), "entry", "entries"),
                             rows.front().size()),
                 "write equally many in every row");
    }
  }
  if (rows.empty()) refuse("a matrix without rows", R"(write rows of numbers: [["1/2", "1/2"], [0, 1]])");
  return rows;
}

/// The hint for a word that is not known: which words may be chosen.
std::string choose_hint(const std::string& word, const std::vector<std::string>& known);

template <class Value>
Value Item::choice(const std::map<std::string, Value>& choices) const {
  const std::vector<std::string> known = words_of(choices);
  const auto* const text = node_->as_string();
  if (text == nullptr) refuse_kind("a word", choose_hint("", known));
  const auto at = choices.find(text->get());
  if (at == choices.end()) refuse_word(text->get(), known);
  return at->second;
}

}  // namespace fractile::requests

// Public keys of groups: with one key column a group's key is a text, with several it is a text for each of them.
// Thread-safety: values; threads may share them while none changes one.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace fractile {

/// The columns that hold the keys, in the order of a key's texts; none without groups.
class KeyColumns {
 public:
  KeyColumns() = default;
  /// One column, or none for "".
  KeyColumns(std::string name);  // NOLINT(google-explicit-constructor): the usual case is one name
  KeyColumns(const char* name) : KeyColumns(std::string(name)) {}  // NOLINT(google-explicit-constructor): the same
  KeyColumns(std::initializer_list<std::string> names) : names_(names) {}
  explicit KeyColumns(std::vector<std::string> names) : names_(std::move(names)) {}

  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::size_t column) const { return names_[column]; }
  const std::vector<std::string>& names() const { return names_; }
  /// Throws `usage` for a name that is empty or stands twice.
  void validate() const;
  friend bool operator==(const KeyColumns&, const KeyColumns&) = default;

 private:
  std::vector<std::string> names_;
};

/// For people: "region", "region and sex", "region, sex and sector".
std::string to_string(const KeyColumns& columns);

/// The key of a group: a text for each key column. Two keys are one when all their texts are.
class GroupKey {
 public:
  /// The key of a whole column, which has no groups.
  GroupKey() = default;
  /// The key of a group by one key column; "" is not a key.
  GroupKey(std::string text);  // NOLINT(google-explicit-constructor): the usual case is one text
  GroupKey(const char* text) : GroupKey(std::string(text)) {}  // NOLINT(google-explicit-constructor): the same
  explicit GroupKey(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  const std::string& operator[](std::size_t column) const { return texts_[column]; }
  const std::vector<std::string>& texts() const& { return texts_; }
  std::vector<std::string> texts() && { return std::move(texts_); }
  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend auto operator<=>(const GroupKey& a, const GroupKey& b) { return a.texts_ <=> b.texts_; }

 private:
  std::vector<std::string> texts_;
};

/// For people: the texts with commas between them. Two keys may read the same, so never look anything up by this text.
std::string to_string(const GroupKey& key);

/// The keys of all groups, in their order. They are public, and never come from the data.
class GroupKeys {
 public:
  static constexpr std::size_t most = 100'000;
  static constexpr std::size_t most_columns = 16;

  /// No keys: there are no groups.
  GroupKeys() = default;
  /// The keys of one key column.
  GroupKeys(std::vector<std::string> keys);  // NOLINT(google-explicit-constructor): the usual case is one column
  GroupKeys(std::initializer_list<std::string> keys) : GroupKeys(std::vector<std::string>(keys)) {}
  /// Every combination of the columns' keys; the last column's keys change first. Throws `usage` for more than `most`.
  static GroupKeys crossed(std::vector<std::vector<std::string>> lists);
  /// These combinations and no others, each with a text for each column. Throws `usage` unless all have equally many texts.
  static GroupKeys tuples(const std::vector<std::vector<std::string>>& tuples);
  /// Group by group and column by column the number of a key in the column's list. Throws `usage` unless each list has exactly its
  /// column's keys, in the order in which groups first name them.
  static GroupKeys numbered(std::vector<std::vector<std::string>> lists, std::vector<std::uint32_t> numbers);

  bool empty() const { return numbers_.empty(); }
  /// How many groups there are.
  std::size_t size() const { return lists_.empty() ? 0 : numbers_.size() / lists_.size(); }
  std::size_t columns() const { return lists_.size(); }
  /// The keys of a column, in the order in which groups first name them.
  const std::vector<std::string>& list(std::size_t column) const { return lists_[column]; }
  /// Which of the column's keys a group has.
  std::uint32_t number(std::size_t group, std::size_t column) const { return numbers_[group * lists_.size() + column]; }
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }
  GroupKey operator[](std::size_t group) const;
  std::vector<GroupKey> all() const;

  /// Keeps the groups, and replaces the texts of one column's keys.
  GroupKeys with_list(std::size_t column, std::vector<std::string> texts) &&;

  /// Throws `usage` for more than `most` groups or `most_columns` columns, for an empty text, and for a key that stands twice.
  void validate() const;

  /// The same keys in the same order.
  friend bool operator==(const GroupKeys&, const GroupKeys&) = default;

 private:
  std::vector<std::vector<std::string>> lists_;  // one per column
  std::vector<std::uint32_t> numbers_;           // of the keys, group by group
};

}  // namespace fractile

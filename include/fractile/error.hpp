// Errors: one type with a code, a hint and the field that is wrong. The library never prints and never aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fractile {

/// What kind of thing went wrong; the command line's exit codes are these values.
enum class ErrorCode {
  usage = 2,           ///< an option or argument is wrong; nothing was read
  data = 3,            ///< a file, table or cell is unusable
  budget_refused = 4,  ///< the privacy budget does not allow it
  ledger = 5,          ///< the ledger is locked, corrupt or from a newer version
  internal = 70,       ///< a defect, or the system failed (no random bits)
};

/// The syntax in which words name a field and its value.
enum class Wording {
  library,  ///< records_per_person = 1, bounds = {0, 125}
  program,  ///< --records-per-person 1, --bounds 0 125
  python,   ///< records_per_person=1, bounds=(0, 125)
  r,        ///< records_per_person = 1, bounds = c(0, 125)
  file,     ///< records_per_person = 1, bounds = [0, 125]: a TOML file
};

/// An option or argument as words mention it: alone, or with a value to give it. The name is in snake_case.
/// Thread-safety: as that of a standard container.
class Field {
 public:
  explicit Field(std::string name);

  /// An exact number: "1", "0.5", "1/2", "ln 3".
  Field number(std::string value) const;
  Field number(std::uint64_t value) const;
  /// Any text.
  Field text(std::string value) const;
  /// What is to be filled in: PATH.
  Field blank(std::string value) const;
  /// Two ends: numbers, dates or times, or both to be filled in.
  Field pair(std::string lower, std::string upper) const;
  Field blanks(std::string lower, std::string upper) const;
  Field numbers(std::vector<std::string> values) const;
  Field texts(std::vector<std::string> values) const;
  /// One name of several and what it stands for.
  Field entry(std::string name, std::string value) const;

  const std::string& name() const noexcept { return name_; }
  Field renamed(std::string name) const;
  std::string in(Wording wording) const;

 private:
  enum class Shape { none, one, pair, list, entry };
  enum class Kind { number, text, blank };

  Field with(Shape shape, Kind kind, std::vector<std::string> values) const;
  std::string value_in(Wording wording) const;

  std::string name_;
  Shape shape_ = Shape::none;
  Kind kind_ = Kind::text;
  std::vector<std::string> values_;
};

/// A sentence that may mention fields. Only fields are worded in one syntax or another; all other text, such as a column's name,
/// stays as it is. A space alone between two fields with values separates them as the syntax wants it.
/// Thread-safety: as that of a standard container.
class Words {
 public:
  Words() = default;
  Words(const char* text);                     // NOLINT(google-explicit-constructor): a text is a sentence
  Words(std::string text);                     // NOLINT(google-explicit-constructor): a text is a sentence
  Words(Field field);                          // NOLINT(google-explicit-constructor): a field is a word
  Words(std::initializer_list<Words> pieces);  ///< one after the other

  bool empty() const noexcept { return parts_.empty(); }
  std::string in(Wording wording) const;
  /// The name of the field that they begin with; "" when it is a text.
  std::string first_field() const;
  /// The same sentence about another field in place of `from`.
  Words renamed(const std::string& from, const std::string& to) const;

 private:
  using Part = std::variant<std::string, Field>;

  void add(const Part& part);

  std::vector<Part> parts_;  ///< no text is empty, and no two are neighbors
};

/// How alike two words are, for a hint such as "did you mean 'income'?". Levenshtein distance: how many bytes must be inserted, removed or
/// replaced to make one of the other. Time O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Every failure of the library except one: when memory runs out, std::bad_alloc passes, except from publish() and rehearse().
/// `what()` says what is wrong and where, `hint()` what to do next; neither ever holds a value of the data. Both are worded for
/// callers of the library; what_words() and hint_words() can be worded for others.
/// Thread-safety: as that of std::runtime_error.
class Error : public std::runtime_error {
 public:
  /// `field`: what field() returns; if it is not given, the field that `what` begins with.
  Error(ErrorCode code, const Words& what, const Words& hint = {}, std::optional<std::string> field = {});
  ErrorCode code() const noexcept { return code_; }
  const std::string& hint() const noexcept { return hint_; }
  /// The argument that is wrong, "records_per_person"; "" when it is none of them alone.
  const std::string& field() const noexcept { return field_; }
  const Words& what_words() const noexcept { return what_words_; }
  const Words& hint_words() const noexcept { return hint_words_; }

 private:
  ErrorCode code_;
  Words what_words_;
  Words hint_words_;
  std::string hint_;
  std::string field_;
};

}  // namespace fractile

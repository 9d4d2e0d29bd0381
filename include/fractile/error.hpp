// Errors: one type with a code, a hint and the field that is wrong. The library never prints and never aborts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
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

/// The syntax in which words name a field and its value: the library's, and those of the programs that use it.
enum class Wording;  // src/exact/wording.hpp, not installed

/// An option or argument as a message mentions it: by its name alone, or with a value. The name is in snake_case.
/// Thread-safety: as that of a standard container.
class Field {
 public:
  explicit Field(std::string name);

  /// An exact number: "1", "0.5", "1/2", "ln 3".
  Field number(std::string value) const;
  Field number(std::uint64_t value) const;
  /// Any text.
  Field text(std::string value) const;
  /// A placeholder for what the reader fills in: PATH.
  Field blank(std::string value) const;
  /// Two ends: numbers, dates or times; blanks() has placeholders for both.
  Field pair(std::string lower, std::string upper) const;
  Field blanks(std::string lower, std::string upper) const;
  /// Two numbers as the ends of a range: --epsilon 0.1..10 in a shell, epsilon = {0.1, 10} elsewhere.
  Field range(std::string lower, std::string upper) const;
  Field numbers(std::vector<std::string> values) const;
  Field texts(std::vector<std::string> values) const;
  /// One name among several, with its value.
  Field entry(std::string name, std::string value) const;

  const std::string& name() const noexcept { return name_; }
  Field renamed(std::string name) const;
  std::string in(Wording wording) const;

 private:
  enum class Shape { none, one, pair, range, list, entry };
  enum class Kind { number, text, blank };

  Field with(Shape shape, Kind kind, std::vector<std::string> values) const;
  std::string value_in(Wording wording) const;

  std::string name_;
  Shape shape_ = Shape::none;
  Kind kind_ = Kind::text;
  std::vector<std::string> values_;
};

/// A sentence that may mention fields. Only fields are worded in one syntax or another; all other text, such as a column's name,
/// stays as it is. A single space between two fields with values becomes the separator of the syntax.
/// Thread-safety: as that of a standard container.
class Words {
 public:
  Words() = default;
  Words(const char* text);                     // NOLINT(google-explicit-constructor): a text is a sentence
  Words(std::string text);                     // NOLINT(google-explicit-constructor): a text is a sentence
  Words(Field field);                          // NOLINT(google-explicit-constructor): a field is a word
  Words(std::initializer_list<Words> pieces);  ///< one after the other

  bool empty() const noexcept { return parts_.empty(); }
  /// Worded for callers of the library: records_per_person = 1.
  std::string to_string() const;
  std::string in(Wording wording) const;
  /// The name of the field that the sentence begins with; "" when it begins with text.
  std::string first_field() const;
  /// The same sentence with the field `to` in place of `from`.
  Words renamed(const std::string& from, const std::string& to) const;

 private:
  using Part = std::variant<std::string, Field>;

  void add(const Part& part);

  std::vector<Part> parts_;  ///< no text is empty, and no two are neighbors
};

/// What every failure of the library throws, with one exception: when memory runs out, functions other than publish() and
/// rehearse() throw std::bad_alloc. `what()` says what is wrong and where, `hint()` says what to do next; neither ever holds a
/// value of the data. Both are worded for callers of the library; what_words() and hint_words() can be worded for other callers.
/// Thread-safety: as that of std::runtime_error.
class Error : public std::runtime_error {
 public:
  /// `field`: what field() returns; if it is not given, the field that `what` begins with.
  Error(ErrorCode code, const Words& what, const Words& hint = {}, std::optional<std::string> field = {});
  ErrorCode code() const noexcept { return code_; }
  const std::string& hint() const noexcept { return hint_; }
  /// The argument that is wrong, such as "records_per_person"; "" when no single argument is.
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

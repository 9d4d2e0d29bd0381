// Small CSV texts in the format of RFC 4180.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fractile::requests {

/// Yields the records of a text, one after the other. Quotes must enclose a whole cell; within a quoted cell, two quotes stand for one.
class CsvRecords {
 public:
  /// The text must outlive this object.
  explicit CsvRecords(std::string_view text) : text_(text) {}

  bool are_done() const { return at_ >= text_.size(); }
  /// The line in which the next record begins, from 1.
  std::size_t line() const { return line_; }
  /// The cells of the next record. Returns nothing, and ends the reading, if a quote is not closed or stands inside an unquoted cell.
  std::optional<std::vector<std::string>> next();

 private:
  std::optional<std::string> quoted_cell();
  std::optional<std::string> plain_cell();
  /// Returns whether a record ends here, and skips its line end.
  bool take_line_end();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Splits a text at the commas outside quotes and removes the spaces around the items. A text without a comma that does not begin with a
/// quote is one item, unchanged. Throws `usage` for an empty item and for quotes that do not enclose a whole item.
std::vector<std::string> names_in(const std::string& text);

/// The text from which names_in() reads these names.
std::string text_of_names(const std::vector<std::string>& names);

}  // namespace fractile::requests

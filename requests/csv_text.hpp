// Small CSV texts, as RFC 4180 has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fractile::requests {

/// The records of a text, one after the other. Quotes stand around a whole cell or nowhere; two of them inside are one.
class CsvRecords {
 public:
  /// The text outlives this.
  explicit CsvRecords(std::string_view text) : text_(text) {}

  bool are_done() const { return at_ >= text_.size(); }
  /// The line in which the next record begins, from 1.
  std::size_t line() const { return line_; }
  /// Its cells. Nothing when a quote is not closed, or stands inside a cell without quotes around it; then all is done.
  std::optional<std::vector<std::string>> next();

 private:
  std::optional<std::string> quoted_cell();
  std::optional<std::string> plain_cell();
  /// Whether a record ends here; its line end is left behind.
  bool take_line_end();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// The cells between commas, without the spaces around them, except within quotes. A text without a comma that does not begin with
/// a quote is itself. Throws `usage` for an empty item and for quotes that are not around an item.
std::vector<std::string> names_in(const std::string& text);

/// A text of which names_in() makes these names.
std::string text_of_names(const std::vector<std::string>& names);

}  // namespace fractile::requests

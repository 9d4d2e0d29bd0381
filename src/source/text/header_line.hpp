// The header line of a text table. It alone determines columns and delimiter; cells of records have no influence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fractile::source_detail {

/// The first line, without byte order mark and line end. Empty when `text` is.
std::string_view first_line_of(std::string_view text);

/// The most frequent of comma, tab, semicolon and bar outside quotes; comma when there is none.
std::string delimiter_of(std::string_view header);

/// The names of the columns, without quotes and surrounding blanks. Names are split as the cells of records are (DelimitedCheck).
/// An empty name becomes "column<k>" (k from 0), followed by enough _ to differ from all other names. `source` is for messages.
/// Throws `data` for a header that is empty, not UTF-8, made of numbers only (then it is a record), or refused by DelimitedCheck.
std::vector<std::string> column_names(std::string_view header, std::string_view delimiter, const std::string& source);

bool is_utf8(std::string_view text);

}  // namespace fractile::source_detail

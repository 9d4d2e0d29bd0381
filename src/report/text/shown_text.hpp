// Text that others chose (names of files and columns, keys, queries, reasons), where a person or a program will read it.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fractile {

/// Whether this is UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// The text as one line that may stand in a message, a table or a page, whatever bytes it holds. It is UTF-8 and without
/// anything that acts on a terminal or on the order of what is shown: control characters, line and paragraph separators,
/// directions and other invisible format characters are escaped as `\n`, `\x1b` or `\u{202e}`, and bytes that are not UTF-8 as
/// `\xff`. The joiners U+200C and U+200D stay: some scripts spell with them.
std::string shown_text(std::string_view text);

/// The same for a text of several lines: line feeds stay.
std::string shown_lines(std::string_view text);

/// A name of arbitrary bytes as UTF-8, so that different names have different texts. UTF-8 stays as it is, except for a backslash
/// before "x" and two digits of 0-9 and a-f, which becomes `\x5c`; any other byte becomes `\xNN`.
std::string name_text(std::string_view name);
/// UTF-8 as it is; other bytes as name_text has them.
std::string utf8_text(const std::string& text);

/// The one of `words` nearest to what was typed, "" when none is near: for "did you mean".
std::string nearest_word(const std::string& typed, const std::vector<std::string>& words);

}  // namespace fractile

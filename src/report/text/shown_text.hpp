// Text that others chose (names of files and columns, keys, queries, reasons), where a person or a program will read it.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fractile {

/// Whether this is UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// The text as one line for a message, a table or a page, whatever bytes it holds. It is UTF-8, and nothing in it acts on a terminal or on
/// the order of what is shown. Control characters, line and paragraph separators, directions and other invisible format characters are
/// escaped as `\n`, `\x1b` or `\u{202e}`, and bytes that are not UTF-8 as `\xff`. The joiners U+200C and U+200D stay, since some scripts
/// need them for spelling.
std::string shown_text(std::string_view text);

/// As shown_text(), for a text of several lines: line feeds stay.
std::string shown_lines(std::string_view text);

/// A name of arbitrary bytes as UTF-8. Different names have different texts. UTF-8 stays as it is, except for a backslash before "x" and
/// two digits of 0-9 and a-f, which becomes `\x5c`. Any other byte becomes `\xNN`.
std::string name_text(std::string_view name);
/// UTF-8 stays as it is. Other bytes are written as by name_text().
std::string utf8_text(const std::string& text);

/// For "did you mean": the one of `words` that is nearest to what was typed, or "" if none is near.
std::string nearest_word(const std::string& typed, const std::vector<std::string>& words);

}  // namespace fractile

// The numbers that cells of text hold.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fractile/ranks.hpp"

namespace fractile::source_detail {

/// What may stand around a cell's text, and means nothing.
inline constexpr std::string_view blanks_of_cells = " \t\n\v\f\r";

/// The double nearest to the number in a text, which may have blanks around it; an infinity beyond the largest double; NaN and
/// infinities by name, in any letter case. Nothing if it holds no number. It is what the engine's cast returns, except that the cast
/// takes some texts for numbers that are none here (misread_texts.hpp).
std::optional<double> number_in(std::string_view text);

/// A text that writes numbers in this style, as number_in() reads it; nothing if it holds no number in this style.
std::optional<std::string> in_plain_style(std::string_view text, const NumberStyle& style);

/// The number in a text that writes numbers in this style.
std::optional<double> number_in(std::string_view text, const NumberStyle& style);

/// Whether the number in a text, rounded to a whole number (halves away from 0), is `number`: a whole number of at least 2^53 and
/// at most 2^127, which number_in() returned for the text.
bool is_whole_number(std::string_view text, double number);

/// A text without the blanks around it.
std::string_view trimmed(std::string_view text);
/// The same for a text that begins with a blank; any other text as it is.
std::string_view without_blanks(std::string_view text);

}  // namespace fractile::source_detail

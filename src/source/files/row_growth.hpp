// Bounds for the functions that row-wise queries may call: how long their results are, and how much work patterns take.
// Proof: docs/proofs/row_wise_queries.md, claim 5
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fractile::source_detail {

/// An upper bound of a result's bytes, and the requirements on the arguments.
enum class Growth {
  of_numbers,      ///< a number, a date, a truth value or a short word; takes as many steps as the arguments have bytes
  like_arguments,  ///< as many bytes as all arguments together
  held,  ///< a list or a structure of the arguments, whose text has a backslash before each quote and backslash in them
  /// Four times as many: letters that change case, characters that are doubled, bytes that are written as two or three.
  some_times,
  eightfold,  ///< one letter per bit
  pieces,     ///< a list of parts of the first argument, each a separate element
  /// As long as the first argument, or as many letters as the last argument says, if it is a constant.
  cut,
  joined,    ///< all other arguments, with the first one between them
  padded,    ///< as many letters as the second argument, a constant, says
  replaced,  ///< the third argument in place of every occurrence of the second one
  /// The second argument, a constant, is a regular expression; the result is as long as the first argument.
  pattern,
  pattern_replaced,  ///< the same, with the third argument in place of each match
  likeness,          ///< the second argument, a constant, is a pattern of LIKE
  likeness_again,    ///< a pattern that is tried again from every place: ILIKE and GLOB
  searched,          ///< the second argument is searched for at every place of the first
  compared,          ///< every letter of one argument is compared with every letter of the other
  path,              ///< the second argument, a constant, is a JSON path
  formatted,         ///< the arguments are a time and a format, a constant
  parsed,            ///< the second argument, a constant or a list of constants, is the format of a time
  rounded,           ///< the second argument, if there is one, is a constant
  part,              ///< the first argument, a constant, names a unit of time
  zone               ///< the first argument, a constant, names a time zone
};

/// The growth of a listed function, by its name in lower case.
Growth growth_of(std::string_view function);

/// How often a listed macro of the engine has an argument computed, at most: as often as it names the argument. 1 for a function.
std::uint64_t copies_of_arguments(std::string_view function);

/// Sums and products saturate at this number.
inline constexpr std::uint64_t too_much = std::numeric_limits<std::uint64_t>::max() / 2;
/// Saturating arithmetic on numbers up to `too_much`.
inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return std::min(too_much, a + b); }
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a == 0 || b <= too_much / a ? a * b : too_much; }

/// An upper bound of the number of instructions of a compiled regular expression: some for each character, multiplied by the
/// repetition counts after it.
std::uint64_t instructions(std::string_view pattern);
/// How many times a pattern of LIKE or GLOB is searched for from every place of a text: the number of its runs of wildcards, except
/// one at the end.
std::uint64_t searches(std::string_view pattern, char wildcard);

/// A unit of time as functions name it: "years" is "year".
std::string singular_unit(std::string_view unit);
/// Whether every function of dates and times accepts the unit, for a date and for a time of day.
bool is_unit_of_time(std::string_view unit);

}  // namespace fractile::source_detail

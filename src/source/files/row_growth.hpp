// What is known of the functions that row-wise queries may call: how long their results are, and how long patterns take.
// Proof: docs/proofs/row_wise_queries.md, claim 5
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fractile::source_detail {

/// At most how many bytes a result has, and what is required of the arguments.
enum class Growth {
  of_numbers,      ///< a number, a date, a truth value, a short word; takes as many steps as the arguments have bytes
  like_arguments,  ///< as many as all arguments have
  some_times,  ///< four times as many: letters that change, signs that are doubled, bytes that are written as two or three
  eightfold,         ///< a letter a bit
  pieces,            ///< a list of parts of the first argument, each with a place of its own
  cut,               ///< as the first argument, or as many letters as the last one says, if that is a constant
  joined,            ///< the first argument stands between all others
  padded,            ///< as many letters as the second argument says, a constant
  replaced,          ///< the third argument for every second one
  pattern,           ///< the second argument is a regular expression, a constant; the result as many as the first
  pattern_replaced,  ///< the same, and the third argument stands for what it matches
  likeness,          ///< the second argument is a pattern of LIKE, a constant
  likeness_again,    ///< a pattern that is tried again from every place: ILIKE and GLOB
  searched,          ///< the second argument is looked for at every place of the first
  compared,          ///< every letter of the one with every letter of the other
  path,              ///< the second argument is a path of JSON, a constant
  formatted,         ///< the arguments are a time and a format, which the engine requires to be a constant
  rounded,           ///< the second argument, if there is one, is a constant
  part,              ///< the first argument names a unit of time, a constant
  zone               ///< the first argument names a time zone, a constant
};

/// The growth of a listed function, by its name in small letters.
Growth growth_of(std::string_view function);

/// Sums and products that end at a large number.
inline constexpr std::uint64_t too_much = std::numeric_limits<std::uint64_t>::max() / 2;
/// These take numbers up to `too_much`.
inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return std::min(too_much, a + b); }
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a == 0 || b <= too_much / a ? a * b : too_much; }

/// How many instructions a regular expression becomes, at most: each sign some, and as often as the counts after it say.
std::uint64_t instructions(std::string_view pattern);
/// How often a pattern of LIKE or GLOB is tried from every place of a text: a row of wildcards, but for one at the end.
std::uint64_t searches(std::string_view pattern, char wildcard);

/// A unit of time as functions have it: "years" is "year".
std::string singular_unit(std::string_view unit);
/// Whether no function of dates and times refuses it when it meets a date or a time of a day.
bool is_unit_of_time(std::string_view unit);

}  // namespace fractile::source_detail

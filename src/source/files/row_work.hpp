// A bound of the work and memory that one row of a row-wise query can take, from the query's text alone.
// Proof: docs/proofs/row_wise_queries.md, claim 5
#pragma once

#include <cstdint>
#include <string>

#include "source/engine/sql_tree.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {

/// The most bytes of a text that a query sees. A longer text is cut to as many letters as a quarter of this number.
inline constexpr std::uint64_t longest_text = std::uint64_t{1} << 16;
/// The most bytes of a number, a date or a truth value as text.
inline constexpr std::uint64_t longest_number = 128;
/// In steps of about a nanosecond each.
inline constexpr std::uint64_t most_work_of_a_row = std::uint64_t{1} << 26;

/// SQL of a cell as queries see it: the beginning of a text that is too long, and NULL in place of any other value that is too long
/// as text.
std::string bounded_cell(const std::string& cell, const std::string& bare_type);

/// Throws `usage` unless a row of the query takes at most `most_work_of_a_row` steps, and no value in it has more bytes than that.
/// `tree` must have passed require_row_wise().
void require_bounded_work(const SqlTree& tree, const RowWiseNames& names);

}  // namespace fractile::source_detail

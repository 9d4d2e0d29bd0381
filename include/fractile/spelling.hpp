// How alike two words are, for hints: "did you mean 'income'?"
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstddef>
#include <string_view>

namespace fractile {

/// Levenshtein distance: how many bytes must be inserted, removed or replaced to make one of the other. Time O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace fractile

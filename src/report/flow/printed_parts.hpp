// Parts of what is printed about pipelines, for the program and the Python package.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "fractile/pipelines.hpp"
#include "fractile/reports.hpp"

namespace fractile {

/// The verdict: "stable", "unstable" or "undecided" for a range; "worth-as-much", "worth-less" or "undecided" for a pair.
std::string verdict_of(const AnyPriorReport& report);

/// The names of the two files of a comparison, as it gives them: "a.toml at ln 3".
struct ComparedFiles {
  std::string from;
  std::string to;
};

/// The files that a certificate compares; nothing when it is about one pipeline. Throws `data` when the
/// text is no such document.
std::optional<ComparedFiles> compared_in(const std::string& json);

/// The ends of a range as printed decimals, rounded inwards where the answer is known.
std::array<std::string, 2> printed_epsilons(const flow::ServedRange& range);

/// The two parts of a sweep's CSV and table: the curve, which is known first, and the windows in which it rises.
std::string curve_to_csv(const SweepReport& report);
std::string windows_to_csv(const SweepReport& report);
std::string curve_to_table(const SweepReport& report);
std::string windows_to_table(const SweepReport& report);

}  // namespace fractile

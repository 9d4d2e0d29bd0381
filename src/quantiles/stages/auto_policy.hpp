// The numbers by which `auto` and plans choose what runs. No promise depends on them. Audits use small numbers, with which every
// table can be tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fractile {

/// One line of the table below. docs/accuracy.md has the measurements.
template <class T>
struct PolicyNumber {
  T value;
  const char* unit;
  const char* reason;
  const char* measured_by;  ///< the command that chose it

  constexpr operator T() const { return value; }  // NOLINT(google-explicit-constructor)
};

struct AutoPolicy {
  static constexpr const char* accuracy = "fractile reproduce approximate-quantiles";
  static constexpr const char* robustness = "fractile reproduce auto-robustness";
  static constexpr const char* coverage = "fractile reproduce intervals";
  static constexpr const char* records = "records times epsilon";

  // clang-format off
  // The mechanism.
  PolicyNumber<std::size_t> most_at_once{24, "quantiles", "up to here one level errs less than two, and takes milliseconds", accuracy};
  PolicyNumber<std::size_t> one_level{3, "quantiles", "trees of up to this many have one level", accuracy};
  PolicyNumber<std::size_t> two_levels{400, "quantiles", "trees of up to this many have two levels, of more three", accuracy};
  PolicyNumber<std::size_t> many_quantiles{25, "quantiles", "from here on counted on a tree, among few candidates", accuracy};
  PolicyNumber<std::size_t> many_of_heaps{12, "quantiles", "the same where records heap: selections land beside ties", accuracy};
  PolicyNumber<std::uint64_t> few_candidates{400, "candidates", "up to here a tree's counts err less than selections of many", accuracy};
  PolicyNumber<std::uint64_t> short_grid{128, "candidates", "most records are tied on a declared grid of up to this many", robustness};
  PolicyNumber<std::size_t> many_on_short_grid{9, "quantiles", "from here on counted on a tree, on a short grid", robustness};
  PolicyNumber<std::uint64_t> shortest_grid{16, "candidates", "the same of still fewer", robustness};
  PolicyNumber<std::size_t> many_on_shortest_grid{2, "quantiles", "the same on a grid that is shorter still", robustness};
  // What is looked for first.
  PolicyNumber<std::uint64_t> fine_lattice{100'000, "candidates", "a granularity that is not declared costs more than finding it", accuracy};
  PolicyNumber<std::uint64_t> heaped_lattice{100, "candidates", "heaps are worth finding", accuracy};
  PolicyNumber<double> fewest_to_find{300, records, "fewer tell nothing of their granularity", robustness};
  // How many quantiles are selected; the others are interpolated.
  PolicyNumber<std::size_t> always_selected{4, "quantiles", "up to this many are all selected, however few records there are", robustness};
  PolicyNumber<double> enough_between{16, records, "between two quantiles: then up to most_at_once are all selected", robustness};
  PolicyNumber<double> between_anchors{24, records, "between two that are selected, up to most_anchors", accuracy};
  PolicyNumber<double> most_anchors{17, "quantiles", "more are worth it only where records are many", accuracy};
  PolicyNumber<double> even_in_a_tie{3, "nats a quantile", "what several quantiles in one tie lose by their even spacing", robustness};
  PolicyNumber<double> fewest_in_a_tie{5, "quantiles", "where fewer could find a tie of nearly all records, the tie is ignored", robustness};
  PolicyNumber<double> between_more{55, records, "between two of more anchors", accuracy};
  PolicyNumber<double> least_beyond{20, records, "beyond the outermost anchors, or they are drawn to where the range is empty", robustness};
  PolicyNumber<double> most_beyond{35, records, "the same among many, where interpolating loses less", robustness};
  PolicyNumber<double> part_beyond{30, "times fewer than all records", "beyond the outermost anchors, between these two", robustness};
  // What few records change.
  PolicyNumber<double> few_for_a_quantile{12, records, "with fewer, the first of two levels gets more", robustness};
  PolicyNumber<std::int64_t> first_level{120, "% of a level's equal share", "a second level errs little more than its node's ends do", robustness};
  PolicyNumber<double> fewest_for_a_quantile{30, records, "with fewer, values of any order of magnitude are expected on both sides of zero", robustness};
  PolicyNumber<double> fewest_in_all{200, records, "the same, of all quantiles together", robustness};
  // The noisy count of the records.
  PolicyNumber<double> few_to_count{500, records, "with fewer, their number is hard to count, and gets two shares", robustness};
  PolicyNumber<double> fewest_considered{32, records, "the least number for which a choice is made", robustness};
  PolicyNumber<double> most_for_a_quantile{64, records, "from here on all are selected, and nothing changes any more", robustness};
  PolicyNumber<double> most_considered{512, records, "choices are made up to here, however few the quantiles are", robustness};
  // Queries with intervals.
  PolicyNumber<double> fewest_counted{4, "times a count's error at the whole budget", "the least number of records that cuts are made for", coverage};
  PolicyNumber<std::uint64_t> rows_untold{10'000, "records", "what a plan is shown for, before they are counted", coverage};
  // clang-format on

  // For audits.
  std::optional<std::uint64_t> subcells = {};  ///< parts of a cell; empty: by the lattice's size
  /// With intervals, the numbers of rows that counts of 0, 1, ... stand for; empty: small steps.
  std::vector<std::uint64_t> rows = {};

  /// The policy of all releases.
  static const AutoPolicy& standard();
};

}  // namespace fractile

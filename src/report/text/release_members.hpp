// Members of the JSON objects that tell of a release, made or planned.
#pragma once

#include "fractile/planning.hpp"
#include "fractile/quantiles.hpp"
#include "report/text/json_writer.hpp"

namespace fractile::report_detail {

/// `epsilon`, or `rho`, and `delta`.
void write_cost(Writer& json, const Budget& budget);
/// `cost` is that of the whole.
void write_privacy(Writer& json, const QuantileQuery& query, const Budget& cost);
/// "spent": what was spent on what.
void write_spent(Writer& json, const QuantileRelease& release);
/// What finding the lattice's bounds cost, and from how many records on they hold all quantiles, where that is known.
void write_bounds(Writer& json, const PrivateBounds& bounds, const std::optional<std::uint64_t>& enough_records);
void write_lattice(Writer& json, const Lattice& lattice);
void write_options(Writer& json, const QuantileQuery& query, const Lattice& lattice, const MechanismUsed& used);
/// The bounds of all quantiles together; each quantile's own is written beside it.
/// Nothing when the values are more than noise.
void write_noise(Writer& json, const std::optional<MostlyNoise>& noise);
void write_worst_case(Writer& json, const WorstCase& worst);
/// lower, upper, and or_below and or_above where they are so.
void write_interval(Writer& json, const Lattice& lattice, const Interval& interval);
void write_intervals(Writer& json, const IntervalRequest& request);

}  // namespace fractile::report_detail

// Members of the JSON objects that describe a release, made or planned.
#pragma once

#include "fractile/planning.hpp"
#include "fractile/release.hpp"
#include "report/text/json_writer.hpp"

namespace fractile::report_detail {

/// The version of these members in receipts and in plans.
inline constexpr std::uint64_t release_schema = 2;

/// Writes `epsilon` or `rho`, and `delta`.
void write_cost(Writer& json, const Budget& budget);
void write_privacy(Writer& json, const QuantileQuery& query);
void write_value(Writer& json, const char* name, const Lattice& lattice, std::uint64_t index);
void write_lattice(Writer& json, const Lattice& lattice);
void write_options(Writer& json, const QuantileQuery& query, const Lattice& lattice, const MechanismUsed& used);
/// Writes nothing if the values are not mostly noise.
void write_noise(Writer& json, const std::optional<MostlyNoise>& noise);
/// The bounds of all quantiles together. Each quantile has its own bound next to its value.
void write_worst_case(Writer& json, const ErrorTerms& worst);

}  // namespace fractile::report_detail

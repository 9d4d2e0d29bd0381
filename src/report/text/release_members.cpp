#include "report/text/release_members.hpp"

#include <fmt/core.h>

#include "ranks/span.hpp"

namespace fractile::report_detail {

void write_cost(Writer& json, const Budget& budget) {
  if (budget.measure() == Measure::zcdp) {
    member(json, "rho", budget.rho().to_string());
  } else {
    member(json, "epsilon", budget.epsilon().to_string());
  }
  if (budget.measure() == Measure::approximate) member(json, "delta", budget.delta().to_string());
}

void write_privacy(Writer& json, const QuantileQuery& query, const Budget& cost) {
  json.Key("privacy");
  json.StartObject();
  member(json, "measure", to_string(cost.measure()));
  write_cost(json, cost);
  member(json, "neighbors", to_string(query.neighbors));
  member(json, "records_per_person", std::uint64_t{query.records_per_person});
  json.EndObject();
}

void write_bounds(Writer& json, const PrivateBounds& bounds, const std::optional<std::uint64_t>& enough_records) {
  json.Key("bounds");
  json.StartObject();
  member(json, "share", bounds.share.to_string());
  write_cost(json, bounds.cost);
  if (enough_records) member(json, "enough_records", *enough_records);
  json.EndObject();
}

void write_spent(Writer& json, const QuantileRelease& release) {
  if (release.spent.empty()) return;
  const char* amount = release.query.budget.measure() == Measure::zcdp ? "rho" : "epsilon";
  json.Key("spent");
  json.StartArray();
  for (const PartCost& part : release.spent) {
    json.StartObject();
    member(json, "on", part.on);
    member(json, amount, part.amount.to_string());
    if (part.delta.sign() > 0) member(json, "delta", part.delta.to_string());
    json.EndObject();
  }
  json.EndArray();
}

namespace {

void write_value(Writer& json, const char* name, const Lattice& lattice, std::uint64_t index) {
  json.Key(name);
  value(json, lattice.kind(), lattice.at(index));
}

void write_distance(Writer& json, const char* name, const Lattice& lattice, const Rational& size) {
  json.Key(name);
  distance(json, lattice.kind(), size);
}

}  // namespace

void write_lattice(Writer& json, const Lattice& lattice) {
  json.Key("lattice");
  json.StartObject();
  if (lattice.kind() != ValueKind::number) member(json, "kind", to_string(lattice.kind()));
  if (lattice.is_regular()) {
    write_value(json, "lower", lattice, 0);
    write_value(json, "upper", lattice, lattice.size() - 1);
    write_distance(json, "step", lattice, lattice.step());
  } else {
    json.Key("candidates");
    json.StartArray();
    for (std::uint64_t i = 0; i < lattice.size(); ++i) value(json, lattice.kind(), lattice.at(i));
    json.EndArray();
  }
  json.EndObject();
}

namespace {

bool is_recursion(Mechanism mechanism) {
  return mechanism != Mechanism::exponential && mechanism != Mechanism::independent && mechanism != Mechanism::tree;
}

}  // namespace

void write_options(Writer& json, const QuantileQuery& query, const Lattice& lattice, const MechanismUsed& used) {
  json.Key("options");
  json.StartObject();
  if (is_recursion(used.mechanism)) {
    json.Key("levels");
    json.StartArray();
    for (const std::size_t width : used.widths) json.Uint64(width);
    json.EndArray();
    member(json, "subcells", subcells_for(lattice.size()));
  }
  if (used.selected < query.quantiles.size()) {
    member(json, "selected", std::uint64_t{used.selected});
  }
  if (used.rows) member(json, "counted_rows", *used.rows);
  if (used.granularity) write_distance(json, "granularity", lattice, *used.granularity);
  if (used.heaping) write_distance(json, "heaping", lattice, *used.heaping);
  member(json, "rates", to_string(query.rates));
  if (query.mechanism == Mechanism::automatic) {
    member(json, "chosen_by", std::string("auto"));
    member(json, "reason", used.reason);
    if (query.expected_rows) member(json, "expected_rows", *query.expected_rows);
  }
  json.EndObject();
}

void write_worst_case(Writer& json, const WorstCase& worst) {
  json.Key("worst_case");
  json.StartObject();
  member(json, "confidence", worst.confidence.to_string());
  member(json, "rows", worst.rows);
  if (worst.together) member(json, "together", *worst.together);
  if (worst.rounded) member(json, "rounded", *worst.rounded);
  if (!worst.without.empty()) member(json, "without", worst.without);
  json.EndObject();
}

void write_noise(Writer& json, const std::optional<MostlyNoise>& noise) {
  if (!noise) return;
  json.Key("mostly_noise");
  json.StartObject();
  member(json, "rows", noise->rows);
  number(json, "share", fmt::format("{:.2f}", noise->share));
  if (noise->enough) write_cost(json, *noise->enough);
  json.EndObject();
}

void write_interval(Writer& json, const Lattice& lattice, const Interval& interval) {
  write_value(json, "lower", lattice, interval.lower);
  write_value(json, "upper", lattice, interval.upper);
  const auto open = [&](const char* name) {
    json.Key(name);
    json.Bool(true);
  };
  if (interval.or_below) open("or_below");
  if (interval.or_above) open("or_above");
}

void write_intervals(Writer& json, const IntervalRequest& request) {
  json.Key("intervals");
  json.StartObject();
  member(json, "level", request.level.to_string());
  member(json, "of", to_string(request.of));
  json.Key("together");
  json.Bool(request.together);
  json.EndObject();
}

}  // namespace fractile::report_detail

#include "report/text/release_members.hpp"

#include "libraries/fmt.hpp"
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

void write_privacy(Writer& json, const QuantileQuery& query) {
  object(json, "privacy", [&] {
    member(json, "measure", to_string(query.budget.measure()));
    write_cost(json, query.budget);
    member(json, "neighbors", to_string(query.neighbors));
    member(json, "records_per_person", std::uint64_t{query.records_per_person});
  });
}

void write_value(Writer& json, const char* name, const Lattice& lattice, std::uint64_t index) {
  json.Key(name);
  value(json, lattice.kind(), lattice.at(index));
}

namespace {

void write_distance(Writer& json, const char* name, const Lattice& lattice, const Rational& size) {
  json.Key(name);
  distance(json, lattice.kind(), size);
}

}  // namespace

void write_lattice(Writer& json, const Lattice& lattice) {
  object(json, "lattice", [&] {
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
  });
}

namespace {

bool is_recursion(Mechanism mechanism) {
  return mechanism != Mechanism::exponential && mechanism != Mechanism::independent && mechanism != Mechanism::tree;
}

}  // namespace

void write_options(Writer& json, const QuantileQuery& query, const Lattice& lattice, const MechanismUsed& used) {
  object(json, "options", [&] {
    if (is_recursion(used.mechanism)) {
      list(json, "levels", used.widths, [&](std::size_t width) { json.Uint64(width); });
      member(json, "subcells", subcells_for(lattice.size()));
    }
    if (used.selected < query.quantiles.size()) {
      member(json, "selected", std::uint64_t{used.selected});
    }
    if (used.rows) member(json, "branch_rows", *used.rows);
    if (used.granularity) write_distance(json, "granularity", lattice, *used.granularity);
    if (used.heaping) write_distance(json, "heaping", lattice, *used.heaping);
    member(json, "rates", to_string(query.rates));
    if (query.mechanism == Mechanism::automatic) {
      member(json, "chosen_by", "auto");
      member(json, "reason", used.reason);
      if (query.expected_rows) member(json, "expected_rows", *query.expected_rows);
    }
  });
}

void write_worst_case(Writer& json, const ErrorTerms& worst) {
  object(json, "worst_case", [&] {
    member(json, "confidence", worst.confidence.to_string());
    member(json, "rows", worst.rows);
    if (worst.simultaneous_rank) member(json, "simultaneous", *worst.simultaneous_rank);
    if (worst.rounding) member(json, "rounding", *worst.rounding);
    if (!worst.unbounded_reason.empty()) member(json, "reason", worst.unbounded_reason);
  });
}

void write_noise(Writer& json, const std::optional<MostlyNoise>& noise) {
  if (!noise) return;
  object(json, "mostly_noise", [&] {
    member(json, "rows", noise->rows);
    number(json, "share", fmt::format("{:.2f}", noise->share));
    if (noise->sufficient_budget) write_cost(json, *noise->sufficient_budget);
  });
}

}  // namespace fractile::report_detail

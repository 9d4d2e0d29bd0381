#include <fmt/core.h>

#include "fractile/report.hpp"
#include "ranks/span.hpp"
#include "report/json_writer.hpp"

namespace fractile {
namespace {

using report_detail::decimal;
using report_detail::Document;
using report_detail::member;
using report_detail::number;
using report_detail::Writer;

void write_quantiles(Writer& json, const QuantileRelease& release) {
  json.Key("quantiles");
  json.StartArray();
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    json.StartObject();
    member(json, "quantile", release.query.quantiles[i].to_string());
    member(json, "value", release.value(i));
    json.EndObject();
  }
  json.EndArray();
}

void write_privacy(Writer& json, const QuantileQuery& query) {
  json.Key("privacy");
  json.StartObject();
  member(json, "measure", to_string(query.budget.measure()));
  if (query.budget.measure() == Measure::zcdp) {
    member(json, "rho", query.budget.rho().to_string());
  } else {
    member(json, "epsilon", query.budget.epsilon().to_string());
  }
  if (query.budget.measure() == Measure::approximate) member(json, "delta", query.budget.delta().to_string());
  member(json, "neighbors", to_string(query.neighbors));
  member(json, "records_per_person", std::uint64_t{query.records_per_person});
  json.EndObject();
}

void write_lattice(Writer& json, const Lattice& lattice) {
  json.Key("lattice");
  json.StartObject();
  if (lattice.is_regular()) {
    member(json, "lower", lattice.lower());
    member(json, "upper", lattice.upper());
    member(json, "step", lattice.step());
  } else {
    json.Key("candidates");
    json.StartArray();
    for (std::uint64_t i = 0; i < lattice.size(); ++i) decimal(json, lattice.at(i));
    json.EndArray();
  }
  json.EndObject();
}

bool is_recursion(Mechanism mechanism) {
  return mechanism != Mechanism::exponential && mechanism != Mechanism::independent && mechanism != Mechanism::tree;
}

void write_options(Writer& json, const QuantileRelease& release) {
  json.Key("options");
  json.StartObject();
  if (is_recursion(release.used.mechanism)) {
    json.Key("levels");
    json.StartArray();
    for (const std::size_t width : release.used.widths) json.Uint64(width);
    json.EndArray();
    member(json, "subcells", subcells_for(release.lattice.size()));
  }
  if (release.used.selected < release.query.quantiles.size()) {
    member(json, "selected", std::uint64_t{release.used.selected});
  }
  if (release.used.granularity) member(json, "granularity", *release.used.granularity);
  member(json, "rates", to_string(release.query.rates));
  if (release.query.mechanism == Mechanism::automatic) {
    member(json, "chosen_by", std::string("auto"));
    member(json, "reason", release.used.reason);
    if (release.query.expected_rows) member(json, "expected_rows", *release.query.expected_rows);
  }
  json.EndObject();
}

void write_source(Writer& json, const SourceDescription& source) {
  json.Key("source");
  json.StartObject();
  if (!source.file.empty()) member(json, "file", source.file);
  if (!source.sql.empty()) member(json, "sql", source.sql);
  member(json, "column", source.column);
  if (!source.person.empty()) member(json, "person", source.person);
  member(json, "null", source.null_policy);
  member(json, "engine", source.engine);
  json.EndObject();
}

void write_run(Writer& json, const QuantileRelease& release) {
  member(json, "mechanism", to_string(release.used.mechanism));
  write_options(json, release);
}

void write_groups(Writer& json, const GroupedRelease& groups, bool with_runs) {
  json.Key("groups");
  json.StartArray();
  for (std::size_t i = 0; i < groups.releases.size(); ++i) {
    json.StartObject();
    member(json, "key", groups.keys[i]);
    if (with_runs) write_run(json, groups.releases[i]);
    write_quantiles(json, groups.releases[i]);
    json.EndObject();
  }
  json.EndArray();
}

/// `write_published` writes what ran and what came out.
template <class WritePublished>
std::string receipt_of(const QuantileRelease& release, const SourceDescription& source,
                       WritePublished write_published) {
  Document document;
  Writer& json = document.json();
  write_published(json);
  write_privacy(json, release.query);
  write_lattice(json, release.lattice);
  write_source(json, source);
  if (release.public_records) member(json, "public_records", *release.public_records);
  if (release.unsafe_seed) {
    member(json, "unsafe_seed", *release.unsafe_seed);
    member(json, "warning", std::string("NOT PRIVATE: the random bits came from a seed"));
  }
  return document.text();
}

}  // namespace

std::string to_json(const QuantileRelease& release, const SourceDescription& source) {
  return receipt_of(release, source, [&](Writer& json) {
    write_run(json, release);
    write_quantiles(json, release);
  });
}

std::string to_json(const GroupedRelease& groups, const SourceDescription& source) {
  const bool alike = groups.ran_alike();
  return receipt_of(groups.releases.at(0), source, [&](Writer& json) {
    if (alike) write_run(json, groups.releases.front());
    member(json, "by", source.by);
    write_groups(json, groups, !alike);
  });
}

std::string to_json(const AuditRequest& request, const AuditReport& report) {
  Document document;
  Writer& json = document.json();
  member(json, "mechanism", request.mechanism);
  member(json, "measure", to_string(request.budget.measure()));
  member(json, "neighbors", to_string(request.neighbors));
  json.Key("holds");
  json.Bool(report.holds);
  number(json, "claimed", report.claimed);
  number(json, "attained", report.attained);
  json.Key("neighbours");
  json.StartArray();
  json.String(report.first.c_str());
  json.String(report.second.c_str());
  json.EndArray();
  member(json, "pairs", report.pairs);
  return document.text();
}

std::string to_csv(const QuantileRelease& release) {
  std::string text = release.unsafe_seed ? "quantile,value,unsafe_seed\n" : "quantile,value\n";
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    text += fmt::format("{},{}", release.query.quantiles[i].to_string(), release.value(i).to_decimal());
    if (release.unsafe_seed) text += fmt::format(",{}", *release.unsafe_seed);
    text += '\n';
  }
  return text;
}

}  // namespace fractile

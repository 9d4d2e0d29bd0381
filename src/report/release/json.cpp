#include <fmt/core.h>

#include "fractile/audit_report.hpp"
#include "fractile/ledger.hpp"
#include "fractile/release_report.hpp"
#include "fractile/text.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/receipt_digest.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/release_members.hpp"

namespace fractile {
namespace {

using report_detail::Document;
using report_detail::member;
using report_detail::number;
using report_detail::write_bounds;
using report_detail::write_interval;
using report_detail::write_intervals;
using report_detail::write_lattice;
using report_detail::write_noise;
using report_detail::write_options;
using report_detail::write_privacy;
using report_detail::write_spent;
using report_detail::write_worst_case;
using report_detail::Writer;

const Rational receipt_confidence(19, 20);

void write_quantiles(Writer& json, const QuantileRelease& release, const WorstCase& worst) {
  json.Key("quantiles");
  json.StartArray();
  for (std::size_t i = 0; i < release.indices.size(); ++i) {
    json.StartObject();
    member(json, "quantile", release.query.quantiles[i].to_string());
    json.Key("value");
    report_detail::value(json, release.lattice.kind(), release.value(i));
    number(json, "rank_error", worst.ranks[i] ? fmt::format("{}", *worst.ranks[i]) : "null");
    if (!release.intervals.empty()) {
      write_interval(json, release.lattice, release.intervals[i]);
      json.Key("in_pairs");
      json.StartObject();
      write_interval(json, release.lattice, release.intervals_in_pairs[i]);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
}

void write_tables(Writer& json, const std::vector<NamedTable>& tables) {
  json.Key("tables");
  json.StartArray();
  for (const NamedTable& table : tables) {
    json.StartObject();
    member(json, "name", table.name);
    member(json, "file", table.file);
    json.EndObject();
  }
  json.EndArray();
}

void write_declared(Writer& json, const std::vector<std::string>& declared) {
  json.Key("declared");
  json.StartArray();
  for (const std::string& each : declared) report_detail::text(json, each);
  json.EndArray();
}

/// What a cell of the column holds in every record.
std::string domain_of(ValueKind kind, const SourceDescription& source) {
  const bool fails_on_nothing = source.unreadable == "missing" && source.sql_stability.empty();
  if (fails_on_nothing && source.null_policy == "drop") return "anything";
  return to_string(kind) + (source.null_policy == "drop" ? " or missing" : "");
}

void write_source(Writer& json, const SourceDescription& source, ValueKind kind) {
  json.Key("source");
  json.StartObject();
  if (!source.file.empty()) member(json, "file", name_text(source.file));
  if (!source.sql.empty()) member(json, "sql", source.sql);
  if (!source.tables.empty()) write_tables(json, source.tables);
  if (!source.sql_stability.empty()) number(json, "sql_stability", source.sql_stability);
  if (!source.declared.empty()) write_declared(json, source.declared);
  member(json, "column", source.column);
  if (!source.person.empty()) member(json, "person", source.person);
  member(json, "null", source.null_policy);
  if (!source.missing.empty()) {
    json.Key("missing");
    json.StartArray();
    for (const std::string& each : source.missing) report_detail::text(json, each);
    json.EndArray();
  }
  if (!source.unreadable.empty()) member(json, "unreadable", source.unreadable);
  member(json, "domain", domain_of(kind, source));
  member(json, "engine", source.engine);
  json.EndObject();
}

/// Of a ledger: the number of the entry and what shows that it is that one.
void write_paid(Writer& json, const LedgerReservation& paid) {
  json.Key("ledger");
  json.StartObject();
  member(json, "entry", static_cast<std::uint64_t>(paid.id));
  member(json, "token", paid.token);
  json.EndObject();
}

/// Which records count, and at which values.
void write_counted(Writer& json, const SourceDescription& source, const Lattice& lattice) {
  json.Key("counted");
  json.StartObject();
  member(json, "records", std::string(source.person.empty() ? "all" : "sampled by person"));
  member(json, "values", to_string(report_detail::counts_at(lattice)));
  json.EndObject();
}

void write_run(Writer& json, const QuantileRelease& release) {
  member(json, "mechanism", to_string(release.used.mechanism));
  write_options(json, release.query, release.lattice, release.used);
  write_spent(json, release);
}

void write_groups(Writer& json, const GroupedRelease& groups, const std::vector<WorstCase>& worst,
                  const std::vector<std::optional<MostlyNoise>>& noises, bool with_runs) {
  json.Key("groups");
  json.StartArray();
  for (std::size_t i = 0; i < groups.releases.size(); ++i) {
    json.StartObject();
    member(json, "key", groups.keys[i]);
    if (with_runs) write_run(json, groups.releases[i]);
    write_quantiles(json, groups.releases[i], worst[i]);
    if (with_runs) write_noise(json, noises[i]);
    json.EndObject();
  }
  json.EndArray();
}

/// What is the same of one release and of groups. `write_published` writes what ran and what came out.
template <class WritePublished>
std::string receipt_of(const QuantileRelease& release, const SourceDescription& source, const LedgerReservation* paid,
                       WritePublished write_published) {
  Document document;
  Writer& json = document.json();
  write_published(json);
  write_privacy(json, release.query, release.cost());
  if (release.query.intervals) write_intervals(json, *release.query.intervals);
  if (release.bounds) {
    write_bounds(json, *release.bounds,
                 source.by.empty() ? records_that_bounds_hold(release, receipt_confidence) : std::nullopt);
  }
  write_lattice(json, release.lattice);
  write_counted(json, source, release.lattice);
  write_source(json, source, release.lattice.kind());
  if (paid != nullptr) write_paid(json, *paid);
  if (release.public_records) member(json, "public_records", *release.public_records);
  if (release.unsafe_seed) {
    member(json, "unsafe_seed", *release.unsafe_seed);
    member(json, "warning", std::string("NOT PRIVATE: the random bits came from a seed"));
  }
  return report_detail::with_digest(document);
}

/// Each group has bounds of its own; no promise is made for all of them together.
WorstCase common_terms(const std::vector<WorstCase>& worst) {
  WorstCase common = worst.front();
  common.together.reset();
  for (const WorstCase& each : worst) {
    if (!each.without.empty()) common.without = each.without;
    common.rounded = std::max(common.rounded, each.rounded);
  }
  return common;
}

}  // namespace

std::string to_json(const QuantileRelease& release, const SourceDescription& source, const LedgerReservation* paid) {
  const WorstCase worst = worst_case(release, receipt_confidence);
  return receipt_of(release, source, paid, [&](Writer& json) {
    write_run(json, release);
    write_quantiles(json, release, worst);
    write_worst_case(json, worst);
    write_noise(json, mostly_noise(release));
  });
}

std::string to_json(const GroupedRelease& groups, const SourceDescription& source, const LedgerReservation* paid) {
  const std::vector<WorstCase> worst = worst_cases(groups, receipt_confidence);
  const std::vector<std::optional<MostlyNoise>> noises = mostly_noise(groups);
  const bool alike = groups.ran_alike();
  return receipt_of(groups.releases.at(0), source, paid, [&](Writer& json) {
    if (alike) write_run(json, groups.releases.front());
    member(json, "by", source.by);
    write_groups(json, groups, worst, noises, !alike);
    write_worst_case(json, common_terms(worst));
    if (alike) write_noise(json, noises.front());
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

}  // namespace fractile

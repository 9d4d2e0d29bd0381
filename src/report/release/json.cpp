#include <algorithm>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "fractile/version.hpp"
#include "libraries/fmt.hpp"
#include "report/release/counted_words.hpp"
#include "report/text/json_writer.hpp"
#include "report/text/receipt_digest.hpp"
#include "report/text/release_members.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// Writes lower and upper, and each of or_below and or_above that is true.
void write_interval(Writer& json, const Lattice& lattice, const Interval& interval) {
  write_value(json, "lower", lattice, interval.lower);
  write_value(json, "upper", lattice, interval.upper);
  if (interval.or_below) truth(json, "or_below", true);
  if (interval.or_above) truth(json, "or_above", true);
}

void write_quantiles(Writer& json, const Release& release, const Release::Group& group) {
  objects(json, "quantiles", group.indices.size(), [&](std::size_t i) {
    member(json, "quantile", release.query.quantiles[i].to_string());
    if (!release.query.names.empty()) member(json, "name", release.query.name(i));
    write_value(json, "value", release.lattice, group.indices[i]);
    number(json, "rank_error", group.rank_errors[i] ? fmt::format("{}", *group.rank_errors[i]) : "null");
    if (!group.intervals.empty()) {
      write_interval(json, release.lattice, group.intervals[i]);
      object(json, "in_pairs", [&] { write_interval(json, release.lattice, group.intervals_in_pairs[i]); });
    }
  });
}

void write_ratio(Writer& json, const char* name, ValueKind kind, const std::optional<Rational>& ratio) {
  json.Key(name);
  ratio ? report_detail::value(json, kind, *ratio) : static_cast<void>(json.Null());
}

void write_records(Writer& json, const char* name, const Statistics::Records& records) {
  number(json, name, fmt::format("{}", records.value));
  member(json, "lower", records.interval.lower);
  member(json, "upper", records.interval.upper);
}

/// A group's counts, shares and mean, with their intervals.
void write_statistics(Writer& json, const Release& release, const Release::Group& group) {
  if (!group.statistics) return;
  const Statistics& statistics = *group.statistics;
  const ValueKind kind = release.lattice.kind();
  const std::vector<Rational>& below = release.statistics->request.below;
  object(json, "count", [&] { write_records(json, "value", statistics.count); });
  if (!below.empty()) {
    objects(json, "below", below.size(), [&](std::size_t i) {
      const Statistics::Ratio& share = statistics.shares[i];
      write_ratio(json, "value", kind, below[i]);
      write_records(json, "count", statistics.below[i]);
      write_ratio(json, "share", ValueKind::number, share.value);
      write_ratio(json, "share_lower", ValueKind::number, share.lower);
      write_ratio(json, "share_upper", ValueKind::number, share.upper);
    });
  }
  if (!statistics.mean) return;
  object(json, "mean", [&] {
    write_ratio(json, "value", kind, statistics.mean->value);
    write_ratio(json, "lower", kind, statistics.mean->lower);
    write_ratio(json, "upper", kind, statistics.mean->upper);
  });
  number(json, "centered_sum", fmt::format("{}", *statistics.centered_sum));
}

/// What was spent on which part. Receipts of older programs do not say it.
void write_spent(Writer& json, const Release& release, const Release::Group& group) {
  if (group.spent.empty()) return;
  const char* const amount = release.cost().measure() == Measure::zcdp ? "rho" : "epsilon";
  objects(json, "spent", group.spent, [&](const PartCost& part) {
    member(json, "part", part.part);
    member(json, amount, part.amount.to_string());
    if (part.delta.sign() > 0) member(json, "delta", part.delta.to_string());
  });
}

/// Which mechanism ran. Without quantiles, none did.
void write_run(Writer& json, const Release& release, const Release::Group& group) {
  if (!release.query.quantiles.empty()) {
    member(json, "mechanism", to_string(group.used.mechanism));
    write_options(json, release.query, release.lattice, group.used);
  }
  write_spent(json, release, group);
}

/// One key column is a text. For several, `by` lists them, and a group names its keys by column.
void write_columns(Writer& json, const KeyColumns& by) {
  if (by.size() > 1) return list(json, "by", by.names());
  member(json, "by", by.empty() ? "" : by[0]);
}

/// A member with the name of a column.
void write_in_column(Writer& json, const std::string& column, const std::string& value) {
  const std::string name = name_text(column);
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  report_detail::text(json, value);
}

void write_key(Writer& json, const KeyColumns& by, const GroupKey& key) {
  if (key.size() == 1) return member(json, "key", key[0]);
  if (key.size() != by.size()) throw Error(ErrorCode::internal, "a receipt needs the names of its key columns");
  object(json, "keys", [&] {
    for (std::size_t column = 0; column < key.size(); ++column) {
      write_in_column(json, by[column], key[column]);
    }
  });
}

/// Each group says which mechanism ran, unless all groups ran the same.
void write_groups(Writer& json, const Release& release) {
  const bool alike = release.ran_alike();
  const Release::Group& first = release.groups.front();
  if (alike) write_run(json, release, first);
  if (release.is_grouped()) {
    write_columns(json, release.source.by);
    objects(json, "groups", release.groups, [&](const Release::Group& group) {
      write_key(json, release.source.by, group.key);
      if (!alike) write_run(json, release, group);
      write_quantiles(json, release, group);
      write_statistics(json, release, group);
      if (!alike) write_noise(json, group.noise);
    });
  } else {
    write_quantiles(json, release, first);
    write_statistics(json, release, first);
  }
  write_worst_case(json, *release.errors);
  if (alike) write_noise(json, first.noise);
}

void write_intervals(Writer& json, const IntervalRequest& request) {
  object(json, "intervals", [&] {
    member(json, "level", request.level.to_string());
    member(json, "subject", to_string(request.subject));
    truth(json, "simultaneous", request.is_simultaneous);
  });
}

void write_noise_of(Writer& json, const char* name, const CountNoise& noise) {
  object(json, name, [&] {
    if (noise.measure == Measure::zcdp) {
      member(json, "sigma_squared", noise.sigma_squared.to_string());
    } else {
      member(json, "rate", noise.rate.to_string());
    }
  });
}

/// The cost of counts and means, the law of their noise, and what their intervals hold.
void write_statistics_terms(Writer& json, const Release& release) {
  if (!release.statistics) return;
  const StatisticsTerms& terms = *release.statistics;
  object(json, "statistics", [&] {
    member(json, "share", terms.request.share.to_string());
    write_cost(json, release.cost().scaled(terms.request.share));
    member(json, "level", terms.level.to_string());
    write_noise_of(json, "noise", terms.count_noise);
    if (terms.sum_noise) write_noise_of(json, "sum_noise", *terms.sum_noise);
  });
}

/// The cost of finding the lattice's bounds, and from how many records on the bounds hold all quantiles, if that is known.
void write_bounds(Writer& json, const PrivateBounds& bounds) {
  object(json, "bounds", [&] {
    member(json, "share", bounds.share.to_string());
    write_cost(json, bounds.cost);
    if (bounds.enough_records) member(json, "enough_records", *bounds.enough_records);
  });
}

/// What a cell of the column holds in every record.
std::string domain_of(ValueKind kind, const SourceDescription& source) {
  const bool drops = source.null_policy == NullPolicy::drop;
  if (drops && report_detail::counts_anything(source)) return "anything";
  if (drops && source.unreadable == Unreadable::missing && !source.sql_stability) return "anything";
  return to_string(kind) + (drops ? " or missing" : "");
}

/// How records are weighted, which files are neighbors then, and how that changes the noise.
void write_weights(Writer& json, const WeightsDescription& weights) {
  const RecordWeights& declared = weights.declared;
  object(json, "weights", [&] {
    member(json, "column", declared.column);
    number(json, "lower", declared.lower.to_decimal());
    number(json, "upper", declared.upper.to_decimal());
    number(json, "step", declared.step.to_decimal());
    if (declared.mean) member(json, "expected_mean", declared.mean->to_string());
    member(json, "units_per_record", std::uint64_t{declared.most_units_of_record()});
    member(json, "records_per_person", std::uint64_t{weights.records_per_person});
    if (declared.stability) member(json, "stability", std::uint64_t{*declared.stability});
    member(json, "neighbors", declared.stability ? "calibrated weights" : "weighted files");
    member(json, "noise_factor", weights.noise_factor().to_string());
    if (const auto relative = weights.relative_noise_factor()) {
      member(json, "relative_noise_factor", relative->to_string());
    }
  });
}

/// The keys under which records without a listed key count, by the names of their columns.
void write_others(Writer& json, const KeyColumns& by, const std::vector<std::string>& others) {
  if (others.empty()) return;
  object(json, "other", [&] {
    for (std::size_t column = 0; column < others.size(); ++column) {
      if (!others[column].empty()) write_in_column(json, by[column], others[column]);
    }
  });
}

void write_source(Writer& json, const SourceDescription& source, ValueKind kind) {
  object(json, "source", [&] {
    if (!source.file.empty()) member(json, "file", name_text(source.file));
    if (!source.files.empty()) {
      list(json, "files", source.files, [&](const std::string& file) { report_detail::text(json, name_text(file)); });
    }
    if (!source.sql.empty()) member(json, "sql", source.sql);
    if (!source.tables.empty()) {
      objects(json, "tables", source.tables, [&](const NamedTable& table) {
        member(json, "name", table.name);
        member(json, "file", table.file);
      });
    }
    if (source.one_row_a_person) member(json, "sql_rows", "one a person");
    if (source.sql_stability) member(json, "sql_stability", std::uint64_t{*source.sql_stability});
    if (source.disjoint_persons) list(json, "declared", {"disjoint_persons"});
    member(json, "column", source.column);
    if (!source.person.empty()) member(json, "person", source.person);
    if (source.whole_records) member(json, "sample", "whole records");
    if (source.per_person) member(json, "per_person", to_string(*source.per_person));
    if (source.weights) write_weights(json, *source.weights);
    member(json, "null_policy", to_string(source.null_policy));
    if (!source.missing.empty()) list(json, "missing", source.missing);
    if (source.unreadable) member(json, "unreadable", to_string(*source.unreadable));
    write_others(json, source.by, source.others);
    if (source.margin_of) {
      object(json, "margin_of", [&] {
        list(json, "by", source.margin_of->by.names());
        member(json, "cells", source.margin_of->cells);
        member(json, "sha256", source.margin_of->cells_sha256);
        write_others(json, source.margin_of->by, source.margin_of->others);
      });
    }
    member(json, "domain", domain_of(kind, source));
    member(json, "engine", source.engine);
  });
}

/// A ledger's entry, and the token that identifies it.
void write_charge(Writer& json, const Charge& charge) {
  object(json, "charge", [&] {
    member(json, "dataset", charge.dataset);
    member(json, "entry", static_cast<std::uint64_t>(charge.entry));
    member(json, "token", charge.token);
  });
}

/// Which records count, and at which values.
void write_counted(Writer& json, const Release& release) {
  object(json, "counted", [&] {
    member(json, "records",
           counts_of(release.source) == Counts::persons_values ? "one value a person"
           : release.source.person.empty()                     ? "all"
                                                               : "sampled by person");
    member(json, "values", to_string(counts_at(release.lattice)));
  });
}

std::string written(const Release& release) {
  Document document(release_schema);
  Writer& json = document.json();
  write_groups(json, release);
  write_privacy(json, release.query);
  if (release.query.intervals) write_intervals(json, *release.query.intervals);
  if (release.bounds) write_bounds(json, *release.bounds);
  write_statistics_terms(json, release);
  write_lattice(json, release.lattice);
  write_counted(json, release);
  write_source(json, release.source, release.lattice.kind());
  if (release.charge) write_charge(json, *release.charge);
  if (release.public_rows) member(json, "public_rows", *release.public_rows);
  if (release.unsafe_seed) {
    member(json, "unsafe_seed", *release.unsafe_seed);
    member(json, "warning", "NOT PRIVATE: the random bits came from a seed");
  }
  return with_digest(document);
}

/// Each group has its own bounds. No bound is promised for all groups together, so with groups `together` is left out.
ErrorTerms common_terms(const Release& release, const std::vector<WorstCase>& groups) {
  ErrorTerms common = groups.front();
  if (release.is_grouped()) common.simultaneous_rank.reset();
  for (const WorstCase& each : groups) {
    if (!each.unbounded_reason.empty()) common.unbounded_reason = each.unbounded_reason;
    common.rounding = std::max(common.rounding, each.rounding);
  }
  return common;
}

/// Adds how far off the values may be.
void add_errors(Release& release) {
  const std::vector<std::optional<MostlyNoise>> noises = mostly_noise(release);
  const std::vector<WorstCase> worst = worst_cases(release, receipt_confidence);
  for (std::size_t i = 0; i < release.groups.size(); ++i) {
    release.groups[i].rank_errors = worst[i].ranks;
    release.groups[i].noise = noises[i];
  }
  if (release.bounds) release.bounds->enough_records = records_that_bounds_hold(release, receipt_confidence);
  release.errors = common_terms(release, worst);
}

}  // namespace

Release with_receipt(Release release) {
  if (!release.receipt.empty()) return release;
  if (!release.errors) add_errors(release);
  release.program = std::string("fractile ") + version;
  release.receipt = written(release);
  return release;
}

std::string to_json(const Release& release) {
  return release.receipt.empty() ? with_receipt(release).receipt : release.receipt;
}

std::string to_json(const AuditRequest& request, const AuditReport& report) {
  Document document;
  Writer& json = document.json();
  member(json, "mechanism", request.mechanism);
  member(json, "measure", to_string(request.budget.measure()));
  member(json, "neighbors", to_string(request.neighbors));
  truth(json, "holds", report.holds);
  number(json, "claimed", report.claimed);
  number(json, "attained", report.attained);
  list(json, "neighbours", {report.first, report.second});
  member(json, "pairs", report.pairs);
  return document.text();
}

}  // namespace fractile

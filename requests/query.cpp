#include "requests/query.hpp"

#include <cstdint>
#include <utility>

#include "fractile/error.hpp"

namespace fractile::requests {

namespace {

bool are_auto(const std::vector<std::string>& bounds) { return bounds[0] == "auto" && bounds[1] == "auto"; }

const Field step_field("step");

const std::string& typed_step(const Typed& typed, const Words& hint) {
  if (!typed.has("step")) usage({step_field, " is missing: the distance between possible values"}, hint);
  return typed.values.at("step").front();
}

Rational step_of(const Typed& typed) {
  const std::string& step = typed_step(typed, {"for whole numbers, write ", step_field.number(1)});
  if (read_span(step)) {
    usage({step_field, ": '", step, "' is a length of time, and the bounds are numbers"},
          {"write ", step_field.number(1), ", or dates as bounds: ", Field("bounds").pair("2020-01-01", "2030-01-01")});
  }
  return in_field("step", [&] { return Rational::parse(step); });
}

/// Whether the text is meant as a date. It is if it begins with a year and - or /, with which no number begins, or with two numbers of one
/// or two digits, each followed by the same . or /. The text 1.000.000 is meant as a number.
bool is_like_date(const std::string& text) {
  const std::size_t first = text.find_first_not_of("0123456789");
  if (first == std::string::npos || first == 0) return false;
  if (first == 4 && (text[4] == '-' || text[4] == '/')) return true;
  const std::size_t second = text.find_first_not_of("0123456789", first + 1);
  const bool is_short = first <= 2 && second != std::string::npos && second - first - 1 <= 2;
  return (text[first] == '/' || text[first] == '.') && is_short && text[second] == text[first];
}

Moment moment_of(const std::string& text) {
  if (const std::optional<Moment> moment = read_moment(text)) return *moment;
  usage("'" + text + "' is not a date or time",
        "write 2024-01-31, 2024-01-31T17:00:00, or with Z for UTC 2024-01-31T17:00:00Z");
}

/// The kind of all moments. Throws `usage` unless they are of one kind.
ValueKind common_kind(const std::vector<Moment>& moments) {
  for (const Moment& moment : moments) {
    if (moment.kind == moments.front().kind) continue;
    usage("these are of two kinds, " + to_string(moments.front().kind) + " and " + to_string(moment.kind),
          "write all as dates, all as times without an offset, or all with Z");
  }
  return moments.front().kind;
}

/// Reads `step`, in ticks of the kind.
Rational time_step_of(const Typed& typed, ValueKind kind) {
  const bool in_days = kind == ValueKind::date;
  const std::string& text = typed_step(typed, {"write for example ", step_field.text(in_days ? "1d" : "1h")});
  const std::optional<std::int64_t> step = read_span(text);
  if (!step) {
    usage({step_field, ": '", text, "' is not a length of time"},
          "write a whole number and w, d, h, min, s, ms or us: 1d, 15min");
  }
  if (*step == 0) usage({step_field, ": the step is not above 0"}, {"write for example ", step_field.text("1d")});
  if (!in_days) return *step;
  if (*step % microseconds_a_day != 0) {
    usage({step_field, ": '", text, "' is not a whole number of days, and the bounds are dates"},
          {"write ", step_field.text("1d"), ", or the bounds as times: 2024-01-31T00:00:00"});
  }
  return *step / microseconds_a_day;
}

Lattice lattice_of_times(const Typed& typed, const std::vector<std::string>& bounds) {
  const std::vector<Moment> ends = in_field("bounds", [&] {
    return std::vector{moment_of(bounds[0]), moment_of(bounds[1])};
  });
  const ValueKind kind = in_field("bounds", [&] { return common_kind(ends); });
  return Lattice::regular(ends[0].ticks, ends[1].ticks, time_step_of(typed, kind), kind);
}

Lattice candidates_of(const Typed& typed) {
  const std::string text = typed.one("candidates");
  const std::vector<std::string> items = words(text);
  if (!is_like_date(items.front())) return Lattice::explicit_points(numbers(text));
  std::vector<Moment> moments;
  std::vector<Rational> points;
  for (const std::string& item : items) {
    moments.push_back(moment_of(item));
    points.emplace_back(moments.back().ticks);
  }
  return Lattice::explicit_points(std::move(points), common_kind(moments));
}

void refuse_candidates_beside_bounds(const Typed& typed) {
  if (typed.has("candidates") && (typed.has("bounds") || typed.has("step"))) {
    usage({Field("candidates"), " takes the place of ", Field("bounds"), " and ", step_field}, "give one or the other");
  }
}

}  // namespace

std::optional<BoundsToFind> bounds_to_find(const Typed& typed, const QuantileQuery& query) {
  refuse_candidates_beside_bounds(typed);
  const Field share_field("bounds_budget");
  const Field auto_bounds = Field("bounds").text("auto");
  if (!typed.has("bounds") || !are_auto(typed.values.at("bounds"))) {
    if (typed.has("bounds_budget")) usage({share_field, " goes with ", auto_bounds}, "leave it out");
    return {};
  }
  const Rational share = in_field("bounds_budget", [&] { return Rational::parse(typed.one("bounds_budget", "0.1")); });
  if (share <= Rational(0) || share >= Rational(1)) {
    usage({share_field, ": a share of the budget lies between 0 and 1"},
          {"write for example ", share_field.number("0.1")});
  }
  if (typed.has("step") && read_span(typed.one("step"))) {
    usage({auto_bounds, " finds bounds of numbers, not of dates or times"},
          {"write bounds that are wide enough for all: ", Field("bounds").pair("1900-01-01", "2100-01-01"),
           "; a wide range costs little accuracy"});
  }
  BoundsSearch search = BoundsSearch::widest(step_of(typed), query);
  in_field("step", [&] { return search.lattice(); });
  return BoundsToFind{std::move(search), share};
}

Lattice lattice_of(const Typed& typed) {
  refuse_candidates_beside_bounds(typed);
  if (typed.has("candidates")) {
    return in_field("candidates", [&] { return candidates_of(typed); });
  }
  const Field bounds_field("bounds");
  if (!typed.has("bounds")) {
    usage({bounds_field, " is missing: the smallest and largest possible value, known without looking at the data"},
          {"for ages, write ", bounds_field.pair("0", "125"), " ", step_field.number(1)});
  }
  const std::vector<std::string>& bounds = typed.values.at("bounds");
  if (are_auto(bounds)) {
    usage({bounds_field.text("auto"), " is for a release, which pays for the bounds that it finds"},
          {"write ", bounds_field.blanks("LO", "HI")});
  }
  if (is_like_date(bounds[0]) || is_like_date(bounds[1])) return lattice_of_times(typed, bounds);
  const Rational lower = in_field("bounds", [&] { return Rational::parse(bounds[0]); });
  const Rational upper = in_field("bounds", [&] { return Rational::parse(bounds[1]); });
  const Rational step = step_of(typed);
  return Lattice::regular(lower, upper, step);
}

Rational value_among(const char* field, const std::string& text, const std::string& before, const Lattice& lattice) {
  if (lattice.kind() == ValueKind::number) return in_field(field, [&] { return Rational::parse(text); });
  const std::optional<Moment> moment = read_moment(text);
  if (!moment || moment->kind != lattice.kind()) {
    usage({Field(field), ": '", text, "' cannot be compared with these values"},
          {"write for example ", Field(field).text(before + lattice.text(lattice.size() / 2))});
  }
  return moment->ticks;
}

std::optional<IntervalRequest> intervals_of(const Typed& typed) {
  if (!typed.has("intervals")) {
    const Field intervals("intervals");
    refuse_given(typed, {"of", "together"}, {" goes with ", intervals},
                 {"write for example ", intervals.number("0.95")});
    return {};
  }
  const Rational level = in_field("intervals", [&] { return Rational::parse(typed.one("intervals")); });
  const auto of = choice<IntervalSubject>(
      typed, "of", {{"table", IntervalSubject::table}, {"population", IntervalSubject::population}},
      IntervalSubject::population);
  return IntervalRequest{level, of, typed.has("together")};
}

std::optional<StatisticsRequest> statistics_of(const Typed& typed, const Lattice& lattice) {
  const Field share_field("count_budget");
  if (!typed.has("count") && !typed.has("below") && !typed.has("mean")) {
    if (typed.has("count_budget")) {
      usage({share_field, " goes with ", Field("count"), ", ", Field("below"), " or ", Field("mean")},
            {"ask for ", Field("count"), ", or leave ", share_field, " out"});
    }
    return {};
  }
  StatisticsRequest request{{}, typed.has("mean"), StatisticsRequest::usual_share(typed.has("mean"))};
  if (typed.has("below")) {
    for (const std::string& text : in_field("below", [&] { return words(typed.one("below")); })) {
      request.below.push_back(value_among("below", text, "", lattice));
    }
  }
  if (typed.has("count_budget")) {
    request.share = in_field("count_budget", [&] { return Rational::parse(typed.one("count_budget")); });
  }
  return request;
}

std::optional<ComparisonRequest> comparison_of(const Typed& typed) {
  if (!typed.has("compare")) return {};
  const std::vector<std::string> names = in_field("compare", [&] { return words(typed.one("compare")); });
  if (names.size() != 2) {
    usage({Field("compare"), " takes two names with a comma between them"},
          {"write two keys of the groups, or two of the quantiles: ", Field("compare").numbers({"0.25", "0.75"})});
  }
  return ComparisonRequest{names[0], names[1]};
}

QuantileQuery query_of(const Typed& typed, const Budget& budget) {
  if (typed.has("quantiles") && typed.has("synthetic_rows")) {
    usage({Field("synthetic_rows"), " takes the place of ", Field("quantiles")}, "give one or the other");
  }
  NamedQuantiles asked;
  if (typed.has("synthetic_rows")) {
    asked.quantiles = synthetic_rows(whole_number(typed, "synthetic_rows", {1, 1'000'000}));
  } else {
    asked = named_quantiles_of(typed, "quartiles");
  }
  QuantileQuery query{std::move(asked.quantiles), budget};
  query.names = std::move(asked.names);
  query.neighbors = neighbors_of(typed);
  query.records_per_person = records_per_person_of(typed);
  const Mechanism fallback =
      query.budget.measure() == Measure::approximate ? Mechanism::independent : Mechanism::automatic;
  query.mechanism = choice(typed, "mechanism", by_name(all_mechanisms), fallback);
  if (typed.has("no_interpolation") && query.mechanism != Mechanism::automatic) {
    usage({Field("no_interpolation"), " is only for the mechanism auto"},
          {"leave it out, or write ", Field("mechanism").text("auto")});
  }
  query.base = base_of(typed);
  query.interpolate = !typed.has("no_interpolation");
  if (typed.has("expected_rows"))
    query.expected_rows = whole_number(typed, "expected_rows", {1, RankProfile::max_records});
  query.intervals = intervals_of(typed);
  query.rates =
      choice<Rates>(typed, "rates", {{"tight", Rates::tight}, {"as-published", Rates::as_published}}, Rates::tight);
  query.validate();
  return query;
}

}  // namespace fractile::requests

#include "requests/audit.hpp"

#include <string>
#include <vector>

#include "exact/lists.hpp"
#include "requests/query.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

std::string known_mechanisms() { return joined(mapped(audited_mechanisms(), &AuditedMechanism::name)); }

/// Sets the options that only the audit of a release has.
void add_release(const Typed& typed, AuditRequest& request) {
  request.groups = typed.has("groups");
  if (typed.has("records_per_person")) {
    request.records_per_person = static_cast<std::uint32_t>(whole_number(typed, "records_per_person", {1, 6}));
  }
  request.base = base_of(typed);
  if (typed.has("expected_rows"))
    request.expected_rows = whole_number(typed, "expected_rows", {1, RankProfile::max_records});
  request.intervals = intervals_of(typed);
  const bool finds_bounds = typed.has("bounds") && typed.values.at("bounds").front() == "auto";
  if (!finds_bounds && (typed.has("doublings") || typed.has("bounds_budget"))) {
    usage({Field("doublings"), " and ", Field("bounds_budget"), " go with ", Field("bounds").text("auto")},
          "leave them out", "");
  }
  if (!finds_bounds && typed.has("step") && !typed.has("bounds")) {
    usage({Field("step"), " goes with ", Field("bounds").blanks("LO", "HI")}, "leave it out");
  }
  if (finds_bounds) {
    if (typed.has("step")) usage({Field("step"), ": bounds are audited in steps of 1"}, "leave it out");
    request.doublings = typed.has("doublings") ? static_cast<int>(whole_number(typed, "doublings", {1, 4})) : 1;
    request.bounds_share =
        in_field("bounds_budget", [&] { return Rational::parse(typed.one("bounds_budget", "0.1")); });
  } else if (typed.has("bounds")) {
    const std::vector<std::string>& bounds = typed.values.at("bounds");
    const auto number = [&](const std::string& text) {
      return in_field("bounds", [&] { return Rational::parse(text); });
    };
    const Rational step = in_field("step", [&] { return Rational::parse(typed.one("step", "1")); });
    request.lattice = in_field("bounds", [&] { return Lattice::regular(number(bounds[0]), number(bounds[1]), step); });
  }
}

/// A claim in the budget's measure. If the budget has a delta, its epsilon stays and the claim replaces the delta.
Budget budget_claimed(const std::string& text, const Budget& budget) {
  switch (budget.measure()) {
    case Measure::approximate:
      return Budget::approximate(budget.epsilon(), Rational::parse(text));
    case Measure::zcdp:
      return Budget::zcdp(Rational::parse(text));
    default:
      return Budget::pure(Exponent::parse(text));
  }
}

Budget claimed(const std::string& text, const Budget& budget) {
  try {
    return budget_claimed(text, budget);
  } catch (const Error& error) {  // it names epsilon, rho or delta; the option is claim
    throw Error(error.code(), error.what_words().renamed(error.field(), "claim"),
                error.hint_words().renamed(error.field(), "claim"));
  }
}

}  // namespace

AuditRequest audit_request(const Typed& typed) {
  if (!typed.has("mechanism")) usage({Field("mechanism"), " is missing"}, "choose one of " + known_mechanisms());
  AuditRequest request{typed.one("mechanism"), 4, 4, budget_of(typed)};
  if (typed.has("records")) request.records = static_cast<int>(whole_number(typed, "records", {1, 6}));
  if (typed.has("values")) request.values = whole_number(typed, "values", {1, 12});
  request.neighbors = neighbors_of(typed);
  if (typed.has("claim")) {
    request.claim = in_field("claim", [&] { return claimed(typed.one("claim"), request.budget); });
  }
  if (typed.has("quantiles")) request.quantiles = quantiles_of(typed, "");
  add_release(typed, request);
  return request;
}

}  // namespace fractile::requests

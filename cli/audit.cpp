#include "fractile/audit.hpp"

#include <fmt/core.h>

#include <map>
#include <string>

#include "audit.hpp"
#include "fractile/report.hpp"
#include "terminal.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

std::string known_mechanisms() {
  std::vector<std::string> names;
  for (const AuditedMechanism& mechanism : audited_mechanisms()) names.push_back(mechanism.name);
  return joined(names);
}

AuditRequest request_of(const Typed& typed) {
  if (!typed.has("--mechanism")) usage("--mechanism is missing", "choose one of " + known_mechanisms());
  AuditRequest request{typed.one("--mechanism"), 4, 4, budget_of(typed)};
  if (typed.has("--records")) request.records = static_cast<int>(whole_number(typed, "--records", {1, 6}));
  if (typed.has("--values")) request.values = whole_number(typed, "--values", {1, 12});
  request.neighbors = neighbors_of(typed);
  if (typed.has("--claim")) {
    const bool pure = request.budget.measure() == Measure::pure;
    request.claim = in_option("--claim", [&] {
      const std::string text = typed.one("--claim");
      return pure ? Budget::pure(Exponent::parse(text)) : Budget::zcdp(Rational::parse(text));
    });
  }
  if (typed.has("--quantiles")) request.quantiles = quantiles_of(typed, "");
  return request;
}

AuditReport audited(const AuditRequest& request) {
  const Progress progress("comparing all tables of " + request.mechanism);
  return audit(request);
}

std::string to_table(const AuditRequest& request, const AuditReport& report) {
  const bool pure = request.budget.measure() == Measure::pure;
  return fmt::format(
      "{}: {} {} under {} neighbors, {} pairs of tables\n"
      "claimed   {}\nattained  {}\nby        {} and {}\n",
      request.mechanism, report.holds ? "certified to keep its" : "DOES NOT keep its", pure ? "epsilon" : "rho",
      to_string(request.neighbors), report.pairs, report.claimed, report.attained, report.first, report.second);
}

}  // namespace

int run_audit(const Typed& typed) {
  const auto format =
      choice<Format>(typed, "--format", {{"table", Format::table}, {"json", Format::json}}, Format::table);
  const AuditRequest request = request_of(typed);
  const AuditReport report = audited(request);
  print(format == Format::json ? to_json(request, report) : to_table(request, report));
  return report.holds ? 0 : 1;
}

}  // namespace fractile::cli

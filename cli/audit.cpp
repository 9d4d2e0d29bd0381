// fractile audit: tries to break a mechanism's promise by enumeration.
#include "requests/audit.hpp"

#include <string>

#include "fractile/planning.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "requests/values.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

const char* claim_in_words(Measure measure) {
  switch (measure) {
    case Measure::approximate:
      return "delta at its epsilon";
    case Measure::zcdp:
      return "rho";
    default:
      return "epsilon";
  }
}

AuditReport audited(const AuditRequest& request) {
  const Progress progress("comparing all tables of " + request.mechanism, /* is_piped */ true);  // no table is read
  return audit(request);
}

std::string to_table(const AuditRequest& request, const AuditReport& report) {
  return fmt::format(
      "{}: {} {} under {} neighbors, {} pairs of tables\n"
      "claimed   {}\nattained  {}\nby        {} and {}\n",
      request.mechanism, report.holds ? "certified to keep its" : "DOES NOT keep its",
      claim_in_words(request.budget.measure()), to_string(request.neighbors), report.pairs, report.claimed,
      report.attained, report.first, report.second);
}

}  // namespace

int run_audit(const Typed& typed) {
  const auto format =
      choice<Format>(typed, "format", {{"table", Format::table}, {"json", Format::json}}, Format::table);
  const AuditRequest request = audit_request(typed);
  const AuditReport report = audited(request);
  print(format == Format::json ? to_json(request, report) : to_table(request, report));
  return report.holds ? 0 : 1;
}

}  // namespace fractile::cli

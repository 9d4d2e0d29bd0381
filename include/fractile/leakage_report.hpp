// How often the best guess about a person succeeds, as JSON, CSV, tables and pages.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "fractile/leakage.hpp"
#include "fractile/pages.hpp"

namespace fractile {

struct LeakageReport {
  flow::LeakageQuestion question;
  flow::Possibilities possibilities;
  std::string promise;                 ///< as promise_of() has it
  std::vector<flow::Leakage> answers;  ///< one; in a sweep one per epsilon, increasing
  bool is_sweep = false;
};

/// One JSON object: what is guessed, what the attacker knows, the prior of each possibility, and then `before`, `after`, `allowed`,
/// `capacity` and `capacity_allowed`, or for a sweep `points` with them. Exact numbers are fractions; others have 30 digits, or 15
/// in a sweep; null where the promise bounds nothing.
std::string to_json(const LeakageReport& report);
/// A heading, and one line per epsilon.
std::string to_csv(const LeakageReport& report);
/// The same in words; for a sweep in aligned columns.
std::string to_table(const LeakageReport& report);
/// A page for a sweep, with the figure "leakage": with the release, without it, and what epsilon alone allows.
WebPage to_html(const LeakageReport& report, const PageOptions& options);

}  // namespace fractile

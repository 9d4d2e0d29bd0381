// What a release looks like to others: JSON (also the receipt), CSV and tables. fractile/receipts.hpp reads it back.
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/canonical_query.hpp"
#include "fractile/planning.hpp"
#include "fractile/quantiles.hpp"

namespace fractile {

struct LedgerReservation;

/// One JSON object, format in docs/receipt.md: exact numbers as strings, lattice values as numbers with exactly their
/// decimals (dates and times as strings), and last the SHA-256 of the rest. Nothing in it tells of the data what was not paid for or
/// declared public. `paid`: the entry of a ledger that pays for it, if one does.
std::string to_json(const QuantileRelease& release, const SourceDescription& source,
                    const LedgerReservation* paid = nullptr);

/// The same with `groups` in place of `quantiles`: an object a key. What ran stands in each group unless it was the same.
std::string to_json(const GroupedRelease& groups, const SourceDescription& source,
                    const LedgerReservation* paid = nullptr);

/// "quantile,value" and a line a quantile; a third column unsafe_seed when the bits were reproducible.
std::string to_csv(const QuantileRelease& release);
/// The same after a first column "key"; keys are quoted where they must be.
std::string to_csv(const GroupedRelease& groups);

/// The same in aligned columns, and under them what was promised, what ran, and what was left out.
std::string to_table(const QuantileRelease& release, const SourceDescription& source);
std::string to_table(const GroupedRelease& groups, const SourceDescription& source);

/// A sentence without a full stop, and what to do: for a warning on standard error, in a plan and in an explanation.
struct NoiseInWords {
  std::string what;
  std::string hint;
};
NoiseInWords in_words(const MostlyNoise& noise);
/// Of a release, or of groups with these keys: nothing where none of them is mostly noise. Error(usage) unless there is one a key.
std::optional<NoiseInWords> in_words(const std::vector<std::optional<MostlyNoise>>& noises,
                                     const std::vector<std::string>& keys);

}  // namespace fractile

// What is spent after a line of the log, of all datasets: each line carries it, under its hash.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ledger.hpp"

namespace fractile::ledger_detail {

/// Throws `usage`: the stored text is not what this program writes.
[[noreturn]] void unreadable();
/// Reads what to_string() of a rational wrote, of whatever length. Throws `usage` for anything else.
Rational read_rational(std::string_view text);
/// The same for an Exponent.
Exponent read_exponent(std::string_view text);

/// The rational part of a sum, where it has one, and its logarithms.
std::vector<Exponent> terms_of(const EpsilonSum& sum);

/// The sums of a ledger. Equal histories have equal texts: a charge is added at its end, and when one is given back the sum is
/// made anew.
class Sums {
 public:
  void add_dataset(std::int64_t id, Measure measure);
  /// The next entry. Throws `ledger` for a dataset that is not there or a charge in another measure.
  void reserve(std::int64_t dataset, const Budget& charge);
  /// Only of sums that were made by reserve() from the first entry on. Throws `ledger` for what was not charged.
  void give_back(std::int64_t dataset, const Budget& charge);

  /// Zero of a dataset that is not there.
  const Spending& spent(std::int64_t dataset) const;
  std::int64_t entries() const { return entries_; }
  std::int64_t datasets() const { return static_cast<std::int64_t>(datasets_.size()); }

  /// A charge on a dataset that `others` have and these sums do not; none when these have all. Logarithms come one after the other:
  /// once a charge is reserved, the next one is reported. Throws `ledger` where no charge makes up for what is missing.
  std::optional<Budget> missing_of(const Sums& others, std::int64_t dataset) const;

  std::string to_text() const;
  /// None when the text is something else.
  static std::optional<Sums> read(const std::string& text);

 private:
  struct EqualCharges {
    Budget charge;
    std::int64_t count;
  };
  struct DatasetSums {
    Spending spent;
    std::map<std::string, EqualCharges> charges = {};  ///< that count, of sums that were made from the first entry on
  };

  std::int64_t entries_ = 0;
  std::map<std::int64_t, DatasetSums> datasets_;
};

}  // namespace fractile::ledger_detail

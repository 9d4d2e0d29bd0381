// The amounts spent on all datasets up to a line of the log. Each line carries them, and its hash covers them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ledger.hpp"

namespace fractile::ledger_detail {

/// Throws `usage`, for a stored text that this program does not write.
[[noreturn]] void unreadable();
/// Reads what to_string() of a Rational wrote, of any length. Throws `usage` for any other text.
Rational read_rational(std::string_view text);
/// Reads what to_string() of an Exponent wrote. Throws `usage` for any other text.
Exponent read_exponent(std::string_view text);

/// The terms of a sum: its rational part, if it has one, and its logarithms.
std::vector<Exponent> terms_of(const EpsilonSum& sum);

/// Whether a budget of one measure counts charges of another as they are.
bool counts_on(Measure charge, Measure budget);

/// The sums of a ledger. Equal histories have equal texts: a charge is added
/// at the end of a sum, and a sum is made anew when a charge is given back.
class Sums {
 public:
  void add_dataset(std::int64_t id, Measure measure);
  /// Charges the next entry. Throws `ledger` when the dataset does not exist, or does not count charges of this measure.
  void reserve(std::int64_t dataset, const Budget& charge);
  /// Gives back a charge. The sums must have been made by reserve() from
  /// the first entry on. Throws `ledger` for a charge that was not made.
  void give_back(std::int64_t dataset, const Budget& charge);

  /// Zero for a dataset that does not exist.
  const Spending& spent(std::int64_t dataset) const;
  std::int64_t entries() const { return entries_; }
  std::int64_t datasets() const { return static_cast<std::int64_t>(datasets_.size()); }

  /// A charge on a dataset that `others` have and these sums lack; `nullopt` when these sums lack none. Each call returns one term of an
  /// epsilon: once it is reserved, the next call returns the next term. Throws `ledger` when no charge makes up for the difference.
  std::optional<Budget> missing_of(const Sums& others, std::int64_t dataset) const;

  std::string to_text() const;
  /// `nullopt` for a text that to_text() did not write.
  static std::optional<Sums> read(const std::string& text);

 private:
  struct EqualCharges {
    Budget charge;
    std::int64_t count;
  };
  struct DatasetSums {
    Spending spent;
    std::map<std::string, EqualCharges> charges = {};  ///< charges that count, if made from the first entry on
  };

  std::int64_t entries_ = 0;
  std::map<std::int64_t, DatasetSums> datasets_;
};

}  // namespace fractile::ledger_detail

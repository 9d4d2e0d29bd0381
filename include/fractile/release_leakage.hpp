// How often the best guess about one person in a table is right, without a release of its quantiles and with it: from public
// numbers alone, before any record is read. All numbers are probabilities; those with a release are certified upper bounds.
// Proof: docs/proofs/leakage.md, "Releases of quantiles"
// Thread-safety: functions of their arguments, for any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/privacy.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

/// What an attacker guesses about a person who has one record in the table.
struct PersonGuess {
  enum class About {
    value,     ///< at which possible value their record counts
    presence,  ///< whether they are there, which is as likely as not; all others are, in either case
    above,     ///< whether their value is above the limit
  };
  About about = About::value;
  Rational limit = {};
};

/// The probability of a right guess, rounded up except for `before`.
struct PersonLeakage {
  Rational before;  ///< by the distribution of the reference table
  /// With the release, by an attacker who knows all others, when these are spread as in the reference table. It is within 10^-9 of
  /// the truth when nothing is selected besides the one quantile. Nothing for several quantiles, several records a person, or where
  /// noisy counts decide.
  std::optional<Rational> knowing_these_others = {};
  /// The same whatever the others' records are, from what each selection may cost.
  Rational knowing_any_others;
  /// By an attacker who knows how values are distributed and the number of records, but no one's value.
  Rational knowing_the_distribution;
  Rational allowed;  ///< for any mechanism and any attacker, by the budget alone; 1 where the budget bounds nothing
};

/// `reference`: a public table, of any number of records on this lattice, that stands for one of `rows` records. Throws `usage` as
/// QuantileQuery::validate(lattice) does, when the reference table or the one it stands for is empty, and when the limit has no
/// possible value above it, or none at or below it, or lies between two listed candidates.
PersonLeakage person_leakage(const QuantileQuery& query, const Lattice& lattice, const RankProfile& reference,
                             std::uint64_t rows, const PersonGuess& guess);

/// `allowed` alone, for possibilities with these probabilities, which add up to 1. The possibilities differ in the value of one
/// person's record, or in their presence.
Rational allowed_guesses(const Budget& budget, Neighbors neighbors, PersonGuess::About about,
                         const std::vector<Rational>& priors);

/// An upper bound of `knowing_the_distribution`, whatever is released about `rows` records, for guesses of whether a value is above
/// a limit above which this share of the distribution lies.
Rational guesses_by_share(const Rational& share, std::uint64_t rows);

}  // namespace fractile

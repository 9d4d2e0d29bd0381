// A printed certificate, read back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"

namespace fractile::report_detail {

/// A number as a certificate prints it. A decimal may be rounded in its last place.
struct PrintedNumber {
  Rational value;
  Rational unit;  ///< the unit of the last place; half of it before a power of ten; 0 for fractions and whole numbers
};

struct PrintedRise {
  Rational odds_from;
  Rational odds_to;
  PrintedNumber loss_from;
  PrintedNumber loss_to;
};

struct PrintedRange {
  PrintedNumber odds_from;
  PrintedNumber odds_to;
  PrintedNumber epsilon_from;
  PrintedNumber epsilon_to;
  std::optional<PrintedRise> proof = {};
};

/// The windows in which the loss of the file's analyst rises with epsilon.
struct PrintedWindows {
  std::string verdict;
  std::string method;
  std::vector<PrintedRange> windows;
  std::vector<PrintedRange> undecided;
};

struct Certificate {
  std::string verdict;
  bool is_comparison = false;  ///< whether it compares the two files `from` and `to`
  std::string from = {};
  std::string to = {};
  bool is_range = false;  ///< if so, epsilon_from is the range's upper end, and epsilon_to its lower end
  std::optional<Exponent> epsilon_from = {};
  std::optional<Exponent> epsilon_to = {};
  std::optional<Rational> odds_from = {};  ///< the odds of the counter-example, within the range
  std::optional<Rational> odds_to = {};
  std::string theorem = {};  ///< the theorem that proves stability
  std::string about = {};
  bool are_losses_bounds = false;
  std::vector<std::string> secrets = {};
  bool has_observations = false;
  std::vector<std::string> observations_from = {};
  std::vector<std::string> observations_to = {};
  std::optional<flow::Matrix> channel_from = {};
  std::optional<flow::Matrix> channel_to = {};
  std::optional<flow::Matrix> witness = {};
  std::optional<std::vector<Rational>> prior = {};  ///< of the counter-example
  /// The loss of the counter-example, or the loss about which `randomized` proves the verdict.
  std::optional<flow::Matrix> loss = {};
  Rational loss_from = {};
  Rational loss_to = {};
  std::vector<flow::Matrix> randomized = {};
  std::optional<PrintedWindows> windows = {};

  bool is_refuted() const { return prior.has_value(); }
  bool is_proved() const { return witness || !randomized.empty(); }
};

/// Throws `data` when the text is not a document that this program prints, or has a member that no such document has.
Certificate certificate_in(const std::string& json);

}  // namespace fractile::report_detail

// A certificate as it was printed, read again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"

namespace fractile::report_detail {

/// A number as it is written there: a decimal may be rounded in its last place.
struct PrintedNumber {
  Rational value;
  Rational unit;  ///< of the last place; 0 for fractions and whole numbers
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

/// Where the loss of a file's analyst rises.
struct PrintedWindows {
  std::string verdict;
  std::string method;
  std::vector<PrintedRange> windows;
  std::vector<PrintedRange> undecided;
};

struct Certificate {
  std::string verdict;
  bool is_comparison = false;  ///< of two files, which it names
  std::string from = {};
  std::string to = {};
  bool is_range = false;  ///< then the epsilons are the range's ends, the higher one first
  std::optional<Exponent> epsilon_from = {};
  std::optional<Exponent> epsilon_to = {};
  std::optional<Rational> odds_from = {};  ///< within the range
  std::optional<Rational> odds_to = {};
  std::string theorem = {};  ///< by which it is stable
  std::string about = {};
  bool are_losses_bounds = false;
  std::vector<std::string> secrets = {};
  bool has_observations = false;
  std::vector<std::string> observations_from = {};
  std::vector<std::string> observations_to = {};
  std::optional<flow::Matrix> channel_from = {};
  std::optional<flow::Matrix> channel_to = {};
  std::optional<flow::Matrix> witness = {};
  std::optional<std::vector<Rational>> prior = {};  ///< of a counter-example, with what follows
  std::optional<flow::Matrix> loss = {};            ///< or of those for whom randomized actions are as good
  Rational loss_from = {};
  Rational loss_to = {};
  std::vector<flow::Matrix> randomized = {};
  std::optional<PrintedWindows> windows = {};

  bool is_refuted() const { return prior.has_value(); }
  bool is_proved() const { return witness || !randomized.empty(); }
};

/// Throws `data` when the text is no such document: not one that this program prints, or with a member that it does not.
Certificate certificate_in(const std::string& json);

}  // namespace fractile::report_detail

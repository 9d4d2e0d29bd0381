// How often the best guess about one person succeeds without a release, with it, and as far as epsilon alone allows.
// Terms and source: quantitative information flow. The vulnerability of a prior is the probability that the best guess is right; leakage
// is how much a channel raises it; the multiplicative Bayes capacity is the largest factor, whatever the prior and the guess
// (Braun, Chatzikokolakis and Palamidessi 2009; Alvim, Chatzikokolakis, Palamidessi and Smith 2012).
// Proof: docs/proofs/leakage.md
// Thread-safety: threads may share questions and answers that none changes; functions may run at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/real_bounds.hpp"

namespace fractile::flow {

/// What an attacker guesses about the target: the participant whose value is unknown, or of everyone the last one.
struct Guess {
  enum class About {
    value,
    presence,  ///< whether the target takes part, which is as likely as not; the others are there in either case
    property,  ///< in which part of the values theirs lies
  };
  About about = About::value;
  std::vector<std::size_t> parts = {};  ///< of a property: each value's part; parts are 0, 1, 2, ..., and none is empty
  std::vector<std::string> names = {};  ///< of a property: what the parts are called
};

/// Who guesses what of which pipeline.
struct LeakageQuestion {
  Pipeline pipeline;
  std::optional<Prior> prior =
      {};  ///< as of an Analyst: of the rows of the channel; nothing: all secrets are equally likely
  Guess guess = {};

  /// Throws `usage` when the pipeline is not valid, or the guess does not fit it: presence can be guessed for one participant among
  /// others, and neither for histograms nor with a post-processor that is written as a table.
  void validate() const;
};

/// What may be guessed, by name, and how likely each is before the release. Throws `usage` as validate() does.
struct Possibilities {
  std::vector<std::string> names;
  std::vector<Rational> priors;
};
Possibilities possibilities_of(const LeakageQuestion& question);

/// Probabilities that the best guess is right, and factors. Equal bounds are exact numbers; others enclose to some 40 digits.
struct Leakage {
  Exponent epsilon;
  RealBounds before;  ///< the prior vulnerability
  RealBounds after;   ///< the posterior vulnerability
  RealBounds
      capacity;  ///< the multiplicative Bayes capacity of the channel: of all secrets, whatever is guessed and the prior
  /// An upper bound of `after` from the promise alone; nothing where the promise bounds nothing.
  std::optional<RealBounds> allowed = {};
  std::optional<RealBounds> capacity_allowed = {};  ///< likewise
};

/// In words, the promise that `allowed` rests on, or why it bounds nothing.
std::string promise_of(const LeakageQuestion& question);

/// At one epsilon. Exact where exp(epsilon) is rational, the channel is small and there are at most 1,000 participants.
/// Throws `usage` as validate() does, and when the channel is too large.
Leakage leakage(const LeakageQuestion& question, const Exponent& epsilon);

/// Enclosed, at each of these epsilons. The question is prepared once; progress(points done) is called after each epsilon.
std::vector<Leakage> leakage_curve(const LeakageQuestion& question, const std::vector<Exponent>& epsilons,
                                   const std::function<void(std::size_t done)>& progress = {});

}  // namespace fractile::flow

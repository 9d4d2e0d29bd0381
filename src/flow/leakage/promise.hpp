// The bounds that follow from a pipeline's epsilon alone.
// Proof: docs/proofs/leakage.md, "What epsilon alone allows"
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "exact/enclosure.hpp"
#include "flow/algebra/ring.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// `most` becomes the larger of both.
inline void raise_to(Rational& most, const Rational& value) { most = std::max(most, value); }
inline void raise_to(Enclosure& most, const Enclosure& value) {
  arb_max(most.arb(), most.arb(), value.arb(), enclosure_bits);
}

class Promise {
 public:
  explicit Promise(const LeakageQuestion& question);

  const std::string& words() const { return words_; }
  /// An upper bound of the probability that the best guess is right; nothing where epsilon bounds nothing. Number: Rational or
  /// Enclosure.
  template <class Number>
  std::optional<Number> allowed(const Possibilities& guesses, const Number& odds) const;
  /// An upper bound of the multiplicative Bayes capacity; nothing except for the value of one target.
  template <class Number>
  std::optional<Number> capacity(const Number& odds) const;

 private:
  enum class Kind {
    nothing,
    power,   ///< odds^power_ between any two possibilities
    places,  ///< odds^places between values this many places apart
    column,  ///< the largest ratio in a column of the target's noise
    bars,    ///< the largest ratio between neighboring heights of a bar, twice
  };
  void find_kind(const LeakageQuestion& question);
  /// The largest likelihood ratio between any two possibilities; nothing where there is none.
  template <class Number>
  std::optional<Number> ratio(const Number& odds) const;

  Kind kind_ = Kind::nothing;
  std::string words_;
  std::int64_t power_ = 1;
  std::size_t values_;
  bool is_in_line_ = false;  ///< the values themselves are guessed
  bool is_presence_;
  bool is_of_target_;
  Perturber noise_;  ///< the target's
};

}  // namespace fractile::flow

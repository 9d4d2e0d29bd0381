// Where more epsilon costs an analyst. Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fractile/expected_loss.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/real_bounds.hpp"

namespace fractile::flow {

/// More epsilon and more loss: exact losses, where they can be written down.
struct Rise {
  Rational odds_from;
  Rational odds_to;
  RealBounds loss_from;
  RealBounds loss_to;  ///< certainly above loss_from
};

/// Where more epsilon costs the analyst: his expected loss rises on the open interval. Ends in odds = exp(epsilon), to 40 digits and
/// more when isolated, to some ten when enclosed.
struct UnstableWindow {
  RealBounds from;
  RealBounds to;
  /// Exact losses of up to 1,000 participants, and of more where enclosed ones are too near to each other to tell; nothing where these
  /// would take minutes.
  std::optional<Rise> proof = {};
};

/// All windows within odds from .. to, exactly: the loss is a piecewise rational function of odds, whose pieces and turning points
/// are roots of integer polynomials. Empty: l-stable for this prior (Definition 3.3). Error(usage) when the polynomials are too
/// long, as those of hundreds of participants are.
std::vector<UnstableWindow> unstable_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                             const Rational& to);

/// All windows, but for what is undecided.
struct EnclosedWindows {
  std::vector<UnstableWindow> windows;  ///< increasing
  /// Odds between which the loss may rise or not, increasing: it changes too little there for the enclosures to tell (less than 10^-17 of
  /// the largest loss, where modes or sums of more than 20,000 values are released). Wide bounds of a window's end are listed as well.
  std::vector<RealBounds> undecided;
};

/// All windows within odds from .. to, by certified enclosures of the loss's slope: the loss is a sum of minima of analytic functions, each
/// of which is enclosed on whole stretches of odds. Outside of the windows and of what is undecided, the loss does not rise.
/// Taken are a count, or a sum that takes at most some 200,000 values, of one target and of known others; and the mode of a perturbed
/// histogram, whose true mode is guessed, all histograms being equally likely: Error(usage) for others. Modes take minutes for hundreds of
/// participants, on all processors of the machine; progress(odds) is called whenever all is done up to these odds. Proof: docs/proofs/windows.md
EnclosedWindows enclosed_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from,
                                 const Rational& to, const std::function<void(const Rational& odds)>& progress = {});

/// How windows are found: exactly, where polynomials are short and few, or there is no other way; enclosed, where that is quicker or
/// the only way; by neither, where polynomials are long and the function above does not take the pipeline.
enum class WindowSearch { isolated, enclosed, none };
WindowSearch window_search(const Pipeline& pipeline, const Analyst& analyst);

/// By the one or the other; Error(usage) by neither.
EnclosedWindows find_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
                             const std::function<void(const Rational& odds)>& progress = {});

/// The windows that a scan of increasing odds comes upon, for pipelines of any size: a least and then a highest loss lie
/// within the ends, and the loss is higher at the proof's second odds than at its first. What rises and falls again between
/// two neighbouring odds is not seen.
std::vector<UnstableWindow> windows_among(const Pipeline& pipeline, const Analyst& analyst,
                                          const std::vector<Rational>& odds);

}  // namespace fractile::flow

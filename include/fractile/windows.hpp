// Where more epsilon costs an analyst. Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
// Thread-safety: threads may share pipelines, analysts and results that none changes; functions may run at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fractile/expected_loss.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/real_bounds.hpp"

namespace fractile::flow {

/// Two points at which more epsilon means more loss; exact losses, where they can be written down.
struct Rise {
  Rational odds_from;
  Rational odds_to;
  RealBounds loss_from;
  RealBounds loss_to;  ///< certainly above loss_from
};

/// Where more epsilon costs the analyst: their expected loss rises on the open interval. Ends in odds = exp(epsilon), to 40 digits
/// and more when isolated, to some ten when enclosed.
struct UnstableWindow {
  RealBounds from;
  RealBounds to;
  /// Exact losses for up to 1,000 participants, and for more where enclosed losses are too close to each other to decide; enclosed
  /// losses where exact ones would take minutes.
  std::optional<Rise> proof = {};
};

/// The windows of a range of odds.
struct Windows {
  enum class Method {
    isolated,  ///< All windows: the loss is a piecewise rational function of odds, whose pieces and turning points are roots of integer
               ///< polynomials. Without windows and undecided ranges, l-stable for this prior (Definition 3.3).
    enclosed,  ///< All windows except for what is undecided: the loss is a sum of minima of analytic functions, each of which is
               ///< enclosed
    ///< with its slope on whole ranges of odds.
    proved,  ///< There are none: the pipeline is stable, to every analyst.
    none,    ///< Nothing is known.
  };
  Method method = Method::none;
  std::vector<UnstableWindow> windows = {};  ///< increasing
  /// Odds between which the loss may rise or not, increasing: it changes too little there for enclosures to decide (less than
  /// 10^-17 of the largest loss, where modes or sums of more than 20,000 values are released). Wide bounds of a window's end are
  /// listed as well. Everything, where nothing is known.
  std::vector<RealBounds> undecided = {};
  bool is_stopped = false;  ///< WindowSearch::stop ended the search: some of what is undecided was not examined

  /// Outside the windows and the undecided ranges, the loss does not rise.
  bool are_all() const { return method != Method::none; }
};

/// The method's name, "isolated".
std::string to_string(Windows::Method method);

struct WindowSearch {
  /// Called with the odds up to which the search is done: enclosing the windows of modes takes minutes for hundreds of
  /// participants, on all processors of the machine.
  std::function<void(const Rational& odds)> progress = {};
  /// Asked between pieces of the range, where windows are enclosed: once it returns true, the rest is undecided, and windows have
  /// no proofs.
  std::function<bool()> stop = {};
};

/// The windows within odds from .. to. They are isolated where polynomials are short and few, or there is no other way; and enclosed
/// where that is quicker or the only way: for a count, or a sum that takes at most some 200,000 values, of one target and of known
/// others, and for the mode of a perturbed histogram whose true mode is guessed, all histograms being equally likely. Nothing is
/// known about others. Throws `usage` when from < 1 or to < from, or the analyst does not fit the pipeline.
/// Proofs: docs/proofs/stability.md, "Windows", and docs/proofs/windows.md
Windows find_windows(const Pipeline& pipeline, const Analyst& analyst, const Rational& from, const Rational& to,
                     const WindowSearch& search = {});

}  // namespace fractile::flow

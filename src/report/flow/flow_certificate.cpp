// Checks printed certificates with verify(), which shares no code with the search for them.
#include <algorithm>
#include <set>
#include <utility>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/reports.hpp"
#include "report/flow/certificate.hpp"
#include "report/flow/certified_pipelines.hpp"
#include "report/flow/plain_channel.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/flow/theorems.hpp"

namespace fractile {

using namespace report_detail;

namespace {

using Outcome = CertificateReport::Outcome;

/// The reason why a certificate does not hold.
struct Misfit {
  std::string what;
};

void require(bool holds, const char* otherwise) {
  if (!holds) throw Misfit{otherwise};
}

// --- What the document says about itself -----------------------------------------------------------------------------

void require_names(const std::vector<std::string>& names, std::size_t count, const char* otherwise) {
  const std::set<std::string> different(names.begin(), names.end());
  require(names.size() == count && different.size() == count, otherwise);
}

/// Refuses a verdict that the document's own certificate does not show, as if the certificate did not hold.
void require_verdict(const Certificate& printed) {
  const std::string& verdict = printed.verdict;
  const bool is_one_loss = verdict == "worth-as-much" || verdict == "worth-less";
  const bool shows_less = verdict == "does-not-refine" || verdict == "unstable" || verdict == "worth-less";
  const bool shows_as_much = verdict == "refines" || verdict == "worth-as-much";
  require(!printed.is_refuted() || !printed.is_proved(), "it has two certificates, one for and one against");
  require(printed.is_refuted() ? shows_less : shows_as_much, "its verdict is not what its certificate shows");
  require(printed.is_range == (verdict == "unstable"),
          "its members do not fit its verdict: one is about a range, and the other about two epsilons");
  require(printed.randomized.empty() || is_one_loss, "randomized actions prove something about one loss only");
}

void require_range(const Certificate& printed) {
  if (!printed.is_range) return;
  require(printed.odds_from && printed.odds_to, "the odds of its counter-example are missing");
  require(*printed.odds_to >= 1 && *printed.odds_to < *printed.odds_from,
          "the odds of its counter-example are not in order");
  require(*printed.epsilon_to <= Exponent::log(*printed.odds_to) &&
              Exponent::log(*printed.odds_from) <= *printed.epsilon_from,
          "the odds of its counter-example lie outside its range");
}

void require_shape(const Certificate& printed) {
  const std::size_t secrets = printed.secrets.size();
  require(secrets > 0, "it names no secrets");
  require_names(printed.secrets, secrets, "two of its secrets have one name");
  require_names(printed.observations_from, printed.observations_from.size(), "two of its observations have one name");
  require_names(printed.observations_to, printed.observations_to.size(), "two of its observations have one name");
  require(printed.channel_from.has_value() == printed.channel_to.has_value(), "one of its channels is missing");
  if (printed.channel_from) {
    require(printed.channel_from->rows() == secrets && printed.channel_to->rows() == secrets,
            "its channels do not have one row for each of its secrets");
  }
  const bool has_columns = printed.channel_from && printed.has_observations;
  require(!has_columns || (printed.channel_from->columns() == printed.observations_from.size() &&
                           printed.channel_to->columns() == printed.observations_to.size()),
          "its channels do not have one column for each of its observations");
  if (printed.prior)
    require(printed.prior->size() == secrets, "its prior does not have one probability for each of its secrets");
  if (printed.loss) require(printed.loss->rows() == secrets, "its losses do not have one row for each of its secrets");
}

Rational at_least_one(const Rational& odds) { return std::max(odds, Rational(1)); }

void require_windows(const Certificate& printed) {
  if (!printed.windows) return;
  const PrintedWindows& analyst = *printed.windows;
  const bool is_known = analyst.method == "isolated" || analyst.method == "enclosed" || analyst.method == "proved";
  const bool is_all = is_known && analyst.undecided.empty();
  require(is_known || analyst.method == "none", "the method by which its windows were found is not known");
  require(printed.theorem.empty() || analyst.windows.empty(),
          "it names a theorem that proves pipelines stable, and also a range in which a loss rises");
  const std::string expected = !analyst.windows.empty() ? "unstable" : is_all ? "stable" : "undecided";
  require(analyst.verdict == expected, "its verdict about the file's analyst does not follow from its windows");
  const Rational* last = nullptr;
  for (const PrintedRange& window : analyst.windows) {
    const Rational slack = window.odds_from.unit + window.odds_to.unit;
    require(window.odds_from.value < window.odds_to.value, "the ends of a window are not in order");
    require(last == nullptr || *last <= window.odds_from.value + slack, "its windows are not in order");
    require(*printed.epsilon_to <= Exponent::log(at_least_one(window.odds_from.value + slack)) &&
                Exponent::log(at_least_one(window.odds_to.value - slack)) <= *printed.epsilon_from,
            "a window lies outside the range");
    for (const auto& [odds, epsilon] :
         {std::pair(window.odds_from, window.epsilon_from), std::pair(window.odds_to, window.epsilon_to)}) {
      const Exponent low(std::max(epsilon.value - epsilon.unit, Rational(0)));
      const Exponent high(epsilon.value + epsilon.unit);
      require(low <= Exponent::log(at_least_one(odds.value + odds.unit)) &&
                  Exponent::log(at_least_one(odds.value - odds.unit)) <= high,
              "the epsilon and the exp(epsilon) of a window's end do not agree");
    }
    last = &window.odds_to.value;
    if (!window.proof) continue;
    const PrintedRise& proof = *window.proof;
    require(proof.odds_from < proof.odds_to && proof.loss_from.value < proof.loss_to.value,
            "a window's proof shows no rise");
    require(window.odds_from.value - slack <= proof.odds_from && proof.odds_to <= window.odds_to.value + slack,
            "a window's proof lies outside the window");
  }
}

// --- Its channels ----------------------------------------------------------------------------------------------------

flow::Counterexample example_of(const Certificate& printed) {
  return {flow::Prior(*printed.prior), flow::Loss(*printed.loss), printed.loss_from, printed.loss_to};
}

void require_certificate(const Certificate& printed, const flow::Channel& from, const flow::Channel& to) {
  if (printed.is_refuted()) {
    require(verify(from, to, example_of(printed)),
            "the analyst's losses differ from the recomputed ones, or the second is not the smaller one");
  } else if (printed.witness) {
    require(verify(from, to, flow::Witness{*printed.witness}),
            "its rows do not turn the first channel into the second");
  } else {
    require(verify(flow::Loss(*printed.loss), from, to, flow::Remaps{printed.randomized}),
            "some way to act on the second channel costs less than what is written for it");
  }
}

/// Checks the losses of a certificate whose channels are too large to be made, because there are too many people. Computes the losses
/// from parts of the channels, as the search did that found the certificate.
void require_bounds(const Certificate& printed, const flow::Pipeline& pipeline, const Rational& from,
                    const Rational& to) {
  flow::Analyst analyst;
  analyst.prior = flow::Prior(*printed.prior);
  analyst.goal = flow::Analyst::Goal::matrix;
  analyst.losses = printed.loss;
  const auto loss_at = [&](const Rational& odds) {
    if (printed.are_losses_bounds) return expected_loss_bounds(pipeline, analyst, Exponent::log(odds));
    const Rational loss = expected_loss(pipeline, analyst, flow::Odds(odds));
    return flow::RealBounds{loss, loss};
  };
  const flow::RealBounds first = loss_at(from);
  const flow::RealBounds second = loss_at(to);
  const bool are_bounds = printed.loss_from <= first.lower && second.upper <= printed.loss_to;
  const bool are_exact = printed.loss_from == first.lower && printed.loss_to == second.upper;
  require(printed.are_losses_bounds ? are_bounds : are_exact, "the analyst's losses differ from the recomputed ones");
  require(printed.loss_to < printed.loss_from, "the second loss is not the smaller one");
}

// --- Against the pipeline --------------------------------------------------------------------------------------------

Rational odds_at(const flow::Pipeline& pipeline, const Exponent& epsilon) {
  if (!pipeline.perturber.depends_on_epsilon()) return 1;
  require(epsilon.has_rational_exponential(), "its epsilon has no rational exp(epsilon), and so no exact channel");
  return flow::odds_bounds(epsilon).lower;  // refuses an exponential that is too long
}

/// Whether the channels' rows can be multiplied out. The limit is lower for a counter-example, since its two losses can be compared without
/// the rows. A witness cannot be checked without them.
bool is_written_out(const flow::Pipeline& pipeline, bool is_refuted) {
  const std::size_t most_participants = is_refuted ? 100 : 500;
  const bool is_large_target =
      pipeline.secret.kind == flow::Secret::Kind::target && pipeline.participants > most_participants;
  return !is_large_target;
}

class PipelineCheck {
 public:
  PipelineCheck(const Certificate& printed, const CertifiedPipeline& of, CertificateReport& report)
      : printed_(printed), of_(of), report_(report) {}

  /// Whether the certificate itself was checked, and not only the other members.
  bool require_all() const {
    if (printed_.is_refuted() || printed_.is_proved()) require_of_a_part();
    if (printed_.windows) require_rises();
    return printed_.theorem.empty() || is_theorem_checked();
  }

 private:
  void require_of_a_part() const {
    const flow::Pipeline& asked = of_.pipeline;
    const Rational from = printed_.is_range ? *printed_.odds_from : odds_at(asked, *printed_.epsilon_from);
    const Rational to = printed_.is_range ? *printed_.odds_to : odds_at(asked, *printed_.epsilon_to);
    std::string trouble = "it is about '" + printed_.about + "', and no such part decides about the pipeline";
    // Randomized actions for a part prove nothing about the whole: only a witness can be composed.
    for (const CertifiedPart& part : certified_parts(asked, printed_.witness.has_value(), from, to)) {
      if (part.name != printed_.about) continue;
      try {
        require_part(part.pipeline, from, to);
        require_loss();
        return;
      } catch (const Misfit& misfit) {
        trouble = misfit.what;
      }
    }
    throw Misfit{trouble};
  }

  void require_part(const flow::Pipeline& part, const Rational& from, const Rational& to) const {
    if (!is_written_out(part, printed_.is_refuted())) {
      require(printed_.is_refuted(), "its channels are too large to be multiplied out");
      std::vector<std::string> values;
      for (const Rational& value : part.values) values.push_back(value.to_string());
      require(printed_.secrets == values, "its secrets are not those of the pipeline");
      require(printed_.observations_from.empty() && !printed_.channel_from,
              "it names observations of a channel that is too large to be written out");
      require_bounds(printed_, part, from, to);
      report_.unchecked.emplace_back(
          "the losses against the rows of the channels, which are too large: the losses were computed again in the "
          "same way");
      return;
    }
    const flow::Channel first = channel_of(part, from);
    const flow::Channel second = channel_of(part, to);
    require(printed_.secrets == first.secrets(), "its secrets are not those of the pipeline");
    require(!printed_.has_observations || printed_.observations_from == first.observations(),
            "its observations are not those of the pipeline");
    require(
        !printed_.channel_from || (*printed_.channel_from == first.matrix() && *printed_.channel_to == second.matrix()),
        "its channels are not the pipeline's at these epsilons");
    require_certificate(printed_, first, second);
  }

  /// The channel from the definition alone, where that takes seconds. Otherwise, it is made as when the certificate was found, and the
  /// report says so.
  flow::Channel channel_of(const flow::Pipeline& part, const Rational& odds) const {
    if (std::optional<flow::Channel> plain = plain_channel(part, odds)) return *std::move(plain);
    const std::string note = "the channels, which are too large for the second way of multiplying them out";
    if (std::ranges::find(report_.unchecked, note) == report_.unchecked.end()) report_.unchecked.push_back(note);
    return channel_at(part, flow::Odds(odds)).channel;
  }

  /// A certificate about one loss must be about that of the file's analyst.
  void require_loss() const {
    const bool is_one_loss = !printed_.randomized.empty() || printed_.verdict == "worth-less" ||
                             (printed_.is_refuted() && !printed_.has_observations);
    if (!is_one_loss) return;
    require(of_.analyst.has_value(), "it is about the loss of the file's analyst, but the file has no analyst");
    require(loss_of(*of_.analyst, of_.pipeline).matrix() == *printed_.loss,
            "its loss is not that of the file's analyst");
  }

  bool is_theorem_checked() const {
    const Rational from = flow::odds_bounds(*printed_.epsilon_to).lower;
    const Rational to = flow::odds_bounds(*printed_.epsilon_from).upper;
    const Applies applies = theorem_applies(printed_.theorem, of_.pipeline, std::max(from, Rational(1)), to);
    require(applies != Applies::no, "the theorem that it names does not apply to this pipeline");
    if (applies == Applies::yes) return true;
    report_.unchecked.emplace_back("the theorem that it names, for which there is no second check here");
    return false;
  }

  flow::RealBounds loss_at(const Rational& odds) const {
    constexpr std::size_t most_participants = 100;
    if (of_.pipeline.participants > most_participants) {
      return expected_loss_bounds(of_.pipeline, *of_.analyst, Exponent::log(odds));
    }
    const Rational loss = expected_loss(prior_of(*of_.analyst, of_.pipeline), channel_of(of_.pipeline, odds),
                                        loss_of(*of_.analyst, of_.pipeline));
    return {loss, loss};
  }

  void require_rises() const {
    require(of_.analyst.has_value(), "it is about the file's analyst, but the file has none");
    for (const PrintedRange& window : printed_.windows->windows) {
      if (!window.proof) continue;
      const flow::RealBounds before = loss_at(window.proof->odds_from);
      const flow::RealBounds after = loss_at(window.proof->odds_to);
      const auto meets = [](const flow::RealBounds& loss, const PrintedNumber& printed) {
        return printed.value + printed.unit >= loss.lower && printed.value - printed.unit <= loss.upper;
      };
      require(meets(before, window.proof->loss_from) && meets(after, window.proof->loss_to),
              "a window's proof names losses that the file's analyst does not have");
      require(before.upper < after.lower, "a window's proof shows no rise");
    }
  }

  const Certificate& printed_;
  const CertifiedPipeline& of_;
  CertificateReport& report_;
};

// --- Together --------------------------------------------------------------------------------------------------------

std::string claim_of(const Certificate& printed) {
  if (!printed.theorem.empty()) return "a smaller epsilon never helps any analyst between these epsilons";
  if (!printed.is_refuted() && !printed.is_proved()) {
    return "the verdict is " + printed.verdict + ", which has no certificate";
  }
  if (printed.is_refuted()) return "some analyst loses less with the second channel than with the first";
  if (printed.witness) return "the second channel can be drawn from the first, whatever the secret";
  return "for every way to act on the second channel, some way to act on the first costs no more under any secret";
}

void require_comparison(const Certificate& printed, const ComparisonReport& of) {
  require(printed.from == of.from && printed.to == of.to, "it compares other files or other epsilons");
  require(printed.secrets == of.first.secrets(), "its secrets are not those of the files");
  require(printed.observations_from == of.first.observations() && printed.observations_to == of.second.observations(),
          "its observations are not those of the files");
  require(
      printed.channel_from && *printed.channel_from == of.first.matrix() && *printed.channel_to == of.second.matrix(),
      "its channels are not those of the files");
}

/// `check` compares the certificate with what it is said to be about, and lists in the report what was not checked.
template <class Check>
CertificateReport report_of(const Certificate& printed, const Check& check) {
  const bool has_theorem = !printed.theorem.empty();
  const bool has_certificate = printed.is_refuted() || printed.is_proved();
  CertificateReport report{Outcome::nothing, claim_of(printed), printed.about};
  try {
    require(!printed.is_range || *printed.epsilon_to < *printed.epsilon_from, "its range is empty");
    require_windows(printed);
    require(!has_theorem || printed.verdict == "stable",
            "it names a theorem that proves pipelines stable, but its verdict is not \"stable\"");
    require(!has_theorem || !has_certificate, "it names a theorem, and also holds a witness or a counter-example");
    if (has_certificate) {
      require_verdict(printed);
      require_range(printed);
      require_shape(printed);
      if (printed.channel_from)
        require_certificate(printed, flow::Channel(*printed.channel_from), flow::Channel(*printed.channel_to));
    }
    const bool is_rebuilt = check(report);
    if (has_certificate && (printed.channel_from || is_rebuilt)) {
      report.outcome = Outcome::holds;
    } else if (has_theorem) {
      if (is_rebuilt) report.outcome = Outcome::holds;
    } else if (has_certificate) {
      report.claim =
          "it does not hold its channels, which are too large, or its losses are bounds: name the pipeline's file";
    }
  } catch (const Misfit& misfit) {
    report.outcome = Outcome::fails;
    report.trouble = misfit.what;
  } catch (const Error& error) {  // a constructor refused its arguments, such as rows that do not add up to 1
    if (error.code() != ErrorCode::usage) throw;
    report.outcome = Outcome::fails;
    report.trouble = error.what();
  }
  if (report.outcome == Outcome::fails) report.unchecked.clear();
  return report;
}

const char* const reason_unchecked = "the reason, which is only words";
bool has_proof(const PrintedRange& window) { return window.proof.has_value(); }

/// A window's proof shows one rise between two odds within the window, and not how far the rise reaches.
std::string unchecked_about(const PrintedWindows& analyst) {
  if (analyst.windows.empty()) return "that the loss rises nowhere";
  return "that the loss rises from end to end of each window, and nowhere else";
}

}  // namespace

CertificateReport checked_certificate(const std::string& json) {
  const OwnEnvironment own;
  const Certificate printed = certificate_in(json);
  return report_of(printed, [&](CertificateReport& report) {
    if (!printed.theorem.empty()) {
      report.unchecked.emplace_back("that its theorem applies: name the pipeline's file");
      return false;
    }
    report.unchecked.emplace_back(
        printed.is_comparison ? "that these are the channels of the files that it names"
                              : "that these are the pipeline's channels, secrets and observations at these epsilons");
    if (printed.windows) report.unchecked.emplace_back("where the loss of the file's analyst rises");
    report.unchecked.emplace_back(reason_unchecked);
    return false;
  });
}

CertificateReport checked_certificate(const std::string& json, const CertifiedPipeline& of) {
  const OwnEnvironment own;
  const Certificate printed = certificate_in(json);
  return report_of(printed, [&](CertificateReport& report) {
    require(!printed.is_comparison, "it compares two files, but one is given");
    const bool is_checked = PipelineCheck(printed, of, report).require_all();
    if (printed.windows) {
      const bool is_shown = std::ranges::all_of(printed.windows->windows, has_proof);
      if (!is_shown) report.unchecked.emplace_back("that the loss rises in the windows that have no proof");
      report.unchecked.push_back(unchecked_about(*printed.windows));
    }
    report.unchecked.emplace_back(reason_unchecked);
    return is_checked;
  });
}

CertificateReport checked_certificate(const std::string& json, const ComparisonReport& of) {
  const OwnEnvironment own;
  const Certificate printed = certificate_in(json);
  return report_of(printed, [&](CertificateReport& report) {
    require(printed.is_comparison, "it is about one file, but two are given");
    require_comparison(printed, of);
    report.unchecked.emplace_back(reason_unchecked);
    return true;
  });
}

std::optional<ComparedFiles> compared_in(const std::string& json) {
  const OwnEnvironment own;
  const Certificate printed = certificate_in(json);
  if (!printed.is_comparison) return {};
  return ComparedFiles{printed.from, printed.to};
}

}  // namespace fractile

// Proof: docs/proofs/leakage.md, "Releases of quantiles", 4 and 5
#include "report/release/explained_guess.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "libraries/fmt.hpp"
#include "report/release/declarations.hpp"
#include "report/release/explained_parts.hpp"
#include "report/release/guess_words.hpp"
#include "report/text/decimals.hpp"

namespace fractile {

using namespace report_detail;

namespace {

[[noreturn]] void refuse_guess(const std::string& what, const std::string& hint) {
  throw Error(ErrorCode::usage, what, hint, "guess");
}

Rational tick_of(const std::string& limit, ValueKind kind) {
  if (kind == ValueKind::number) {
    try {
      return Rational::parse(limit);
    } catch (const Error&) {
      refuse_guess("'" + limit + "' cannot be compared with these values", "write a number");
    }
  }
  const std::optional<Moment> moment = read_moment(limit);
  if (!moment || moment->kind != kind) {
    refuse_guess("'" + limit + "' cannot be compared with these values", "write it as they are written");
  }
  return moment->ticks;
}

/// The share of the records above a limit according to the published quantiles, with linear interpolation between two values. Beyond the
/// values, only a bound is known.
struct ShareAbove {
  enum class Side { between, above_all, below_all };
  Side side;
  Rational share;  ///< an upper bound for a limit above all values, a lower bound for one below all
};

ShareAbove share_above(const Release& release, const Rational& limit) {
  using enum ShareAbove::Side;
  const Release::Group& group = release.only();
  const std::vector<Rational>& quantiles = release.query.quantiles;
  if (limit < release.value(group, 0)) return {below_all, Rational(1) - quantiles.front()};
  const std::size_t last = group.indices.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const Rational value = release.value(group, i);
    const Rational next = release.value(group, i + 1);
    if (limit < value || next <= limit) continue;
    const Rational below = quantiles[i] + (quantiles[i + 1] - quantiles[i]) * (limit - value) / (next - value);
    return {between, Rational(1) - below};
  }
  const bool is_last_value = limit == release.value(group, last);
  return {is_last_value ? between : above_all, Rational(1) - quantiles[last]};
}

std::string percent_down(const Rational& probability) {
  return fmt::format("{} %", rounded_down(probability * Rational(100), 2).to_decimal());
}

/// The guess takes the likelier side. Beyond the values, only a bound on the share of the records above the limit is known.
std::string words_beyond(const ShareAbove& found, const std::string& limit, const std::string& question) {
  const bool is_above = found.side == ShareAbove::Side::above_all;
  const Rational likely = is_above ? Rational(1) - found.share : found.share;
  return fmt::format(
      "The published values give only a bound on the share of the records above {}: {}, by the {} of these values. An "
      "attacker who knows this share and no person's value guesses {} correctly in at least {} of cases without this "
      "release. For a limit beyond the published values, this page cannot say how much more often they guess correctly "
      "with the release; take a limit between two of these values.",
      limit, is_above ? "at most " + percent_up(found.share) : "at least " + percent_down(found.share),
      is_above ? "largest" : "least", question, percent_down(std::max(likely, Rational(1, 2))));
}

std::string words_between(const Release& release, const Rational& share, const std::string& limit,
                          const std::string& question) {
  const std::vector<Rational> priors{share, Rational(1) - share};
  const Rational allowed = allowed_guesses(release.cost(), release.query.neighbors, PersonGuess::About::above, priors);
  const std::uint64_t rows = release.errors->rows;
  const bool are_rows_told = rows != any_number_of_rows;
  std::string words = fmt::format(
      "Take a table{} in which, according to these values, {} of the records lie above {}. An attacker who knows this "
      "share and no person's value guesses {} correctly in {} of cases without this release",
      are_rows_told ? " of " + counted(rows, "record") : "", percent_up(share), limit, question,
      percent_up(std::max(priors[0], priors[1])));
  if (are_rows_told) {
    words += fmt::format(", and in at most {} with it, if people's values do not depend on each other",
                         percent_up(std::min(allowed, guesses_by_share(share, rows))));
  }
  return words + fmt::format(". Whatever they know about all other people, the promise allows at most {}.",
                             percent_up(allowed));
}

}  // namespace

void report_detail::require_guess(const std::string& limit, ValueKind kind, const QuantileQuery& query,
                                  bool is_grouped) {
  if (is_grouped) refuse_guess("a guess is explained only for a release without groups", "leave it out");
  if (query.records_per_person != 1) {
    refuse_guess("a guess is explained only where a person has at most one record", "leave it out");
  }
  tick_of(limit, kind);
}

void report_detail::explain_guess(Page& page, const Release& release, const std::string& limit) {
  const ValueKind kind = release.lattice.kind();
  const Rational tick = tick_of(limit, kind);
  page.section(guess_heading);
  if (release.is_grouped() || release.query.records_per_person != 1) {
    page.paragraph(
        "This page can say how often a guess about a person is right only for a release without groups in which each "
        "person has at most one record. This release is not one.");
    return;
  }
  if (release.query.quantiles.empty()) {
    page.paragraph(
        "How often a guess about a person is right follows from published quantiles, and this release has none.");
    return;
  }
  const ShareAbove found = share_above(release, tick);
  const std::string question = fmt::format("whether a person's {} is above {}", value_in_words(kind), limit);
  page.paragraph(found.side == ShareAbove::Side::between ? words_between(release, found.share, limit, question)
                                                         : words_beyond(found, limit, question));
}

}  // namespace fractile

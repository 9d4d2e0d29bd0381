#include "experiments/kronecker_examples.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "experiments/kronecker_printed.hpp"
#include "flow/channel/papers.hpp"
#include "fractile/pipelines.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::kronecker_utility {
namespace {

using flow::Channel;
using flow::Matrix;
using flow::Perturber;
using flow::Pipeline;
using flow::PostProcessor;
using flow::Secret;

const Rational less_private = 3;  // exp(epsilon) of R_3 and G_3
const Rational more_private = 2;  // of R_2 and G_2

// --- Tables -----------------------------------------------------------------------------------------------------------

std::vector<std::string> texts_of(std::span<const Rational> numbers) {
  std::vector<std::string> texts;
  for (const Rational& number : numbers) texts.push_back(number.to_string());
  return texts;
}

std::vector<std::string> after(std::string first, const std::vector<std::string>& rest) {
  std::vector<std::string> all{std::move(first)};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Table matrix_table(std::string name, std::string what, const std::vector<std::string>& rows,
                   const std::vector<std::string>& columns, const Matrix& matrix) {
  Table table{std::move(name), std::move(what), after("", columns), {}};
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    table.rows.push_back(after(rows[row], texts_of(matrix.row(row))));
  }
  return table;
}

std::string decimal(const Rational& value) { return flow::RealBounds{value, value}.to_decimal(12); }

std::string both_ways(const Rational& value) { return fmt::format("{} = {}", value.to_string(), decimal(value)); }

// --- Pipelines --------------------------------------------------------------------------------------------------------

PostProcessor counting(std::vector<std::size_t> counted) {
  return {PostProcessor::Kind::count, std::move(counted), {}};
}

/// A pipeline of two people with values 0, 1, 2.
Pipeline two_people(const Perturber& perturber, PostProcessor post) {
  return {2, {0, 1, 2}, perturber, std::move(post), {}};
}

/// Which of three bars is the highest; the first one, if several are equally high.
std::size_t highest_bar(std::size_t first, std::size_t second, std::size_t third) {
  if (first >= second && first >= third) return 0;
  return second >= third ? 1 : 2;
}

Channel argmax_of_three_bars(std::size_t heights) {
  std::vector<std::size_t> image;
  for (std::size_t a = 0; a < heights; ++a) {
    for (std::size_t b = 0; b < heights; ++b) {
      for (std::size_t c = 0; c < heights; ++c) image.push_back(highest_bar(a, b, c));
    }
  }
  return flow::deterministic(image, 3);
}

// --- Findings ---------------------------------------------------------------------------------------------------------

void add_check(Findings& to, const std::string& place, const std::string& paper, bool holds, const std::string& found) {
  to.findings.push_back({place, paper, holds ? found : "it does not hold", holds});
}

/// Adds the finding for a pair of odds of which the second is worth more to some analyst. The analyst gets a table of their own.
void add_refutation(Findings& to, Finding finding, const std::string& name, const Pipeline& pipeline) {
  const flow::PipelineRefinement answer =
      flow::check_refinement(pipeline, flow::Odds(less_private), flow::Odds(more_private));
  const auto* const analyst = std::get_if<flow::Counterexample>(&answer.refinement.verdict);
  finding.agrees = analyst != nullptr;
  if (analyst == nullptr) {
    finding.found = answer.refinement.reason;
  } else {
    finding.found = fmt::format("an analyst (tables/{}.csv) expects to lose {} at exp(epsilon) = 3 and {} at 2", name,
                                both_ways(analyst->loss_from), both_ways(analyst->loss_to));
    to.tables.push_back(
        analyst_table(name, fmt::format("{}: an analyst who does better at exp(epsilon) = 2 than at 3", finding.place),
                      answer.secrets, analyst->prior, analyst->loss));
  }
  to.findings.push_back(std::move(finding));
}

void add_witness(Findings& to, Finding finding, const Pipeline& pipeline) {
  const flow::PipelineRefinement answer =
      flow::check_refinement(pipeline, flow::Odds(less_private), flow::Odds(more_private));
  finding.agrees = answer.refinement.refines();
  finding.found = answer.refinement.reason;
  to.findings.push_back(std::move(finding));
}

void add_comparison(Findings& to, const std::string& place, const std::string& paper, const Matrix& printed,
                    const Matrix& computed) {
  const bool same = printed == computed;
  to.findings.push_back({place, paper, same ? "the same, entry by entry" : "another matrix", same});
}

// --- Sections 6.2 and appendix E: sums of randomized responses --------------------------------------------------------

Channel sum_of_two_responses(const Rational& odds) {
  const Channel sums = flow::deterministic({0, 1, 2, 1, 2, 3, 2, 3, 4}, 5);
  return flow::kronecker_power(Perturber::randomized_response(3).at(flow::Odds(odds)), 2) * sums;
}

void add_published_losses(Findings& to, const Channel& from, const Channel& less) {
  const flow::Prior prior = flow::Prior::uniform(from.secrets().size());
  const flow::Loss loss(printed::appendix_e_losses());
  const flow::Counterexample published{prior, loss, flow::expected_loss(prior, from, loss),
                                       flow::expected_loss(prior, less, loss)};
  to.findings.push_back({"appendix E", "the printed loss with five actions shows it",
                         fmt::format("with the digits as printed and a uniform prior: {} at exp(epsilon) = 3, {} at 2",
                                     both_ways(published.loss_from), both_ways(published.loss_to)),
                         flow::verify(from, less, published)});
  to.tables.push_back(analyst_table("appendix_e_published_analyst", "appendix E: the printed loss, uniform prior",
                                    from.secrets(), prior, loss));
}

void add_sums_of_responses(Findings& to) {
  const Channel three = sum_of_two_responses(less_private);
  const Channel two = sum_of_two_responses(more_private);
  to.tables.push_back(
      channel_table("appendix_e_r3_sum",
                    "appendix E: the sum of two randomized responses, exp(epsilon) = 3, by the nine pairs", three));
  to.tables.push_back(channel_table("appendix_e_r2_sum", "appendix E: the same at exp(epsilon) = 2", two));
  add_comparison(to, "appendix E", "the table of (R_3 x R_3) S", printed::appendix_e_r3_sum(), three.matrix());
  add_comparison(to, "appendix E", "the table of (R_2 x R_2) S", printed::appendix_e_r2_sum(), two.matrix());
  add_refutation(to, {"section 6.2", "sums of randomized responses: R_3 S is not refined by R_2 S", "", false},
                 "section_6_2_analyst",
                 two_people(Perturber::randomized_response(3), {PostProcessor::Kind::sum, {}, {}}));
  add_published_losses(to, three, two);
}

// --- Section 7.1 and appendix B: geometric noise ----------------------------------------------------------------------

void add_geometric_witness(Findings& to) {
  const Perturber geometric = Perturber::geometric(3);
  const Channel from = geometric.at(flow::Odds(less_private));
  const flow::Refinement answer = flow::refines(from, geometric.at(flow::Odds(more_private)));
  const Matrix witness = answer.refines() ? std::get<flow::Witness>(answer.verdict).matrix : Matrix();
  const bool as_printed = witness == printed::appendix_b_witness();
  to.tables.push_back(matrix_table("section_7_1_witness",
                                   "section 7.1 and appendix B: the witness W = G_3^-1 G_2 of values 0, 1, 2",
                                   from.observations(), from.observations(), witness));
  std::string row;
  for (const std::string& entry : texts_of(witness.row(1))) row += (row.empty() ? "" : ", ") + entry;
  to.findings.push_back({"appendix B", "the witness's middle row is 7/30, 8/15, 7/30",
                         fmt::format("it is {}: only so is G_3 W = G_2", row), as_printed});
  add_check(to, "appendix B", "L L^-1 W L = W L for the counting of outliers",
            flow::theorem_one_condition(witness, {0, 1, 0}), "true of the right W as well");
}

void add_geometric_noise(Findings& to) {
  const Perturber geometric = Perturber::geometric(3);
  add_geometric_witness(to);
  add_refutation(to, {"section 7.1", "counting zeros after geometric noise is not refined", "", false},
                 "section_7_1_zeros_analyst", two_people(geometric, counting({0})));
  add_witness(to, {"section 7.1", "counting outliers, 0 and 2, is refined", "", false},
              two_people(geometric, counting({0, 2})));
  add_refutation(to, {"section 7.1", "sums after geometric noise are not refined", "", false},
                 "section_7_1_sum_analyst", two_people(geometric, {PostProcessor::Kind::sum, {}, {}}));
}

// --- Section 8, appendices C and D.2: noisy ArgMax --------------------------------------------------------------------

/// The metric under which bars that differ by one unit in one direction are at distance 1.
Matrix manhattan_metric(std::size_t heights) {
  const std::size_t size = heights * heights * heights;
  Matrix distances(size, size);
  const auto between = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
  for (std::size_t x = 0; x < size; ++x) {
    for (std::size_t y = 0; y < size; ++y) {
      const std::size_t first = between(x / heights / heights, y / heights / heights);
      const std::size_t second = between(x / heights % heights, y / heights % heights);
      distances(x, y) = static_cast<std::int64_t>(first + second + between(x % heights, y % heights));
    }
  }
  return distances;
}

void add_argmax_privacy(Findings& to) {
  constexpr std::size_t heights = 3;
  const Channel bars = flow::kronecker_power(Perturber::geometric(heights).at(flow::Odds(less_private)), 3);
  const std::optional<Exponent> epsilon =
      flow::smallest_epsilon(bars * argmax_of_three_bars(heights), manhattan_metric(heights));
  to.findings.push_back(
      {"lemma 8.1, appendix C", "noisy ArgMax is epsilon-DP for the epsilon of its noise",
       epsilon ? fmt::format("three bars of heights 0 to 2 with noise of epsilon = ln 3: the smallest epsilon is {}",
                             epsilon->to_string())
               : "there is no epsilon",
       epsilon && *epsilon <= Exponent::log(less_private)});
}

void add_noisy_argmax(Findings& to) {
  add_argmax_privacy(to);
  const Pipeline pipeline{2,
                          {0, 1, 2},
                          Perturber::geometric(3),
                          PostProcessor{PostProcessor::Kind::mode, {}, {}},
                          Secret{Secret::Kind::histogram, {}}};
  add_refutation(to, {"lemma 8.2", "noisy ArgMax is not refined (two people, three categories)", "", false},
                 "lemma_8_2_analyst", pipeline);
  const Perturber bar = Perturber::geometric(2);
  const flow::Refinement single = flow::refines(bar.at(flow::Odds(less_private)), bar.at(flow::Odds(more_private)));
  const Matrix& witness = std::get<flow::Witness>(single.verdict).matrix;
  const bool holds = flow::theorem_one_condition(flow::kronecker(witness, witness), {0, 1, 0, 0});
  to.findings.push_back({"appendix D.2", "the condition of theorem 5.1 can be seen to fail without prior and loss",
                         holds ? "it holds for two bars of height 0 or 1" : "it fails for two bars of height 0 or 1",
                         !holds});
}

// --- Appendix D.1: four people ----------------------------------------------------------------------------------------

struct PrintedLoss {
  Rational odds;
  std::string decimal_odds;
  std::string loss;
};

const std::vector<PrintedLoss>& printed_losses() {
  static const std::vector<PrintedLoss> losses{
      {Rational(7, 2), "3.5", "1276949536000/771895089"},
      {Rational(351, 100), "3.51", "2552438666271995640492212000/1542907143753726048154857"},
  };
  return losses;
}

void add_printed_losses(Findings& to) {
  Table table{
      "appendix_d1_losses", "appendix D.1: the analyst's expected losses", {"exp_epsilon", "loss", "decimal"}, {}};
  for (const PrintedLoss& printed : printed_losses()) {
    const Rational loss = flow::expected_loss(four_people(), thousandfold_linear_error(), flow::Odds(printed.odds));
    const flow::RealBounds point{loss, loss};
    table.rows.push_back({printed.decimal_odds, loss.to_string(), point.to_decimal(30)});
    to.findings.push_back({"appendix D.1",
                           fmt::format("the loss at exp(epsilon) = {} is {}", printed.decimal_odds, printed.loss),
                           both_ways(loss), loss.to_string() == printed.loss});
  }
  to.tables.push_back(std::move(table));
}

void add_window(Findings& to) {
  constexpr std::int64_t most = 1000;
  Table table{"appendix_d1_windows",
              fmt::format("appendix D.1: between which exp(epsilon), of 1 to {}, the expected loss rises", most),
              {"from", "to"},
              {}};
  std::string found;
  for (const flow::UnstableWindow& window :
       flow::find_windows(four_people(), thousandfold_linear_error(), flow::OddsRange(1, most)).windows) {
    table.rows.push_back({window.from.to_decimal(30), window.to.to_decimal(30)});
    found +=
        fmt::format("{}from {} to {}", found.empty() ? "" : ", ", window.from.to_decimal(6), window.to.to_decimal(6));
  }
  to.findings.push_back(
      {"appendix D.1", "the loss rises between exp(epsilon) = 3.5 and 3.51",
       fmt::format("of exp(epsilon) from 1 to {}, it rises {}", most, found.empty() ? "nowhere" : found),
       !table.rows.empty()});
  to.tables.push_back(std::move(table));
}

void add_four_people(Findings& to) {
  const Pipeline pipeline = four_people();
  const std::vector<Matrix> perturbers{printed::equation_28(), printed::equation_56()};
  const std::vector<Matrix> counts{printed::equation_37(), printed::equation_75()};
  const std::vector<std::string> perturber_names{"(28)", "(56)"};
  const std::vector<std::string> count_names{"(37)", "(75)"};
  for (std::size_t i = 0; i < printed_losses().size(); ++i) {
    const auto& [odds, decimal_odds, loss] = printed_losses()[i];
    const Channel perturber = pipeline.perturber.at(flow::Odds(odds));
    const Channel count = flow::channel_at(pipeline, flow::Odds(odds)).channel;
    to.tables.push_back(channel_table(
        "appendix_d1_perturber_" + decimal_odds,
        fmt::format("equation {}: geometric noise on 0 to 6 at exp(epsilon) = {}", perturber_names[i], decimal_odds),
        perturber));
    to.tables.push_back(
        channel_table("appendix_d1_count_" + decimal_odds,
                      fmt::format("equation {}: the count of zeros, by the unknown value", count_names[i]), count));
    add_comparison(to, "appendix D.1", "equation " + perturber_names[i], perturbers[i], perturber.matrix());
    add_comparison(to, "appendix D.1", "equation " + count_names[i], counts[i], count.matrix());
  }
  add_printed_losses(to);
  add_window(to);
}

// --- Appendix F: three respondents ------------------------------------------------------------------------------------

/// Tuples of three out of three values, numbered with the last value running fastest.
constexpr std::size_t tuples = 27;
std::size_t value_at(std::size_t tuple, std::size_t place) {
  return place == 0 ? tuple / 9 : place == 1 ? tuple / 3 % 3 : tuple % 3;
}

/// Equation 79: the sum of all eight products of factors a [x_n = y_n] and b / K.
Rational equation_79(const Rational& a, const Rational& b, std::size_t x, std::size_t y) {
  Rational sum;
  for (unsigned choice = 0; choice < 8; ++choice) {
    Rational product = 1;
    for (std::size_t n = 0; n < 3; ++n) {
      const bool identity = (choice >> n & 1U) != 0;
      product *= identity ? a * Rational(value_at(x, n) == value_at(y, n) ? 1 : 0) : b / Rational(3);
    }
    sum += product;
  }
  return sum;
}

bool is_equation_79(const Matrix& power, const Rational& a, const Rational& b) {
  for (std::size_t x = 0; x < tuples; ++x) {
    for (std::size_t y = 0; y < tuples; ++y) {
      if (power(x, y) != equation_79(a, b, x, y)) return false;
    }
  }
  return true;
}

/// For each tuple, how many of its three places have the first value.
std::vector<std::size_t> counts_of_first() {
  std::vector<std::size_t> counts;
  for (std::size_t tuple = 0; tuple < tuples; ++tuple) {
    std::size_t count = 0;
    for (std::size_t place = 0; place < 3; ++place) count += value_at(tuple, place) == 0 ? 1U : 0U;
    counts.push_back(count);
  }
  return counts;
}

void add_three_respondents(Findings& to) {
  const Perturber response = Perturber::randomized_response(3);
  const flow::Refinement single =
      flow::refines(response.at(flow::Odds(less_private)), response.at(flow::Odds(more_private)));
  const Channel witness(std::get<flow::Witness>(single.verdict).matrix);
  const Channel power = flow::kronecker_power(witness, 3);
  const Channel tally = flow::deterministic(counts_of_first(), 4);
  // W = a I + b U, where all entries of U are 1/3.
  const Rational a = witness(0, 0) - witness(0, 1);
  const Rational b = witness(0, 1) * Rational(3);
  to.tables.push_back(channel_table(
      "appendix_f_witness",
      fmt::format("appendix F: R_3 W = R_2 for W = a I + b U, a = {}, b = {}", a.to_string(), b.to_string()), witness));
  to.tables.push_back(channel_table(
      "appendix_f_witness_of_three",
      "equation 79: W for three respondents, the Kronecker product of three, by the tuples of their values", power));
  to.tables.push_back(channel_table(
      "appendix_f_count", "equation 80: W T, and T T^-1 W T as well: rows with as many first values are equal",
      power * tally));
  add_check(to, "appendix F", "equation 79", is_equation_79(power.matrix(), a, b),
            "the same as the Kronecker product, in all 729 entries");
  const Channel projected = tally * flow::left_inverse(tally) * power * tally;
  add_check(to, "appendix F", "equation 80: T T^-1 W T = W T for counting one value",
            projected.matrix() == (power * tally).matrix(), "both sides multiplied out, 27 by 4 entries");
  add_witness(to, {"theorem 6.1", "counting randomized responses is refined (three people)", "", false},
              {3, {1, 2, 3}, response, counting({0}), {}});
}

}  // namespace

Table channel_table(std::string name, std::string what, const Channel& channel) {
  return matrix_table(std::move(name), std::move(what), channel.secrets(), channel.observations(), channel.matrix());
}

Table analyst_table(std::string name, std::string what, const std::vector<std::string>& secrets,
                    const flow::Prior& prior, const flow::Loss& loss) {
  Table table{std::move(name), std::move(what), {"secret", "prior"}, {}};
  for (const std::string& action : loss.actions()) table.heading.push_back("action " + action);
  for (std::size_t secret = 0; secret < secrets.size(); ++secret) {
    table.rows.push_back(after(secrets[secret], after(prior[secret].to_string(), texts_of(loss.matrix().row(secret)))));
  }
  return table;
}

Findings worked_examples() {
  Findings all;
  add_sums_of_responses(all);
  add_geometric_noise(all);
  add_noisy_argmax(all);
  add_four_people(all);
  add_three_respondents(all);
  return all;
}

Pipeline four_people() {
  return {4, {0, 1, 2, 3, 4, 5, 6}, Perturber::geometric(7), counting({0}), Secret::target_knowing({0, 1, 1})};
}

flow::Analyst thousandfold_linear_error() {
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::linear_error;
  analyst.scale = 1000;
  return analyst;
}

}  // namespace fractile::experiments::kronecker_utility

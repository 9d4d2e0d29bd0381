#include "experiments/kronecker_utility.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/source.hpp"
#include "fractile/version.hpp"
#include "libraries/fmt.hpp"

namespace fractile::experiments::kronecker_utility {
namespace {

using flow::Perturber;
using flow::Pipeline;
using flow::PostProcessor;
using flow::Secret;

constexpr const char* data_file = "compas_custody_status.csv";
constexpr std::size_t codes = 6;

// --- The data ---------------------------------------------------------------------------------------------------------

std::string left_out(const std::string& why) { return fmt::format("{}: left out figure 4", why); }

/// Throws `data` for a code outside 0 to 5, and when there are fewer than two people.
Population population_in(const std::string& file, const std::string& library) {
  TableOptions options;
  options.file = file;
  options.library = library;
  Population population(codes);
  for (const CodeCount& row : read_code_counts(options)) {
    if (!row.code.fits_uint64() || row.code.to_uint64() >= codes) {
      throw Error(ErrorCode::data, fmt::format("{}: a code is not one of 0 to {}", file, codes - 1),
                  "codes are pretrial defendant 0, residential program 1, probation 2, parole 3, jail 4, prison 5");
    }
    population[row.code.to_uint64()] = row.count;
  }
  if (people_of(population) < 2) {
    throw Error(ErrorCode::data, fmt::format("{}: figure 4 needs two people, a target and one who is known", file),
                "give the histogram of all people");
  }
  return population;
}

std::optional<Population> population_of(const Plan& plan, const Observer& observer) {
  if (plan.data_folder.empty()) {
    observer.note(left_out(fmt::format("without --data, the folder of {}", data_file)));
    return {};
  }
  if (!std::filesystem::is_directory(plan.data_folder)) {
    throw Error(ErrorCode::data, "there is no folder " + plan.data_folder,
                fmt::format("name the one that holds {}", data_file));
  }
  const std::filesystem::path file = std::filesystem::path(plan.data_folder) / data_file;
  if (!std::filesystem::exists(file)) {
    observer.note(left_out(fmt::format("{} is not in {}", data_file, plan.data_folder)));
    return {};
  }
  return population_in(file.string(), plan.library);
}

// --- Curves -----------------------------------------------------------------------------------------------------------

std::vector<Exponent> epsilons_of(const std::vector<Rational>& numbers) { return {numbers.begin(), numbers.end()}; }

/// The points of parts (a) and (b) in one list.
std::vector<Exponent> figure_4_epsilons(std::uint64_t points) {
  std::vector<Rational> all = even_steps(figure_4_epsilon, points);
  const std::vector<Rational> detail = even_steps(figure_4_detail, points);
  all.insert(all.end(), detail.begin(), detail.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return epsilons_of(all);
}

constexpr std::size_t voters = 20;
/// Larger than exp(figure_3_epsilon).
constexpr std::int64_t figure_3_odds = 149;

/// The curves for the text's uniform prior over 231 histograms, and for the prior over the 171 that leave no category out.
std::vector<LossCurve> figure_3_curves() {
  const Pipeline pipeline{voters,
                          {0, 1, 2},
                          Perturber::geometric(voters + 1),
                          PostProcessor{PostProcessor::Kind::mode, {}, {}},
                          Secret{Secret::Kind::histogram, {}}};
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::argmax_accuracy;
  flow::Analyst of_full = analyst;
  of_full.prior = flow::uniform_over_full_histograms(pipeline);
  return {{"geometric", "uniform", pipeline, analyst}, {"geometric", "uniform-full", pipeline, of_full}};
}

/// The literal reading of "the same distribution derived from the frequencies of the known values".
flow::Prior frequencies(const std::vector<std::size_t>& known) {
  const auto people = static_cast<std::int64_t>(std::accumulate(known.begin(), known.end(), std::size_t{0}));
  std::vector<Rational> shares;
  shares.reserve(known.size());
  for (const std::size_t count : known) shares.emplace_back(static_cast<std::int64_t>(count), people);
  return flow::Prior(shares);
}

Pipeline counted_defendants(const Perturber& perturber, const Secret& secret) {
  return {
      secret.others() + 1, {0, 1, 2, 3, 4, 5}, perturber, PostProcessor{PostProcessor::Kind::count, {0}, {}}, secret};
}

std::vector<LossCurve> figure_4_curves(const Population& population) {
  const Secret secret = Secret::target_among(population, people_of(population));
  const Pipeline geometric = counted_defendants(Perturber::geometric(codes), secret);
  const Pipeline response = counted_defendants(Perturber::randomized_response(codes), secret);
  flow::Analyst literal;
  literal.prior = frequencies(secret.known);
  const flow::Analyst uniform{flow::Prior::uniform(codes)};
  const flow::Analyst published{flow::uniform_over_uncounted(geometric)};
  return {{"geometric", "frequencies", geometric, literal},
          {"randomized-response", "frequencies", response, literal},
          {"geometric", "uniform", geometric, uniform},
          {"randomized-response", "uniform", response, uniform},
          {"geometric", "uniform-uncounted", geometric, published},
          {"randomized-response", "uniform-uncounted", response, published}};
}

/// Odds around the window of appendix D.1, exp(epsilon) from 3.48465 to 3.51665. After this range, the loss falls a hundred times as
/// steeply. The window's ends are among the points, so that a rise is drawn up to where the loss falls again.
std::vector<Exponent> appendix_d1_epsilons(std::uint64_t points) {
  const Rational from = Rational::parse("3.48465");
  const Rational length = Rational::parse("0.032");
  std::vector<Rational> odds;
  for (const Rational& step : even_steps(length, points)) odds.push_back(from + step);
  for (const flow::UnstableWindow& window :
       flow::find_windows(four_people(), thousandfold_linear_error(), flow::OddsRange(from, from + length)).windows) {
    const Rational digits = Rational(10).pow(12);
    for (const Rational& end : {window.from.lower, window.to.lower}) odds.push_back((end * digits).floor() / digits);
  }
  std::ranges::sort(odds);
  std::vector<Exponent> epsilons;
  epsilons.reserve(odds.size());
  for (Rational& each : odds) epsilons.push_back(Exponent::log(std::move(each)));
  return epsilons;
}

// --- What the curves show ---------------------------------------------------------------------------------------------

std::string rounded(const flow::RealBounds& value) { return value.to_decimal(7); }

/// The last epsilon up to which the loss cannot be distinguished from that without a release; nothing if the loss falls at once.
std::optional<Exponent> level_up_to(const LossCurve& curve) {
  std::optional<Exponent> last;
  for (const flow::LossPoint& point : curve.points) {
    if (point.change != flow::Change::undecided && point.change != flow::Change::flat) break;
    last = point.epsilon;
  }
  return last;
}

std::string course_of(const LossCurve& curve) {
  const flow::LossPoint& last = curve.points.back();
  std::string text = fmt::format("{} without a release", rounded({curve.without_release, curve.without_release}));
  if (const std::optional<Exponent> level = level_up_to(curve)) {
    text += fmt::format(", the same to 40 digits up to epsilon = {}", level->coefficient().to_decimal());
  }
  text += fmt::format(", {} at epsilon = {}; ", rounded(last.loss), last.epsilon.coefficient().to_decimal());
  const std::size_t rises = curve.rises();
  text += fmt::format("it certainly rises at {} of {} points", rises == 0 ? "none" : std::to_string(rises),
                      curve.points.size());
  const std::size_t undecided = curve.undecided();
  return undecided == 0 ? text : text + fmt::format(", undecided within 40 digits at {}", undecided);
}

/// A prior under which a smaller epsilon is worth more to all who have the analyst's loss; nothing if there is no such prior at these odds.
std::optional<std::string> refuting_prior(const Pipeline& pipeline, const flow::Analyst& analyst) {
  const flow::LossRefinement answer = flow::check_refinement_for(pipeline, analyst, flow::Odds(3), flow::Odds(2));
  const auto* const found = std::get_if<flow::Counterexample>(&answer.verdict);
  if (found == nullptr) return {};
  const std::vector<std::string> secrets = flow::channel_at(pipeline, flow::Odds(3)).channel.secrets();
  std::string prior;
  for (std::size_t x = 0; x < secrets.size(); ++x) {
    if (found->prior[x].sign() > 0)
      prior +=
          fmt::format("{}{} of {}", prior.empty() ? "" : ", ", rounded({found->prior[x], found->prior[x]}), secrets[x]);
  }
  return fmt::format("with {} the loss is {} at exp(epsilon) = 3 and {}, less, at 2", prior,
                     rounded({found->loss_from, found->loss_from}), rounded({found->loss_to, found->loss_to}));
}

/// Definition 3.3 quantifies over all priors.
Finding ama_stability(const LossCurve& curve) {
  const std::optional<std::string> prior = refuting_prior(curve.pipeline, curve.analyst);
  return {"section 9.1, definition 3.3", "noisy ArgMax appears to be ama-stable",
          prior ? "not to every prior: " + *prior : "no prior refutes it at exp(epsilon) = 3 and 2", false};
}

/// The paper says "she might not be so fortunate" of an analyst who minimizes the distance from the true mode.
Finding distance_from_the_mode(const Pipeline& pipeline) {
  flow::Analyst analyst;
  analyst.goal = flow::Analyst::Goal::linear_error;
  analyst.about = PostProcessor{PostProcessor::Kind::mode, {}, {}};
  const bool falls = flow::find_windows(pipeline, analyst, flow::OddsRange(1, figure_3_odds)).windows.empty();
  const std::optional<std::string> prior = refuting_prior(pipeline, analyst);
  return {"section 9.1", "the distance from the true mode might not be stable",
          fmt::format("the uniform prior's loss rises {} for exp(epsilon) from 1 to {}; {}",
                      falls ? "nowhere" : "somewhere", figure_3_odds,
                      prior ? *prior : "no prior refutes it at exp(epsilon) = 3 and 2"),
          prior.has_value()};
}

Finding falling_loss(const LossCurve& curve, std::string paper) {
  const bool falls =
      flow::find_windows(curve.pipeline, curve.analyst, flow::OddsRange(1, figure_3_odds)).windows.empty();
  return {"section 9.1, figure 3", std::move(paper),
          fmt::format("{}; isolated exactly for exp(epsilon) from 1 to {}, it rises {}", course_of(curve),
                      figure_3_odds, falls ? "nowhere" : "somewhere"),
          falls && curve.rises() == 0};
}

void add_figure_3_findings(const std::vector<LossCurve>& curves, std::vector<Finding>& findings) {
  const LossCurve& all = curves[0];
  const LossCurve& full = curves[1];
  const std::size_t histograms = flow::prior_of(all.analyst, all.pipeline).size();
  const auto without_gaps =
      std::ranges::count_if(full.analyst.prior->probabilities(), [](const Rational& p) { return p.sign() > 0; });
  findings.push_back({"section 9.1", "there are 105 = (21 x 20 / 2) histograms",
                      fmt::format("there are {}, of which {} leave no category out", histograms, without_gaps),
                      histograms == 105});
  findings.push_back(falling_loss(all, "the loss of the uniform prior falls with epsilon"));
  findings.push_back(falling_loss(full, "so does that of a prior over histograms that leave no category out"));
  findings.push_back(ama_stability(all));
  findings.push_back(distance_from_the_mode(all.pipeline));
}

/// Finds an analyst with two people's counts to whom a smaller epsilon is worth more, and evaluates this analyst with all people's counts.
void add_unstable_analyst(const LossCurve& geometric, Results& results) {
  const Pipeline two = counted_defendants(geometric.pipeline.perturber, Secret::target_knowing({0}));
  const flow::PipelineRefinement answer = flow::check_refinement(two, flow::Odds(3), flow::Odds(2));
  Finding finding{"section 9.2",
                  "geometric noise and counting are unstable: to some analyst, a smaller epsilon is worth more", "",
                  false};
  if (const auto* const found = std::get_if<flow::Counterexample>(&answer.refinement.verdict)) {
    flow::Analyst analyst;
    analyst.prior = found->prior;
    analyst.goal = flow::Analyst::Goal::matrix;
    analyst.losses = found->loss.matrix();
    const flow::RealBounds less_private = flow::expected_loss_bounds(geometric.pipeline, analyst, Exponent::log(3));
    const flow::RealBounds more_private = flow::expected_loss_bounds(geometric.pipeline, analyst, Exponent::log(2));
    finding.agrees = flow::change_between(more_private, less_private) == flow::Change::rises;
    finding.found =
        fmt::format("some analyst (tables/section_9_2_analyst.csv) expects to lose {} at exp(epsilon) = 3 and {} at 2",
                    rounded(less_private), rounded(more_private));
    results.tables.push_back(analyst_table(
        "section_9_2_analyst", "section 9.2: an analyst of the known others' count who does better at exp(epsilon) = 2",
        answer.secrets, found->prior, found->loss));
  } else {
    finding.found = answer.refinement.reason;
  }
  results.findings.push_back(std::move(finding));
}

void add_figure_4_findings(Results& results) {
  for (const LossCurve& curve : results.figure_4) {
    const bool is_geometric = curve.mechanism == "geometric";
    const std::string says = is_geometric ? "the loss falls and then rises again" : "the loss never rises";
    results.findings.push_back({fmt::format("section 9.2, figure 4, {}, prior {}", curve.mechanism, curve.prior), says,
                                course_of(curve), (curve.rises() > 0) == is_geometric});
  }
  const flow::Stability response =
      flow::check_stability(results.figure_4[1].pipeline, flow::OddsRange(1, 1'000'000'000));
  results.findings.push_back({"section 9.2", "randomized response and counting are stable", response.reason,
                              response.verdict == flow::Stability::Verdict::stable});
  add_unstable_analyst(results.figure_4.front(), results);
}

// --- In words ---------------------------------------------------------------------------------------------------------

/// A cell of CSV, quoted if necessary.
std::string cell_text(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char letter : cell) text += letter == '"' ? "\"\"" : std::string(1, letter);
  return text + "\"";
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + cell_text(cells[i]);
  return text + "\n";
}

std::string to_csv(const Table& table) {
  std::string text = row_text(table.heading);
  for (const std::vector<std::string>& row : table.rows) text += row_text(row);
  return text;
}

std::string to_csv(const std::vector<Finding>& findings) {
  std::string text = row_text({"place", "paper", "found", "agrees"});
  for (const Finding& finding : findings) {
    text += row_text({finding.place, finding.paper, finding.found, finding.agrees ? "yes" : "no"});
  }
  return text;
}

std::string path_of(const Table& table) { return fmt::format("tables/{}.csv", table.name); }

constexpr const char* figure_3_text =
    "Figure 3     20 people choose among 3 categories. The bars of the histogram get geometric noise, and the\n"
    "             highest bar is named. There are two priors: uniform over all 231 histograms, and over the 171\n"
    "             that leave no category out. The loss is the probability of naming a wrong category.\n"
    "             The paper's text names no range of epsilon; here 0 < epsilon <= 5.\n";

std::string figure_4_text(const Results& results) {
  if (!results.population) return "Figure 4     Left out: its data were not there.\n";
  return fmt::format(
      "Figure 4     A target among {} people, each of whom has a custody status, 0 to 5. The statuses of all others\n"
      "             are known: they are the histogram of {} without one record of the most frequent code. All\n"
      "             statuses get noise, and the zeros are counted. The loss is the probability of guessing the\n"
      "             target's status wrongly. There are three priors: the frequencies of the known others, as in the\n"
      "             paper's text; uniform; and uniform over the codes that are not counted, with which the loss does\n"
      "             what the paper says. 0 < epsilon <= 20, and more points up to 2.3.\n",
      people_of(*results.population), data_file);
}

constexpr const char* appendix_text =
    "Appendix D.1 The loss around its window, at exp(epsilon) from 3.48465 to 3.51665.\n\n"
    "Losses are enclosed to some 40 digits and printed to 36 decimals or as many as are certain. Column \"change\"\n"
    "compares a loss with that of the point before, and the loss of the first point with that without a release:\n"
    "it rises, falls or is flat for certain, or is undecided when the enclosures meet. Matrices are exact, with\n"
    "fractions in lowest terms.\n";

std::string findings_text(const std::vector<Finding>& findings, bool agrees) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.agrees != agrees) continue;
    text += fmt::format("  {}\n    paper  {}\n    found  {}\n", finding.place, finding.paper, finding.found);
  }
  return text.empty() ? "  nothing\n" : text;
}

std::string description(const Plan& plan, const Results& results) {
  std::string text = fmt::format(
      "The experiments and examples of \"A Novel Analysis of Utility in Privacy Pipelines, Using Kronecker Products\n"
      "and Quantitative Information Flow\" (2023), run again by fractile {} with {} points a curve.\n"
      "Nothing in it is a private release: the histogram is public, and what follows from it is printed as it is.\n\n",
      version, plan.points);
  text += figure_3_text + figure_4_text(results) + appendix_text;
  text += "\nAs in the paper\n" + findings_text(results.findings, true);
  text += "\nNot as in the paper\n" + findings_text(results.findings, false) + "\nTables\n";
  for (const Table& table : results.tables) text += fmt::format("  {:<42} {}\n", path_of(table), table.what);
  return text;
}

}  // namespace

std::uint64_t people_of(const Population& population) {
  return std::accumulate(population.begin(), population.end(), std::uint64_t{0});
}

Results run(const Plan& plan, const Observer& observer) {
  const std::optional<Population> population = population_of(plan, observer);
  std::vector<LossCurve> figure_3 = figure_3_curves();
  std::vector<LossCurve> appendix{{"geometric", "uniform", four_people(), thousandfold_linear_error()}};
  compute(figure_3, epsilons_of(even_steps(figure_3_epsilon, plan.points)), observer);
  compute(appendix, appendix_d1_epsilons(plan.points), observer);
  Findings examples = worked_examples();
  Results results{std::move(figure_3),         population, {}, std::move(appendix.front()), std::move(examples.tables),
                  std::move(examples.findings)};
  add_figure_3_findings(results.figure_3, results.findings);
  if (!population) return results;
  results.figure_4 = figure_4_curves(*population);
  compute(results.figure_4, figure_4_epsilons(plan.points), observer);
  add_figure_4_findings(results);
  return results;
}

std::vector<TextFile> files_of(const Plan& plan, const Results& results) {
  std::vector<TextFile> files{{"kronecker_utility.csv", to_csv(results.findings)},
                              {"kronecker_utility.txt", description(plan, results)},
                              {"figure_3.csv", experiments::to_csv(results.figure_3)},
                              {"appendix_d1.csv", experiments::to_csv({results.appendix_d1})}};
  if (results.population) files.push_back({"figure_4.csv", experiments::to_csv(results.figure_4)});
  for (const Table& table : results.tables) files.push_back({path_of(table), to_csv(table)});
  return files;
}

std::string summary(const Results& results) {
  const auto agree = std::ranges::count(results.findings, true, &Finding::agrees);
  std::string text = fmt::format("{} of {} findings are as in the paper", agree, results.findings.size());
  const auto differ = static_cast<std::size_t>(agree) != results.findings.size();
  if (differ) text += "; the others:\n" + findings_text(results.findings, false);
  return differ ? text : text + "\n";
}

}  // namespace fractile::experiments::kronecker_utility

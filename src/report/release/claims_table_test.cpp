// The table of claims: what each sentence states, as a predicate of one run, and the page that proves it.
#include <cmath>
#include <regex>
#include <set>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "report/release/claims_test_support.hpp"
#include "report/release/release_figure.hpp"

namespace fractile::claims {

LedgerAccount account() {
  LedgerAccount account{{.name = "people", .budget = Budget::pure(Rational(9))}, {}};
  account.balance.spent.add(Budget::pure(Rational(3)));
  account.balance.remaining.add(Budget::pure(Rational(6)));
  return account;
}

namespace {

// --- Predicates -------------------------------------------------------------------------------------------------------

// The phrases that name records.
const std::string by_weights = " by their weights";
const std::string of_table =
    "(?:the table's records|the records that count|the persons' values that count)(?:" + by_weights +
    "(?: as they count)?)?";
const std::string of_population = "(?:the population|one random (?:record|value) of a random person of the population)";

/// The values of the records that a phrase names. Weights are those that stand in the table unless the phrase says that they count otherwise.
Values named_values(const Seen& seen, const std::string& phrase, std::size_t group) {
  const std::size_t weights_from = phrase.find(by_weights);
  const std::string whose = phrase.substr(0, weights_from);
  const bool own_weights = seen.world.weights && weights_from != std::string::npos && phrase.ends_with(by_weights);
  if (whose == "the table's records") return values_of(seen.world, seen.drawn.rows, group, own_weights);
  if (whose == "the records that count" || whose == "the persons' values that count") {
    return values_of(seen.world, seen.drawn.counting, group, own_weights);
  }
  if (whose == "the population") return values_of(seen.world, seen.world.rows, group);
  if (whose == "one random record of a random person of the population" ||
      whose == "one random value of a random person of the population") {
    return per_person(seen.world, group);
  }
  throw Error(ErrorCode::internal, "whose are '" + phrase + "'?", "");
}

/// Each value is a quantile of the named records, up to an error of `bound` records, which may differ between values.
Fails misses(const Seen& seen, const std::string& whose, bool rounded,
             const std::function<double(std::size_t group, std::size_t i)>& bound) {
  Fails fails;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    const Values values = named_values(seen, whose, g);
    const bool too_many = values.all() > static_cast<double>(seen.receipt.errors->rows);
    for (std::size_t i = 0; i < seen.receipt.groups[g].indices.size(); ++i) {
      const double error = values.rank_error(seen.value(g, i), seen.quantile(i), rounded);
      fails.push_back(!too_many && error > bound(g, i) + 1e-6);
    }
  }
  return fails;
}

/// The records that the page's own definition of an error is about.
std::pair<std::string, bool> defined(const Seen& seen) {
  static const std::regex definition("the values were drawn at random near the quantiles of (" + of_table +
                                     ")(, each counted at [^.]*)?[.]");
  std::smatch found;
  if (!std::regex_search(seen.page, found, definition)) return {"the table's records", false};
  return {found[1], found[2].length() > 0};
}

Fails misses_by_table(const Seen& seen) {
  const auto [whose, rounded] = defined(seen);
  return misses(seen, whose, rounded, [&](std::size_t g, std::size_t i) {
    const std::optional<std::uint64_t>& bound = seen.receipt.groups[g].rank_errors[i];
    return bound ? static_cast<double>(*bound) : 1e300;
  });
}

Fails any_misses(const Seen& seen) {
  const auto [whose, rounded] = defined(seen);
  const Fails each = misses(seen, whose, rounded, [&](auto, auto) { return seen.number(1); });
  return {std::ranges::find(each, true) != each.end()};
}

bool holds(const Interval& ends, double value, const Lattice& lattice) {
  return (ends.or_below || lattice.at(ends.lower).to_double() <= value) &&
         (ends.or_above || value <= lattice.at(ends.upper).to_double());
}

/// Each interval holds the quantile of the named records.
Fails not_held(const Seen& seen, const std::string& whose, bool rounded) {
  Fails fails;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    const Values values = named_values(seen, whose, g);
    for (std::size_t i = 0; i < seen.receipt.groups[g].indices.size(); ++i) {
      const double quantile = values.quantile(seen.quantile(i), rounded);
      fails.push_back(values.all() > 0 && !holds(seen.receipt.groups[g].intervals[i], quantile, seen.receipt.lattice));
    }
  }
  return fails;
}

const std::string held = "the quantile of (" + of_table + "|" + of_population + ")(, rounded to a possible value)?";

std::pair<std::string, bool> held_on_page(const Seen& seen) {
  static const std::regex definition("beside each value an interval for " + held);
  std::smatch found;
  if (!std::regex_search(seen.page, found, definition)) return {"the table's records", false};
  return {found[1], found[2].length() > 0};
}

Fails not_held_on_page(const Seen& seen) {
  const auto [whose, rounded] = held_on_page(seen);
  return not_held(seen, whose, rounded);
}

/// Whether any interval of a group fails, for each group.
Fails not_held_at_once(const Seen& seen) {
  const Fails each = not_held_on_page(seen);
  Fails fails;
  const std::size_t quantiles = each.size() / seen.group_count();
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    const auto from = each.begin() + static_cast<std::ptrdiff_t>(g * quantiles);
    fails.push_back(std::find(from, from + static_cast<std::ptrdiff_t>(quantiles), true) !=
                    from + static_cast<std::ptrdiff_t>(quantiles));
  }
  return fails;
}

Fails differences_not_held(const Seen& seen) {
  static const std::regex definition("Each side of a comparison is " + held + "[.]");
  std::smatch found;
  if (!std::regex_search(seen.page, found, definition)) return {true};
  const std::string whose = found[1];
  const bool rounded = found[2].length() > 0;
  const std::size_t last = seen.receipt.groups[0].indices.size() - 1;
  if (last == 0) return {};
  Fails fails;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    const Values values = named_values(seen, whose, g);
    const auto estimate = [&](std::size_t i) { return estimate_in_pairs(seen.receipt, seen.receipt.groups[g], i); };
    const Comparison compared = compare(estimate(0), estimate(last));
    const double true_difference =
        values.quantile(seen.quantile(last), rounded) - values.quantile(seen.quantile(0), rounded);
    const Estimate& told = compared.difference;
    fails.push_back((!told.or_below && told.lower.to_double() > true_difference + 1e-9) ||
                    (!told.or_above && told.upper.to_double() < true_difference - 1e-9));
  }
  return fails;
}

Fails ratios_divide_by_no_positive_number(const Seen& seen) {
  Fails fails;
  for (const Release::Group& group : seen.receipt.groups) {
    for (std::size_t i = 1; i < group.indices.size(); ++i) {
      const Estimate first = estimate_in_pairs(seen.receipt, group, 0);
      const bool is_above = first.value.sign() > 0 && first.lower.sign() > 0 && !first.or_below;
      fails.push_back(compare(first, estimate_in_pairs(seen.receipt, group, i)).ratio.has_value() != is_above);
    }
  }
  return fails;
}

/// The bars of a page: for some share between the ends of a bar, the value is the quantile.
Fails is_no_quantile_of_bars(const Seen& seen) {
  const auto [whose, rounded] = defined(seen);
  const Values values = named_values(seen, whose, 0);
  Fails fails;
  for (std::size_t i = 0; i < seen.receipt.groups[0].indices.size(); ++i) {
    const auto [from, to] = report_detail::shares_of(seen.receipt, i);
    const double value = seen.value(0, i);
    fails.push_back(values.below(value, rounded) > to.to_double() * values.all() + 1e-6 ||
                    values.up_to(value, rounded) < from.to_double() * values.all() - 1e-6);
  }
  return fails;
}

/// Counts, shares and means of the records that a sentence names, at the values where it says that they count: at possible values, or at
/// all multiples of the step, which the lattice of a search for bounds has.
Fails statistics_not_held(const Seen& seen) {
  Fails fails;
  const std::string& named = seen.words.at(1);
  const std::string& at = seen.words.at(2);
  const bool rounded = !at.empty() || !seen.world.lattice.is_regular();
  const bool are_possible = at.find("possible value") != std::string::npos;
  const auto is_within = [](const auto& interval, double value) {
    return static_cast<double>(interval.lower) <= value && value <= static_cast<double>(interval.upper);
  };
  const auto holds_ratio = [](const Statistics::Ratio& ratio, double value) {
    return ratio.lower.to_double() <= value + 1e-9 && value <= ratio.upper.to_double() + 1e-9;
  };
  const StatisticsRequest& asked = seen.receipt.statistics->request;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    std::vector<Weighted> counting = named_values(seen, named, g).values();
    for (Weighted& each : counting) {
      if (are_possible) each.counted = counted_at(seen.receipt.lattice, each.own);
    }
    const Values values(std::move(counting));
    const Statistics& told = *seen.receipt.groups[g].statistics;
    fails.push_back(!is_within(told.count.interval, values.all()));
    for (std::size_t i = 0; i < asked.below.size(); ++i) {
      const double below = values.below(asked.below[i].to_double(), rounded);
      fails.push_back(!is_within(told.below[i].interval, below));
      fails.push_back(values.all() > 0 && !holds_ratio(told.shares[i], below / values.all()));
    }
    if (!told.mean) continue;
    double sum = 0;
    for (const Weighted& each : values.values()) sum += each.weight * (rounded ? each.counted : each.own);
    fails.push_back(values.all() > 0 && !holds_ratio(*told.mean, sum / values.all()));
  }
  return fails;
}

/// The same for a sentence that says the level first.
Fails statistics_not_held_after_level(const Seen& seen) {
  Seen named = seen;
  named.words.erase(named.words.begin() + 1);
  return statistics_not_held(named);
}

/// The errors of counts that a plan states.
Fails statistics_further_off(const Seen& seen) {
  Fails fails;
  const StatisticsErrors& errors = seen.plan->statistics->errors;
  const StatisticsRequest& asked = seen.receipt.statistics->request;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    if (seen.world.groups > 0) continue;  // a plan is about one table
    const Values values = values_of(seen.world, seen.drawn.counting, g);
    const Statistics& told = *seen.receipt.groups[g].statistics;
    const auto is_off = [](std::int64_t value, double truth, std::uint64_t most) {
      return std::abs(static_cast<double>(value) - truth) > static_cast<double>(most);
    };
    fails.push_back(is_off(told.count.value, values.all(), errors.count));
    for (std::size_t i = 0; i < asked.below.size(); ++i) {
      fails.push_back(is_off(told.below[i].value, values.below(asked.below[i].to_double(), true), errors.below[i]));
    }
  }
  return fails;
}

/// Shares and means exist exactly where the count is above zero.
Fails ratios_of_nothing(const Seen& seen) {
  Fails fails;
  for (const Release::Group& group : seen.receipt.groups) {
    const bool counts = group.statistics->count.value > 0;
    for (const Statistics::Ratio& share : group.statistics->shares) fails.push_back(share.value.has_value() != counts);
    if (group.statistics->mean) fails.push_back(group.statistics->mean->value.has_value() != counts);
  }
  return fails;
}

/// How many records lie on no multiple of the granularity that was found.
Fails too_many_are_finer(const Seen& seen) {
  Fails fails;
  for (std::size_t g = 0; g < seen.group_count(); ++g) {
    if (!seen.receipt.groups[g].used.granularity) continue;
    const double grain = seen.receipt.groups[g].used.granularity->to_double();
    double finer = 0;
    const Values values = values_of(seen.world, seen.drawn.counting, g);
    for (const Weighted& each : values.values()) {
      finer += std::abs(std::remainder(each.counted, grain)) > 1e-9 ? 1 : 0;
    }
    fails.push_back(finer > seen.number(1));
  }
  return fails;
}

Fails quantiles_are_beyond_found_bounds(const Seen& seen) {
  const Values values = values_of(seen.world, seen.drawn.counting, 0);
  if (values.all() < seen.number(2)) return {false};
  const double lower = seen.receipt.lattice.lower().to_double();
  const double upper = seen.receipt.lattice.upper().to_double();
  const double first = seen.quantile(0);
  const double last = seen.quantile(seen.world.options.query.quantiles.size() - 1);
  return {values.below(lower, true) > first * values.all() + 1e-9 ||
          values.up_to(upper, true) < last * values.all() - 1e-9};
}

/// Compares where the library counts a value with what the sentence says.
Fails counts_elsewhere(const Seen& seen, bool nearest) {
  const Lattice& lattice = seen.world.lattice;
  const double step = lattice.step().to_double();
  bool fails = false;
  for (const Row& row : seen.drawn.counting) {
    const Position position = lattice.kind() == ValueKind::number
                                  ? lattice.position_of(row.value)
                                  : lattice.position_of(static_cast<std::int64_t>(row.value));
    const double counted = lattice.at((position - 1) / 2).to_double();
    const double moved = row.value - counted;
    const bool below = row.value < lattice.lower().to_double() && counted == lattice.lower().to_double();
    const bool above = row.value > lattice.upper().to_double() && counted == lattice.upper().to_double();
    const bool within = nearest ? std::abs(moved) <= step / 2 + 1e-9 : moved >= 0 && moved < step;
    fails |= position % 2 == 0 || !(below || above || within);
  }
  return {fails};
}

Fails persons_count_more(const Seen& seen) {
  std::map<std::uint64_t, double> counts;
  for (const Row& row : seen.drawn.counting) counts[row.person] += 1;
  return {std::ranges::any_of(counts, [&](const auto& each) { return each.second > seen.number(1); })};
}

Fails persons_have_more(const Seen& seen) {
  std::map<std::uint64_t, double> counts;
  for (const Row& row : seen.drawn.rows) counts[row.person] += 1;
  // A person who is drawn twice is two persons, so one person's records may belong to several.
  const bool repeated = seen.world.sampled && seen.world.with_replacement;
  return {!repeated && std::ranges::any_of(counts, [&](const auto& each) { return each.second > seen.number(1); })};
}

/// P(Z <= z) of a standard normal variable.
double normal(double z) { return std::erfc(-z / std::sqrt(2)) / 2; }
double normal_quantile(double p) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 200; ++i) (normal((low + high) / 2) < p ? low : high) = (low + high) / 2;
  return low;
}

/// A probability to which some release of this cost raises the probability p.
double may_become(const Budget& budget, double p) {
  if (budget.measure() == Measure::zcdp) {  // a Gaussian mechanism that spends all of rho
    return normal(normal_quantile(p) + std::sqrt(2 * budget.rho().to_double()));
  }
  const double e = std::exp(budget.epsilon().to_double());
  const double delta = budget.measure() == Measure::approximate ? budget.delta().to_double() : 0;
  return std::min({1.0, e * p + delta, 1 - (1 - p - delta) / e});
}

Fails a_probability_may_become_more(const Seen& seen) {
  return {may_become(seen.receipt.cost(), 0.1) > seen.number(2) / 100 + 1e-12};
}

/// The budget is no larger than the sentence says, or no event of one in a million becomes nearly certain.
Fails promises_something(const Seen& seen) {
  const Budget& budget = seen.plan->query.budget;
  const bool is_rho = budget.measure() == Measure::zcdp;
  const double amount = is_rho ? budget.rho().to_double() : budget.epsilon().to_double();
  return {amount <= seen.number(2), is_rho != (seen.words.at(1) == "rho"), may_become(budget, 1e-6) < 0.99};
}

Fails probabilities_may_become_more(const Seen& seen) {
  Fails fails;
  for (const std::int64_t percent : {1, 10, 50}) {
    const double most = largest_probability(seen.receipt.cost(), Rational(percent, 100)).to_double();
    fails.push_back(may_become(seen.receipt.cost(), static_cast<double>(percent) / 100) > most + 1e-12);
  }
  return fails;
}

Fails odds_change_more(const Seen& seen) {
  const double epsilon = seen.receipt.cost().epsilon().to_double();
  const bool presence = !seen.words.at(1).empty();
  const double of_content = seen.receipt.query.neighbors == Neighbors::add_remove ? 2 * epsilon : epsilon;
  const bool counts_rows = seen.receipt.public_rows.has_value();
  // A factor that is not written out is above a million million; a percentage, within one part in a million million of 100.
  const auto is_less = [&](std::size_t word, double exponent) {
    return seen.words.at(word).empty() ? std::exp(exponent) < 1e12
                                       : seen.number(word) < std::exp(exponent) * (1 - 1e-9);
  };
  const double lies = 1 / (1 + std::exp(of_content));
  return {presence && (is_less(2, epsilon) || counts_rows), is_less(3, of_content),
          seen.words.at(4).empty() ? lies > 1e-12 : seen.number(4) / 100 < 1 - lies - 1e-12};
}

/// Compares the costs of the parts, as the odometers charged them, with the budget.
Fails costs_more(const Seen& seen) {
  Fails fails;
  const Budget& budget = seen.receipt.cost();
  const double all = budget.measure() == Measure::zcdp ? budget.rho().to_double() : budget.epsilon().to_double();
  for (const Release::Group& group : seen.receipt.groups) {
    double spent = 0;
    for (const PartCost& part : group.spent) spent += part.amount.to_double();
    fails.push_back(spent > all * (1 + 1e-9) || budget.to_string() != seen.world.options.query.budget.to_string());
  }
  return fails;
}

Fails gaussian_needs_more_epsilon(const Seen& seen) {
  const double mu = std::sqrt(2 * seen.receipt.cost().rho().to_double());
  const double epsilon = seen.number(1);
  const double delta = normal(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal(-mu / 2 - epsilon / mu);
  return {delta > 1e-6};
}

Fails is_not_on_the_lattice(const Seen& seen) {
  Fails fails;
  for (const Release::Group& group : seen.receipt.groups) {
    for (const std::uint64_t index : group.indices) fails.push_back(index >= seen.receipt.lattice.size());
  }
  return fails;
}

Fails differs(const std::string& told, const std::string& is) { return {told != is}; }

/// As many records as the sentence says are accepted, and one more is not.
Fails most_records_differ(const Seen& seen) {
  const std::uint64_t most = (std::uint64_t{1} << std::stoi(seen.words.at(1))) - std::stoull(seen.words.at(2));
  const auto are_taken = [](std::uint64_t records) {
    try {
      const RankProfile taken(Lattice::regular(0, 1, 1), std::vector<Position>{1}, std::vector<std::uint64_t>{records});
      return taken.records() == records;
    } catch (const Error&) {
      return false;
    }
  };
  return {!are_taken(most), are_taken(most + 1)};
}

/// Counts the records in the release's file; those that are declared to be missing are known.
Fails a_missing_value_counts(const Seen& seen) {
  if (!seen.world.of_file) return {};
  const auto counted = static_cast<double>(seen.world.of_file->profiles().front().records());
  return {counted != values_of(seen.world, seen.drawn.counting, 0).all()};
}

Fails rows_differ(const Seen& seen) { return differs(seen.words.at(1), std::to_string(seen.drawn.rows.size())); }

Fails expected_rows_differ(const Seen& seen) {
  return differs(seen.words.at(1), std::to_string(seen.world.options.query.expected_rows.value_or(0)));
}

Fails possible_values_differ(const Seen& seen) {
  const Lattice& lattice = seen.receipt.lattice;
  std::string text;
  if (lattice.is_regular()) {
    text = lattice.text(0) + " to " + lattice.text(lattice.size() - 1) + " in steps of " +
           distance_text(lattice.kind(), lattice.step());
  } else {
    for (std::uint64_t i = 0; i < lattice.size(); ++i) text += (i == 0 ? "" : ", ") + lattice.text(i);
  }
  return differs(seen.words.at(1), text);
}

Fails reason_differs(const Seen& seen) { return differs(seen.words.at(2), seen.receipt.groups[0].used.reason); }

Fails is_not_mostly_noise(const Seen& seen) {
  const std::optional<NoiseInWords> noise = noise_in_words(seen.receipt);
  return {!noise || seen.words.at(0).find(noise->hint) == std::string::npos};
}

Fails is_not_typical(const Seen& seen, const TypicalError& typical) {
  return {(seen.words.at(1).empty() ? 0 : seen.number(1)) < std::ranges::max(typical.nine_in_ten),
          seen.words.at(3) != std::to_string(typical.releases), seen.words.at(4) != std::to_string(typical.rows)};
}

Fails is_not_as_simulated(const Seen& seen) {
  Release told = seen.receipt;  // its values differ in each run
  told.public_rows = static_cast<std::uint64_t>(seen.number(4));
  const std::optional<TypicalError> typical = typical_error(told);
  return typical ? is_not_typical(seen, *typical) : Fails{true};
}

Fails account_differs(const Seen& seen) {
  const std::string amounts[] = {"epsilon = 9", "epsilon = 3", "epsilon = 6"};
  Fails fails;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!seen.words.at(i + 1).empty()) fails.push_back(seen.words[i + 1] != amounts[i]);
  }
  return fails;
}

/// For a definition or a declaration, which the table has word for word.
Fails by_definition(const Seen&) { return {}; }

// --- Weights -----------------------------------------------------------------------------------------------------------

Fails grid_of_weights_differs(const Seen& seen) {
  const RecordWeights& weights = *seen.world.weights;
  return {seen.words.at(1) != weights.lower.to_decimal(), seen.words.at(2) != weights.upper.to_decimal(),
          seen.words.at(3) != weights.step.to_decimal()};
}

/// Compares the units that the library counts for a weight with what the sentence says.
Fails weights_count_otherwise(const Seen& seen) {
  Fails fails = grid_of_weights_differs(seen);
  const RecordWeights& weights = *seen.world.weights;
  const Lattice grid = weights.grid();
  for (const Row& row : seen.drawn.counting) {
    const double units = units_of(weights, row.weight);
    const double counted = grid.at((grid.position_of(row.weight) - 1) / 2).to_double() / weights.step.to_double();
    fails.push_back(units > seen.number(4) || std::abs(units - counted) > 1e-9);
  }
  fails.push_back(seen.words.at(5) != weights.step.to_decimal());
  return fails;
}

/// How many times the units of one person, in which all noise is measured, are the records that count of a person without weights.
Fails weighted_noise_differs(const Seen& seen) {
  const auto differ = [](double told, double is) { return std::abs(told - is) > 1e-3 * is; };
  const double times = static_cast<double>(seen.receipt.query.records_per_person) / seen.world.most();
  if (seen.words.at(2).empty()) return {differ(seen.number(1), times)};
  const double mean = Rational::parse(seen.words.at(3)).to_double();
  return {differ(seen.number(1), times), differ(seen.number(2), times * seen.world.weights->step.to_double() / mean),
          mean != seen.world.weights->mean->to_double()};
}

Fails changed_records_differ(const Seen& seen) {
  return differs(seen.words.at(1), std::to_string(seen.world.weights->stability.value()));
}

Fails expected_units_differ(const Seen& seen) {
  const double mean = Rational::parse(seen.words.at(1)).to_double();
  const auto rows = static_cast<double>(seen.world.options.query.expected_rows.value());
  return {mean != seen.world.weights->mean->to_double(),
          std::abs(seen.number(2) - rows * mean / seen.world.weights->step.to_double()) > 1};
}

/// Each person counts once in a group, and in no more groups than the sentence says.
Fails persons_count_with_more_values(const Seen& seen) {
  std::map<std::uint64_t, std::set<std::size_t>> groups;
  bool fails = false;
  for (const Row& row : seen.drawn.counting) fails |= !groups[row.person].insert(row.group).second;
  const double most = seen.words.at(1).empty() ? seen.world.most() : seen.number(1);
  for (const auto& [person, counted] : groups) fails |= static_cast<double>(counted.size()) > most;
  return {fails};
}

/// Compares each person's value, by the words for it, with the values of this person's rows.
Fails counts_with_another_value(const Seen& seen) {
  static const std::map<std::string, PerPerson> ways{
      {"the sum of their numbers", PerPerson::sum},
      {"the number of their records that hold something in the column", PerPerson::count},
      {"the mean of their numbers", PerPerson::mean},
      {"the least of their values", PerPerson::min},
      {"the greatest of their values", PerPerson::max},
      {"the median of their values (the lower of the two middle ones if their number is even)", PerPerson::median},
      {"1 where any of their numbers is not 0, else 0", PerPerson::any},
      {"1 where none of their numbers is 0, else 0", PerPerson::all}};
  bool fails = false;
  for (const Row& counted : seen.drawn.counting) {
    std::vector<double> values;
    for (const Row& row : seen.drawn.rows) {
      if (row.person == counted.person && (seen.world.groups == 0 || row.group == counted.group)) {
        values.push_back(row.value);
      }
    }
    fails |= one_value(ways.at(seen.words.at(2)), values) != counted.value;
  }
  return {fails || persons_count_with_more_values(seen)[0]};
}

Fails rank_errors_of_a_plan(const Seen& seen) {
  const bool rounded = seen.page.find("They are about the records that count, each counted at") != std::string::npos;
  return misses(seen, "the records that count", rounded, [&](std::size_t, std::size_t i) {
    const auto& worst = seen.plan->worst.ranks[i];
    return worst ? static_cast<double>(*worst) : 1e300;
  });
}

/// The errors of each quantile by itself, and of all together.
Fails rank_errors_in_a_plans_table(const Seen& seen) {
  Fails fails = rank_errors_of_a_plan(seen);
  if (seen.words.at(3).empty()) return fails;
  const Fails at_once = misses(seen, "the records that count", true, [&](auto, auto) { return seen.number(3); });
  fails.push_back(seen.world.groups == 0 && std::ranges::find(at_once, true) != at_once.end());
  return fails;
}

Fails ends_settle_elsewhere(const Seen& seen) {
  const std::optional<std::uint64_t>& from = seen.plan->intervals->settled_from;
  return differs(seen.words.at(1), from ? std::to_string(*from) : "");
}

Fails records_are_enough(const Seen& seen) { return {seen.number(1) >= seen.number(2)}; }

/// Whether, if fewer releases stayed within the error, 0.9 of those simulated would do so with a probability above 0.05.
Fails simulation_shows_less(const Seen& seen) {
  const double releases = seen.number(1);
  const double share = seen.number(2) / 100;
  double tail = 0;
  for (double k = std::ceil(0.9 * releases); k <= releases && share > 0; ++k) {
    tail += std::exp(std::lgamma(releases + 1) - std::lgamma(k + 1) - std::lgamma(releases - k + 1) +
                     k * std::log(share) + (releases - k) * std::log1p(-share));
  }
  return {tail > 0.05};
}

Fails plan_costs_otherwise(const Seen& seen) {
  return differs(seen.words.at(1), seen.world.options.query.budget.to_string());
}

/// How many values are possible, and how far rounding to them moves the values between them.
Fails rounding_moves_further(const Seen& seen) {
  const Lattice& lattice = seen.world.lattice;
  double most = 0;
  for (const Row& row : seen.drawn.counting) {
    const bool outside = row.value < lattice.lower().to_double() || row.value > lattice.upper().to_double();
    if (!outside) most = std::max(most, std::abs(row.value - counted_at(lattice, row.value)));
  }
  const bool is_number = lattice.kind() == ValueKind::number;
  return {seen.words.at(1) != std::to_string(lattice.size()),
          is_number ? most > std::stod(seen.words.at(2)) : most >= lattice.step().to_double()};
}

/// Whether neighbors differ in a person's records, rather than in what these say.
bool is_about_presence(const Seen& seen) { return seen.receipt.query.neighbors == Neighbors::add_remove; }

/// A glossary's epsilon is about what the promise protects: presence is no secret where the number of rows is public.
Fails odds_are_of_other_facts(const Seen& seen) {
  const std::string words = seen.words.at(0);
  const bool tells_presence = words.find("are in the table") != std::string::npos;
  const bool is_twice = words.find("(2 epsilon)") != std::string::npos;
  return {tells_presence != (is_about_presence(seen) && !seen.world.public_rows), is_twice != is_about_presence(seen)};
}

// --- The table ---------------------------------------------------------------------------------------------------------

const std::string whose = "(" + of_table + ")";
const std::string where =
    "(, each counted at the possible value nearest to its own|, each counted at the last possible value that is not "
    "after "
    "its own)?";
const std::string where_statistics =
    "(, each counted at the (?:possible value|multiple of .*) nearest to its own(?:, within the range that was found "
    "or "
    "beyond)?|, each counted at the last possible value that is not after its own)?";
const std::string percent = "([0-9.]+ %|[0-9]+/[0-9]+)";

const std::string some = "(?:records?|persons?|units? of weight)";

Fails misses_in_short(const Seen& seen) {
  return misses(seen, seen.words.at(2), !seen.words.at(3).empty(), [&](auto, auto) { return seen.number(4); });
}
Fails not_held_in_short(const Seen& seen) { return not_held(seen, seen.words.at(1), !seen.words.at(2).empty()); }

}  // namespace

const std::vector<Claim>& claims() {
  static const std::string in_short =
      "With a probability of at least " + percent + " each, the values miss the quantiles of " + whose + where +
      ", by at most ([0-9]+) " + some + ", (?:as long as at most [0-9]+|however many) " + some +
      " counts?(?: in a group)?[.]";
  static const std::string held_in_short = "Each value has an interval beside it that holds " + held +
                                           ",? with a probability of at least " + percent +
                                           "(?:, if the sample is a simple random one)?[.]";
  static const std::string compared = "With a probability of at least " + percent + ", .*, for no further budget[.]";
  static const std::string of_bars =
      "Published values of .*; bars: with a probability of " + percent +
      " each, the share that a value truly stands for lies within its bar; they cover the error added for privacy only";
  static const std::string of_interval_bars =
      "Published values of .*; bars: " + held + ", " + percent + " (?:together|each)";
  static const std::string surely =
      "With a probability of at least " + percent +
      " it holds all quantiles that were asked for, if at least ([0-9]+) records count[.]";
  static const std::string they_hold =
      "with a probability of at least " + percent + " they hold all quantiles, if at least ([0-9]+) records count";
  static const std::string each =
      "With a probability of at least " + percent +
      ", each value taken by itself is off by no more than the table above says, whatever the data, "
      "(?:as long as at most [0-9]+|however many) " +
      some + " counts?(?: in a group)?[.]";
  static const std::string one_interval =
      "With a probability of at least " + percent +
      ", an interval holds its quantile: each by itself, not all of them at once[.]";
  static const std::string all_intervals =
      "With a probability of at least " + percent + ", all intervals(?: of a group)? hold their quantiles at once[.]";
  static const std::string of_table_rows =
      "lower, upper: " + held +
      ", (?:[0-9.]+ %|[0-9]+/[0-9]+), each by itself(?:, if the sample is a simple random one)?";
  static const std::string at_once =
      "lower, upper: " + held +
      ", (?:[0-9.]+ %|[0-9]+/[0-9]+), all (?:of a group )?at once(?:, if the sample is a simple random one)?";
  static const std::string statistics = "With a probability of at least " + percent +
                                        ", each interval, from its lower to its upper end, holds the true value for " +
                                        whose + where_statistics + ", whatever they are[.]";
  static const std::string statistics_in_short =
      "Each number has an interval beside it that holds, with a probability of at least " + percent +
      ", the true value for " + whose + where_statistics + "[.]";
  static const std::string statistics_under =
      "lower, upper of these: the true value for " + whose + where_statistics + ", " + percent + ", each by itself";
  static const std::string of_plan = "With a probability of at least " + percent +
                                     " each, the values will miss the quantiles of the records that count" + where +
                                     ", by at most [0-9]+ " + some + ", whatever the table of up to [0-9]+ " + some +
                                     "[.]";
  static const std::string typical =
      "(?:not off at all|off by at most ([0-9]+) " + some +
      ", and half of the time by (?:none|at most ([0-9]+))), as observed in ([0-9]+) simulated releases of a public "
      "normal table of ([0-9]+) " +
      some + "(?: that all lie on the listed candidates)?, for the quantile with the largest errors[.]";
  static const std::string typical_in_release = "Nine times in ten a value is " + typical;
  static const std::string typical_in_plan = "Nine times in ten a value will be " + typical;
  static const std::string a_quantile = "A value is a quantile when no more than the wanted share of these " + some +
                                        " lies below it, and no less than this share lies at or below it[.]";
  static const std::string at_shares =
      "([0-9]+) values?(?: from .* to .*, each|, .*,) at its share of the " + some + "; the table has (?:them|it)[.]";
  static const std::string too_many =
      "A table with one of these makes a release fail, .*; more than 2\\^([0-9]+) - ([0-9]+) " + some + "[.]";
  static const std::string weights =
      "(?:The )?weights are (.*) to (.*) in steps of (.*), smaller and larger ones "
      "counting as the nearest: a record counts as up to ([0-9]+) units? of (.*?)[.]?";
  static const std::string weighted_noise =
      "(?:Compared with records of one unit each[:,] )?in units, the noise is ([0-9.]+) times that of the same number "
      "of "
      "records without weights(?:; in shares of the total ([0-9.]+) times, if the mean weight is ([0-9/.]+?))?[.]?";
  static const std::string one_value =
      "(?:(?:Each|a) person counts once(?: in a group(?:, in ([0-9]+) of their groups at most)?)?: with|a person(?: in "
      "a "
      "group)? who has .* in this column, with one value:) ([^.]*)[.]?";
  static const std::string typical_in_plans_table =
      "typical: the middle one of [0-9]+ simulated releases of a public normal table of [0-9]+ " + some +
      " (?:between the bounds|on the listed candidates)";
  static const std::string worst_in_plans_table =
      "worst case: exceeded with probability at most ([0-9.]+) each, whatever the table of up to ([0-9]+) " + some +
      "(?:; with at most this probability, some quantile misses by more than ([0-9]+))?";
  static const std::string price = "To miss by at most ([0-9]+) " + some + " you pay (.*)[.]";
  static const std::string settled = "interval: the middle width of simulated intervals, in " + some +
                                     "(?: of that table| of a table of [0-9]+) "
                                     "between the ends; from about ([0-9]+) " +
                                     some +
                                     " on, all but about one end in a hundred are inside the range, "
                                     "where values are not tied";
  static const std::string plan_costs = "It costs ((?:epsilon|rho) = .*) \\(.*\\), neighbors [a-z-]+, at most [0-9]+ " +
                                        some + " a person, with mechanism .*";
  static const std::string expected = "The approximate number of " + some + "(?: in a group)?, ([0-9]+), is public[.]";
  static const std::string factor = "(?:([0-9.,]+) \\(e\\^[0-9.,]+\\)|e\\^[0-9.,]+, more than a million million)";
  static const std::string odds =
      "To someone who knows everybody else's records, the values change (?:(the odds that the person's records are in "
      "the table) by a factor of at most " +
      factor + ", and )?the odds of what these records say by a factor of at most " + factor +
      ": no more than by their answer in a survey in which everyone answers a yes-or-no question, truthfully (?:with a "
      "probability of ([0-9.]+) % and otherwise with the opposite|except with a probability below one in a million "
      "million)[.]";
  static const std::vector<Claim> claims{
      // How wrong values may be.
      {in_short.c_str(), "rank_error.md", misses_in_short, false},
      {typical_in_release.c_str(), "definition", is_not_as_simulated},
      {each.c_str(), "rank_error.md", misses_by_table, false},
      {"With the same probability no value is off by more than ([0-9]+)[.]", "rank_error.md", any_misses, false},
      {"With that probability, up to ([0-9]+) of these records are finer than the granularity that was found "
       "privately, and "
       "rounded to it; where the step is the data's own, there are none[.]",
       "rank_error.md", too_many_are_finer, false},
      {of_bars.c_str(), "rank_error.md", is_no_quantile_of_bars, false},
      {"That moves (?:its value|it) by at most half a step, or, beyond the ends, to the nearest end[.]",
       "rank_profile.md", [](const Seen& seen) { return counts_elsewhere(seen, true); }},
      {"That moves (?:its value|it) back by less than a step, or, beyond the ends, to the nearest end[.]",
       "rank_profile.md", [](const Seen& seen) { return counts_elsewhere(seen, false); }},
      {"At most ([0-9]+) records? of each person counts?, chosen at random[.]", "contribution_bounding.md",
       persons_count_more},
      {"Warning: .* [0-9]+ (?:rows?|persons?|units?) of a public normal table, .*", "definition", is_not_mostly_noise},
      {"Warning: [0-9]+ records may be too few to find bounds, .*", "definition", by_definition},
      {"Warning: with this budget the released counts of [0-9]+ of [0-9]+ groups do not rule out that there is no "
       "record .*",
       "counts.md", by_definition},
      // Intervals.
      {held_in_short.c_str(), "intervals.md", not_held_in_short, false},
      {one_interval.c_str(), "intervals.md", not_held_on_page, false},
      {all_intervals.c_str(), "intervals.md", not_held_at_once, false},
      {"This holds whatever the (?:data are|distribution is)[.]", "intervals.md", not_held_on_page, false},
      {of_interval_bars.c_str(), "intervals.md", not_held_in_short, false},
      {of_table_rows.c_str(), "intervals.md", not_held_in_short, false},
      {at_once.c_str(), "intervals.md", not_held_in_short, false},
      {compared.c_str(), "intervals.md", differences_not_held, false},
      {"A ratio is left out where the number it divides by, or a part of its interval, is not above 0[.]",
       "intervals.md", ratios_divide_by_no_positive_number},
      // Counts, shares and means.
      {"(?:Also published|Published): (?:the number of (?:records|persons)|the records' total weight).*", "counts.md",
       by_definition},
      {statistics.c_str(), "counts.md", statistics_not_held_after_level, false},
      {statistics_in_short.c_str(), "counts.md", statistics_not_held_after_level, false},
      {statistics_under.c_str(), "counts.md", statistics_not_held, false},
      {"Of the budget, (?:epsilon|rho) = .* pays for (?:the number of (?:records|persons)|the records' total "
       "weight).*[.]",
       "odometer.md", costs_more},
      {"Each (?:count|weight) is off by no more than this with a probability of .*[.]", "counts.md",
       statistics_further_off, false},
      {"The errors of shares and means are approximate, for ([0-9,]+) (?:records|units of weight)[.]", "definition",
       [](const Seen& seen) {
         return Fails{seen.number(1) != static_cast<double>(seen.plan->statistics->errors.rows)};
       }},
      {"A person is counted if one of their records has a value in this column, in ([0-9]+) of their groups at most[.]",
       "one_value_per_person.md", persons_count_with_more_values},
      {"(?:beside the quantiles|published), for a part of the budget, (?:epsilon|rho) = [^:]*: .*", "odometer.md",
       costs_more},
      {"These are numbers of people only where each person has one record[.]", "definition", by_definition},
      {"Where the count is not above zero, the table has no .*[.]", "counts.md", ratios_of_nothing},
      // Bounds that were found.
      {"([0-9.]+) % of the budget found the range of possible values, .*, which is not the range of the data[.]",
       "private_bounds.md", costs_more},
      {surely.c_str(), "rank_error.md", quantiles_are_beyond_found_bounds, false},
      {"a part of the budget, .*, found the bounds: .* to .*", "private_bounds.md", costs_more},
      {they_hold.c_str(), "rank_error.md", quantiles_are_beyond_found_bounds, false},
      // The promise.
      {"If something would happen with a probability of 10 in 100 (without your records|with other records in place of "
       "yours), it happens with a probability of at most (?:just under )?([0-9.]+) in 100 as it is[.]",
       "conversions.md", a_probability_may_become_more},
      {"As it is, the probability is at most that of the second column[.]", "conversions.md",
       probabilities_may_become_more},
      {odds.c_str(), "conversions.md", odds_change_more},
      {"The release costs .*", "odometer.md", costs_more},
      {"As a number, (?:epsilon|rho) is at most ([0-9.]+)[.]", "definition",
       [](const Seen& seen) {
         const Budget& budget = seen.receipt.cost();
         const double exactly =
             budget.measure() == Measure::zcdp ? budget.rho().to_double() : budget.epsilon().to_double();
         return Fails{seen.number(1) < exactly * (1 - 1e-12)};
       }},
      {"For comparison with other releases: it implies epsilon = ([0-9.,]+) with delta = one in a million[.]",
       "conversions.md", gaussian_needs_more_epsilon},
      {"Every draw was charged before it was made.*", "odometer.md", costs_more},
      {"The parts of .* are: .*", "odometer.md", costs_more},
      {"For somebody with twice as many records, epsilon is twice as high, and delta is 1 \\+ e\\^epsilon times as "
       "high[.]",
       "composition.md", by_definition},
      {too_many.c_str(), "rank_profile.md", most_records_differ},
      {"These values are not exact: .* by no more than is said above, however few records there are(?: in a group)?[.]",
       "odometer.md", costs_more},
      {"No value is the copy of a record: .*", "rank_profile.md", is_not_on_the_lattice},
      {"epsilon = .*|rho = .*", "odometer.md", costs_more},  // under a table
      {"all groups together spend that once", "groups.md", costs_more},
      // For whom.
      {"This holds for everybody who has no more than ([0-9]+) records? in the table[.]", "contribution_bounding.md",
       persons_have_more},
      {"For every person who has at most ([0-9]+) records? in the table(?:, in all groups together)?[.]",
       "contribution_bounding.md", persons_have_more},
      {"No person has more than ([0-9]+) records? in the table(?:, in all groups together)?[.]", "declared",
       persons_have_more},
      {"For every person, as identified by .*, however many records they have: at most ([0-9]+) records? of theirs, "
       "chosen at random, counted(?: in all groups together)?[.]",
       "contribution_bounding.md", persons_count_more},
      {"For every person whose records change no more rows of the query's result than is declared below[.]", "declared",
       by_definition},
      {"This holds for everybody(?: whose records change no more rows of the query's result than is declared)?[.]",
       "declared", by_definition},
      {"One person's records change at most ([0-9]+) rows? of the query's result.*", "declared", by_definition},
      {"declared, not checked: a record changes at most [0-9]+ rows? of the query's result", "declared", by_definition},
      {"of each person's records, at most that many count, sampled at random", "contribution_bounding.md",
       [](const Seen& seen) {
         Seen most = seen;
         most.words = {"", std::to_string(seen.world.most())};
         return persons_count_more(most);
       }},
      {"Every record of a person carries their own identifier in .*, and nobody else's[.]", "declared", by_definition},
      {"For every person, as identified by .*, however many records they have: each counts with one value(?: in a "
       "group, in ([0-9]+) of their groups at most, chosen at random)?[.]",
       "one_value_per_person.md", persons_count_with_more_values},
      {"A person counts in at most ([0-9]+) of their groups, chosen at random[.]", "one_value_per_person.md",
       persons_count_with_more_values},
      {"of each person's groups, at most that many count, sampled at random()", "one_value_per_person.md",
       persons_count_with_more_values},
      {one_value.c_str(), "one_value_per_person.md", counts_with_another_value},
      {"x \\((.*) per person\\)", "definition", by_definition},
      {"Published values of .*; no bars, since errors are not known as shares of the records", "definition",
       by_definition},
      {"Quantiles of the .* of t.csv[.]", "definition", by_definition},
      // Weights.
      {weights.c_str(), "weights.md", weights_count_otherwise},
      {weighted_noise.c_str(), "weights.md", weighted_noise_differs},
      {"The bounds and the step of the weights in w, (.*) to (.*) in steps of (.*), were chosen without looking at the "
       "data[.]",
       "declared", grid_of_weights_differs},
      {"(?:declared, not checked: adding|Adding) or removing one person's records changes at most ([0-9]+) (?:of the )?"
       "weighted records?, including their own(?:, and the cost is for that many|[.])",
       "declared", changed_records_differ},
      {"The promise is about files that differ in one person's records and in the weights that these records change: "
       "at "
       "most ([0-9]+) records? in all[.]",
       "declared", changed_records_differ},
      // What is left of a budget: all of it, what is spent, what remains.
      {"Of (epsilon = [0-9]+) for these people,() (epsilon = [0-9]+) is left[.]", "ledger_transactions.md",
       account_differs},
      {"The ledger of the dataset people allows (epsilon = [0-9]+) for each person in all[.]()()",
       "ledger_transactions.md", account_differs},
      {"All releases together, including this one, have spent ()(epsilon = [0-9]+); what is reserved counts as "
       "spent[.]()",
       "ledger_transactions.md", account_differs},
      {"What is left is ()()(epsilon = [0-9]+)[.]", "ledger_transactions.md", account_differs},
      // What is public.
      {"The possible values, (.*), were chosen without looking at the data, and so was everything else in the "
       "request[.]",
       "declared", possible_values_differ},
      {"The possible values, (.*), which were chosen beforehand[.]", "declared", possible_values_differ},
      {"Also declared to be missing: .*[.]", "declared", a_missing_value_counts},
      {"The number of rows(?: of the table)?, ([0-9]+), (?:is public|which was declared public)[.]", "declared",
       rows_differ},
      {"([0-9]+) rows \\(declared public\\)", "declared", rows_differ},
      {"The table has ([0-9]+) rows?, a public number, and no more records can count: a released number above this is "
       "above it by noise alone[.]",
       "declared",
       [](const Seen& seen) {
         Fails fails = rows_differ(seen);
         fails.push_back(seen.drawn.counting.size() > seen.drawn.rows.size());
         return fails;
       }},
      {expected.c_str(), "declared", expected_rows_differ},
      {"The approximate number of records(?: in a group)? and their approximate mean weight, (.*), are public: about "
       "([0-9]+) units[.]",
       "declared", expected_units_differ},
      {"The number of rows was declared public: to someone who knows all other rows, it shows by itself whether the "
       "person is in the "
       "table[.]",
       "definition", by_definition},
      // What ran.
      {"By fractile [0-9.]+, (?:mechanism ([a-z-]+)(?:, chosen because: (.*))?|with a mechanism for each group, which "
       "the receipt names|with noise on counts)[.]",
       "definition",
       [](const Seen& seen) {
         return seen.words.at(1).empty() || seen.words.at(2).empty() ? Fails{} : reason_differs(seen);
       }},
      {"chosen by auto: (.*)", "definition",
       [](const Seen& seen) { return differs(seen.words.at(1), seen.receipt.groups[0].used.reason); }},
      {"a part of the budget suggested that (?:most values|many) are multiples of .*", "definition", by_definition},
      {"A part of the budget suggested that .*", "definition", by_definition},
      {"The receipt's SHA-256 is ([0-9a-f]{64}); it was checked[.]", "definition",
       [](const Seen& seen) { return differs(seen.words.at(1), sha256_of(seen.receipt.receipt)); }},
      {"Saved as it stands, this page is a receipt, too: fractile explain reads it and checks its SHA-256[.]",
       "definition", by_definition},
      // This is a caption. Its quantile stands above the values. The errors and intervals stand next to the values, and are checked there.
      {"The published values of [0-9/.]+(?: %)?, .*", "definition", by_definition},
      // Words.
      {"the value at or below which a given share of the records lies; the one of 50 % is the median", "definition",
       by_definition},
      {"how much the odds may change: of whether a person's records are in the table by a factor of e\\^epsilon, of "
       "what they say by "
       "e\\^\\(2 epsilon\\).*",
       "conversions.md", odds_are_of_other_facts},
      {"how much the odds of what a person's records say may change: by a factor of e\\^\\(2 epsilon\\).*",
       "conversions.md", odds_are_of_other_facts},
      {"how much the odds of what a person's records say may change: by a factor of e\\^epsilon.*", "conversions.md",
       odds_are_of_other_facts},
      {"a promise: whatever is published would have come about with almost the same probability without a person's "
       "records",
       "definition", [](const Seen& seen) { return Fails{!is_about_presence(seen)}; }},
      {"a promise: whatever is published would have come about with almost the same probability with any other records "
       "in place of a person's",
       "definition", [](const Seen& seen) { return Fails{is_about_presence(seen)}; }},
      {"A release may teach about somebody .*", "definition", by_definition},
      {".*: thin lines .*", "definition", by_definition},
      {"[0-9]+ groups?; the table has their values[.]", "definition", by_definition},
      {at_shares.c_str(), "definition",
       [](const Seen& seen) {
         return differs(seen.words.at(1), std::to_string(seen.receipt.groups[0].indices.size()));
       }},
      {"the file that holds a release and all that it was made with; its SHA-256 changes when it is changed",
       "definition", by_definition},
      {a_quantile.c_str(), "definition", by_definition},
      {"It was assumed that nobody could watch the program at work: how long it takes depends on the data[.]",
       "declared", by_definition},
      // Plans.
      {"How far the worst quantile of a release is off, in [0-9]+ simulated releases; each dot stands for one release "
       "in fifty",
       "definition", by_definition},
      {typical_in_plan.c_str(), "definition",
       [](const Seen& seen) { return is_not_typical(seen, seen.plan->typical); }},
      {of_plan.c_str(), "rank_error.md", rank_errors_of_a_plan, false},
      {worst_in_plans_table.c_str(), "rank_error.md", rank_errors_in_a_plans_table, false},
      {price.c_str(), "rank_error.md", rank_errors_of_a_plan, false},
      {"worst case: .* up to ([0-9]+) of them when records are finer .*", "rank_error.md", rank_errors_of_a_plan,
       false},
      {typical_in_plans_table.c_str(), "definition", by_definition},
      {"nine in ten: of these releases miss by no more than this; the ([0-9]+) of them show with a confidence of 0.95 "
       "that "
       "at least ([0-9]+) in 100 of all such releases do",
       "rank_error.md", simulation_shows_less},
      {settled.c_str(), "definition", ends_settle_elsewhere},
      {"Warning: with this budget intervals (?:of [0-9]+ of [0-9]+ groups )?may end only at the ends of the range"
       "(?: \\(.*\\): in .*|:) about ([0-9]+) (?:records?|persons?|units?) (?:is|are) "
       "too few to settle their ends within it; about ([0-9]+) would do(?:, or (?:an epsilon|a rho) of about "
       "[0-9.]+)?[.]",
       "definition", records_are_enough},
      {"These errors are in units of weight, each [0-9.]+: (?:The )?weights are (.*) to (.*) in steps of (.*), smaller "
       "and larger ones counting as the nearest: a record counts as up to ([0-9]+) units? of (.*?)[.]",
       "weights.md", weights_count_otherwise},
      {"About ([0-9]+) units are expected[.]", "declared",
       [](const Seen& seen) {
         return differs(seen.words.at(1), std::to_string(seen.plan->query.expected_rows.value()));
       }},
      {plan_costs.c_str(), "odometer.md", plan_costs_otherwise},
      {"What would happen with a probability of 10 in 100 (without a person's records|with other records in place of a "
       "person's) happens with a probability of at most (?:just under )?([0-9.]+) in 100[.]",
       "conversions.md", a_probability_may_become_more},
      {"Warning: the step is coarse: ([0-9]+) values are possible: rounding moves values between them by (?:up to|less "
       "than) "
       "([0-9.]+).*, which no error here includes; a finer step costs little accuracy[.]",
       "rank_profile.md", rounding_moves_further},
      {"Warning: an? (epsilon|rho) above ([0-9]+) promises next to nothing: one person's record can change the odds of "
       "a release almost without limit[.]",
       "conversions.md", promises_something},
  };
  return claims;
}

}  // namespace fractile::claims

#include "ledger/spending.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "ledger/readings.hpp"
#include "ledger/sums.hpp"
#include "libraries/fmt.hpp"

namespace fractile {
namespace {

std::string readable(const std::string& exact, double value) {
  return exact.size() <= 24 ? exact : fmt::format("about {:.6g}", value);
}

}  // namespace

void Spending::add(const Budget& charge, std::int64_t count) {
  if (measure == Measure::zcdp) {
    rho += charge.rho() * Rational(count);
    return;
  }
  epsilon += EpsilonSum(charge.epsilon() * Rational(count));
  if (charge.measure() == Measure::approximate) delta += charge.delta() * Rational(count);
}

bool Spending::is_within(const Budget& budget) const {
  if (measure == Measure::zcdp) return rho <= budget.rho();
  const bool within = epsilon <= EpsilonSum(budget.epsilon());
  return measure == Measure::pure ? within : within && delta <= budget.delta();
}

std::string Spending::to_string() const {
  if (measure == Measure::zcdp) return "rho = " + readable(rho.to_string(), rho.to_double());
  const std::string text = "epsilon = " + readable(epsilon.to_string(), epsilon.to_double());
  return measure == Measure::pure ? text
                                  : fmt::format("{}, delta = {}", text, readable(delta.to_string(), delta.to_double()));
}

namespace ledger_detail {
namespace {

void require_countable(const LedgerDataset& dataset, const Budget& charge) {
  if (counts_on(charge.measure(), dataset.budget.measure())) return;
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger is damaged: {} is charged on dataset '{}', a budget of {}", charge.to_string(),
                          dataset.name, dataset.budget.to_string()),
              restore_it);
}

[[noreturn]] void refuse_unit(const std::string& what, const Words& hint, const char* field) {
  throw Error(ErrorCode::usage, what, hint, field);
}

void require_same_neighbors(const LedgerDataset& dataset, const LedgerRequest& request) {
  if (dataset.neighbors == request.neighbors) return;
  const std::string wanted = to_string(dataset.neighbors);
  refuse_unit(fmt::format("the release is for {} neighbors, but the budget of dataset '{}' is for {}",
                          to_string(request.neighbors), dataset.name, wanted),
              {"write ", Field("neighbors").text(wanted)}, "neighbors");
}

void require_pinned_person(const LedgerDataset& dataset, const LedgerRequest& request) {
  if (!dataset.person.empty() && dataset.person != request.person) {
    const std::string by = request.person.empty() ? "no column" : fmt::format("the column '{}'", request.person);
    refuse_unit(fmt::format("the release identifies persons by {}, but dataset '{}' identifies them by the column '{}'",
                            by, dataset.name, dataset.person),
                {"write ", Field("person").text(dataset.person)}, "person");
  }
  if (request.records_per_person >= dataset.records_per_person || has_any_number_of_records(dataset, request)) return;
  refuse_unit(
      fmt::format("the release is for persons with at most {} record{}, but the budget of dataset '{}' is for persons "
                  "with {}",
                  request.records_per_person, request.records_per_person == 1 ? "" : "s", dataset.name,
                  dataset.records_per_person),
      {"write ", Field("records_per_person").number(dataset.records_per_person), ", or more"}, "records_per_person");
}

void require_pinned_source(const LedgerDataset& dataset, const LedgerRequest& request) {
  if (dataset.source.empty() || dataset.source == request.source) return;
  const Field source("source");
  refuse_unit(fmt::format("the release reads {}, but the budget of dataset '{}' is for {}",
                          source_in_words(request.source), dataset.name, source_in_words(dataset.source)),
              dataset.source.starts_with('/') ? Words{"read that file, without ", source}
              : dataset.reading.contains("postgres")
                  ? Words{"have the query name that table, and the role find it"}
                  : Words{"if that is what you read, write ", source.text(dataset.source)},
              "source");
}

constexpr std::size_t most_digits = 50;
constexpr std::size_t longest_sum = 1'000;

std::size_t digits_below(const Rational& number) { return number.denominator().to_string().size(); }

/// The digits of the denominators and logarithms of a sum as it is written.
/// The numerators are not counted, since the denominators bound their digits.
std::size_t digits_of(const Spending& spent) {
  std::size_t digits = digits_below(spent.rho) + digits_below(spent.delta);
  for (const Exponent& term : terms_of(spent.epsilon)) {
    digits += digits_below(term.coefficient()) + (term.is_log() ? term.argument().to_string().size() : 0);
  }
  return digits;
}

/// Throws `usage` when a sum would become too long. Each line of the log holds the sum, and each release compares it. If its length grew
/// with each charge, any asker could make a ledger slow for all.
void require_short_sum(const LedgerDataset& dataset, const Spending& spent, const Spending& after, const Budget& cost) {
  const std::size_t digits = digits_of(after);
  if (digits <= longest_sum || digits <= digits_of(spent)) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("with a cost of {}, the sum that dataset '{}' has spent would have {} digits in its denominators and "
                  "logarithms, and a ledger takes at most {}",
                  cost.to_string(), dataset.name, digits, longest_sum),
      "nothing was spent; ask for a cost of few digits and without a logarithm, for example 1/10, or for the cost of "
      "an earlier release");
}

void require_short(const Rational& number, const char* field) {
  const std::size_t digits = std::max(number.numerator().to_string().size(), number.denominator().to_string().size());
  if (digits <= most_digits) return;
  throw Error(
      ErrorCode::usage,
      {Field(field), fmt::format(" has a number of {} digits, and a ledger takes at most {} in a numerator and {} in a "
                                 "denominator",
                                 digits, most_digits, most_digits)},
      "write it with fewer digits, for example 1/10 or 1e-9");
}

void require_short(const Exponent& epsilon) {
  require_short(epsilon.coefficient(), "epsilon");
  if (epsilon.is_log()) require_short(epsilon.argument(), "epsilon");
}

}  // namespace

void require_short(const Budget& budget) {
  if (budget.measure() == Measure::zcdp) return require_short(budget.rho(), "rho");
  require_short(budget.epsilon());
  if (budget.measure() == Measure::approximate) require_short(budget.delta(), "delta");
}

Budget charge_on(const LedgerDataset& dataset, const Budget& cost) {
  require_short(cost);
  const Measure budget = dataset.budget.measure();
  if (counts_on(cost.measure(), budget)) return cost;
  if (budget == Measure::zcdp && cost.measure() == Measure::pure)
    return Budget::zcdp(zcdp_of_pure_tight(cost.epsilon()));
  const Field epsilon("epsilon");
  const Field delta("delta");
  const Words hint = budget == Measure::zcdp
                         ? Words{"release with ", Field("rho"), ", or with ", epsilon, " and without ", delta}
                     : budget == Measure::pure ? Words{"release with ", epsilon, " and without ", delta}
                                               : Words{"release with ", epsilon, ", with or without ", delta};
  throw Error(ErrorCode::usage,
              fmt::format("a cost of {} cannot be charged to the budget of dataset '{}', {} ({})", cost.to_string(),
                          dataset.name, dataset.budget.to_string(), to_string(budget)),
              hint);
}

void require_same_unit(const LedgerDataset& dataset, const LedgerRequest& request) {
  require_same_neighbors(dataset, request);
  require_pinned_person(dataset, request);
  require_pinned_source(dataset, request);
}

bool is_same(const Budget& a, const Budget& b) {
  if (a.measure() != b.measure()) return false;
  if (a.measure() == Measure::zcdp) return a.rho() == b.rho();
  return a.epsilon() == b.epsilon() && (a.measure() == Measure::pure || a.delta() == b.delta());
}

Spending remaining_of(const Budget& budget, const Spending& spent) {
  Spending remaining{budget.measure()};
  if (budget.measure() == Measure::zcdp) {
    remaining.rho = budget.rho() - spent.rho;
    return remaining;
  }
  remaining.epsilon = EpsilonSum(Exponent(spent.epsilon.left_of(EpsilonSum(budget.epsilon()))));
  if (budget.measure() == Measure::approximate) remaining.delta = budget.delta() - spent.delta;
  return remaining;
}

LedgerBalance balance_of(const LedgerDataset& dataset, const std::vector<EqualCharges>& charges) {
  const Measure measure = dataset.budget.measure();
  LedgerBalance balance{Spending{measure}, Spending{measure}, Spending{measure}};
  for (const EqualCharges& equal : charges) {
    require_countable(dataset, equal.charge);
    if (equal.state != EntryState::voided) balance.spent.add(equal.charge, equal.count);
    const bool open = equal.state == EntryState::reserved || equal.state == EntryState::drawn;
    if (open) balance.reserved.add(equal.charge, equal.count);
  }
  balance.remaining = remaining_of(dataset.budget, balance.spent);
  return balance;
}

void refuse_cost(const LedgerDataset& dataset, const Spending& spent, const std::string& cost) {
  const Spending left = remaining_of(dataset.budget, spent);
  const bool is_used_up = left.measure == Measure::zcdp
                              ? left.rho.sign() == 0
                              : left.epsilon.is_rational() && left.epsilon.upper().sign() == 0;
  throw Error(ErrorCode::budget_refused,
              fmt::format("a cost of {} exceeds what remains of dataset '{}', {} of {}", cost, dataset.name,
                          left.to_string(), dataset.budget.to_string()),
              is_used_up ? "nothing was spent; the budget is used up, and a dataset's budget never changes"
                         : "nothing was spent; ask for at most what remains");
}

void require_remaining(const LedgerDataset& dataset, const Spending& spent, const Budget& cost, const Budget& charge) {
  Spending after = spent;
  after.add(charge);
  require_short_sum(dataset, spent, after, cost);
  if (after.is_within(dataset.budget)) return;
  Spending counted{dataset.budget.measure()};
  counted.add(charge);
  const std::string as = charge.measure() == cost.measure() ? "" : fmt::format(" (as {})", counted.to_string());
  refuse_cost(dataset, spent, cost.to_string() + as);
}

namespace {

/// The entries' numbers, in runs of consecutive ones: "3", "3 to 7", or "1, 3 and 5 to 7".
std::string numbers_in_words(const std::vector<LedgerReservation>& reservations) {
  std::vector<std::string> runs;
  for (std::size_t first = 0, end = 0; first < reservations.size(); first = end) {
    const std::int64_t begin = reservations[first].id;
    for (end = first + 1; end < reservations.size() && reservations[end].id == reservations[end - 1].id + 1;) ++end;
    const std::int64_t last = reservations[end - 1].id;
    runs.push_back(begin == last ? std::to_string(begin) : fmt::format("{} to {}", begin, last));
  }
  const std::string last = std::move(runs.back());
  runs.pop_back();
  return runs.empty() ? last : fmt::format("{} and {}", fmt::join(runs, ", "), last);
}

}  // namespace

std::string entries_in_words(const std::vector<LedgerReservation>& reservations) {
  return (reservations.size() == 1 ? "entry " : "entries ") + numbers_in_words(reservations);
}

std::string voiding_in_words(const std::vector<LedgerReservation>& reservations, const std::string& ledger) {
  const std::string numbers = numbers_in_words(reservations);
  if (reservations.size() == 1) {
    return fmt::format("fractile ledger void {} --entry {} --reason TEXT gives it back", shell_path(ledger), numbers);
  }
  const bool is_one_run = reservations.back().id - reservations.front().id + 1 == std::ssize(reservations);
  return fmt::format("fractile ledger void {} --entry N --reason TEXT gives entry N back, for each N {} {}",
                     shell_path(ledger), is_one_run ? "from" : "of", numbers);
}

}  // namespace ledger_detail
}  // namespace fractile

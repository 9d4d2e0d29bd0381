#include "ledger/sums.hpp"

#include <algorithm>

#include "fractile/error.hpp"
#include "ledger/chain.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr std::size_t longest_number = 1'000'000;  ///< in digits; sums of many charges are long
constexpr std::size_t piece = 9'000;               ///< the digits that Rational::parse reads at once

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= longest_number &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Rational read_integer(std::string_view digits) {
  if (!is_digits(digits)) unreadable();
  Rational value;
  while (!digits.empty()) {
    const std::string_view next = digits.substr(0, piece);
    value = value * Rational(10).pow(static_cast<std::int64_t>(next.size())) + Rational::parse(next);
    digits.remove_prefix(next.size());
  }
  return value;
}

std::vector<Exponent> terms_in(std::string_view text) {
  constexpr std::string_view plus = " + ";
  std::vector<Exponent> terms;
  while (true) {
    const std::size_t end = text.find(plus);
    terms.push_back(read_exponent(text.substr(0, end)));
    if (end == std::string_view::npos) return terms;
    text.remove_prefix(end + plus.size());
  }
}

EpsilonSum read_sum(std::string_view text) {
  EpsilonSum sum;
  for (const Exponent& term : terms_in(text)) sum += term;
  return sum;
}

/// The first term that is larger in `whole` than in `part`, reduced to the difference; 0 when there is none.
Exponent first_missing(const EpsilonSum& whole, const EpsilonSum& part) {
  const std::vector<Exponent> there = terms_of(part);
  for (const Exponent& term : terms_of(whole)) {
    const auto is_same = [&](const Exponent& other) {
      return other.is_log() == term.is_log() && (!term.is_log() || other.argument() == term.argument());
    };
    const auto other = std::ranges::find_if(there, is_same);
    const Rational missing = term.coefficient() - (other == there.end() ? Rational(0) : other->coefficient());
    if (missing.sign() <= 0) continue;
    return term.is_log() ? Exponent::log(term.argument(), missing) : Exponent(missing);
  }
  return {};
}

[[noreturn]] void refuse_charge(const Budget& charge, std::int64_t dataset, const char* what) {
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger is damaged: on dataset {}, {} {}", dataset, charge.to_string(), what),
              restore_it);
}

}  // namespace

void unreadable() { throw Error(ErrorCode::usage, "unreadable"); }

Rational read_rational(std::string_view text) {
  const std::size_t slash = text.find('/');
  Rational top = read_integer(text.substr(0, slash));
  if (slash == std::string_view::npos) return top;
  const Rational bottom = read_integer(text.substr(slash + 1));
  if (bottom.sign() == 0) unreadable();
  return top / bottom;
}

/// Reads, for example, "1/2", "ln 7/2" and "2/3 ln 7/2".
Exponent read_exponent(std::string_view text) {
  constexpr std::string_view ln = "ln ";
  const std::size_t at = text.find(ln);
  if (at == std::string_view::npos) return read_rational(text);
  if (at > 0 && text[at - 1] != ' ') unreadable();
  const Rational coefficient = at == 0 ? Rational(1) : read_rational(text.substr(0, at - 1));
  return Exponent::log(read_rational(text.substr(at + ln.size())), coefficient);
}

std::vector<Exponent> terms_of(const EpsilonSum& sum) { return terms_in(sum.to_string()); }

bool counts_on(Measure charge, Measure budget) {
  return charge == budget || (charge == Measure::pure && budget == Measure::approximate);
}

void Sums::add_dataset(std::int64_t id, Measure measure) { datasets_.try_emplace(id, DatasetSums{{measure}}); }

void Sums::reserve(std::int64_t dataset, const Budget& charge) {
  const auto found = datasets_.find(dataset);
  if (found == datasets_.end() || !counts_on(charge.measure(), found->second.spent.measure)) {
    refuse_charge(charge, dataset, "is charged there, which does not count it");
  }
  ++entries_;
  found->second.spent.add(charge);
  const auto equal = found->second.charges.try_emplace(charge.to_string(), EqualCharges{charge, 0}).first;
  ++equal->second.count;
}

void Sums::give_back(std::int64_t dataset, const Budget& charge) {
  const auto found = datasets_.find(dataset);
  const bool is_known = found != datasets_.end() && found->second.charges.contains(charge.to_string());
  if (!is_known) refuse_charge(charge, dataset, "was given back there and not charged");
  DatasetSums& sums = found->second;
  const auto equal = sums.charges.find(charge.to_string());
  if (--equal->second.count == 0) sums.charges.erase(equal);
  sums.spent = {sums.spent.measure};
  for (const auto& [text, charges] : sums.charges) sums.spent.add(charges.charge, charges.count);
}

const Spending& Sums::spent(std::int64_t dataset) const {
  static const Spending nothing;
  const auto found = datasets_.find(dataset);
  return found == datasets_.end() ? nothing : found->second.spent;
}

std::optional<Budget> Sums::missing_of(const Sums& others, std::int64_t dataset) const {
  const Spending& whole = others.spent(dataset);
  const Spending& part = spent(dataset);
  const Rational delta = whole.delta - part.delta;
  const Exponent epsilon = first_missing(whole.epsilon, part.epsilon);
  const Rational rho = whole.rho - part.rho;
  if (epsilon.is_zero() && rho.sign() <= 0 && delta.sign() <= 0) return {};
  if (!datasets_.contains(dataset) || whole.measure != part.measure) {
    throw Error(ErrorCode::ledger,
                fmt::format("the ledger does not have dataset {}, of which {} were spent", dataset, whole.to_string()),
                "add the datasets again that were added since this state, in their order, with fractile ledger init");
  }
  if (whole.measure == Measure::zcdp) return Budget::zcdp(rho);
  if (epsilon.is_zero()) {
    throw Error(ErrorCode::ledger,
                fmt::format("what is missing on dataset {} is only a delta, which no cost has", dataset),
                "stop using this ledger, and make another one for the datasets that have budget left");
  }
  return delta.sign() > 0 ? Budget::approximate(epsilon, delta) : Budget::pure(epsilon);
}

std::string Sums::to_text() const {
  std::string text = field_text(std::to_string(entries_));
  for (const auto& [id, sums] : datasets_) {
    const Spending& spent = sums.spent;
    text += field_text(std::to_string(id)) + field_text(fractile::to_string(spent.measure)) +
            field_text(spent.measure == Measure::zcdp ? spent.rho.to_string() : spent.epsilon.to_string()) +
            field_text(spent.delta.to_string());
  }
  return text;
}

std::optional<Sums> Sums::read(const std::string& text) {
  const auto fields = fields_in(text);
  if (!fields || fields->size() % 4 != 1) return {};
  Sums sums;
  sums.entries_ = number_in(fields->front());
  if (sums.entries_ < 0) return {};
  try {
    for (std::size_t i = 1; i < fields->size(); i += 4) {
      Spending spent;
      const std::string& measure = (*fields)[i + 1];
      for (const Measure each : {Measure::pure, Measure::zcdp, Measure::approximate}) {
        if (measure == fractile::to_string(each)) spent.measure = each;
      }
      if (measure != fractile::to_string(spent.measure)) return {};
      if (spent.measure == Measure::zcdp) {
        spent.rho = read_rational((*fields)[i + 2]);
      } else {
        spent.epsilon = read_sum((*fields)[i + 2]);
      }
      spent.delta = read_rational((*fields)[i + 3]);
      sums.datasets_.try_emplace(number_in((*fields)[i]), DatasetSums{std::move(spent)});
    }
  } catch (const Error&) {
    return {};
  }
  return sums;
}

}  // namespace fractile::ledger_detail

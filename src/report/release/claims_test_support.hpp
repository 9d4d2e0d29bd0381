// For the tests of claims: tables whose records are known, releases of them, what is true of both, and what a claim is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fractile/ledger.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"

namespace fractile::claims {

/// A row of a table: its value (a time in ticks), the person whom it belongs to, its group, and its weight where records have weights.
struct Row {
  double value;
  std::uint64_t person;
  std::size_t group;
  double weight = 1;
};

/// A value as it stands in the table, the value at which it counts on the lattice, and its weight.
struct Weighted {
  double own;
  double counted;
  double weight;
};

/// Values with weights.
class Values {
 public:
  explicit Values(std::vector<Weighted> values) : values_(std::move(values)) {
    for (const Weighted& each : values_) all_ += each.weight;
  }

  double all() const { return all_; }
  double below(double value, bool rounded) const {
    return sum([&](const Weighted& each) { return of(each, rounded) < value; });
  }
  double up_to(double value, bool rounded) const {
    return sum([&](const Weighted& each) { return of(each, rounded) <= value; });
  }
  /// The distance of q n from [below, up_to]: by how many records a value misses the quantile.
  double rank_error(double value, double q, bool rounded) const {
    return std::max({0.0, below(value, rounded) - q * all_, q * all_ - up_to(value, rounded)});
  }
  /// The least value at or below which a share q of the weight lies.
  double quantile(double q, bool rounded) const {
    std::vector<std::pair<double, double>> sorted;
    for (const Weighted& each : values_) sorted.emplace_back(of(each, rounded), each.weight);
    std::ranges::sort(sorted);
    double sum = 0;
    for (const auto& [value, weight] : sorted) {
      sum += weight;
      if (sum >= q * all_ - 1e-9) return value;
    }
    return sorted.empty() ? 0 : sorted.back().first;
  }
  const std::vector<Weighted>& values() const { return values_; }

 private:
  static double of(const Weighted& each, bool rounded) { return rounded ? each.counted : each.own; }
  template <class Holds>
  double sum(const Holds& holds) const {
    double sum = 0;
    for (const Weighted& each : values_) sum += holds(each) ? each.weight : 0;
    return sum;
  }

  std::vector<Weighted> values_;
  double all_ = 0;
};

/// A table, or a population from which tables are drawn, and the release that is asked for.
struct World {
  Lattice lattice;  ///< the declared lattice, or that of the search for bounds
  ReleaseOptions options;
  SourceDescription source;
  std::vector<Row> rows;  ///< of the table, or of the population from which `sampled` persons are drawn
  std::optional<std::size_t> sampled = {};
  bool with_replacement = false;
  std::size_t groups = 0;  ///< 0: none
  bool public_rows = false;

  std::optional<RecordWeights> weights = {};
  std::optional<CountedColumn> of_file = {};  ///< its records, if they were counted in a file

  bool of_persons() const { return !source.person.empty(); }
  std::uint32_t most() const { return options.query.records_per_person; }
};

/// The value at which a value counts, by the lattice's definition as its page words it.
inline double counted_at(const Lattice& lattice, double value) {
  if (!lattice.is_regular()) return value;
  const double lower = lattice.lower().to_double();
  const double upper = lattice.upper().to_double();
  const double step = lattice.step().to_double();
  const double half = lattice.kind() == ValueKind::number ? 0.5 : 0;
  // The phase is that of the multiple nearest to zero, since doubles are finer there.
  const double phase = lower - step * std::floor(lower / step);
  return std::clamp(phase + step * std::floor((value - phase) / step + half), lower, upper);
}

/// How many units a weight counts as, by the definition that pages give: the nearest of the grid.
inline double units_of(const RecordWeights& weights, double weight) {
  const double step = weights.step.to_double();
  const double nearest = step * std::floor(weight / step + 0.5);
  return std::clamp(nearest, weights.lower.to_double(), weights.upper.to_double()) / step;
}

/// The value of a person with these values.
inline double one_value(PerPerson how, std::vector<double> values) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const auto is_not_zero = [](double value) { return value != 0; };
  switch (how) {
    case PerPerson::sum:
      return sum;
    case PerPerson::count:
      return count;
    case PerPerson::mean:
      return sum / count;
    case PerPerson::min:
      return values.front();
    case PerPerson::max:
      return values.back();
    case PerPerson::median:
      return values[(values.size() - 1) / 2];
    case PerPerson::any:
      return std::ranges::any_of(values, is_not_zero) ? 1 : 0;
    case PerPerson::all:
      return std::ranges::all_of(values, is_not_zero) ? 1 : 0;
  }
  return 0;
}

/// One row for each person, or for each person in each group, where persons count with one value; otherwise the rows themselves.
inline std::vector<Row> rows_that_may_count(const World& world, const std::vector<Row>& rows) {
  if (!world.source.per_person) return rows;
  std::map<std::pair<std::uint64_t, std::size_t>, std::vector<double>> values;
  for (const Row& row : rows) values[{row.person, world.groups > 0 ? row.group : 0}].push_back(row.value);
  std::vector<Row> result;
  for (const auto& [cell, of_cell] : values) {
    result.push_back({one_value(*world.source.per_person, of_cell), cell.first, cell.second});
  }
  return result;
}

/// What was drawn in one run: the table's rows, and the rows that count.
struct Drawn {
  std::vector<Row> rows;
  std::vector<Row> counting;
};

using Generator = std::mt19937_64;

inline Drawn draw(const World& world, Generator& generator) {
  Drawn drawn;
  std::map<std::uint64_t, std::vector<Row>> of_persons;
  for (const Row& row : world.rows) of_persons[row.person].push_back(row);
  std::vector<std::uint64_t> persons;
  for (const auto& [person, rows] : of_persons) persons.push_back(person);
  if (world.sampled) {
    std::vector<std::uint64_t> chosen;
    if (world.with_replacement) {
      for (std::size_t i = 0; i < *world.sampled; ++i) chosen.push_back(persons[generator() % persons.size()]);
    } else {
      std::sample(persons.begin(), persons.end(), std::back_inserter(chosen), *world.sampled, generator);
    }
    persons = chosen;
  }
  for (std::size_t i = 0; i < persons.size(); ++i) {
    std::vector<Row> rows = of_persons[persons[i]];
    if (world.with_replacement) {
      for (Row& row : rows) row.person = i;  // a person who is drawn twice is two persons
    }
    drawn.rows.insert(drawn.rows.end(), rows.begin(), rows.end());
    const std::vector<Row> may_count = rows_that_may_count(world, rows);
    const std::size_t most = world.of_persons() ? world.most() : may_count.size();
    std::sample(may_count.begin(), may_count.end(), std::back_inserter(drawn.counting), most, generator);
  }
  return drawn;
}

/// The values of rows. Where records have weights, these are the units that a weight counts as or, if it is asked for `own_weights`, the
/// weights that stand in the table, in units.
inline Values values_of(const World& world, const std::vector<Row>& rows, std::size_t group, bool own_weights = false) {
  std::vector<Weighted> values;
  for (const Row& row : rows) {
    if (world.groups > 0 && row.group != group) continue;
    double weight = 1;
    if (world.weights) {
      weight = own_weights ? row.weight / world.weights->step.to_double() : units_of(*world.weights, row.weight);
    }
    values.push_back({row.value, counted_at(world.lattice, row.value), weight});
  }
  return Values(std::move(values));
}

/// One random record, or value, of a random person.
inline Values per_person(const World& world, std::size_t group) {
  const std::vector<Row> rows = rows_that_may_count(world, world.rows);
  std::map<std::uint64_t, double> counts;
  for (const Row& row : rows) counts[row.person] += 1;
  std::vector<Weighted> values;
  for (const Row& row : rows) {
    if (world.groups > 0 && row.group != group) continue;
    values.push_back({row.value, counted_at(world.lattice, row.value), 1 / counts[row.person]});
  }
  return Values(std::move(values));
}

inline RankProfile profile_of(const World& world, const std::vector<Row>& rows, std::size_t group) {
  std::map<Position, std::uint64_t> counts;
  for (const Row& row : rows) {
    if (world.groups > 0 && row.group != group) continue;
    const Position position = world.lattice.kind() == ValueKind::number
                                  ? world.lattice.position_of(row.value)
                                  : world.lattice.position_of(static_cast<std::int64_t>(row.value));
    const double units = world.weights ? units_of(*world.weights, row.weight) : 1;
    if (units > 0) counts[position] += static_cast<std::uint64_t>(units);
  }
  std::vector<Position> positions;
  std::vector<std::uint64_t> records;
  for (const auto& [position, count] : counts) {
    positions.push_back(position);
    records.push_back(count);
  }
  return {world.lattice, positions, records};
}

/// What a predicate may look at: one run, what was published of it, and the words of the sentence.
struct Seen {
  const World& world;
  const Drawn& drawn;
  const Release& receipt;  // read back, with the values of this run
  const std::optional<ReleasePlan>& plan;
  const std::string& page;         // all sentences
  std::vector<std::string> words;  // the sentence, and the texts that its parentheses match

  /// A number with or without separators of thousands.
  double number(std::size_t i) const {
    std::string digits = words.at(i);
    std::erase(digits, ',');
    return std::stod(digits);
  }
  std::size_t group_count() const { return receipt.groups.size(); }
  double value(std::size_t g, std::size_t i) const { return receipt.value(receipt.groups[g], i).to_double(); }
  double quantile(std::size_t i) const { return world.options.query.quantiles[i].to_double(); }
};

/// For each thing that a sentence is about: whether the sentence is false of it.
using Fails = std::vector<bool>;
using Predicate = std::function<Fails(const Seen&)>;

struct Claim {
  const char* sentence;  // a regular expression
  const char* proof;     // its page in docs/proofs, or "definition" or "declared"
  Predicate fails;
  bool surely = true;  // if not, with the probability that the receipt states, or its intervals' level
};

/// All claims, one line for each sentence.
const std::vector<Claim>& claims();

/// The ledger's account that all pages show here. A third of its budget is spent.
LedgerAccount account();

}  // namespace fractile::claims

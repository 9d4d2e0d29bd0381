#include "report/flow/plain_families.hpp"

#include <algorithm>
#include <functional>

#include "flow/pipeline/noise.hpp"

namespace fractile::report_detail {
namespace {

/// The entry of a channel at a number `at`. The odds are a power or a root of this number.
using EntryAt = std::function<Rational(std::size_t value, std::size_t answer, const Rational& at)>;

constexpr std::int64_t most_times = 12;  // the largest factor of epsilon that is tried
constexpr std::int64_t most_degree_written = 200 * most_times;
constexpr std::size_t most_entries = 400;  // more would take more than seconds
constexpr std::int64_t longest_family = 100;

bool has_entries_at(const flow::Perturber& perturber, const EntryAt& entry, std::int64_t times, std::int64_t base) {
  const flow::Channel channel = perturber.at(flow::Odds(Rational(base).pow(perturber.root_degree())));
  const Rational at = Rational(base).pow(times);
  for (std::size_t x = 0; x < perturber.values(); ++x) {
    for (std::size_t y = 0; y < perturber.answers(); ++y) {
      if (channel(x, y) != entry(x, y, at)) return false;
    }
  }
  return true;
}

/// Whether the entries are those of a family at some power of the base. Entries of families have at most the degree longest_family.
bool has_entries(const flow::Perturber& perturber, const EntryAt& entry) {
  if (perturber.values() * perturber.answers() > most_entries) return false;
  for (std::int64_t times = 1; times <= most_times; ++times) {
    const std::int64_t points = telling_points(times * longest_family);
    std::int64_t base = 2;
    while (base <= points && has_entries_at(perturber, entry, times, base)) ++base;
    if (base > points) return true;
  }
  return false;
}

Rational response_entry(std::size_t values, std::size_t value, std::size_t answer, const Rational& odds) {
  return (value == answer ? odds : Rational(1)) / (odds + Rational(values) - 1);
}

/// The entry of definition 3.5, truncated `reach` places beyond the values.
Rational geometric_entry(std::size_t values, std::size_t reach, std::size_t value, std::size_t answer,
                         const Rational& odds) {
  const std::size_t place = value + reach;
  const auto distance = static_cast<std::int64_t>(place > answer ? place - answer : answer - place);
  const Rational ratio = Rational(1) / odds;
  const bool is_last = answer == 0 || answer + 1 == values + 2 * reach;
  return ratio.pow(distance) * (is_last ? Rational(1) : Rational(1) - ratio) / (Rational(1) + ratio);
}

/// The probability of an answer whose binary digits are the bits, the first value's bit being the highest. The bit of `value` is 1 with
/// probability `own`, and each other bit with probability `other`.
Rational unary_entry(std::size_t values, std::size_t value, std::size_t answer, const Rational& own,
                     const Rational& other) {
  Rational p = 1;
  for (std::size_t k = 0; k < values; ++k) {
    const Rational& one = k == value ? own : other;
    p *= ((answer >> (values - 1 - k)) & 1) != 0 ? one : Rational(1) - one;
  }
  return p;
}

}  // namespace

std::int64_t telling_points(std::int64_t degree) { return most_degree_written + degree + 2; }

std::vector<flow::Perturber> perturbers_of(const flow::Pipeline& pipeline) {
  const std::vector<flow::Perturber>& each = pipeline.perturber.each();
  return each.empty() ? std::vector{pipeline.perturber} : each;
}

bool are_alike(const flow::Pipeline& pipeline) {
  const flow::Perturber& perturber = pipeline.perturber;
  return perturber.each().empty() || flow::alike_neighbors(perturber).size() == 1;
}

bool is_response(const flow::Perturber& perturber) {
  if (!perturber.is_shared() || perturber.answers() != perturber.values()) return false;
  const std::size_t values = perturber.values();
  return perturber.is_randomized_response() ||
         has_entries(perturber, [&](std::size_t x, std::size_t y, const Rational& odds) {
           return response_entry(values, x, y, odds);
         });
}

bool is_geometric(const flow::Perturber& perturber) {
  if (perturber.is_geometric()) return true;
  const std::size_t values = perturber.values();
  if (!perturber.is_shared() || perturber.answers() < values || (perturber.answers() - values) % 2 == 1) return false;
  const std::size_t reach = (perturber.answers() - values) / 2;
  return has_entries(perturber, [&](std::size_t x, std::size_t y, const Rational& odds) {
    return geometric_entry(values, reach, x, y, odds);
  });
}

bool is_of_subsets(const flow::Perturber& perturber) {
  if (!perturber.is_shared()) return false;
  const flow::Channel channel = perturber.at(flow::Odds(Rational(2).pow(perturber.root_degree())));
  const auto is_in = [&](std::size_t x, std::size_t y) {
    return channel(x, y) != *std::ranges::min_element(channel.matrix().row(x));
  };
  std::optional<std::size_t> size;
  for (std::size_t x = 0; x < perturber.values(); ++x) {
    std::size_t here = 0;
    for (std::size_t y = 0; y < perturber.answers(); ++y) here += is_in(x, y) ? std::size_t{1} : std::size_t{0};
    if (size.value_or(here) != here || here == 0) return false;
    size = here;
  }
  const std::size_t answers = perturber.answers();
  return has_entries(perturber, [&](std::size_t x, std::size_t y, const Rational& odds) {
    return (is_in(x, y) ? odds : Rational(1)) / (Rational(answers) + (odds - 1) * Rational(*size));
  });
}

bool is_unary(const flow::Perturber& perturber) {
  constexpr std::size_t most_bits = 8;
  const std::size_t values = perturber.values();
  if (!perturber.is_shared() || values > most_bits || perturber.answers() != std::size_t{1} << values) return false;
  const auto symmetric = [&](std::size_t x, std::size_t y, const Rational& root) {
    return unary_entry(values, x, y, root / (root + 1), Rational(1) / (root + 1));
  };
  const auto optimized = [&](std::size_t x, std::size_t y, const Rational& odds) {
    return unary_entry(values, x, y, Rational(1, 2), Rational(1) / (odds + 1));
  };
  return has_entries(perturber, symmetric) || has_entries(perturber, optimized);
}

std::optional<std::vector<std::vector<Fraction>>> fractions_of(const flow::Perturber& perturber,
                                                               const std::vector<std::vector<std::size_t>>& sets) {
  constexpr std::size_t points = 60;  // the degrees of a fraction must add up to less than a third of that
  if (perturber.values() * perturber.answers() > most_entries) return {};
  const auto at = [&](std::int64_t base) {
    const flow::Channel channel = perturber.at(flow::Odds(Rational(base).pow(perturber.root_degree())));
    std::vector<std::vector<Rational>> sums;
    for (std::size_t x = 0; x < perturber.values(); ++x) {
      sums.emplace_back();
      for (const std::vector<std::size_t>& set : sets) {
        sums.back().emplace_back();
        for (const std::size_t y : set) sums.back().back() += channel(x, y);
      }
    }
    return sums;
  };
  std::vector<std::vector<std::vector<Rational>>> values(perturber.values(),
                                                         std::vector<std::vector<Rational>>(sets.size()));
  for (std::size_t i = 0; i < points; ++i) {
    const auto sums = at(static_cast<std::int64_t>(i) + 1);
    for (std::size_t x = 0; x < sums.size(); ++x) {
      for (std::size_t k = 0; k < sets.size(); ++k) values[x][k].push_back(sums[x][k]);
    }
  }
  std::vector<std::vector<Fraction>> fractions;
  for (const auto& of_value : values) {
    fractions.emplace_back();
    for (const std::vector<Rational>& here : of_value) {
      std::optional<Fraction> fraction = fraction_through(here);
      if (!fraction) return {};
      fractions.back().push_back(*std::move(fraction));
    }
  }
  // The agreement at these points proves that the sums are these fractions everywhere.
  for (std::int64_t base = 1; base <= telling_points(static_cast<std::int64_t>(points)); ++base) {
    const auto sums = at(base);
    for (std::size_t x = 0; x < sums.size(); ++x) {
      for (std::size_t k = 0; k < sets.size(); ++k) {
        const auto& [numerator, denominator] = fractions[x][k];
        if (sums[x][k] * value_at(denominator, base) != value_at(numerator, base)) return {};
      }
    }
  }
  return fractions;
}

std::pair<Rational, Rational> bases_around(const Rational& from, const Rational& to, std::int64_t root_degree) {
  if (root_degree == 1) return {from, to};
  const auto root_of = [&](const Rational& odds, bool is_above) {
    constexpr int halves = 60;
    Rational below = 1;
    Rational above = odds;
    for (int i = 0; i < halves; ++i) {
      const Rational middle = (below + above) / 2;
      (middle.pow(root_degree) <= odds ? below : above) = middle;
    }
    return is_above ? above : below;
  };
  return {root_of(from, false), root_of(to, true)};
}

bool is_family(const flow::Perturber& perturber) {
  return is_response(perturber) || is_geometric(perturber) || is_of_subsets(perturber) || is_unary(perturber);
}

}  // namespace fractile::report_detail

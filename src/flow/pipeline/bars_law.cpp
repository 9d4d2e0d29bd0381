#include "flow/pipeline/bars_law.hpp"

#include <cmath>
#include <utility>

#include "exact/checkpoint.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/algebra/truncated_law.hpp"
#include "flow/pipeline/composition.hpp"

namespace fractile::flow {
namespace {

/// The number of ways to distribute at most `people` participants over `answers` answers: the binomial coefficient (people +
/// answers) over answers.
class Ways {
 public:
  Ways(std::size_t people, std::size_t answers) : counts_(answers + 1, std::vector<std::uint64_t>(people + 1, 1)) {
    for (std::size_t a = 1; a <= answers; ++a) {
      for (std::size_t n = 1; n <= people; ++n) counts_[a][n] = counts_[a][n - 1] + counts_[a - 1][n];
    }
  }
  std::uint64_t spread(std::size_t people, std::size_t answers) const { return counts_[answers][people]; }

 private:
  std::vector<std::vector<std::uint64_t>> counts_;
};

/// The index of a way among all ways, in lexicographic order.
std::size_t place_of(const Ways& ways, std::size_t people, const Composition& way) {
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const std::size_t behind = way.size() - i;
    place += ways.spread(people, behind) - ways.spread(people - way[i], behind);
    people -= way[i];
  }
  return place;
}

/// Goes to the next way in lexicographic order; returns whether there is one.
bool advance(Composition& way, std::size_t& total, std::size_t people) {
  for (std::size_t i = way.size(); i-- > 0;) {
    if (total < people) {
      ++way[i];
      ++total;
      return true;
    }
    total -= way[i];
    way[i] = 0;
  }
  return false;
}

}  // namespace

template <class Ring>
BarsLaw<Ring>::BarsLaw(std::size_t people, std::size_t answers) : answers_(answers) {
  const std::size_t named = answers - 1;  // all remaining participants give the last answer
  const Ways ways(people, named);
  Composition way(named);
  std::size_t total = 0;
  do {
    totals_.push_back(static_cast<std::uint32_t>(total));
    for (std::size_t a = 0; a < named; ++a) {
      others_.push_back(static_cast<std::uint32_t>(way[a]));
      if (way[a] == 0) {
        before_.push_back(0);
        continue;
      }
      --way[a];
      before_.push_back(static_cast<std::uint32_t>(place_of(ways, people, way)));
      ++way[a];
    }
  } while (advance(way, total, people));
  numerators_.resize(totals_.size());
  numerators_.front() = whole<Ring>(1);
}

template <class Ring>
void BarsLaw<Ring>::add(const std::vector<Ring>& person) {
  ++added_;
  const std::size_t named = answers_ - 1;
  for (std::size_t i = numerators_.size(); i-- > 0;) {  // in this order, the ways before are still unchanged
    if (totals_[i] > added_) continue;
    checkpoint();
    Ring sum;
    if (totals_[i] < added_) add_product(sum, numerators_[i], person[named]);
    for (std::size_t a = 0; a < named; ++a) {
      if (others_[i * named + a] > 0) add_product(sum, numerators_[before_[i * named + a]], person[a]);
    }
    numerators_[i] = std::move(sum);
  }
}

template <class Ring>
std::vector<std::vector<Ring>> BarsLaw<Ring>::modes_with_one_more() const {
  const std::size_t named = answers_ - 1;
  std::vector<std::vector<Ring>> result(answers_, std::vector<Ring>(answers_));
  const Ring one = whole<Ring>(1);
  Composition bars(answers_);
  for (std::size_t i = 0; i < numerators_.size(); ++i) {
    checkpoint();
    if (totals_[i] > added_) continue;
    for (std::size_t a = 0; a < named; ++a) bars[a] = others_[i * named + a];
    bars[named] = added_ - totals_[i];
    for (std::size_t answer = 0; answer < answers_; ++answer) {
      ++bars[answer];
      add_product(result[answer][mode_of(bars)], numerators_[i], one);
      --bars[answer];
    }
  }
  return result;
}

double fixed_ways(std::size_t people, std::size_t answers) {
  return std::pow(static_cast<double>(people) + 1, static_cast<double>(answers) - 1);
}

std::vector<std::vector<Enclosure>> fixed_modes(const std::vector<AlikePeople>& groups, std::size_t answers) {
  std::size_t people = 0;
  for (const AlikePeople& group : groups) people += group.count;
  // A way is coded as a number whose digits are the counts of all answers except the last.
  const std::size_t named = answers - 1;
  std::vector<std::size_t> units(named, 1);
  for (std::size_t a = named; a-- > 1;) units[a - 1] = units[a] * (people + 1);
  TruncatedLaw law = nobody();
  for (const AlikePeople& group : groups) {
    std::vector<Enclosure> one(units.front() + 1);
    one.front() = group.answers.back();
    for (std::size_t a = 0; a < named; ++a) one[units[a]] = group.answers[a];
    law = convolved(law, power(fixed_point(0, one, {}), group.count));
  }
  const Enclosure rest = from_zero_to(law.rest);
  std::vector<std::vector<Enclosure>> result(answers, std::vector<Enclosure>(answers, rest));
  Composition bars(answers);
  for (std::size_t i = 0; i < law.size; ++i) {
    checkpoint();
    std::size_t left = people;
    std::size_t digits = law.first + i;
    bool is_way = true;
    for (std::size_t a = 0; a < named && is_way; ++a) {
      bars[a] = digits / units[a];
      digits %= units[a];
      is_way = bars[a] <= left;
      if (is_way) left -= bars[a];
    }
    if (!is_way) continue;
    bars[named] = left;
    const Enclosure p = law.mass(i);
    for (std::size_t answer = 0; answer < answers; ++answer) {
      ++bars[answer];
      Enclosure& sum = result[answer][mode_of(bars)];
      arb_add(sum.arb(), sum.arb(), p.arb(), law_bits);
      --bars[answer];
    }
  }
  return result;
}

template class BarsLaw<Integer>;
template class BarsLaw<Polynomial>;
template class BarsLaw<Enclosure>;

}  // namespace fractile::flow

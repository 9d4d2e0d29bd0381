#include "flow/pipeline/bars_law.hpp"

#include <utility>

#include "flow/algebra/ring.hpp"
#include "flow/pipeline/composition.hpp"

namespace fractile::flow {
namespace {

/// How many ways there are to spread at most `people` over `answers`: (people + answers) over answers.
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

/// The place of a way among all, in lexicographic order.
std::size_t place_of(const Ways& ways, std::size_t people, const Composition& way) {
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const std::size_t behind = way.size() - i;
    place += ways.spread(people, behind) - ways.spread(people - way[i], behind);
    people -= way[i];
  }
  return place;
}

/// The next way in lexicographic order; whether there is one.
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
  const std::size_t named = answers - 1;  // the last answer is given by all who are left
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
  for (std::size_t i = numerators_.size(); i-- > 0;) {  // what comes before is still as it was
    if (totals_[i] > added_) continue;
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

template class BarsLaw<Integer>;
template class BarsLaw<Polynomial>;
template class BarsLaw<Enclosure>;

}  // namespace fractile::flow

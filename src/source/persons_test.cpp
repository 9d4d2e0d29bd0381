#include "source/persons.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact/uniform.hpp"
#include "support/statistics.hpp"

namespace fractile::source_detail {
namespace {

using testing::chi_square_p;
using testing::effort;
using testing::placed_bits;
using testing::word_that_draws;

/// Whose each record is, in the order of the table. A record's position is its place there.
using Order = std::vector<std::string>;
using Kept = std::set<Position>;

/// The draws from 0 .. n - 1 that a reservoir a person makes, as the list of the n.
std::vector<std::uint64_t> draws_by_person(const Order& order, std::uint64_t most) {
  std::map<std::string, std::uint64_t> seen;
  std::vector<std::uint64_t> draws;
  for (const std::string& person : order) {
    if (++seen[person] > most) draws.push_back(seen[person]);
  }
  return draws;
}

struct Honest : PersonSamples {
  using PersonSamples::PersonSamples;
  static std::vector<std::uint64_t> draws(const Order& order, std::uint64_t most) {
    return draws_by_person(order, most);
  }
};

/// What the mutants have in common.
class Mutant {
 public:
  Mutant(std::uint32_t most, RandomBits& bits) : most_(most), bits_(bits) {}
  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (const auto& [person, records] : kept_) {
      for (const KeyedRecord& record : records) visit(record);
    }
  }

 protected:
  void replace(const std::string& person, const KeyedRecord& record, std::uint64_t among) {
    const std::uint64_t place = uniform_below(bits_, among);
    if (place < most_) kept_[person][place] = record;
  }
  std::uint64_t most_;
  RandomBits& bits_;
  std::map<std::string, std::uint64_t> seen_;
  std::map<std::string, std::vector<KeyedRecord>> kept_;
};

struct KeepsTheFirst : Mutant {
  using Mutant::Mutant;
  static std::vector<std::uint64_t> draws(const Order&, std::uint64_t) { return {}; }
  void add(const std::string& person, const KeyedRecord& record) {
    if (kept_[person].size() < most_) kept_[person].push_back(record);
  }
};

/// One reservoir for the whole table.
struct SamplesRecords : Mutant {
  using Mutant::Mutant;
  static std::vector<std::uint64_t> draws(const Order& order, std::uint64_t most) {
    return draws_by_person(Order(order.size()), most);
  }
  void add(const std::string&, const KeyedRecord& record) {
    if (++seen_[""] <= most_) {
      kept_[""].push_back(record);
    } else {
      replace("", record, seen_[""]);
    }
  }
};

/// Draws among the records before this one.
struct OffByOne : Mutant {
  using Mutant::Mutant;
  static std::vector<std::uint64_t> draws(const Order& order, std::uint64_t most) {
    std::vector<std::uint64_t> draws = draws_by_person(order, most);
    for (std::uint64_t& n : draws) n = std::max<std::uint64_t>(n - 1, 1);
    return draws;
  }
  void add(const std::string& person, const KeyedRecord& record) {
    if (++seen_[person] <= most_) {
      kept_[person].push_back(record);
    } else {
      replace(person, record, seen_[person] - 1);
    }
  }
};

template <class Sampler>
Kept kept_of(const Order& order, std::uint32_t most, RandomBits& bits) {
  Sampler sampler(most, bits);
  for (std::size_t i = 0; i < order.size(); ++i) sampler.add(order[i], {i, 0});
  Kept kept;
  sampler.for_each_kept([&](const KeyedRecord& record) { kept.insert(record.position); });
  return kept;
}

/// The exact law, by running all outcomes of all draws, which are equally likely: how many lead to each sample.
template <class Sampler>
std::map<Kept, std::uint64_t> law_of(const Order& order, std::uint32_t most) {
  const std::vector<std::uint64_t> draws = Sampler::draws(order, most);
  std::vector<std::uint64_t> outcome(draws.size());
  std::map<Kept, std::uint64_t> law;
  for (;;) {
    std::vector<std::uint64_t> words;  // of a draw among one, none is used
    for (std::size_t i = 0; i < draws.size(); ++i) {
      if (draws[i] > 1) words.push_back(word_that_draws(outcome[i], draws[i]));
    }
    RandomBits bits = placed_bits(words);
    ++law[kept_of<Sampler>(order, most, bits)];
    std::size_t i = 0;
    while (i < draws.size() && ++outcome[i] == draws[i]) outcome[i++] = 0;
    if (i == draws.size()) return law;
  }
}

std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

/// Is every choice of min(most, his) records of each person equally likely, and nothing else possible?
template <class Sampler>
bool is_uniform(const Order& order, std::uint32_t most) {
  std::uint64_t choices = 1;
  for (const std::string& person : std::set<std::string>(order.begin(), order.end())) {
    const auto his = static_cast<std::uint64_t>(std::ranges::count(order, person));
    choices *= choose(his, std::min<std::uint64_t>(most, his));
  }
  const std::map<Kept, std::uint64_t> law = law_of<Sampler>(order, most);
  return law.size() == choices &&
         std::ranges::all_of(law, [&](const auto& entry) { return entry.second == law.begin()->second; });
}

/// The probabilities of what is kept of the first `count` records, in units of 1/outcomes.
template <class Sampler>
std::map<Kept, Rational> law_of_first(const Order& order, std::size_t count, std::uint32_t most) {
  std::map<Kept, Rational> law;
  std::int64_t outcomes = 0;
  for (const auto& [kept, times] : law_of<Sampler>(order, most)) {
    Kept first;
    std::ranges::copy_if(kept, std::inserter(first, first.end()), [&](Position p) { return p < count; });
    law[first] += Rational(static_cast<std::int64_t>(times));
    outcomes += static_cast<std::int64_t>(times);
  }
  for (auto& [kept, p] : law) p /= Rational(outcomes);
  return law;
}

/// Does a further person leave the law of the others' kept records as it is?
template <class Sampler>
bool ignores_others(Order order, std::size_t records_of_another, std::uint32_t most) {
  const std::size_t count = order.size();
  const auto alone = law_of_first<Sampler>(order, count, most);
  order.insert(order.end(), records_of_another, "another");
  return law_of_first<Sampler>(order, count, most) == alone;
}

TEST(PersonSamples, EverySubsetIsEquallyLikely) {
  for (std::size_t records = 1; records <= 7; ++records) {
    for (const std::uint32_t most : {1U, 2U, 3U, 6U, 7U, 4'000'000'000U}) {
      EXPECT_TRUE(is_uniform<Honest>(Order(records, "a"), most)) << records << " " << most;
    }
  }
}

TEST(PersonSamples, PersonsAreIndependentInAnyOrder) {
  EXPECT_TRUE(rc::check("any order", [] {
    const Order order =
        *rc::gen::resize(7, rc::gen::container<Order>(rc::gen::element<std::string>("a", "b", "c", "a\n", "")));
    RC_ASSERT(is_uniform<Honest>(order, *rc::gen::inRange<std::uint32_t>(1, 4)));
  }));
}

TEST(PersonSamples, AnotherPersonLeavesTheOthersLawAsItIs) {
  for (const Order& order : {Order{"a", "a", "b", "a"}, Order{"b", "a", "b", "a", "b"}, Order{"a"}}) {
    for (const std::size_t another : {1U, 2U, 3U}) {
      EXPECT_TRUE(ignores_others<Honest>(order, another, 1));
      EXPECT_TRUE(ignores_others<Honest>(order, another, 2));
    }
  }
}

TEST(PersonSamplesMutant, KeepingTheFirstIsCaught) { EXPECT_FALSE(is_uniform<KeepsTheFirst>(Order(3, "a"), 2)); }

TEST(PersonSamplesMutant, DrawingAmongOneTooFewIsCaught) {
  EXPECT_FALSE(is_uniform<OffByOne>(Order(3, "a"), 2));
  EXPECT_FALSE(is_uniform<OffByOne>(Order(2, "a"), 1));
}

TEST(PersonSamplesMutant, SamplingTheTableIsCaught) {
  EXPECT_TRUE(is_uniform<SamplesRecords>(Order(4, "a"), 2));  // for one person it is the same
  EXPECT_FALSE(is_uniform<SamplesRecords>({"a", "a", "b", "b"}, 2));
  EXPECT_FALSE(ignores_others<SamplesRecords>({"a", "a", "b"}, 2, 2));
}

/// The p-value of so many samples of 2 records among 5.
template <class Sampler>
double p_of_pairs(std::uint64_t draws) {
  RandomBits bits = RandomBits::system();
  const Order order{"a", "b", "a", "a", "b", "a", "a"};
  std::map<Kept, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < draws; ++i) {
    Kept kept = kept_of<Sampler>(order, 2, bits);
    kept.erase(1), kept.erase(4);
    ++seen[kept];
  }
  std::vector<std::uint64_t> counts;
  for (const auto& [kept, count] : seen) counts.push_back(count);
  counts.resize(std::max<std::size_t>(counts.size(), 10));
  std::vector<double> law(10, 0.1);
  law.resize(counts.size(), 0);
  return chi_square_p(counts, law);
}

TEST(PersonSamples, TheSystemsBitsGiveThatLaw) {
  EXPECT_GT(p_of_pairs<Honest>(effort(100'000)), 1e-9);
  EXPECT_LT(p_of_pairs<KeepsTheFirst>(1000), 1e-9);
  EXPECT_LT(p_of_pairs<OffByOne>(10'000), 1e-9);
  EXPECT_LT(p_of_pairs<SamplesRecords>(1000), 1e-9);
}

TEST(PersonSamples, PersonsAreTheirExactBytes) {
  const std::string with_zero("a\0b", 3);
  const Order order{"1", "1.0", "01", "1 ", "A", "a", with_zero, "a\xC3\xA9", "ae\xCC\x81"};
  RandomBits bits = placed_bits({});  // all are kept, so nothing is drawn
  EXPECT_EQ(kept_of<Honest>(order, 1, bits).size(), order.size());
}

TEST(PersonSamples, MemoryIsThatOfTheKeptRecords) {
  RandomBits bits = RandomBits::system();
  EXPECT_EQ(kept_of<Honest>(Order(200'000, "a"), 3, bits).size(), 3U);
}

TEST(PersonSamples, NothingIsKeptWhenTheBitsFail) {
  RandomBits bits = placed_bits({});
  EXPECT_THROW(kept_of<Honest>({"a", "a"}, 1, bits), std::runtime_error);
}

}  // namespace
}  // namespace fractile::source_detail

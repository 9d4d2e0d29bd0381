#include "flow/pipeline/rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"
#include "flow/channel/names.hpp"
#include "flow/pipeline/additions.hpp"
#include "flow/pipeline/bars_law.hpp"
#include "flow/pipeline/channel_of.hpp"
#include "flow/pipeline/post_images.hpp"
#include "flow/pipeline/size_limit.hpp"
#include "flow/pipeline/tallies.hpp"

namespace fractile::flow {
namespace {

bool adds_up(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return false;
  return pipeline.post.kind == PostProcessor::Kind::count || pipeline.post.kind == PostProcessor::Kind::sum;
}

std::vector<std::string> observations_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  if (const CentralMechanism* const release = pipeline.perturber.release()) {
    return images_of(pipeline, release_outputs(*release, pipeline.values.size())).names;
  }
  const std::size_t answers = pipeline.shown().size();
  switch (pipeline.post.kind) {
    case PostProcessor::Kind::count:
    case PostProcessor::Kind::sum: {
      const Additions steps = additions_of(pipeline);
      const auto participants = static_cast<std::int64_t>(pipeline.participants);
      for (const std::size_t total : reachable(steps, pipeline.participants)) {
        const Rational sum = steps.least * participants + steps.unit * static_cast<std::int64_t>(total);
        names.push_back(sum.to_string());
      }
      break;
    }
    case PostProcessor::Kind::mode:
      names = names_of(pipeline.shown());
      break;
    case PostProcessor::Kind::shuffle:
    case PostProcessor::Kind::bits:
      for (const Tuple& tally : reachable_tallies(tallied(pipeline), pipeline.participants)) {
        names.push_back(tally_name(tally));
      }
      break;
    case PostProcessor::Kind::identity:
      if (pipeline.secret.kind == Secret::Kind::histogram) {
        require_few(power(pipeline.participants + 1, answers), smaller_channel(pipeline));
        for_each_tuple(answers, pipeline.participants + 1,
                       [&](const Tuple& bars) { names.push_back(tally_name(bars)); });
      } else {
        require_few(power(answers, pipeline.participants), smaller_channel(pipeline));
        for_each_tuple(pipeline.participants, answers,
                       [&](const Tuple& tuple) { names.push_back(values_name(pipeline.shown(), tuple)); });
      }
      break;
    case PostProcessor::Kind::round:
      names = images_of(pipeline, all_tuples(pipeline.participants, answers)).names;
      break;
    case PostProcessor::Kind::table:
      names = numbered(*std::ranges::max_element(pipeline.post.image) + 1);
      break;
  }
  return names;
}

}  // namespace

std::size_t perturbed_answers(const Pipeline& pipeline) {
  return pipeline.secret.kind == Secret::Kind::histogram ? pipeline.values.size() : pipeline.participants;
}

Tuple members_of(const Pipeline& pipeline, const Tuple& secret) {
  Tuple members = pipeline.secret.order.empty() ? sorted_tuple(pipeline.secret.known) : pipeline.secret.order;
  members.insert(members.end(), secret.begin(), secret.end());
  return members;
}

template <class Ring>
std::vector<Ring> counted_numerators(const Pipeline& pipeline, const Noise<Ring>& noise) {
  std::vector<Ring> result;
  for (const std::vector<Ring>& row : noise.numerators) {
    Ring sum;
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      if (std::ranges::count(pipeline.post.counted, answer) > 0) add_product(sum, row[answer], whole<Ring>(1));
    }
    result.push_back(std::move(sum));
  }
  return result;
}

template std::vector<Integer> counted_numerators(const Pipeline&, const Noise<Integer>&);
template std::vector<Polynomial> counted_numerators(const Pipeline&, const Noise<Polynomial>&);

bool collects_bars(const Pipeline& pipeline) {
  return pipeline.post.kind == PostProcessor::Kind::mode && pipeline.secret.kind != Secret::Kind::histogram &&
         pipeline.perturber.release() == nullptr;
}

bool is_small(const Pipeline& pipeline) {
  if (!adds_up(pipeline)) return true;
  const auto participants = static_cast<std::int64_t>(pipeline.participants);
  if (secret_count(pipeline) * participants > Rational(most_entries)) return false;
  const auto columns = static_cast<std::int64_t>(observations_of(pipeline).size());
  return secret_count(pipeline) * columns <= Rational(most_entries);
}

Outline outline_of(const Pipeline& pipeline) {
  pipeline.validate();
  const std::string hint = smaller_channel(pipeline);
  if (adds_up(pipeline)) require_few(secret_count(pipeline) * static_cast<std::int64_t>(pipeline.participants), hint);
  if (collects_bars(pipeline)) require_few(compositions(pipeline.participants, pipeline.shown().size()), hint);
  std::vector<std::string> observations = observations_of(pipeline);
  require_few(secret_count(pipeline) * static_cast<std::int64_t>(observations.size()), hint);
  return {secrets_of(pipeline), std::move(observations)};
}

namespace {

template <class Ring>
using Counts = std::vector<Ring>;  // by total of steps

template <class Ring>
Counts<Ring> convolved(const Counts<Ring>& a, const Counts<Ring>& b) {
  Counts<Ring> result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    checkpoint();
    if (is_zero(a[i])) continue;
    for (std::size_t j = 0; j < b.size(); ++j) add_product(result[i + j], a[i], b[j]);
  }
  return result;
}

/// The convolution; faster for long lists.
Counts<Integer> convolved(const Counts<Integer>& a, const Counts<Integer>& b) {
  Polynomial first;
  Polynomial second;
  for (std::size_t i = 0; i < a.size(); ++i) fmpz_poly_set_coeff_fmpz(first.get(), static_cast<slong>(i), a[i].get());
  for (std::size_t i = 0; i < b.size(); ++i) fmpz_poly_set_coeff_fmpz(second.get(), static_cast<slong>(i), b[i].get());
  const Polynomial product = first * second;
  Counts<Integer> result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    fmpz_poly_get_coeff_fmpz(result[i].get(), product.get(), static_cast<slong>(i));
  }
  return result;
}

template <class Ring>
using Histograms = std::map<Composition, Ring>;

template <class Ring>
Histograms<Ring> convolved(const Histograms<Ring>& a, const Histograms<Ring>& b) {
  Histograms<Ring> result;
  for (const auto& one : a) {
    checkpoint();
    for (const auto& other : b) {
      Composition sum = one.first;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other.first[k];
      add_product(result[sum], one.second, other.second);
    }
  }
  return result;
}

template <class Ring>
Ring& entry_of(Counts<Ring>& law, std::size_t total) {
  law.resize(std::max(law.size(), total + 1));
  return law[total];
}

template <class Ring>
Ring& entry_of(Histograms<Ring>& law, const Tuple& tally) {
  return law[tally];
}

/// By participant, or bar.
template <class Ring>
using Noises = std::vector<const Noise<Ring>*>;

/// Participants whose answers have one law.
template <class Ring>
struct Alike {
  const Noise<Ring>* noise;
  std::size_t value;
  std::size_t people;

  friend bool operator==(const Alike& a, const Alike& b) = default;
};

/// In the order of the first participant of each group.
template <class Ring>
std::vector<Alike<Ring>> alike_of(const Tuple& members, const Noises<Ring>& noises) {
  std::vector<Alike<Ring>> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto same = std::ranges::find_if(
        all, [&](const Alike<Ring>& one) { return one.noise == noises[i] && one.value == members[i]; });
    if (same != all.end()) {
      ++same->people;
    } else {
      all.push_back({noises[i], members[i], 1});
    }
  }
  return all;
}

/// The law of the participants' answers together. `steps`: what each answer adds. Successive calls share the common beginnings of
/// their products.
template <class Ring, class Law, class Step>
class LawOfAll {
 public:
  LawOfAll(Law nobody, std::vector<Step> steps) : steps_(std::move(steps)) { products_.push_back(std::move(nobody)); }

  const Law& of(const std::vector<Alike<Ring>>& people) {
    const auto shared = std::ranges::mismatch(people, people_).in1 - people.begin();
    products_.resize(static_cast<std::size_t>(shared) + 1);
    for (auto one = people.begin() + shared; one != people.end(); ++one) {
      products_.push_back(convolved(products_.back(), power_of(*one)));
    }
    people_ = people;
    return products_.back();
  }

 private:
  const Law& power_of(const Alike<Ring>& alike) {
    std::vector<Law>& powers = powers_[{alike.noise, alike.value}];
    if (powers.empty()) powers.push_back(of_one(alike.noise->numerators[alike.value]));
    while (powers.size() < alike.people) powers.push_back(convolved(powers.back(), powers.front()));
    return powers[alike.people - 1];
  }
  Law of_one(const std::vector<Ring>& answers) const {
    Law law;
    for (std::size_t answer = 0; answer < answers.size(); ++answer) {
      add_product(entry_of(law, steps_[answer]), answers[answer], whole<Ring>(1));
    }
    return law;
  }

  std::vector<Step> steps_;
  // Powers for one, two, ... participants.
  std::map<std::pair<const Noise<Ring>*, std::size_t>, std::vector<Law>> powers_;
  std::vector<Alike<Ring>> people_;
  std::vector<Law> products_;  // products of the first 0, 1, ... of them
};

/// `row_of` turns the law of everyone's answers into a row.
template <class Ring, class Law, class Step, class RowOf>
std::vector<std::vector<Ring>> rows_by_law(const Pipeline& pipeline, const Outline& outline, const Noises<Ring>& noises,
                                           LawOfAll<Ring, Law, Step> law, const RowOf& row_of) {
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : outline.secrets) {
    checkpoint();
    rows.push_back(row_of(law.of(alike_of(members_of(pipeline, secret), noises))));
  }
  return rows;
}

template <class Ring>
LawOfAll<Ring, Histograms<Ring>, Tuple> law_of_tallies(const std::vector<Tuple>& steps) {
  return {{{Composition(steps.front().size()), whole<Ring>(1)}}, steps};
}

template <class Ring>
std::vector<std::vector<Ring>> added_rows(const Pipeline& pipeline, const Outline& outline,
                                          const Noises<Ring>& noises) {
  const Additions additions = additions_of(pipeline);
  const std::vector<std::size_t> totals = reachable(additions, pipeline.participants);
  const LawOfAll<Ring, Counts<Ring>, std::size_t> counts({whole<Ring>(1)}, additions.steps);
  return rows_by_law(pipeline, outline, noises, counts, [&](const Counts<Ring>& law) {
    return mapped(totals, [&](std::size_t total) { return total < law.size() ? law[total] : Ring(); });
  });
}

template <class Ring>
std::vector<std::vector<Ring>> tally_rows(const Pipeline& pipeline, const Outline& outline,
                                          const Noises<Ring>& noises) {
  const std::vector<Tuple> steps = tallied(pipeline);
  const std::vector<Tuple> all = reachable_tallies(steps, pipeline.participants);
  return rows_by_law(pipeline, outline, noises, law_of_tallies<Ring>(steps), [&](const Histograms<Ring>& law) {
    std::vector<Ring> row;
    for (const Tuple& tally : all) {
      const auto at = law.find(tally);
      row.push_back(at == law.end() ? Ring() : at->second);
    }
    return row;
  });
}

/// [a][b]: the numerator of the probability that the mode is answer b when the target gives answer a. The others' answers are added
/// one participant after the other.
template <class Ring>
std::vector<std::vector<Ring>> modes_of_target(const Tuple& others, const Noises<Ring>& noises) {
  BarsLaw<Ring> bars(others.size(), noises.back()->answers());
  for (std::size_t i = 0; i < others.size(); ++i) bars.add(noises[i]->numerators[others[i]]);
  return bars.modes_with_one_more();
}

/// The same; participants with one law are added all at once if there are many.
std::vector<std::vector<Enclosure>> modes_of_target(const Tuple& others, const Noises<Enclosure>& noises) {
  constexpr std::size_t few = 64;
  constexpr double most_ways = 4e6;
  const std::size_t answers = noises.back()->answers();
  if (others.size() < few || fixed_ways(others.size(), answers) > most_ways) {
    return modes_of_target<Enclosure>(others, noises);
  }
  Enclosure denominator = whole<Enclosure>(1);
  for (std::size_t i = 0; i < others.size(); ++i) denominator = product(denominator, noises[i]->denominator);
  std::vector<AlikePeople> groups;
  for (const Alike<Enclosure>& alike : alike_of(others, noises)) {
    groups.push_back({alike.people, alike.noise->numerators[alike.value]});
    for (Enclosure& p : groups.back().answers) {
      arb_div(p.arb(), p.arb(), alike.noise->denominator.arb(), enclosure_bits);
    }
  }
  std::vector<std::vector<Enclosure>> modes = fixed_modes(groups, answers);
  for (std::vector<Enclosure>& row : modes) {
    for (Enclosure& p : row) p = product(p, denominator);
  }
  return modes;
}

template <class Ring>
std::vector<std::vector<Ring>> mode_rows_of_target(const Pipeline& pipeline, const Outline& outline,
                                                   const Noises<Ring>& noises) {
  const std::size_t answers = noises.back()->answers();
  const std::vector<std::vector<Ring>> modes = modes_of_target(members_of(pipeline, {}), noises);
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : outline.secrets) {
    checkpoint();
    const std::vector<Ring>& target = noises.back()->numerators[secret.front()];
    rows.emplace_back(answers);
    for (std::size_t answer = 0; answer < answers; ++answer) {
      for (std::size_t mode = 0; mode < answers; ++mode) {
        add_product(rows.back()[mode], target[answer], modes[answer][mode]);
      }
    }
  }
  return rows;
}

template <class Ring>
std::vector<std::vector<Ring>> mode_rows(const Pipeline& pipeline, const Outline& outline, const Noises<Ring>& noises) {
  if (pipeline.secret.kind == Secret::Kind::target) return mode_rows_of_target(pipeline, outline, noises);
  const std::size_t answers = pipeline.shown().size();
  const auto bars = law_of_tallies<Ring>(single_answers(answers));
  return rows_by_law(pipeline, outline, noises, bars, [&](const Histograms<Ring>& law) {
    std::vector<Ring> row(answers);
    for (const auto& [tally, p] : law) add_product(row[mode_of(tally)], p, whole<Ring>(1));
    return row;
  });
}

/// The probability that bar k is the first of the highest: bars before it are lower, and bars after it are not higher. Products of
/// the bars before and after are shared, so a row takes time K N.
template <class Ring>
std::vector<std::vector<Ring>> highest_bar_rows(const Outline& outline, const Noise<Ring>& noise) {
  std::vector<std::vector<Ring>> below;  // by a bar's true height: numerators of Pr[noisy < v], v = 0 .. heights
  for (const std::vector<Ring>& row : noise.numerators) {
    below.emplace_back(1);
    for (const Ring& p : row) {
      below.back().push_back(below.back().back());
      add_product(below.back().back(), p, whole<Ring>(1));
    }
  }
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& bars : outline.secrets) {
    checkpoint();
    rows.emplace_back(bars.size());
    for (std::size_t height = 0; height < noise.answers(); ++height) {
      std::vector<Ring> after{whole<Ring>(1)};  // products for the last 0, 1, ... bars
      for (std::size_t j = bars.size(); j-- > 1;) after.push_back(product(after.back(), below[bars[j]][height + 1]));
      Ring before = whole<Ring>(1);
      for (std::size_t k = 0; k < bars.size(); ++k) {
        const Ring others = product(before, after[bars.size() - 1 - k]);
        add_product(rows.back()[k], others, noise.numerators[bars[k]][height]);
        before = product(before, below[bars[k]][height]);
      }
    }
  }
  return rows;
}

/// Adds up over all tuples of answers: `members` are the true values (or bars), and `image` numbers the outputs.
template <class Ring>
std::vector<Ring> tuple_row(const Tuple& members, const Noises<Ring>& noises, const std::vector<std::size_t>& image,
                            std::size_t outputs) {
  std::vector<Ring> row(outputs);
  std::size_t index = 0;
  for_each_tuple(members.size(), noises.front()->answers(), [&](const Tuple& answers) {
    Ring p = whole<Ring>(1);
    for (std::size_t i = 0; i < members.size(); ++i) p = product(p, noises[i]->numerators[members[i]][answers[i]]);
    add_product(row[image.empty() ? index : image[index]], p, whole<Ring>(1));
    ++index;
  });
  return row;
}

template <class Ring>
std::vector<std::vector<Ring>> explicit_rows(const Pipeline& pipeline, const Outline& outline,
                                             const Noises<Ring>& noises) {
  std::vector<std::size_t> image;  // none for the identity
  if (pipeline.post.kind == PostProcessor::Kind::table) image = pipeline.post.image;
  if (pipeline.post.kind == PostProcessor::Kind::round) {
    image = images_of(pipeline, all_tuples(pipeline.participants, pipeline.shown().size())).image;
  }
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : outline.secrets) {
    checkpoint();
    rows.push_back(tuple_row(members_of(pipeline, secret), noises, image, outline.observation_names.size()));
  }
  return rows;
}

}  // namespace

template <class Ring>
ScaledRows<Ring> rows_of(const Pipeline& pipeline, const Outline& outline, const std::vector<Noise<Ring>>& noises) {
  ScaledRows<Ring> result{{}, whole<Ring>(1)};
  Noises<Ring> each;
  for (std::size_t i = 0; i < perturbed_answers(pipeline); ++i) {
    each.push_back(&noises[noises.size() == 1 ? 0 : i]);
    result.denominator = product(result.denominator, each.back()->denominator);
  }
  const bool is_mode = pipeline.post.kind == PostProcessor::Kind::mode;
  if (adds_up(pipeline)) {
    result.numerators = added_rows(pipeline, outline, each);
  } else if (tallies(pipeline.post)) {
    result.numerators = tally_rows(pipeline, outline, each);
  } else if (is_mode && pipeline.secret.kind == Secret::Kind::histogram) {
    result.numerators = highest_bar_rows(outline, noises.front());
  } else {
    result.numerators = is_mode ? mode_rows(pipeline, outline, each) : explicit_rows(pipeline, outline, each);
  }
  return result;
}

template ScaledRows<Integer> rows_of(const Pipeline&, const Outline&, const std::vector<Noise<Integer>>&);
template ScaledRows<Polynomial> rows_of(const Pipeline&, const Outline&, const std::vector<Noise<Polynomial>>&);
template ScaledRows<Enclosure> rows_of(const Pipeline&, const Outline&, const std::vector<Noise<Enclosure>>&);

}  // namespace fractile::flow

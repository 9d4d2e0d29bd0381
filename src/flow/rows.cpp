#include "flow/rows.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "flow/channel_of.hpp"
#include "flow/integer_matrix.hpp"
#include "flow/names.hpp"
#include "flow/post_images.hpp"
#include "fractile/error.hpp"

namespace fractile::flow {
namespace {

using Tuple = std::vector<std::size_t>;  // of indices of values

constexpr std::size_t most_entries = 1'000'000;

void require_few(const Rational& entries) {
  if (entries > Rational(static_cast<std::int64_t>(most_entries))) {
    throw Error(ErrorCode::usage, "the channel has more than a million entries",
                "take fewer participants or values, or a post-processor that does not care who is who");
  }
}

Rational power(std::size_t base, std::size_t exponent) {
  return Rational(static_cast<std::int64_t>(base)).pow(static_cast<std::int64_t>(exponent));
}

std::string values_name(const Pipeline& pipeline, const Tuple& tuple) {
  std::vector<std::string> members;
  for (const std::size_t value : tuple) members.push_back(pipeline.values[value].to_string());
  return tuple_name(members);
}

std::string bars_name(const Tuple& bars) {
  std::vector<std::string> members;
  for (const std::size_t bar : bars) members.push_back(std::to_string(bar));
  return tuple_name(members);
}

void for_each_tuple(std::size_t length, std::size_t values, const std::function<void(const Tuple&)>& visit) {
  Tuple tuple(length);
  for (;;) {
    visit(tuple);
    std::size_t at = length;
    while (at > 0 && tuple[at - 1] + 1 == values) tuple[--at] = 0;
    if (at == 0) return;
    ++tuple[at - 1];
  }
}

Tuple sorted_tuple(const Composition& composition) {
  Tuple tuple;
  for (std::size_t value = 0; value < composition.size(); ++value) {
    tuple.insert(tuple.end(), composition[value], value);
  }
  return tuple;
}

Rational arrangements_of(const Composition& composition) {
  Rational result;
  std::size_t total = 0;
  Integer product(1);
  Integer factor;
  for (const std::size_t part : composition) {
    total += part;
    fmpz_bin_uiui(factor.get(), total, part);
    fmpz_mul(product.get(), product.get(), factor.get());
  }
  fmpq_set_fmpz(flint_of(result), product.get());
  return result;
}

Rational compositions(std::size_t total, std::size_t parts) { return arrangements_of({total, parts - 1}); }

bool adds_up(const Pipeline& pipeline) {
  if (pipeline.perturber.release() != nullptr) return false;
  return pipeline.post.kind == PostProcessor::Kind::count || pipeline.post.kind == PostProcessor::Kind::sum;
}

/// By total above the least: how few answers of more than the least step add up to it; more than all answers where none do.
std::vector<std::size_t> fewest_answers(const std::vector<std::size_t>& steps, std::size_t least, std::size_t answers) {
  const std::size_t most = (*std::ranges::max_element(steps) - least) * answers;
  require_few(static_cast<std::int64_t>(most));
  std::vector<std::size_t> fewest(most + 1, answers + 1);
  fewest[0] = 0;
  for (std::size_t total = 1; total <= most; ++total) {
    for (const std::size_t step : steps) {
      const std::size_t more = step - least;
      if (more > 0 && more <= total) fewest[total] = std::min(fewest[total], fewest[total - more] + 1);
    }
  }
  return fewest;
}

/// In the numbering of a table.
std::vector<Tuple> all_tuples(std::size_t length, std::size_t values) {
  require_few(power(values, length));
  std::vector<Tuple> tuples;
  for_each_tuple(length, values, [&](const Tuple& tuple) { tuples.push_back(tuple); });
  return tuples;
}

std::vector<std::string> observations_of(const Pipeline& pipeline) {
  std::vector<std::string> names;
  const std::size_t values = pipeline.values.size();
  if (const Release* const release = pipeline.perturber.release()) {
    return images_of(pipeline, release_outputs(*release, values)).names;
  }
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
      names = names_of(pipeline.values);
      break;
    case PostProcessor::Kind::identity:
      if (pipeline.secret.kind == Secret::Kind::histogram) {
        require_few(power(pipeline.participants + 1, values));
        for_each_tuple(values, pipeline.participants + 1, [&](const Tuple& bars) { names.push_back(bars_name(bars)); });
      } else {
        require_few(power(values, pipeline.participants));
        for_each_tuple(pipeline.participants, values,
                       [&](const Tuple& tuple) { names.push_back(values_name(pipeline, tuple)); });
      }
      break;
    case PostProcessor::Kind::round:
      names = images_of(pipeline, all_tuples(pipeline.participants, values)).names;
      break;
    case PostProcessor::Kind::table:
      names = numbered(*std::ranges::max_element(pipeline.post.image) + 1);
      break;
  }
  return names;
}

/// In the lexicographic order of sorted tuples.
void for_each_composition(std::size_t total, std::size_t parts, const std::function<void(const Composition&)>& visit) {
  Composition composition(parts);
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t part, std::size_t left) {
    if (part + 1 == parts) {
      composition[part] = left;
      visit(composition);
      return;
    }
    for (std::size_t here = left + 1; here-- > 0;) {
      composition[part] = here;
      fill(part + 1, left - here);
    }
  };
  fill(0, total);
}

/// Whether who has which value makes no difference.
bool is_symmetric(const Pipeline& pipeline) {
  return pipeline.perturber.release() != nullptr || pipeline.post.is_symmetric();
}

}  // namespace

std::vector<std::size_t> reachable(const Additions& additions, std::size_t participants) {
  const std::size_t least = *std::ranges::min_element(additions.steps);
  const std::vector<std::size_t> fewest = fewest_answers(additions.steps, least, participants);
  std::vector<std::size_t> totals;
  for (std::size_t total = 0; total < fewest.size(); ++total) {
    if (fewest[total] <= participants) totals.push_back(total + least * participants);
  }
  return totals;
}

Additions additions_of(const Pipeline& pipeline) {
  Additions result;
  if (pipeline.post.kind == PostProcessor::Kind::count) {
    result.steps.resize(pipeline.values.size());
    for (const std::size_t value : pipeline.post.counted) result.steps[value] = 1;
    return result;
  }
  result.least = *std::ranges::min_element(pipeline.values);
  Rational divisor;  // of all differences
  for (const Rational& value : pipeline.values) {
    fmpq_gcd(flint_of(divisor), flint_of(divisor), flint_of(value - result.least));
  }
  if (divisor.sign() > 0) result.unit = divisor;
  for (const Rational& value : pipeline.values) {
    const Rational steps = (value - result.least) / result.unit;
    require_few(steps);
    result.steps.push_back(steps.to_uint64());
  }
  return result;
}

std::string tuple_name(const std::vector<std::string>& members) {
  if (members.size() == 1) return members.front();
  std::string name;
  for (const std::string& member : members) name += (name.empty() ? "(" : ",") + member;
  return name + ")";
}

Composition composition_of(const std::vector<std::size_t>& tuple, std::size_t values) {
  Composition composition(values);
  for (const std::size_t value : tuple) ++composition[value];
  return composition;
}

Composition whole_composition(const Pipeline& pipeline, const std::vector<std::size_t>& secret) {
  Composition composition = composition_of(secret, pipeline.values.size());
  for (const std::size_t value : pipeline.secret.known) ++composition[value];
  return composition;
}

Rational secret_count(const Pipeline& pipeline) {
  const std::size_t values = pipeline.values.size();
  if (pipeline.secret.kind == Secret::Kind::target) return static_cast<std::int64_t>(values);
  const bool by_composition = pipeline.secret.kind == Secret::Kind::histogram || is_symmetric(pipeline);
  return by_composition ? compositions(pipeline.participants, values) : power(values, pipeline.participants);
}

std::size_t mode_of(const Composition& bars) {
  return static_cast<std::size_t>(std::ranges::max_element(bars) - bars.begin());
}

std::size_t perturbed_answers(const Pipeline& pipeline) {
  return pipeline.secret.kind == Secret::Kind::histogram ? pipeline.values.size() : pipeline.participants;
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
template std::vector<Enclosure> counted_numerators(const Pipeline&, const Noise<Enclosure>&);

bool is_small(const Pipeline& pipeline) {
  if (!adds_up(pipeline)) return true;
  const auto participants = static_cast<std::int64_t>(pipeline.participants);
  if (secret_count(pipeline) * participants > Rational(static_cast<std::int64_t>(most_entries))) return false;
  const auto columns = static_cast<std::int64_t>(observations_of(pipeline).size());
  return secret_count(pipeline) * columns <= Rational(static_cast<std::int64_t>(most_entries));
}

Frame frame_of(const Pipeline& pipeline) {
  pipeline.validate();
  if (adds_up(pipeline)) require_few(secret_count(pipeline) * static_cast<std::int64_t>(pipeline.participants));
  std::vector<std::string> observations = observations_of(pipeline);
  require_few(secret_count(pipeline) * static_cast<std::int64_t>(observations.size()));
  return {secrets_of(pipeline), std::move(observations)};
}

Secrets secrets_of(const Pipeline& pipeline) {
  pipeline.validate();
  require_few(secret_count(pipeline));
  Secrets result;
  const std::size_t values = pipeline.values.size();
  const auto add = [&](Tuple secret, std::string name, Rational arrangements) {
    result.secrets.push_back(std::move(secret));
    result.secret_names.push_back(std::move(name));
    result.arrangements.push_back(std::move(arrangements));
  };
  switch (pipeline.secret.kind) {
    case Secret::Kind::everyone:
      if (is_symmetric(pipeline)) {
        for_each_composition(pipeline.participants, values, [&](const Composition& composition) {
          Tuple tuple = sorted_tuple(composition);
          std::string name = values_name(pipeline, tuple);
          add(std::move(tuple), std::move(name), arrangements_of(composition));
        });
      } else {
        for_each_tuple(pipeline.participants, values,
                       [&](const Tuple& tuple) { add(tuple, values_name(pipeline, tuple), 1); });
      }
      break;
    case Secret::Kind::target:
      for (std::size_t value = 0; value < values; ++value) add({value}, pipeline.values[value].to_string(), 1);
      break;
    case Secret::Kind::histogram:
      for_each_composition(pipeline.participants, values,
                           [&](const Composition& bars) { add(bars, bars_name(bars), 1); });
      break;
  }
  return result;
}

namespace {

template <class Ring>
using Counts = std::vector<Ring>;  // by total of steps

template <class Ring>
Counts<Ring> convolved(const Counts<Ring>& a, const Counts<Ring>& b) {
  Counts<Ring> result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_zero(a[i])) continue;
    for (std::size_t j = 0; j < b.size(); ++j) add_product(result[i + j], a[i], b[j]);
  }
  return result;
}

/// Faster for long ones.
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
    for (const auto& other : b) {
      Composition sum = one.first;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other.first[k];
      add_product(result[sum], one.second, other.second);
    }
  }
  return result;
}

/// The distribution of what n participants with one value come to, n = 0, 1, ..., for each value; then of any composition.
template <class Ring, class Law>
class Powers {
 public:
  Powers(Law nobody, std::vector<Law> single) : nobody_(std::move(nobody)), single_(std::move(single)) {
    for (std::size_t value = 0; value < single_.size(); ++value) powers_.push_back({nobody_});
  }

  const Law& of(std::size_t value, std::size_t participants) {
    std::vector<Law>& powers = powers_[value];
    while (powers.size() <= participants) powers.push_back(convolved(powers.back(), single_[value]));
    return powers[participants];
  }
  Law of(const Composition& composition) {
    Law law = nobody_;
    for (std::size_t value = 0; value < composition.size(); ++value) {
      if (composition[value] > 0) law = convolved(law, of(value, composition[value]));
    }
    return law;
  }

 private:
  Law nobody_;
  std::vector<Law> single_;
  std::vector<std::vector<Law>> powers_;
};

template <class Ring>
Powers<Ring, Counts<Ring>> count_powers(const Noise<Ring>& noise, const Additions& steps) {
  std::vector<Counts<Ring>> single;
  const std::size_t most = *std::ranges::max_element(steps.steps);
  for (const std::vector<Ring>& row : noise.numerators) {
    Counts<Ring> law(most + 1);
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      add_product(law[steps.steps[answer]], row[answer], whole<Ring>(1));
    }
    single.push_back(std::move(law));
  }
  return {{whole<Ring>(1)}, std::move(single)};
}

template <class Ring>
Powers<Ring, Histograms<Ring>> histogram_powers(const Noise<Ring>& noise) {
  std::vector<Histograms<Ring>> single;
  for (const std::vector<Ring>& row : noise.numerators) {
    Histograms<Ring> law;
    for (std::size_t answer = 0; answer < row.size(); ++answer) {
      Composition one(row.size());
      one[answer] = 1;
      law[one] = row[answer];
    }
    single.push_back(std::move(law));
  }
  return {{{Composition(noise.values()), whole<Ring>(1)}}, std::move(single)};
}

template <class Ring>
std::vector<std::vector<Ring>> added_rows(const Pipeline& pipeline, const Frame& frame, const Noise<Ring>& noise) {
  const Additions steps = additions_of(pipeline);
  const std::vector<std::size_t> totals = reachable(steps, pipeline.participants);
  auto powers = count_powers(noise, steps);
  // Secrets that come one after the other share the beginnings of their products.
  std::vector<Counts<Ring>> beginnings;
  Composition previous;
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : frame.secrets) {
    const Composition composition = whole_composition(pipeline, secret);
    std::size_t shared = 0;
    while (shared < previous.size() && previous[shared] == composition[shared]) ++shared;
    beginnings.resize(std::min(beginnings.size(), shared));
    for (std::size_t value = beginnings.size(); value < composition.size(); ++value) {
      const Counts<Ring>& here = powers.of(value, composition[value]);
      beginnings.push_back(value == 0 ? here : convolved(beginnings.back(), here));
    }
    previous = composition;
    rows.emplace_back();
    for (const std::size_t total : totals) {
      rows.back().push_back(total < beginnings.back().size() ? beginnings.back()[total] : Ring());
    }
  }
  return rows;
}

template <class Ring>
std::vector<std::vector<Ring>> mode_rows(const Pipeline& pipeline, const Frame& frame, const Noise<Ring>& noise) {
  auto powers = histogram_powers(noise);
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : frame.secrets) {
    rows.emplace_back(pipeline.values.size());
    for (const auto& [bars, p] : powers.of(whole_composition(pipeline, secret))) {
      add_product(rows.back()[mode_of(bars)], p, whole<Ring>(1));
    }
  }
  return rows;
}

/// Probability that bar k is the first of the highest: those before it lie below, those after it not above. Products of the
/// bars before and after are shared, so that a row takes time K N.
template <class Ring>
std::vector<std::vector<Ring>> highest_bar_rows(const Frame& frame, const Noise<Ring>& noise) {
  std::vector<std::vector<Ring>> below;  // of a bar's true height: numerators of Pr[noisy < v], v = 0 .. heights
  for (const std::vector<Ring>& row : noise.numerators) {
    below.emplace_back(1);
    for (const Ring& p : row) {
      below.back().push_back(below.back().back());
      add_product(below.back().back(), p, whole<Ring>(1));
    }
  }
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& bars : frame.secrets) {
    rows.emplace_back(bars.size());
    for (std::size_t height = 0; height < noise.values(); ++height) {
      std::vector<Ring> after{whole<Ring>(1)};  // of the last 0, 1, ... bars
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

/// Every tuple of answers by itself: `members` are the true values (or bars), `image` numbers the outputs.
template <class Ring>
std::vector<Ring> tuple_row(const Tuple& members, const Noise<Ring>& noise, const std::vector<std::size_t>& image,
                            std::size_t outputs) {
  std::vector<Ring> row(outputs);
  std::size_t index = 0;
  for_each_tuple(members.size(), noise.values(), [&](const Tuple& answers) {
    Ring p = whole<Ring>(1);
    auto answer = answers.begin();
    for (const std::size_t member : members) p = product(p, noise.numerators[member][*answer++]);
    add_product(row[image.empty() ? index : image[index]], p, whole<Ring>(1));
    ++index;
  });
  return row;
}

template <class Ring>
std::vector<std::vector<Ring>> explicit_rows(const Pipeline& pipeline, const Frame& frame, const Noise<Ring>& noise) {
  std::vector<std::size_t> image = pipeline.post.image;
  if (pipeline.post.kind == PostProcessor::Kind::round) {
    image = images_of(pipeline, all_tuples(pipeline.participants, pipeline.values.size())).image;
  }
  std::vector<std::vector<Ring>> rows;
  for (const Tuple& secret : frame.secrets) {
    Tuple members = pipeline.secret.known;
    members.insert(members.end(), secret.begin(), secret.end());
    rows.push_back(tuple_row(members, noise, image, frame.observation_names.size()));
  }
  return rows;
}

}  // namespace

template <class Ring>
Rows<Ring> rows_of(const Pipeline& pipeline, const Frame& frame, const Noise<Ring>& noise) {
  Rows<Ring> result{{}, whole<Ring>(1)};
  for (std::size_t i = 0; i < perturbed_answers(pipeline); ++i)
    result.denominator = product(result.denominator, noise.denominator);
  if (adds_up(pipeline)) {
    result.numerators = added_rows(pipeline, frame, noise);
  } else if (pipeline.post.kind != PostProcessor::Kind::mode) {
    result.numerators = explicit_rows(pipeline, frame, noise);
  } else {
    const bool bars = pipeline.secret.kind == Secret::Kind::histogram;
    result.numerators = bars ? highest_bar_rows(frame, noise) : mode_rows(pipeline, frame, noise);
  }
  return result;
}

template Rows<Integer> rows_of(const Pipeline&, const Frame&, const Noise<Integer>&);
template Rows<Polynomial> rows_of(const Pipeline&, const Frame&, const Noise<Polynomial>&);
template Rows<Enclosure> rows_of(const Pipeline&, const Frame&, const Noise<Enclosure>&);

}  // namespace fractile::flow

#include "report/release/counted_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "libraries/fmt.hpp"
#include "report/text/decimals.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

CountsAt counts_at(const Lattice& lattice) {
  if (!lattice.is_regular()) return CountsAt::its_own;
  return lattice.kind() == ValueKind::number ? CountsAt::nearest : CountsAt::not_after;
}

std::string to_string(CountsAt at) {
  switch (at) {
    case CountsAt::nearest:
      return "nearest";
    case CountsAt::not_after:
      return "not after";
    case CountsAt::its_own:
      return "own";
  }
  return {};
}

std::string counted_in_words(CountsAt at) {
  switch (at) {
    case CountsAt::nearest:
      return "each counted at the possible value nearest to its own";
    case CountsAt::not_after:
      return "each counted at the last possible value that is not after its own";
    case CountsAt::its_own:
      return {};
  }
  return {};
}

std::string and_where_they_count(const Lattice& lattice) {
  const std::string words = counted_in_words(counts_at(lattice));
  return words.empty() ? words : ", " + words;
}

std::string and_where_statistics_count(const Release& release) {
  if (!release.bounds) return and_where_they_count(release.lattice);
  return fmt::format(
      ", each counted at the multiple of {} nearest to its own, within the range that was found or beyond",
      distance_text(release.lattice.kind(), release.lattice.step()));
}

Counts counts_of(const SourceDescription& source) {
  if (source.per_person || source.one_row_a_person) return Counts::persons_values;
  return source.person.empty() ? Counts::all_records : Counts::sampled_records;
}

std::string and_what_else_counts(const SourceDescription& source) {
  const bool is_chosen = counts_of(source) == Counts::sampled_records;
  if (!source.weights) return is_chosen ? " and was chosen to count" : "";
  return is_chosen ? " and a weight, and was chosen to count" : " and a weight";
}

namespace {

std::string records_in_words(Counts counts) {
  switch (counts) {
    case Counts::all_records:
      return "the table's records";
    case Counts::sampled_records:
      return "the records that count";
    case Counts::persons_values:
      return "the persons' values that count";
  }
  return {};
}

}  // namespace

std::string records_in_words(const SourceDescription& source) {
  return records_in_words(counts_of(source)) + (source.weights ? " by their weights as they count" : "");
}

std::string held_quantile(const Release& release) {
  const Counts counts = counts_of(release.source);
  const std::string whose =
      release.query.intervals->subject == IntervalSubject::table ? records_in_words(release.source)
      : counts == Counts::all_records                            ? "the population"
      : counts == Counts::sampled_records ? "one random record of a random person of the population"
                                          : "one random value of a random person of the population";
  return "the quantile of " + whose +
         (counts_at(release.lattice) == CountsAt::its_own ? "" : ", rounded to a possible value");
}

namespace {

/// How a person's records become one value, in the words of each function below.
struct PerPersonWords {
  PerPerson how;
  const char* one_value;
  const char* in_brackets;
  const char* column;
};
constexpr std::array per_person_words{
    PerPersonWords{PerPerson::sum, "the sum of their numbers", "sum", "the persons' sums of the column {}"},
    PerPersonWords{PerPerson::count, "the number of their records that hold something in the column",
                   "number of records", "the persons' numbers of records that hold something in the column {}"},
    PerPersonWords{PerPerson::mean, "the mean of their numbers", "mean", "the persons' means of the column {}"},
    PerPersonWords{PerPerson::min, "the least of their values", "least", "the persons' least values in the column {}"},
    PerPersonWords{PerPerson::max, "the greatest of their values", "greatest",
                   "the persons' greatest values in the column {}"},
    PerPersonWords{PerPerson::median,
                   "the median of their values (the lower of the two middle ones if their number is even)", "median",
                   "the persons' medians of the column {}"},
    PerPersonWords{PerPerson::any, "1 where any of their numbers is not 0, else 0", "1 if any is not 0, else 0,",
                   "the ones and zeros that say whether any of a person's numbers in the column {} is not 0"},
    PerPersonWords{PerPerson::all, "1 where none of their numbers is 0, else 0", "1 if none is 0, else 0,",
                   "the ones and zeros that say whether none of a person's numbers in the column {} is 0"},
};
static_assert(per_person_words.size() == all_per_person.size());

const PerPersonWords& words_for(PerPerson how) {
  return *std::ranges::find(per_person_words, how, &PerPersonWords::how);
}

}  // namespace

std::string one_value_in_words(PerPerson how) { return words_for(how).one_value; }

std::string values_in_words(const SourceDescription& source, const std::string& column) {
  if (!source.per_person) return column;
  return fmt::format("{} ({} per person)", column, words_for(*source.per_person).in_brackets);
}

std::string column_in_words(const SourceDescription& source, const std::string& column) {
  if (!source.per_person) return "the column " + column;
  return fmt::format(fmt::runtime(words_for(*source.per_person).column), column);
}

std::string round_numbers_in_words(const Release& release) {
  const MechanismUsed& used = release.groups.front().used;
  const auto text = [&](const Rational& distance) { return distance_text(release.lattice.kind(), distance); };
  std::vector<std::string> found;
  if (used.granularity) found.push_back("most values are multiples of " + text(*used.granularity));
  if (used.heaping) found.push_back("many are multiples of " + text(*used.heaping));
  return fmt::to_string(fmt::join(found, ", and "));
}

std::string counted_noun(const SourceDescription& source) {
  if (source.weights) return "units of weight";
  return counts_of(source) == Counts::persons_values ? "persons" : "records";
}

std::string counted_in_words(const SourceDescription& source, std::uint64_t count) {
  if (count != 1) return fmt::format("{} {}", with_separators(std::to_string(count)), counted_noun(source));
  if (source.weights) return "1 unit of weight";
  return counts_of(source) == Counts::persons_values ? "1 person" : "1 record";
}

std::string counted_amount(const std::optional<WeightsDescription>& weights, std::int64_t counted) {
  if (!weights) return fmt::format("{}", counted);
  const Rational weight = Rational(counted) * weights->declared.step;  // noise may make it negative
  return weight.is_decimal() ? weight.to_decimal() : weight.to_string();
}

std::string up_to_records(const Release& release, const std::string& where) {
  const std::uint64_t rows = release.errors->rows;
  if (rows == any_number_of_rows) return fmt::format("however many {} count{}", counted_noun(release.source), where);
  return fmt::format("as long as at most {} count{}{}", counted_in_words(release.source, rows), rows == 1 ? "s" : "",
                     where);
}

namespace {

std::uint64_t largest_in_two_digits(const std::vector<double>& errors) {
  const double largest = std::ranges::max(errors);
  double unit = 1;
  while (largest > 100 * unit) unit *= 10;
  return static_cast<std::uint64_t>(std::ceil(largest / unit) * unit);
}

}  // namespace

std::string typical_in_words(const TypicalError& typical, const SourceDescription& source, CountsAt at,
                             const std::string& value_is) {
  const std::uint64_t middle = largest_in_two_digits(typical.median);
  const std::uint64_t most = largest_in_two_digits(typical.nine_in_ten);
  const std::string off =
      most == 0 ? "not off at all"
                : fmt::format("off by at most {}, and half of the time by {}", counted_in_words(source, most),
                              middle == 0 ? "none" : "at most " + with_separators(std::to_string(middle)));
  return fmt::format(
      "Nine times in ten {} {}, as observed in {} simulated releases of a public {} table of {}{}, for the quantile "
      "with the largest errors.",
      value_is, off, typical.releases, to_string(typical.shape), counted_in_words(source, typical.rows),
      at == CountsAt::its_own ? " that all lie on the listed candidates" : "");
}

std::string weights_in_words(const WeightsDescription& weights) {
  const RecordWeights& declared = weights.declared;
  return fmt::format(
      "weights are {} to {} in steps of {}, smaller and larger ones counting as the nearest: a record counts as up to "
      "{} of {}",
      declared.lower.to_decimal(), declared.upper.to_decimal(), declared.step.to_decimal(),
      counted(declared.most_units_of_record(), "unit"), declared.step.to_decimal());
}

std::string weighted_neighbors_in_words(const WeightsDescription& weights) {
  if (!weights.declared.stability) {
    return "neighbors are weighted files: one weighted record more or less, and all other weights unchanged; what "
           "weights that were calibrated to totals reveal about a person is outside the promise";
  }
  return fmt::format(
      "declared, not checked: adding or removing one person's records changes at most {}, including "
      "their own, and the cost is for that many",
      counted(*weights.declared.stability, "weighted record"));
}

std::string weighted_noise_in_words(const WeightsDescription& weights) {
  std::string words = fmt::format("in units, the noise is {} times that of the same number of records without weights",
                                  plain(weights.noise_factor().to_double(), 4));
  if (const std::optional<Rational> relative = weights.relative_noise_factor()) {
    words += fmt::format("; in shares of the total {} times, if the mean weight is {}", plain(relative->to_double(), 4),
                         weights.declared.mean->to_string());
  }
  return words;
}

std::string enumerated(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
  return text;
}

}  // namespace fractile::report_detail

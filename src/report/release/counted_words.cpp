#include "report/release/counted_words.hpp"

namespace fractile::report_detail {

CountsAt counts_at(bool regular_lattice, ValueKind kind) {
  if (!regular_lattice) return CountsAt::its_own;
  return kind == ValueKind::number ? CountsAt::nearest : CountsAt::not_after;
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

std::string and_where_they_count(CountsAt at) {
  const std::string words = counted_in_words(at);
  return words.empty() ? words : ", " + words;
}

Counts counts_of(const SourceDescription& source) {
  if (source.per_person || source.one_row_a_person) return Counts::persons_values;
  return source.person.empty() ? Counts::all_records : Counts::sampled_records;
}

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

std::string held_quantile(bool of_table, Counts counts, CountsAt at) {
  const std::string whose = of_table                        ? records_in_words(counts)
                            : counts == Counts::all_records ? "the population"
                            : counts == Counts::sampled_records
                                ? "one random record of a random person of the population"
                                : "one random value of a random person of the population";
  return "the quantile of " + whose + (at == CountsAt::its_own ? "" : ", rounded to a possible value");
}

std::string one_value_in_words(PerPerson how) {
  switch (how) {
    case PerPerson::sum:
      return "the sum of their numbers";
    case PerPerson::count:
      return "the number of their records that hold something in the column";
    case PerPerson::mean:
      return "the mean of their numbers";
    case PerPerson::min:
      return "the least of their values";
    case PerPerson::max:
      return "the greatest of their values";
    case PerPerson::median:
      return "the median of their values, of an even number the lower of the two in the middle";
    case PerPerson::any:
      return "1 where any of their numbers is not 0, else 0";
    case PerPerson::all:
      return "1 where none of their numbers is 0, else 0";
  }
  return {};
}

}  // namespace fractile::report_detail

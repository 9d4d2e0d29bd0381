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

std::string records_in_words(bool of_persons) { return of_persons ? "the records that count" : "the table's records"; }

std::string held_quantile(bool of_table, bool of_persons, CountsAt at) {
  const std::string whose = of_table     ? records_in_words(of_persons)
                            : of_persons ? "one random record of a random person of the population"
                                         : "the population";
  return "the quantile of " + whose + (at == CountsAt::its_own ? "" : ", rounded to a possible value");
}

}  // namespace fractile::report_detail

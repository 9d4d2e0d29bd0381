#include "publication/marks.hpp"

namespace fractile::publication_detail {

std::string mark_of(const PublicationMarks& marks, const Release& release, const Release::Group& group,
                    std::size_t quantile) {
  const Lattice& lattice = release.lattice;
  if (!marks.unreliable || group.intervals.empty() || lattice.kind() != ValueKind::number) return {};
  const Interval& interval = group.intervals[quantile];
  const Rational width = lattice.at(interval.upper) - lattice.at(interval.lower);
  const Rational value = lattice.at(group.indices[quantile]);
  const Rational allowed = *marks.unreliable * (value.sign() < 0 ? Rational(0) - value : value);
  return interval.or_below || interval.or_above || width > allowed ? "unreliable" : "";
}

bool is_hidden(const PublicationMarks& marks, const Statistics& statistics) {
  return marks.hidden && statistics.count.value < static_cast<std::int64_t>(*marks.hidden);
}

}  // namespace fractile::publication_detail

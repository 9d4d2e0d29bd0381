// Steps that a release and a publication take alike.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "publication/charge.hpp"

namespace fractile::publication_detail {

/// A source that is open, and who pays for what is drawn from it.
struct OpenedSource {
  std::optional<ReleaseCharge> charge;
  std::unique_ptr<Records> records;
};

/// Opens the ledger that pays, if one does, and then the source; refuses all that can be refused before it is known what the ledger holds,
/// and warns of what may be a mistake. Nothing is charged, and no record is looked at. `terms`: what holds for all that is charged; `columns`: which
/// are to be counted; `unsaid`: as Source::open() has it.
OpenedSource open_source(Source& source, const ReleaseRequest& terms, const std::vector<ColumnToCount>& columns,
                         Unreadable unsaid, const std::optional<Payment>& payment, Attendant& attendant);

/// Two keys of one column that differ by case or blanks alone or, from six characters on, by one letter: one may be a slip.
void warn_of_like_keys(const std::vector<std::string>& keys, Attendant& attendant);

/// On how many threads groups are drawn: as many as read.
std::size_t threads_of(const Source& source);

}  // namespace fractile::publication_detail

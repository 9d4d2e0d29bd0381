// Steps that releases and publications share.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "publication/charge.hpp"

namespace fractile::publication_detail {

/// An opened source, and the charge that pays for what is drawn from it, if there is one.
struct OpenedSource {
  std::optional<ReleaseCharge> charge;
  std::unique_ptr<Records> records;
};

/// Opens the ledger, if one pays, and then the source. Refuses everything that can be refused before it is known what the ledger holds, and
/// warns of what may be a mistake. Nothing is charged, and no record is looked at. `terms`: what holds for everything that is charged.
/// `columns`: the columns to count. `unsaid`: as for Source::open().
OpenedSource open_source(Source& source, const ReleaseRequest& terms, const std::vector<ColumnToCount>& columns,
                         Unreadable unsaid, const std::optional<Payment>& payment, Attendant& attendant);

/// Warns if two keys of one column differ only by case or blanks or, from six bytes on, by one letter: one of them may be a slip.
void warn_of_like_keys(const std::vector<std::string>& keys, Attendant& attendant);

/// The number of threads that draw groups: as many as read the source.
std::size_t threads_of(const Source& source);

}  // namespace fractile::publication_detail

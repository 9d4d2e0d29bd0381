// What a receipt and a ledger's query say of a release, and how long a receipt may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// What is done with cells that are no numbers, where nothing is said of it.
inline Unreadable unsaid(bool is_paid) { return is_paid ? Unreadable::missing : Unreadable::error; }

/// `engine`: who reads.
SourceDescription described(const Source& source, const ReleaseRequest& request, bool is_paid,
                            const std::string& engine);

/// The text in which a ledger finds the release again; `name` and `tables` of what was opened, as ReleaseDetails has them.
std::string canonical_text(const Source& source, const ReleaseRequest& request, const SourceDescription& description,
                           const std::string& name, const std::vector<NamedTable>& tables);

/// The same of a level of a publication, whatever it costs. `finest`: of the table's finest cells.
std::string form_text(const Source& source, const ReleaseRequest& request, const SourceDescription& description,
                      const RecordSelection& finest, const std::string& name, const std::vector<NamedTable>& tables);

/// Nothing of the finest level.
std::optional<MarginOf> margin_of(const RecordSelection& finest, const RecordSelection& level);

/// At most so many bytes has the receipt of what is asked for, whatever is drawn: an upper bound that takes no rows. `dataset`: which pays;
/// empty without a ledger.
std::uint64_t largest_receipt(const ReleaseRequest& request, const SourceDescription& description,
                              const std::string& dataset);

}  // namespace fractile::publication_detail

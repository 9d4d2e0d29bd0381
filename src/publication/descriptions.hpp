// What a receipt and a ledger's query say of a release, and how long a receipt may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// What is done with cells that are not numbers, where nothing is said of it.
inline Unreadable unsaid(bool is_paid) { return is_paid ? Unreadable::missing : Unreadable::error; }

/// `records`: of the source, which is open.
SourceDescription described(const Source& source, const ReleaseRequest& request, bool is_paid, const Records& records);

/// Whether releases of other costs are equal, too: a level of a publication keeps the cost that it was first published at.
enum class Costs { equal, any };

/// The text in which a ledger finds the release again; `name` and `tables` of what was opened, as ReleaseDetails has them.
std::string canonical_text(const Source& source, const ReleaseRequest& request, const SourceDescription& description,
                           const std::string& name, const std::vector<NamedTable>& tables, Costs costs = Costs::equal);

/// Whose records a margin has, as its receipt and its ledger say it; nothing for the finest level itself.
std::optional<MarginOf> margin_of(const RecordSelection& finest, const RecordSelection& level);

/// At most this many bytes has the receipt of what is asked for, whatever is drawn: an upper bound that takes no rows. `dataset`: which pays;
/// empty without a ledger.
std::uint64_t largest_receipt(const ReleaseRequest& request, const SourceDescription& description,
                              const std::string& dataset);

}  // namespace fractile::publication_detail

// What a receipt and a ledger's query say about a release, and how long a receipt may be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"

namespace fractile::publication_detail {

/// What is done with cells that are not numbers when the options do not say.
inline Unreadable unsaid(bool is_paid) { return is_paid ? Unreadable::missing : Unreadable::error; }

/// Describes the source of a release. `records`: what the opened source returned.
SourceDescription described(const Source& source, const ReleaseRequest& request, bool is_paid, const Records& records);

/// Whether only releases of equal cost are equal. A level of a publication keeps the cost that it was first published at.
enum class Costs { equal, any };

/// Whether two ways to type one question have one text. Earlier programs wrote as typed: texts that count as missing and tables in any
/// order, and a format that the file's name says, too.
enum class Form { alike, as_typed };

/// The text by which a ledger finds the release again. `name` and `tables` say what was opened, as ReleaseDetails::source and
/// ReleaseDetails::tables.
std::string canonical_text(const Source& source, const ReleaseRequest& request, const SourceDescription& description,
                           const std::string& name, const std::vector<NamedTable>& tables, Costs costs = Costs::equal,
                           Form form = Form::alike);

/// Describes the finest level whose records a margin has, for the margin's receipt and its ledger's query. Nothing for the finest level
/// itself.
std::optional<MarginOf> margin_of(const RecordSelection& finest, const RecordSelection& level);

/// An upper bound on the bytes of the request's receipt, whatever is drawn. It reads no rows. `dataset`: the dataset that pays; empty
/// without a ledger.
std::uint64_t largest_receipt(const ReleaseRequest& request, const SourceDescription& description,
                              const std::string& dataset);

/// Throws `usage` if a receipt of up to so many bytes may be too large to be read back.
void require_readable(std::uint64_t size);

}  // namespace fractile::publication_detail

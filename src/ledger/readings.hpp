// How sources are read: what a dataset declares, and what the first release of a source fixes.
#pragma once

#include <optional>
#include <string>

#include "fractile/ledger.hpp"

namespace fractile::ledger_detail {

/// "the file '/data/t.csv'", "the source 'visits'", "a source without a name".
std::string source_in_words(const std::string& source);

/// As one text: names and values in turn, as chain's fields.
std::string reading_text(const LedgerReading& reading);
/// None when the text is something else.
std::optional<LedgerReading> read_reading(const std::string& text);

/// All with which a request is read, the column of persons among it; without the records per person, which are a number.
LedgerReading reading_of(const LedgerRequest& request);
/// What a dataset declares of it.
LedgerReading reading_of(const LedgerDataset& dataset);

/// Whether the release is for a person of any number of records: the dataset pins the column of persons, and each contributes one value.
bool has_any_number_of_records(const LedgerDataset& dataset, const LedgerRequest& request);

/// Throws `usage` unless the request is read as its dataset declares and as its source is read since `fixed`.
void require_reading(const LedgerDataset& dataset, const std::optional<LedgerSource>& fixed,
                     const LedgerRequest& request);

}  // namespace fractile::ledger_detail

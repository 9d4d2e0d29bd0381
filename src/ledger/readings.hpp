// How sources are read: what a dataset declares, and what the first release of a source fixes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ledger.hpp"

namespace fractile::ledger_detail {

/// What a dataset's reading only permits: a release need not use it. All else in it holds for every release.
inline constexpr std::array<std::string_view, 8> permissions{
    "table", "keys_file", "sql_stability", "sql", "public_rows", "duckdb", "weight_stability", "weights_as_they_are"};

/// A source in words: "the file '/data/t.csv'", "the source 'visits'" or "a source without a name".
std::string source_in_words(const std::string& source);

/// The paths in a source, which has commas between them. A path that itself has a comma before a slash is cut, in every source in the same
/// way: so two sources that share a file share a part.
std::vector<std::string> files_of(const std::string& source);

/// Whether two lists of texts that count as missing, with commas between the texts, have the same texts. Their order
/// decides nothing, nor does a text that stands twice.
bool is_same_list(const std::string& a, const std::string& b);

/// A reading as one text: names and values in turn, as fields of chain.hpp.
std::string reading_text(const LedgerReading& reading);
/// `nullopt` for a text that reading_text() did not write.
std::optional<LedgerReading> read_reading(const std::string& text);

/// How a request reads its source, including the column of persons. The records per person are left out, since they are a number.
LedgerReading reading_of(const LedgerRequest& request);
/// How a dataset declares that its sources are read, without the records per person.
LedgerReading reading_of(const LedgerDataset& dataset);

/// Whether the release holds for persons with any number of records: the
/// dataset pins the column of persons, and each person contributes one value.
bool has_any_number_of_records(const LedgerDataset& dataset, const LedgerRequest& request);

/// Throws `usage` unless the request reads its source as the dataset declares and as each of `fixed` says.
void require_reading(const LedgerDataset& dataset, const std::vector<LedgerSource>& fixed,
                     const LedgerRequest& request);

}  // namespace fractile::ledger_detail

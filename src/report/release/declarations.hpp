// What a release relies on and the program cannot check, in words: one list for all formats.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fractile/receipts.hpp"

namespace fractile::report_detail {

/// Formats a name that someone typed.
using Typed = std::function<std::string(const std::string&)>;

/// What was declared and not checked, one sentence each.
std::vector<std::string> declarations_of(const Release& release, const Typed& typed);
/// The same without what is declared of the possible values and of the request, which comes first.
std::vector<std::string> declarations_of_records(const Release& release, const Typed& typed);

/// What in a table makes a release fail after its charge, so that the failure reveals it.
std::vector<std::string> failures_of(const Release& release);

/// How many records of the table, or rows of a query's result, may count for one person. With weights, each of them counts as several
/// units, and this is the number of records.
std::uint32_t records_per_person(const Release& release);

/// The possible values: "0 to 125 in steps of 1", or a list of all.
std::string lattice_in_words(const Lattice& lattice);

/// What a record holds: "number", "date", "time" or "time with its zone".
std::string value_in_words(ValueKind kind);
/// What the column of a record that was left out holds: "no number" or, if only missing cells are left out, "nothing".
std::string left_out_in_words(const SourceDescription& source, ValueKind kind);

}  // namespace fractile::report_detail

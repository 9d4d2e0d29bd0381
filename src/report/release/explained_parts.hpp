// The parts that explanations of releases and of publications share: what is promised, to whom, how strongly, and more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/receipts.hpp"
#include "report/text/page.hpp"

namespace fractile::report_detail {

inline constexpr const char* short_heading = "In short";
inline constexpr const char* compared_heading = "What was compared";
inline constexpr const char* account_heading = "What was spent on these people, and what is left";
inline constexpr const char* guess_heading = "What an attacker gains";
/// The headings of parts that a page has only if its options ask for them.
inline constexpr const char* added_headings[] = {compared_heading, account_heading, guess_heading};

/// A warning that the bounds which were found may be far from the values, if the stated number of records is too small for them.
std::optional<NoiseInWords> doubtful_bounds_in_words(const Release& release);

/// The promise of a release, or of all tables of a publication together.
struct Promise {
  Budget cost;
  Neighbors neighbors = Neighbors::add_remove;
  std::uint32_t records_per_person = 1;
  SourceDescription source;      ///< says which column identifies persons, and whether a query's stability was declared
  bool has_public_rows = false;  ///< whether the number of rows was declared public
  std::string value;             ///< what a record holds: "number"
  std::string what = "release";  ///< what was made: "release" or "publication"
  std::string together = {};     ///< where a person's records count once: "in all groups together"; empty for one group
  std::string group = "group";   ///< what a group is called
  /// How much of each person counts, in sentences, if this differs between the tables of a publication.
  std::string of_tables = {};
};

Promise promise_of(const Release& release);

/// The promise in one sentence for everybody.
std::string promise_in_short(const Promise& promise);
/// A section: for whom the promise holds, and what it protects of their records.
void explain_people(Page& page, const Promise& promise);
/// A section: the cost, and what it means for probabilities.
void explain_strength(Page& page, const Promise& promise);
/// What anyone may learn or knew before: `particular`, and what every promise of this kind leaves unprotected.
void explain_unprotected(Page& page, const Promise& promise, std::vector<std::string> particular);
/// For readers who would apply a minimum count. `where`: " in a group", or empty without groups. What was published: quantiles, or
/// statistics (counts and what follows from them), or both.
void explain_checks(Page& page, const std::string& where, bool has_quantiles, bool has_statistics);
/// What counts as a record. `value`: "number".
std::string record_in_words(const SourceDescription& source, const std::string& value, bool is_grouped);
/// Words and their meanings. `record` says what a record is here.
std::vector<std::pair<std::string, std::string>> words_of(const Promise& promise, const std::string& record);

/// Whether some listed group has the key under which records without a listed key of this column count.
bool has_others(const Release& release, std::size_t column);
/// Whether each combination of the groups' keys is a group.
bool has_all_combinations(const Release& release);
/// The keys under which records without a listed key count; nothing where such records are left out.
void explain_others(Page& page, const Release& release);

/// What the publisher says about the publication.
void explain_about(Page& page, const About& about);
/// A section that warns that reproducible bits are not private.
void warn_of_seed(Page& page, std::uint64_t seed);
/// The largest number of records that are not multiples of a granularity that was found.
void explain_rounded(Page& page, std::uint64_t records);
/// What errors and intervals do not cover: values between the possible ones, and records that do not count. One text per paragraph.
/// `groups`: what groups are called.
std::vector<std::string> counted_texts(const Release& release, const std::string& groups);
void explain_counted(Page& page, const Release& release);
/// What was checked or declared about the source's query, and what the query could read.
void explain_query(Page& page, const Release& release);
/// What was assumed: the section of the declarations.
void explain_declared(Page& page, const std::vector<std::string>& declarations);
/// What "or below" and "or above" mean.
void explain_open_ends(Page& page);
/// What in a table would have made the release fail, and what observers could see.
void explain_failures(Page& page, const std::vector<std::string>& failures);
/// How much of the account's budget is left, in a sentence.
std::string account_in_short(const LedgerAccount& account);
/// What was spent on the people of an account, and what is left. `which` names one of all releases: "this one".
void explain_account(Page& page, const PageOptions& options, const std::string& which);
/// The pages with the proofs of what ran, without repetitions.
std::vector<std::string> proofs_of(const Release& release);
void explain_proofs(Page& page, const std::vector<std::string>& pages);

/// Removes what only the publisher should see.
Release for_everybody(Release release);
/// The receipt at the end of a page, to the letter. It is left out if it has characters that a person cannot see.
void hold_receipt(Page& page, const std::string& receipt);

}  // namespace fractile::report_detail

// What is asked, in words: the options of every verb as data, and what was given of them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::requests {

/// Who may say what an option says. docs/threat-model.md has the table of all options.
enum class OptionClass {
  asker,  ///< what is asked: it costs what it costs, and no value of it weakens the promise
  owner,  ///< how the data are read, or what the promise rests on: on a ledger's dataset, only as its owner declared it
  output,   ///< what is shown and where it goes: new files alone
  machine,  ///< what the machine may use: no output depends on it
};

struct OptionSpec {
  const char* name;          ///< "--epsilon"
  OptionClass option_class;  ///< here, so that a new option without one does not compile
  const char* argument;      ///< "E"; "" for a flag; "LO HI" for two values
  const char* fallback;      ///< what holds when the option is not given, in words; "" when nothing needs saying
  const char* group;         ///< heading in the help
  const char* help;
  bool repeats = false;  ///< it may be given several times, with a value each time

  std::string field() const;   ///< "records_per_person" of "--records-per-person"
  std::size_t values() const;  ///< how many values it takes
};

/// A verb: its table of options, and what its help says around them.
struct VerbSpec {
  const char* name;  ///< "release"; of a word after a verb both, "flow check"
  const char* summary;
  const char* usage;  ///< the command line in short
  const char* file;   ///< what FILE may be; nullptr when there is none
  std::span<const OptionSpec> options;
  const char* epilogue;                         ///< examples and exit codes
  std::span<const VerbSpec* const> words = {};  ///< one of these follows the verb, with FILE and options of its own
  const char* older = nullptr;                  ///< an older name of its last word: still taken, and not shown
  const char* other = nullptr;                  ///< what OTHER may be, a second file; nullptr when there is none
  bool is_for_several = false;                  ///< FILE may be several
  bool is_one_table = false;                    ///< several FILEs are one table
};

const VerbSpec& release_verb();
const VerbSpec& plan_verb();
const VerbSpec& publish_verb();
const VerbSpec& explain_verb();
const VerbSpec& audit_verb();
const VerbSpec& flow_verb();
const VerbSpec& ledger_verb();
const VerbSpec& count_verb();
const VerbSpec& merge_verb();
const VerbSpec& columns_verb();
const VerbSpec& reproduce_verb();
const VerbSpec& completion_verb();
/// All of them.
std::span<const VerbSpec* const> all_verbs();
/// The verbs, with their words, that take FILE and options: "release", "flow check".
std::vector<const VerbSpec*> verbs_with_options();

/// What was given, by the names of fields, "records_per_person", as it was typed: nothing is interpreted yet, and no value is empty.
struct Typed {
  std::string word = {};  ///< after a verb that has words
  std::string file = {};
  std::string other = {};  ///< a second file
  std::map<std::string, std::vector<std::string>> values = {};
  /// In place of the field keys, text by text, with commas where they have some: a list for each column of `by`, all of whose combinations
  /// are groups; or else the groups themselves, with a text for each column.
  std::vector<std::vector<std::string>> key_lists = {};
  std::vector<std::vector<std::string>> key_tuples = {};
  std::vector<std::string> more_files = {};  ///< after FILE, of verbs for several

  bool has_keys() const { return has("keys") || !key_lists.empty() || !key_tuples.empty(); }
  bool has(const std::string& name) const { return values.contains(name); }
  std::string one(const std::string& name, const std::string& fallback = {}) const {
    const auto at = values.find(name);
    return at == values.end() ? fallback : at->second.front();
  }
};

/// Throws `usage`; `field` as Error takes it.
[[noreturn]] void usage(const Words& what, const Words& hint, std::optional<std::string> field = {});

}  // namespace fractile::requests

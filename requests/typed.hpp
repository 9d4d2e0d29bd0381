// A request in words: the options of every verb as data, and the values that were given.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::requests {

/// Who may set an option. docs/threat-model.md has the table of all options.
enum class OptionClass {
  asker,    ///< what is asked: the charge covers it, and no value weakens the promise
  owner,    ///< how data are read, or what the promise rests on; with a ledger, only as the owner declared it
  output,   ///< what is shown, and to which new files it goes
  machine,  ///< what the machine may use; no output depends on it
};

struct OptionSpec {
  const char* name;          ///< "--epsilon"
  OptionClass option_class;  ///< here, so that an option without a class does not compile
  const char* argument;      ///< "E"; "" for a flag; "LO HI" for two values
  const char* fallback;      ///< the default in words; "" when the help need not mention it
  const char* group;         ///< heading in the help
  const char* help;
  bool repeats;  ///< whether it may be given several times, with a value each time

  constexpr OptionSpec(const char* of_name, OptionClass of_class, const char* of_argument, const char* of_fallback,
                       const char* of_group, const char* of_help, bool may_repeat = false)
      : name(of_name),
        option_class(of_class),
        argument(of_argument),
        fallback(of_fallback),
        group(of_group),
        help(of_help),
        repeats(may_repeat) {}

  std::string field() const;   ///< "records_per_person" of "--records-per-person"
  std::size_t values() const;  ///< the number of values that it takes
};

/// A verb: its table of options, and what its help says before and after them.
struct VerbSpec {
  const char* name;  ///< "release"; for a word after a verb both, such as "flow check"
  const char* summary;
  const char* usage;  ///< a short form of the command line
  const char* file;   ///< what FILE may be; nullptr when there is none
  std::span<const OptionSpec> options;
  const char* epilogue;                         ///< examples and exit codes
  std::span<const VerbSpec* const> words = {};  ///< one of these follows the verb, with its own FILE and options
  const char* older = nullptr;                  ///< an older name of its last word, which is accepted but not shown
  const char* other = nullptr;                  ///< what the second file OTHER may be; nullptr when there is none
  bool is_for_several = false;                  ///< whether there may be several FILEs
  bool is_one_table = false;                    ///< whether several FILEs form one table
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
/// All verbs.
std::span<const VerbSpec* const> all_verbs();
/// The verbs that take FILE and options, such as "release", and words after verbs that do, such as "flow check".
std::vector<const VerbSpec*> verbs_with_options();

/// The values that were given, as they were typed, by the names of fields such as "records_per_person". Nothing is interpreted yet, and no
/// value is empty.
struct Typed {
  std::string word = {};  ///< the word after a verb that has words
  std::string file = {};
  std::string other = {};  ///< the second file, OTHER
  std::map<std::string, std::vector<std::string>> values = {};
  /// Keys in place of the field `keys`; a key may have commas. `key_lists` has one list for each column of `by`, and all combinations are
  /// groups. `key_tuples` lists the groups themselves, with one key for each column.
  std::vector<std::vector<std::string>> key_lists = {};
  std::vector<std::vector<std::string>> key_tuples = {};
  std::vector<std::string> more_files = {};  ///< the files after FILE, for verbs that take several

  /// All FILEs; none if there is none.
  std::vector<std::string> files() const;
  void set_files(std::vector<std::string> files);
  bool has_keys() const { return has("keys") || !key_lists.empty() || !key_tuples.empty(); }
  bool has(const std::string& name) const { return values.contains(name); }
  std::string one(const std::string& name, const std::string& fallback = {}) const {
    const auto at = values.find(name);
    return at == values.end() ? fallback : at->second.front();
  }
};

/// Throws `usage`; `field` is as in Error.
[[noreturn]] void usage(const Words& what, const Words& hint, std::optional<std::string> field = {});

/// Throws `usage` if one of these fields is given: `what` follows the name of the first one that is.
void refuse_given(const Typed& typed, std::initializer_list<const char*> fields, const Words& what, const Words& hint);

}  // namespace fractile::requests

#include "requests/publications/publication_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "exact/lists.hpp"
#include "exact/wording.hpp"
#include "libraries/fmt.hpp"
#include "requests/groups.hpp"
#include "requests/query.hpp"
#include "requests/tables.hpp"
#include "requests/toml_file.hpp"
#include "requests/typed.hpp"
#include "requests/values.hpp"
#include "source/files/table_names.hpp"

namespace fractile::requests {

bool is_named(const Words& words, const std::string& field) {
  return words.renamed(field, field + "_").in(Wording::library) != words.in(Wording::library);
}
namespace {

constexpr const char* publication_help = "see fractile publish --example";
constexpr std::size_t largest_publication_file = std::size_t{16} << 20;  // bytes
constexpr std::size_t most_public_records = 1'000'000;                   // in a file of keys, cells or rows
constexpr std::int64_t most_expected_rows = 1'000'000'000'000;

// --- Words of the file as options ------------------------------------------------------------------------------------

/// How a member of the file states an option's value.
enum class Says {
  entry,  ///< a number, a date or a text
  pair,   ///< two entries
  list,   ///< several entries, or one text
  yes,    ///< true sets the option, and false does not
  no,     ///< false sets the option, and true does not
};

/// A member, and the field of Typed that it sets.
struct Member {
  const char* name;
  Says says = Says::entry;
  const char* field = name;
};

using Members = std::vector<Member>;

std::vector<std::string> option_values(const Member& member, const Item& item) {
  switch (member.says) {
    case Says::entry:
      return {item.one_entry()};
    case Says::pair: {
      std::vector<std::string> ends = mapped(item.items(), [](const Item& one) { return one.entry(); });
      if (ends.size() == 2) return ends;
      item.refuse(fmt::format("two ends are expected, but there are {}", ends.size()), "write for example [0, 125]");
    }
    case Says::list: {
      if (!item.is_list()) return {item.one_entry()};
      const std::vector<std::string> entries = mapped(item.items(), [](const Item& one) { return one.one_entry(); });
      if (entries.empty()) item.refuse("an empty list", "leave it out, or write at least one");
      return {listed(entries)};
    }
    case Says::yes:
    case Says::no:
      break;
  }
  return item.flag() == (member.says == Says::yes) ? std::vector<std::string>{"yes"} : std::vector<std::string>();
}

/// The members of a TOML table as typed options.
Typed typed_in(const Item& table, const Members& members) {
  Typed typed;
  for (const Member& member : members) {
    const std::optional<Item> item = table.find(member.name);
    if (!item) continue;
    std::vector<std::string> values = option_values(member, *item);
    if (std::ranges::count(values, "") > 0) item->refuse("an empty text", "leave it out, or write what it is");
    if (!values.empty()) typed.values[member.field] = std::move(values);
  }
  return typed;
}

/// Repeats an error about a field in the words of the file, with the place where the field's member is written.
[[noreturn]] void refuse_where_written(const Item& table, const Members& members, const Error& error) {
  Words what = error.what_words();
  Words hint = error.hint_words();
  std::string name = error.field();
  for (const Member& member : members) {
    what = what.renamed(member.field, member.name);
    hint = hint.renamed(member.field, member.name);
    if (error.field() == member.field) name = member.name;
  }
  const std::optional<Item> at = name.empty() ? std::nullopt : table.find(name);
  std::string text = what.in(Wording::file);
  const std::string before = name + ": ";
  if (at && text.starts_with(before)) text.erase(0, before.size());
  (at ? *at : table).refuse(text, hint.in(Wording::file));
}

template <class Make>
auto checked_members(const Item& table, const Members& members, Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    const bool is_of_the_ledger = error.field() == "keys_file";  // a public file that the dataset does not declare
    if (error.code() != ErrorCode::usage || is_of_the_ledger) throw;
    refuse_where_written(table, members, error);
  }
}

std::vector<std::string> texts_of(const Item& item, const std::string& example) {
  if (!item.is_list()) return {item.word(example)};
  return mapped(item.items(), [&](const Item& one) { return one.word(example); });
}

// --- Public files ----------------------------------------------------------------------------------------------------

/// Further files, which list the keys and cells of the publication.
class PublicFiles {
 public:
  PublicFiles(const std::string& library, const TableOptions& input, const OnPublicFile& on_file)
      : library_(library), on_file_(on_file) {
    std::vector<std::string> names{input.file};
    names.insert(names.end(), input.more_files.begin(), input.more_files.end());
    for (const NamedTable& table : input.tables) names.push_back(table.file);
    for (const std::string& name : names) {
      std::ranges::copy(source_detail::files_of_name(name), std::back_inserter(inputs_));
    }
  }

  /// Reads the columns with these names, as lists of equal length.
  std::vector<std::vector<std::string>> columns(const Item& item, const std::vector<std::string>& names) {
    const std::string path = item.path();
    if (path == "-" || path == item.file().beside("-")) {
      item.refuse("keys and cells are read from a file, and - is standard input", "name a public file");
    }
    for (const std::string& input : inputs_) {
      std::error_code unknown;
      if (input.empty() || !std::filesystem::equivalent(path, input, unknown)) continue;
      item.refuse("keys and cells must be public, but '" + path + "' is the table that is published",
                  "name a public file");
    }
    try {
      // Passes on the path of the file that was opened: `path` may lead to another file by now.
      const auto on_opened = [&](const std::vector<OpenedFile>& files) {
        if (on_file_) on_file_(files.front().path);
      };
      const Table table = Table::open({.file = path, .library = library_}, on_opened);
      std::vector<std::vector<std::string>> columns = table.texts(names);
      if (columns.front().size() > most_public_records) {
        item.refuse(fmt::format("'{}' has more than {} records", path, most_public_records), "name a smaller file");
      }
      return columns;
    } catch (const Error& error) {
      if (is_named(error.hint_words(), "input_format")) {
        item.refuse(error.what_words().in(Wording::file), "name a file that ends with .csv, .tsv, .parquet or .json");
      }
      if (error.code() != ErrorCode::data || std::string_view(error.what()).starts_with(item.file().name())) throw;
      item.refuse(error.what_words().in(Wording::file),
                  is_named(error.hint_words(), "encoding")
                      ? "files of keys and cells are UTF-8; convert it, e.g. with iconv -f LATIN1 -t UTF-8"
                      : error.hint_words().in(Wording::file));
    }
  }

 private:
  std::string library_;
  const OnPublicFile& on_file_;
  std::vector<std::string> inputs_ = {};
};

// --- Keys ------------------------------------------------------------------------------------------------------------

/// Reads texts or whole numbers; the numbers become texts, as in a column of text.
std::vector<std::string> key_texts_of(const Item& list) {
  std::vector<std::string> keys;
  for (const Item& one : list.items()) {
    if (!one.is_word() && !one.is_whole()) one.refuse("a key is a text or a whole number", "write it in quotes");
    keys.push_back(one.entry());
  }
  return keys;
}

/// The keys of one column.
std::vector<std::string> listed_keys_of(const Item& list) {
  std::vector<std::string> keys = key_texts_of(list);
  std::set<std::string> known;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (known.insert(keys[i]).second) continue;
    list.items()[i].refuse(fmt::format("a key '{}' appears twice", keys[i]), "write each once");
  }
  return keys;
}

/// Throws `data` if a file has a key twice. The error names records and not the key: the file may be another one than was meant.
void require_each_once(const std::vector<std::string>& keys, const Item& file) {
  std::map<std::string_view, std::size_t> records;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [first, is_new] = records.try_emplace(keys[i], i + 1);
    if (is_new) continue;
    file.refuse(fmt::format("records {} and {} of '{}' have the same key", first->second, i + 1, file.path()),
                "write each key once");
  }
}

KeyColumn key_column(const std::string& column, const Item& item, PublicFiles& files) {
  KeyColumn result{column, {}, {}};
  if (item.is_list()) {
    result.keys = listed_keys_of(item);
    return result;
  }
  if (!item.is_table()) {
    item.refuse("neither a list of keys nor a table of keys and labels",
                R"(write ["north", "south"], { n = "north", s = "south" } or { file = "regions.csv" })");
  }
  const std::optional<Item> file = item.find("file");
  if (!file) {
    for (const auto& [key, label] : item.members()) {
      result.keys.push_back(key);
      result.labels.push_back(label.word("North"));
    }
    return result;
  }
  item.require_keys({"file", "key", "label"});
  std::vector<std::string> names{column};
  if (const std::optional<Item> key = item.find("key")) names = {key->word("code")};
  if (const std::optional<Item> label = item.find("label")) names.push_back(label->word("name"));
  std::vector<std::vector<std::string>> columns = files.columns(*file, names);
  require_each_once(columns[0], *file);
  result.keys = std::move(columns[0]);
  if (columns.size() > 1) result.labels = std::move(columns[1]);
  return result;
}

std::vector<KeyColumn> keys_of(const Item& root, PublicFiles& files) {
  std::vector<KeyColumn> keys;
  const std::optional<Item> item = root.find("keys");
  if (!item) return keys;
  for (const auto& [column, said] : item->members()) keys.push_back(key_column(column, said, files));
  return keys;
}

// --- Input -----------------------------------------------------------------------------------------------------------

const Members& input_options() {
  static const Members members{{"format", Says::entry, "input_format"},
                               {"delimiter"},
                               {"sql"},
                               {"sql_stability"},
                               {"unreadable"},
                               {"null"},
                               {"single_line_records", Says::yes},
                               {"decimal"},
                               {"thousands"},
                               {"encoding"}};
  return members;
}

/// The members of [input] whose values errors may be about.
const Members& input_members() {
  static const Members members = [] {
    Members all = input_options();
    all.push_back({"tables", Says::list, "table"});
    return all;
  }();
  return members;
}

struct ReadInput {
  PublicationInput input;
  NullPolicy null_policy = NullPolicy::drop;
};

/// Reads one file, or a list of several files that form one table.
std::vector<std::string> files_of(const Item& item) {
  const auto name_of = [](const Item& one) { return one.word("payroll.csv") == "-" ? std::string("-") : one.path(); };
  if (!item.is_list()) return {name_of(item)};
  std::vector<std::string> files = mapped(item.items(), name_of);
  if (files.empty()) item.refuse("no file is named", R"(write file = ["2023.csv", "2024.csv"])");
  return files;
}

ReadInput input_of(const Item& root) {
  ReadInput result;
  result.input.read.unreadable = Unreadable::missing;
  const std::optional<Item> item = root.find("input");
  if (!item) return result;
  item->require_keys({"file", "format", "delimiter", "sql", "sql_stability", "tables", "postgres", "counts", "missing",
                      "unreadable", "null", "single_line_records", "decimal", "thousands", "encoding"});
  Typed typed = typed_in(*item, input_options());
  const std::optional<Item> file = item->find("file");
  const std::optional<Item> postgres = item->find("postgres");
  const std::optional<Item> counts = item->find("counts");
  const std::optional<Item> tables = item->find("tables");
  for (const auto& [one, other] :
       {std::pair(&file, &postgres), std::pair(&file, &counts), std::pair(&postgres, &counts),
        std::pair(&tables, &counts), std::pair(&tables, &postgres)}) {
    if (*one && *other)
      (*other)->refuse("records come from one place, and " + (*one)->key() + " is another", "name one");
  }
  if (file) typed.set_files(files_of(*file));
  if (postgres) typed.values["postgres"] = {postgres->word("postgres://host/database")};
  if (tables) {
    std::vector<std::string> named;
    for (const auto& [name, path] : tables->members()) {
      path.word("regions.csv");
      named.push_back(name + "=" + path.path());
    }
    typed.values["table"] = std::move(named);
  }
  if (counts) {
    for (const Member& member : input_options()) {
      item->refuse_member(member.name, "a profile file says how its records were read", "leave it out");
    }
    counts->word("pay.counts");
    result.input.counts = counts->path();
  } else {
    const bool is_elsewhere = !file && std::ranges::all_of(typed.values, [](const auto& said) {
      return said.first == "unreadable" || said.first == "null";
    });
    checked_members(*item, input_members(), [&] {
      if (is_elsewhere) {
        result.input.read.unreadable = unreadable_of(typed);
      } else {
        result.input.read = table_of(typed, false);
        result.input.postgres = postgres_of(typed);
      }
      result.null_policy = null_policy_of(typed);
    });
  }
  if (!result.input.read.unreadable) result.input.read.unreadable = Unreadable::missing;
  if (const std::optional<Item> missing = item->find("missing")) {
    if (counts) missing->refuse("a profile file says how its records were read", "leave it out");
    result.input.read.missing = texts_of(*missing, "NA");
    for (const std::string& text : result.input.read.missing) {
      if (text.find(',') == std::string::npos) continue;
      missing->refuse("'" + text + "' has a comma in it",
                      "write each text by itself, or make such cells NULL in a query");
    }
  }
  const TableOptions& read = result.input.read;
  if (read.file.empty() && read.sql.empty()) return result;  // a profile file, or records that the caller has
  if (!result.input.postgres.empty()) return result;
  checked_members(*item, input_members(), [&] { read.validate(); });
  return result;
}

// --- Tables ----------------------------------------------------------------------------------------------------------

const Members& table_options() {
  static const Members members{{"bounds", Says::pair},
                               {"step"},
                               {"candidates", Says::list},
                               {"quantiles", Says::list},
                               {"mechanism"},
                               {"rates"},
                               {"base"},
                               {"interpolate", Says::no, "no_interpolation"}};
  return members;
}

std::vector<std::string> table_members() {
  std::vector<std::string> names{"name",  "column",       "per_person",   "count", "mean",      "below",
                                 "by",    "totals",       "possible",     "other", "intervals", "rows",
                                 "share", "level_shares", "counts_share", "target"};
  for (const Member& member : table_options()) names.emplace_back(member.name);
  return names;
}

/// Reads the request for intervals. They are about the table's own records, unless intervals for the population are asked for.
std::optional<IntervalRequest> intervals_in(const Item& table) {
  const auto read = [](const Item& item, const Members& members) {
    return checked_members(item, members, [&] {
      Typed typed = typed_in(item, members);
      if (typed.has("intervals") && !typed.has("of")) typed.values["of"] = {to_string(IntervalSubject::table)};
      return intervals_of(typed);
    });
  };
  const std::optional<Item> item = table.find("intervals");
  if (!item || !item->is_table()) return read(table, {{"intervals"}});
  item->require_keys({"level", "of", "together"});
  item->need("level", "intervals = { level = 0.95, of = \"population\" }");
  return read(*item, {{"level", Says::entry, "intervals"}, {"of"}, {"together", Says::yes}});
}

/// The place of a column that the item names.
std::size_t place_in(const std::vector<std::string>& by, const std::string& column, const Item& item) {
  const auto at = std::ranges::find(by, column);
  if (at == by.end()) item.refuse("'" + column + "' is not among the columns of `by`", choose_hint(column, by));
  return static_cast<std::size_t>(at - by.begin());
}

/// The columns of `by` that the item names, in the order of `by`.
KeyLevel level_in(const Item& item, const std::vector<std::string>& by) {
  KeyLevel level;
  if (!item.is_list() && !item.is_word())
    item.refuse("neither a column nor a list of columns", "write [\"region\"], or [] for everyone");
  for (const Item& name : item.is_list() ? item.items() : std::vector{item}) {
    level.push_back(place_in(by, name.word("region"), name));
  }
  std::ranges::sort(level);
  if (std::ranges::adjacent_find(level) != level.end()) item.refuse("a column appears twice", "write each once");
  return level;
}

/// All subsets of the columns. Larger subsets come first; subsets of equal size follow the order of the columns.
std::vector<KeyLevel> all_levels(std::size_t columns) {
  std::vector<KeyLevel> levels;
  for (std::size_t set = 0; set < (std::size_t{1} << columns); ++set) {
    KeyLevel level;
    for (std::size_t i = 0; i < columns; ++i) {
      if ((set >> i & 1U) != 0) level.push_back(i);
    }
    levels.push_back(std::move(level));
  }
  std::ranges::sort(
      levels, [](const KeyLevel& a, const KeyLevel& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  return levels;
}

std::vector<KeyLevel> levels_in(const Item& table, const std::vector<std::string>& by) {
  constexpr std::size_t most_columns = 8;
  KeyLevel finest(by.size());
  std::iota(finest.begin(), finest.end(), std::size_t{0});
  std::vector<KeyLevel> levels{finest};
  const std::optional<Item> totals = table.find("totals");
  if (!totals) return levels;
  if (by.empty()) totals->refuse("there are no columns to add up over", "leave it out, or write by = [\"region\"]");
  if (totals->is_word()) {
    if (!totals->choice<bool>({{"all", true}, {"none", false}})) return levels;
    if (by.size() > most_columns) {
      totals->refuse(fmt::format("\"all\" has too many totals for {} columns", by.size()),
                     "list those that you publish");
    }
    return all_levels(by.size());
  }
  if (!totals->is_list())
    totals->refuse("neither a word nor a list of levels", R"(write "all", "none" or a list: [["region"], []])");
  for (const Item& item : totals->items()) {
    KeyLevel level = level_in(item, by);
    if (std::ranges::count(levels, level) > 0) {
      item.refuse("this level is already listed", "write each once; the level of all columns is always included");
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

/// For each column of `by`, the name that stands for all keys that are not listed. `other` is true for all columns, a list of columns, or a
/// table with a name for each column.
std::vector<std::string> other_in(const Item& table, const std::vector<std::string>& by) {
  constexpr const char* usual = "other";
  const std::optional<Item> item = table.find("other");
  if (!item) return {};
  if (by.empty())
    item->refuse("there are no columns to which keys could belong", "leave it out, or write by = [\"region\"]");
  std::vector<std::string> others(by.size());
  if (item->is_table()) {
    for (const auto& [column, name] : item->members()) {
      others[place_in(by, column, name)] = name.word("elsewhere");
    }
  } else if (item->is_list() || item->is_word()) {
    for (const std::size_t column : level_in(*item, by)) others[column] = usual;
  } else if (item->flag()) {
    others.assign(by.size(), usual);
  }
  if (std::ranges::all_of(others, [](const std::string& name) { return name.empty(); })) others.clear();
  return others;
}

std::vector<KeyTuple> tuples_of(const std::vector<std::vector<std::string>>& columns, std::size_t keys) {
  std::vector<KeyTuple> tuples(columns.front().size());
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    for (std::size_t k = 0; k < keys; ++k) tuples[i].push_back(columns[k][i]);
  }
  return tuples;
}

std::vector<KeyTuple> possible_in(const Item& table, const std::vector<std::string>& by, PublicFiles& files) {
  const std::optional<Item> item = table.find("possible");
  if (!item) return {};
  if (by.empty()) item->refuse("there are no columns to which cells could belong", "leave it out");
  std::vector<KeyTuple> tuples;
  if (item->is_word()) {
    tuples = tuples_of(files.columns(*item, by), by.size());
  } else {
    const char* const hint = R"(write one list a cell, [["north", "f"], ["south", "m"]], or the name of a file)";
    if (!item->is_list()) item->refuse("neither a list of cells nor a file", hint);
    for (const Item& tuple : item->items()) {
      if (!tuple.is_list()) tuple.refuse("a cell is a list of keys, one for each column of `by`", hint);
      tuples.push_back(key_texts_of(tuple));
    }
  }
  if (tuples.empty()) item->refuse("no cell is possible", "list those that are");
  return tuples;
}

/// Reads the numbers of rows of all cells from a file with the columns of the keys and the column `rows`.
std::vector<std::uint64_t> rows_of_file(const Item& item, const PublicationTable& table, const LevelCells& cells,
                                        PublicFiles& files) {
  std::vector<std::string> names = table.by;
  names.emplace_back("rows");
  const std::vector<std::vector<std::string>> columns = files.columns(item, names);
  const std::vector<KeyTuple> tuples = tuples_of(columns, table.by.size());
  std::map<KeyTuple, std::size_t> places;
  for (std::size_t i = 0; i < cells.cells.size(); ++i) places.emplace(cells.cells[i], i);
  std::vector<std::optional<std::uint64_t>> rows(cells.cells.size());
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    const auto at = places.find(tuples[i]);
    if (at == places.end()) continue;  // the file may list cells that this table does not have
    if (rows[at->second])
      item.refuse(fmt::format("record {} is about a cell that appeared before", i + 1), "write each once");
    std::optional<Rational> number;
    try {
      number = Rational::parse(columns.back()[i]);
    } catch (const Error&) {
      number = {};
    }
    if (!number || !number->is_integer() || number->sign() < 0 || *number > Rational(most_expected_rows)) {
      item.refuse(fmt::format("in record {}, rows is not a whole number from 0 to {}", i + 1, most_expected_rows),
                  "write about how many records the cell has");
    }
    rows[at->second] = number->to_uint64();
  }
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) {
      item.refuse(fmt::format("of {}, but the file has {}", counted(rows.size(), "cell", "cells"),
                              std::ranges::count_if(rows, [](const auto& one) { return one.has_value(); })),
                  "write a record for each cell of the table, or list the cells that are possible");
    }
    result.push_back(*rows[i]);
  }
  return result;
}

std::vector<std::uint64_t> rows_in(const Item& item, const Publication& publication, const PublicationTable& table,
                                   PublicFiles& files) {
  const LevelCells cells = cells_of(publication, table, table.levels.front());
  if (item.is_word()) {
    const std::string file = item.entry();
    if (!file.empty() && file.find_first_not_of("0123456789_") == std::string::npos)
      item.refuse("a number in quotes is taken for the name of a file", "write it without quotes: rows = " + file);
    if (table.by.empty())
      item.refuse("a file says how many records cells have, and there is one cell", "write the number");
    return rows_of_file(item, table, cells, files);
  }
  if (item.is_table() || item.is_list()) {
    item.refuse("neither a number nor the name of a file",
                table.by.empty() ? "write about how many records there are"
                                 : "write about how many records a cell has, or the name of a file in quotes: rows = "
                                   "\"rows.csv\"");
  }
  return std::vector<std::uint64_t>(cells.cells.size(), item.whole_number(1, most_expected_rows));
}

PublicationTarget target_in(const Item& item) {
  using Quantity = PublicationTarget::Quantity;
  const std::map<std::string, Quantity> kinds{{"rank_error", Quantity::ranks},
                                              {"share_error", Quantity::share},
                                              {"value_error", Quantity::value},
                                              {"interval_width", Quantity::interval}};
  const std::string example = "write for example { share_error = 0.02 }, of a cell's records";
  if (!item.is_table()) item.refuse("it does not say what it limits", example);
  item.require_keys({"rank_error", "share_error", "value_error", "interval_width"});
  std::optional<PublicationTarget> target;
  for (const auto& [name, quantity] : kinds) {
    const std::optional<Item> wanted = item.find(name);
    if (!wanted) continue;
    if (target) wanted->refuse("there is already a target", "write one");
    target = PublicationTarget{quantity, wanted->number()};
    if (target->limit.sign() < 0 || target->limit > Rational(any_number_of_rows)) {
      wanted->refuse("an error is a number from 0 on", example);
    }
  }
  if (!target) item.refuse("no target is named", example);
  return *target;
}

std::optional<Rational> optional_number(const Item& table, const char* name) {
  const std::optional<Item> item = table.find(name);
  return item ? std::optional(item->number()) : std::nullopt;
}

/// Reads the query. Options of mechanisms are refused without quantiles.
void read_query(const Item& item, const Typed& typed, const Budget& budget, PublicationTable& table) {
  if (!typed.has("quantiles")) {
    for (const char* const name : {"mechanism", "rates", "base", "interpolate"}) {
      item.refuse_member(name, "it goes with quantiles, and there are none",
                         "leave it out, or write quantiles = \"deciles\"");
    }
    return;
  }
  const QuantileQuery query = query_of(typed, budget);
  table.quantiles = query.quantiles;
  table.quantile_names = query.names;
  table.mechanism = query.mechanism;
  table.rates = query.rates;
  table.base = query.base;
  table.interpolate = query.interpolate;
}

std::vector<Rational> below_in(const Item& table, const Lattice& lattice) {
  std::vector<Rational> values;
  const std::optional<Item> item = table.find("below");
  if (!item) return values;
  for (const Item& one : item->is_list() ? item->items() : std::vector{*item}) {
    values.push_back(one.checked([&] { return value_among("below", one.entry(), "", lattice); }));
  }
  if (values.empty()) item->refuse("an empty list", "leave it out, or write at least one value");
  return values;
}

/// The columns of `by`. Options take several columns in one text; a file takes a list.
std::vector<std::string> columns_in(const Item& by, const Publication& publication) {
  std::vector<std::string> columns = texts_of(by, "region");
  const auto is_column = [&](const std::string& name) {
    return std::ranges::any_of(publication.keys, [&](const KeyColumn& known) { return known.column == name; });
  };
  if (by.is_word() && columns.front().find(',') != std::string::npos && !is_column(columns.front()))
    by.refuse("one text names one column", R"(write a list: by = ["region", "sex"])");
  return columns;
}

PublicationTable table_in(const Item& item, const Publication& publication, PublicFiles& files) {
  item.require_keys(table_members());
  const std::string column = item.need("column", "column = \"pay\"").word("pay");
  const std::optional<Item> name = item.find("name");
  const Typed typed = typed_in(item, table_options());
  PublicationTable table{name ? name->word(column) : column,
                         column,
                         checked_members(item, table_options(), [&] { return lattice_of(typed); }),
                         {}};
  checked_members(item, table_options(), [&] { read_query(item, typed, publication.budget, table); });
  if (const std::optional<Item> how = item.find("per_person")) table.per_person = how->choice(by_name(all_per_person));
  table.intervals = intervals_in(item);
  if (const std::optional<Item> count = item.find("count")) table.count = count->flag();
  if (const std::optional<Item> mean = item.find("mean")) table.mean = mean->flag();
  table.below = below_in(item, table.lattice);
  if (const std::optional<Item> by = item.find("by")) table.by = columns_in(*by, publication);
  checked_members(item, {}, [&] { publication.columns_of(table); });
  table.others = other_in(item, table.by);
  table.levels = levels_in(item, table.by);
  table.possible_cells = possible_in(item, table.by, files);
  table.share = optional_number(item, "share");
  if (const std::optional<Item> shares = item.find("level_shares")) table.level_shares = shares->numbers();
  table.counts_share = optional_number(item, "counts_share");
  if (const std::optional<Item> target = item.find("target")) table.target = target_in(*target);
  checked_members(item, {}, [&] {
    if (const std::optional<Item> rows = item.find("rows")) {
      table.expected_rows = rows_in(*rows, publication, table, files);
    }
    publication.validate(table);
  });
  return table;
}

// --- The publication -------------------------------------------------------------------------------------------------

const Members& publication_options() {
  static const Members members{{"epsilon"},        {"rho"},
                               {"neighbors"},      {"records_per_person"},
                               {"weight"},         {"weight_bounds", Says::pair},
                               {"weight_step"},    {"weight_stability"},
                               {"expected_weight"}};
  return members;
}

constexpr const char* least = "least";

/// A budget in the measure in which the least budget is solved for. Returns nothing if the budget is given.
std::optional<Budget> solved_measure(const Typed& typed) {
  if (typed.one("epsilon") == least && !typed.has("rho")) return Budget::pure(Rational(1));
  if (typed.one("rho") == least && !typed.has("epsilon")) return Budget::zcdp(Rational(1));
  return {};
}

PublicationMarks marks_in(const Item& root) {
  PublicationMarks marks;
  const std::optional<Item> item = root.find("marks");
  if (!item) return marks;
  item->require_keys({"unreliable", "hidden"});
  if (const std::optional<Item> share = item->find("unreliable")) {
    marks.unreliable = share->number();
    if (marks.unreliable->sign() <= 0) share->refuse("not above 0", "write for example 0.2");
  }
  if (const std::optional<Item> count = item->find("hidden")) marks.hidden = count->whole_number(1, most_expected_rows);
  return marks;
}

/// Reads the budget, the column that identifies the person, and how one person counts.
Publication head_in(const Item& item) {
  std::vector<std::string> names{"title", "person", "confidence"};
  for (const Member& member : publication_options()) names.emplace_back(member.name);
  item.require_keys(names);
  const Typed typed = typed_in(item, publication_options());
  return checked_members(item, publication_options(), [&] {
    const std::optional<Budget> solved = solved_measure(typed);
    Publication publication{"", solved ? *solved : budget_of(typed), neighbors_of(typed)};
    if (const std::optional<Item> title = item.find("title")) publication.title = title->word("Hourly earnings 2026");
    if (const std::optional<Item> person = item.find("person")) publication.person = person->word("id");
    publication.records_per_person = records_per_person_of(typed);
    publication.weights = weights_of(typed);
    if (const std::optional<Item> confidence = item.find("confidence")) publication.confidence = confidence->number();
    return publication;
  });
}

PublicationFile publication_in(const TomlFile& text, const std::string& library, const OnPublicFile& on_file) {
  const Item root = text.root();
  root.require_keys({"publication", "input", "keys", "table", "marks"});
  const Item head = root.need("publication", "[publication] and below it epsilon = 1");
  PublicationFile file{text.name(), head_in(head)};
  Publication& publication = file.publication;
  ReadInput input = input_of(root);
  file.input = std::move(input.input);
  publication.null_policy = input.null_policy;
  publication.sql_stability = file.input.read.sql_stability.value_or(1);
  PublicFiles files(library, file.input.read, on_file);
  publication.keys = keys_of(root, files);
  checked_members(root, {}, [&] { publication.validate_keys(); });
  publication.marks = marks_in(root);
  const Item tables = root.need("table", "[[table]] and below it column = \"pay\"");
  if (!tables.is_list())
    tables.refuse("one table, where a list of tables is meant", "write [[table]], with two brackets");
  for (const Item& item : tables.items()) {
    PublicationTable table = table_in(item, publication, files);
    if (std::ranges::find(publication.tables, table.name, &PublicationTable::name) != publication.tables.end()) {
      item.find("name")
          .value_or(item.need("column", ""))
          .refuse(fmt::format("a table '{}' appears twice", table.name), "give each a name: name = \"pay by region\"");
    }
    publication.tables.push_back(std::move(table));
  }
  const bool is_solved = solved_measure(typed_in(head, publication_options())).has_value();
  checked_members(head, {}, [&] { file.parts = is_solved ? least_parts(publication) : parts(publication); });
  return file;
}

}  // namespace

bool PublicationInput::names_records() const {
  return !counts.empty() || !postgres.empty() || !read.file.empty() || !read.tables.empty();
}

void PublicationFile::require_no_records() const {
  const TableOptions& read = input.read;
  const std::vector<std::pair<const char*, bool>> members{{"file", !read.file.empty()},
                                                          {"tables", !read.tables.empty()},
                                                          {"postgres", !input.postgres.empty()},
                                                          {"counts", !input.counts.empty()},
                                                          {"sql", !read.sql.empty()},
                                                          {"sql_stability", read.sql_stability.has_value()},
                                                          {"format", !read.format.empty()},
                                                          {"delimiter", !read.delimiter.empty()},
                                                          {"single_line_records", read.single_line_records},
                                                          {"decimal", !read.numbers.decimal.empty()},
                                                          {"thousands", !read.numbers.thousands.empty()},
                                                          {"encoding", !read.encoding.empty()}};
  std::vector<std::string> there;
  for (const auto& [member, is_there] : members) {
    if (is_there) there.emplace_back(member);
  }
  if (there.empty()) return;
  const Field data("data");
  usage({data, ": [input] of '" + name + "' has " + joined(there) + ", and the records are given"},
        {"take that out of [input], or leave ", data, " out"}, "data");
}

Source PublicationInput::source() const {
  if (!counts.empty()) return Source::profile_file(ProfileFile::open(counts));
  if (!postgres.empty()) return Source::postgres(postgres, read);
  if (!names_records()) {
    usage("the publication names no records", "write [input] and below it file = \"payroll.csv\"");
  }
  return Source::file(read);
}

PublicationPlan plan_publication(const PublicationFile& file) {
  try {
    return fractile::plan_publication(file.publication, file.parts);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Error(error.code(), {file.name, ": ", error.what_words()}, error.hint_words(), error.field());
  }
}

PublicationFile read_publication(const std::string& name, const std::string& library, const OnPublicFile& on_file) {
  return publication_in(TomlFile::read(name, largest_publication_file, publication_help), library, on_file);
}

PublicationFile publication_in(const std::string& text, const std::string& name, const std::string& library) {
  return publication_in(TomlFile(name, text, publication_help), library, {});
}

}  // namespace fractile::requests

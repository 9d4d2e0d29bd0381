// Sources: columns are counted, of files and queries (here, through DuckDB's C interface), and of what fractile/sources.hpp names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/counted.hpp"
#include "fractile/exact.hpp"
#include "fractile/keys.hpp"
#include "fractile/provenance.hpp"
#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/sampling.hpp"
#include "fractile/weights.hpp"

namespace fractile {

/// Who counts: the engine (GROUP BY value) or this library, record by record, on the engine's threads. Both give the same profile, bit for bit.
/// automatic lets the engine count whole numbers, and dates on lattices of dates, where these span at most 4,096 of them, whatever the
/// step; push_down throws `usage` on others.
enum class Counting { automatic, push_down, stream };

/// The format that a file's name announces, as TableOptions::format has it: "csv", "tsv", "parquet" or "json"; "" when it announces none.
std::string format_by_name(const std::string& file);

/// A file that was opened, whatever its name leads to by now; or several that are one table.
struct OpenedFile {
  std::string name;  ///< by which it was opened; of several names all of them, sorted, with commas between
  /// Where it is: absolute, without links and dots. Empty when that is not known: for standard input, for a pipe, and for a file
  /// that this process finds under no path of its own (removed since, of another mount namespace, or reached by a link of /proc to
  /// what some process has open). For a folder it ends with a slash. For a pattern it is the folder's path with the pattern behind
  /// it, if all files were found there and not through links. For several names it has all paths, sorted, with commas between, and
  /// is empty if one of them is not known.
  std::string path;
  /// The name of each file when there are several, in order; a folder and a pattern stand for several, whatever they hold. Empty
  /// for one file.
  std::vector<std::string> parts = {};
};

/// What OpenedFile::path would be of a table that is named so; empty when that is not known. No file is read. Throws as Table::open().
std::string path_of_table(const std::vector<std::string>& names);
/// The files that a name of TableOptions stands for by now; none where none can be read as one table. None is opened.
std::vector<std::string> files_of_name(const std::string& name);

/// Called once with all tables that are read, when their files are open and before a byte of them is looked at. What it throws ends the opening.
using OnOpened = std::function<void(const std::vector<OpenedFile>&)>;

struct TableOptions {
  /// Path; "-" for standard input (spooled to a private temporary file); may be empty with `sql`. The path of a folder stands for all files
  /// in it, but those whose names begin with . or _, and it may hold no folders. Where there is no file of this name, one with * ? or [
  /// is a pattern, and stands for the files that match it, as a shell has it.
  std::string file = {};
  /// One SELECT over `input` (the file) and over `tables`, and nothing else; columns of text files are VARCHAR there, whatever they
  /// hold, those of JSON are the keys that the query names. Empty: the file itself. Row-wise, or declared by `sql_stability`.
  /// Proof: docs/proofs/row_wise_queries.md
  std::string sql = {};
  /// "csv", "tsv", "parquet", "json", or empty: by the file's name, csv for standard input. Text may be gzipped.
  std::string format = {};
  /// For csv and tsv; empty: found in the header line, which alone decides.
  std::string delimiter = {};
  /// Path of libduckdb, 1.1 or later; empty: FRACTILE_DUCKDB, beside the executable, ../lib from there, the loader's path. A process
  /// loads one.
  std::string library = {};
  static constexpr std::uint32_t most_threads = 256;
  /// How many threads the engine reads with, positions are sorted by and groups are drawn on, at most `most_threads`; 0: as many as the
  /// machine runs at once. Changes no profile, and no release from reproducible bits. What must come in the order of the file is read by one.
  std::uint32_t threads = 0;
  /// What else a query may read.
  std::vector<NamedTable> tables = {};
  /// For csv and tsv, in all files that are read: a declaration that each record stands on one line. Then a quoted cell
  /// that holds a line end throws `data` when records are read. Without it, two stray quotes may pair, and the records
  /// between them become one cell.
  bool single_line_records = false;
  static constexpr std::uint32_t most_stability = 1'000'000'000;
  /// For a query that is not row-wise, or whose rows are not checked to be: a declaration that one record more or less changes at
  /// most this many rows of its result. A row that changes counts twice under add-remove (one less, one more), once under
  /// change-one. The declaration is not checked. What is counted carries it, and release() multiplies by it. At most
  /// `most_stability`.
  std::optional<std::uint32_t> sql_stability = {};
  static constexpr std::uint64_t least_memory = 100'000'000;
  /// How many bytes the engine may take, and the records that are sorted by person: what these have beyond it goes to a temporary file
  /// without a name, which nobody else can open. 0: as many as there are. Changes no profile, nor whether there is one: where the engine
  /// cannot read a table within it, it reads it again without a limit. At least `least_memory`. Profiles of fine lattices are beside it,
  /// as ProfileBuilder has them.
  std::uint64_t memory = 0;
  /// Nothing said: error, and missing in what a ledger pays for. Rows of a row-wise query are read as `missing` whatever this says, and a
  /// value that cannot be computed is missing.
  std::optional<Unreadable> unreadable = {};
  /// What counts as missing in the column that is counted, and in that of persons: numbers by their values, other texts exactly.
  /// For a query, in the columns of its result. None empty, at most `most_missing`.
  std::vector<std::string> missing = {};
  static constexpr std::size_t most_missing = 100;
  /// For csv and tsv without `sql`, in the columns whose numbers are counted; another cell with a point or a comma is no number.
  NumberStyle numbers = {};
  /// For csv and tsv, in all files that are read: "utf-8", "latin1", "windows-1252", "utf-16", "utf-16le" or "utf-16be"; empty:
  /// UTF-8. What is no text in it becomes U+FFFD.
  std::string encoding = {};
  /// Further files, folders and patterns of the same table, beside `file`. All files of a table are of one format and have the same columns in
  /// the same order, and none is named twice; a record is the table's whichever of them holds it.
  std::vector<std::string> more_files = {};
  static constexpr std::size_t most_files = 1'000;
};

/// Groups of one or several keys each, such as a total over cells.
struct MergedGroups {
  KeyColumns by = {};                      ///< the columns that tell the groups apart; none: there is one group
  GroupKeys keys = {};                     ///< one key per group; none where there is one
  std::vector<std::uint32_t> of_key = {};  ///< for each key that is merged, in which of these groups it is

  std::size_t size() const { return by.empty() ? 1 : keys.size(); }
  friend bool operator==(const MergedGroups&, const MergedGroups&) = default;
};

/// Whose records count, and in which groups. In text, cells of `person` and `by` are compared byte for byte: 1 and 1.0 are two. Elsewhere
/// they are values of the column's type, and so are keys.
struct RecordSelection {
  /// The column that tells whose a record is; empty: nobody asks.
  std::string person = {};
  /// With `person`: of each person's records that have a number and a listed key at most so many count, those of the smallest ranks
  /// under a sampling key: a uniform random sample, and a function of that key and that person's records alone. Without: a declaration
  /// that no person has more, which nobody checks. At least 1.
  std::uint32_t records_per_person = 1;
  /// The columns that hold the keys, none twice; none: all records are one group.
  KeyColumns by = {};
  /// The keys, which are public: 1 to 100,000, none empty, none twice, with a text for each column of `by`. A record whose texts in these
  /// columns are together none of the keys is left out.
  GroupKeys keys = {};
  /// None, or a text for each column of `by`: with one, a record whose text there is none of the column's keys, or that has none, counts as
  /// if it had this one, which is a key like the others. An empty text: such a record is left out.
  std::vector<std::string> others = {};
  /// With `person`: the sampling key, for one release. None: whoever counts draws one.
  std::optional<SamplingKey> sampling_key = {};
  /// With `person`: that person's eligible records become one value, or with `by` one in each group, before anything is sampled. So
  /// `records_per_person` is 1, or with `by` in how many groups a person may count. Proof: docs/proofs/one_value_per_person.md
  std::optional<PerPerson> per_person = {};
  /// With `per_person` and `by`: a person's records with any of a group's keys become one value there. Nothing: each key is a group.
  std::optional<MergedGroups> merged = {};
  /// Where records have weights: what is counted are units of weight. A record without a weight counts as one without a
  /// number does. Not with `per_person`: a value of several records has no weight.
  std::optional<RecordWeights> weights = {};
  /// With `person`: each of that person's records may be one that counts, whatever it holds, and where columns are counted together, the
  /// same ones count in all of them, each where it has a number and a listed key. Not with `per_person`.
  bool whole_records = false;

  bool selects() const { return !person.empty() || !by.empty() || weights.has_value(); }
  /// Throws `usage` unless as said above.
  void validate() const;
  /// Throws `usage` where how many records are counted says more than how many rows a table has.
  void require_public_rows() const;
  /// What was counted so: one profile per key, or one.
  CountedColumn counted(std::vector<RankProfile> profiles) const;
};

/// A column that is to be counted, on which lattice, and whose records, in which groups.
struct ColumnToCount {
  std::string column;
  Lattice lattice;
  NullPolicy null_policy = NullPolicy::drop;
  RecordSelection selection = {};
  /// Whether how many rows the table has is declared public, and so is counted, too. Not with a selection that selects.
  bool public_rows = false;

  /// Throws `usage` as RecordSelection::validate() does, and for a value of each person that the lattice's kind does
  /// not have: sums, means, counts and truth values are numbers.
  void validate() const;
};

/// What a column's cells are read as by Table::profile(). All records decide it: it is for the data's owner, and nothing to publish.
struct ColumnCells {
  /// What most of those cells are that can be read as anything: numbers, times (`timestamp`, dates among them, unless the column's type
  /// is a date's) or instants. Nothing where no cell can.
  std::optional<ValueKind> read_as = {};
  std::uint64_t read = 0;        ///< as these; of a column that is read as nothing, all that are not missing
  std::uint64_t missing = 0;     ///< NULL, blank, NaN, or declared to be
  std::uint64_t unreadable = 0;  ///< neither of both
  /// The records in which these are, from 1 on: the first `most_rows`. Those of several files are numbered through, in the order of the files.
  std::vector<std::uint64_t> unreadable_rows = {};
  static constexpr std::size_t most_rows = 5;
};

/// A column of a schema, and what its cells are, where somebody looked.
struct TableColumn {
  std::string name;
  std::string type;  ///< the engine's; of text files and JSON VARCHAR, whatever they hold
  std::optional<ColumnCells> cells = {};
};

/// Records that can be counted, wherever they are: what their columns are is known, and none of them was kept.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Records {
 public:
  Records() = default;
  virtual ~Records() = default;

  /// Throws `usage` or `data` unless each of them can be counted: there are such columns, their types go with the
  /// lattice and the selection, and all can be read at once. No record is looked at.
  virtual void require_countable(const std::vector<ColumnToCount>& columns) const = 0;
  /// Counts all of them, in one reading where records are read from files; each is as if it were counted alone, but for those whose selections
  /// are of whole records: these have one sample, are all read at once, and say the same of persons. For a selection with persons
  /// and no sampling key, one is drawn from the bits, in the order of the columns, so that reproducible bits give a reproducible
  /// sample. Throws `usage` as above; throws `data` for what cannot be read, and, under NullPolicy::error, for a record without a
  /// number or a person. `on_progress` is called now and then with nothing but the fact; what it throws ends the counting.
  /// Proof: docs/proofs/contribution_bounding.md
  virtual std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                           const std::function<void()>& on_progress = {}) const = 0;
  /// The columns that there are, in their order. No record is looked at.
  virtual std::vector<TableColumn> columns() const = 0;
  /// Throws `data` when a file was written to since it was opened. No record is looked at.
  virtual void require_unchanged() const {}
  /// The column of persons of whom a query makes one row each, the table's own below it; empty where none does. Then they are counted with
  /// this column of persons alone. Proof: docs/proofs/one_value_per_person.md
  virtual std::string person_of_rows() const { return {}; }
  /// Which share of the bytes of delimited text the current reading has taken; nothing for other formats, and for a query whose
  /// stability is declared. It serves to show progress, and nothing else.
  virtual std::optional<double> share_read() const { return {}; }
  /// The files that are read as one table, by OpenedFile::parts; none where one file, a query or something else is read.
  virtual std::vector<std::string> files() const { return {}; }
  /// Who reads them, for receipts.
  virtual std::string engine() const = 0;

 protected:
  Records(const Records&) = default;
  Records& operator=(const Records&) = default;
  Records(Records&&) = default;
  Records& operator=(Records&&) = default;
};

/// An opened table whose schema is known and none of whose records has been kept.
/// Thread-safety: not for two threads at once; open a table for each. Its own work uses several threads.
class Table final : public Records {
 public:
  /// Opens the files, calls `on_opened`, loads the engine and reads the schema. From then on the files that were opened are read, whatever
  /// their names lead to. Throws `usage` for a missing engine, unknown format, too many threads or a query that is
  /// refused; throws `data` for a file that is missing, unreadable or not of its format. Messages name file, row and
  /// column, never a value.
  static Table open(const TableOptions& options, const OnOpened& on_opened = {});
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;
  ~Table() override;

  /// Throws `data` unless the table has this column and its type can be counted on lattices of this kind (text files:
  /// any column can be tried; JSON: any key, spelled as the records spell it; one that a record lacks is NULL there).
  /// Dates and times without a zone go with dates and timestamps, times with one with instants. No record is looked at.
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// The same, and throws `usage` for a lattice whose ends do not fit into 64 bits in the units of decimals and wide
  /// integers, where values may not fit either.
  void require_countable(const std::string& column, const Lattice& lattice) const;

  /// Checks the columns as above, and what goes with selections. Throws `usage` as RecordSelection::validate() does;
  /// for a person's column of a query whose stability is declared, as its rows need not come from one person each; for
  /// a key that is no value of its column's type, or the same as another one; for keys of JSON that differ in letter
  /// case only; and for public rows of a query or a selection. Throws `data` unless the table has the columns, and for
  /// persons by floating-point numbers or nested values.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts a column on a lattice, whole and by itself, as a profile that says nothing of whose records it holds. Decimals and integers of
  /// any width are exact. Text files are read as doubles whatever their cells look like, so that one record's spelling never changes how
  /// another is read; on lattices that reach 2^53, a whole number that no double holds throws `data`.
  /// A text is a number when it is one of: digits with an optional decimal point and an optional exponent (1e3), or inf, infinity or
  /// nan in any case; each with an optional sign, and with any ASCII white space around it. 1_000, 1,000 and 0x10 are none. A text
  /// of nothing but white space is NULL. On a lattice of times a text is what cell_ticks() says. Times are cut off to microseconds, and
  /// infinite ones clamp.
  /// Throws `data` for a cell that is no number (or time), text that is not RFC 4180 or JSON, and, under
  /// NullPolicy::error, for NULL, empty or NaN. `on_progress` is called now and then with nothing but the fact.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;

  /// How many records the file has, with or without a number. Throws `usage` for a query; throws `data` as profile()
  /// does.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;

  /// Each column as profile() does, record by record in one pass of all of them. A record without a person (NULL, empty, blank, NaN or NaT)
  /// is left out or refused like one without a number, whatever its key. Memory: with persons, for each column some 5 bytes a record beside
  /// the person's text, up to TableOptions::memory for all of them; and what ProfileBuilder takes.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;

  /// profile(), count(), rows() and texts() end so, too: what was read would be of no one moment.
  void require_unchanged() const override;
  std::string person_of_rows() const override;
  std::optional<double> share_read() const override;
  std::vector<std::string> files() const override;

  /// All cells of some columns as texts, one list per column, in the order of the file: for tables that are small and public.
  /// Throws `data` when a column is not there or a cell is NULL.
  std::vector<std::vector<std::string>> texts(const std::vector<std::string>& columns) const;

  static constexpr std::size_t most_keys = 1000;
  /// Twins among them. Throws `usage` for JSON, which has no schema.
  std::vector<TableColumn> columns() const override;
  /// The same, with what their cells are; of JSON the keys that its records have, by their names, of which there are at most `most_keys`. The records go by
  /// once, of JSON twice. Errors as those of profile(), but for cells that are no numbers. Never to be called where a ledger pays.
  std::vector<TableColumn> checked_columns(const std::function<void()>& on_progress = {}) const;

  /// "DuckDB v1.2.3".
  std::string engine() const override;
  /// The same, and what is set so that no machine decides about a value, for profile files.
  std::string reader() const;

 private:
  struct State;
  explicit Table(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// How many records have a code.
struct CodeCount {
  Rational code;
  std::uint64_t count;
};

/// A histogram that is already public: the columns "code" and "count" of a file, exactly. Throws `data` for a cell that
/// is no number, a count that is negative or no whole number, a code that stands twice, and as Table::open.
std::vector<CodeCount> read_code_counts(const TableOptions& options);

}  // namespace fractile

// What a release reads: files and queries, columns in memory, tables on a server, and profile files; and how it is counted.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

// --- Samples of records ----------------------------------------------------------------------------------------------
//
// Keyed samples: which of a person's records count when they have more than they may. The choice is a function of a key and of that
// person's records alone, so that every machine makes the same one, in whatever order the records come.
// Proof: docs/proofs/contribution_bounding.md

/// What stands for a group in the ranks of its records. With one key column it is the key; with several, each column's key after
/// the key's size as 4 bytes, lowest byte first. So different groups of the same columns are distinct, whatever their keys hold.
std::string sampled_group(const GroupKey& key);

/// One of a person's records. Records that are equal in position and group are distinguished by their ordinals 0, 1, ...
struct SampledRecord {
  Position position;
  std::string_view group;  ///< as sampled_group() has it; empty without groups
  std::uint64_t ordinal;
};

/// The key that chooses each person's sample: the `most` records of the smallest ranks. The bound on records per person holds
/// whatever the key is, so it need not be secret; that it is drawn at random, and for one release, makes the samples uniform.
/// Thread-safety: a value; threads may share it while none changes it.
class SamplingKey {
 public:
  static constexpr std::size_t size = 32;  ///< bytes
  /// Ranks are compared as unsigned bytes, the first byte first.
  using Rank = std::array<unsigned char, 32>;

  /// Four draws of 64 bits, each with its lowest byte first.
  static SamplingKey draw(RandomBits& bits);
  /// Throws `usage` unless there are 32 bytes.
  static SamplingKey of_bytes(std::string_view bytes);

  const std::array<std::byte, size>& bytes() const { return bytes_; }
  /// 32 hexadecimal digits that identify a key without revealing it: the first 16 bytes of HMAC-SHA-256(key, "key").
  std::string id() const;
  /// HMAC-SHA-256(key, position, ordinal, size of the group, group, person): the first two as 8 bytes and the size as 4, each
  /// lowest byte first; texts as their bytes.
  Rank rank(std::string_view person, const SampledRecord& record) const;

  friend bool operator==(const SamplingKey&, const SamplingKey&) = default;

 private:
  SamplingKey() = default;
  std::array<std::byte, size> bytes_{};
};

// --- Tables ----------------------------------------------------------------------------------------------------------
//
// Counting columns of files and queries (here, through DuckDB's C interface), and of the sources that fractile/source.hpp names.

/// Who counts: the engine (GROUP BY value) or this library, record by record, on the engine's threads. Both give the same profile, bit for bit.
/// automatic lets the engine count whole numbers, and dates on lattices of dates, where these span at most 4,096 of them, whatever the
/// step; push_down throws `usage` on others.
enum class Counting { automatic, push_down, stream };

/// The format that a file's name announces, as TableOptions::format has it: "csv", "tsv", "parquet" or "json"; "" when it announces none.
std::string format_by_name(const std::string& file);
/// Whether a file begins as one does that is packed by gzip, zstd, bzip2 or xz; false where it cannot be read.
bool is_packed(const std::string& file);

/// A file that was opened, whatever its name leads to by now; or several files that form one table.
struct OpenedFile {
  std::string name;  ///< by which it was opened; for several names all of them, sorted, with commas between
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

/// What OpenedFile::path would be for a table with this name; empty when that is not known. No file is read. Throws as
/// Table::open() does.
std::string path_of_table(const std::vector<std::string>& names);
/// The files that a name of TableOptions currently stands for; empty where they cannot be read as one table. No file is opened.
std::vector<std::string> files_of_name(const std::string& name);

/// Called once with all tables that are read, when their files are open and before a byte of them is looked at. What it throws ends the opening.
using OnOpened = std::function<void(const std::vector<OpenedFile>&)>;

struct TableOptions {
  /// Path; "-" for standard input (spooled to a private temporary file); may be empty with `sql`. The path of a folder stands for
  /// all files in it except those whose names begin with . or _, and the folder may hold no folders. Where there is no file of this
  /// name, a name with * ? or [ is a pattern, and stands for the files that match it, as in a shell.
  std::string file = {};
  /// One SELECT over `input` (the file) and over `tables`, and nothing else; columns of text files are VARCHAR there, whatever they
  /// hold, those of JSON are the keys that the query names. Empty: the file itself. Row-wise, or declared by `sql_stability`.
  /// Proof: docs/proofs/row_wise_queries.md
  std::string sql = {};
  /// "csv", "tsv", "parquet", "json", or empty: by the file's name, csv for standard input. CSV and TSV may be packed by gzip, zstd, bzip2
  /// or xz, as their first bytes say, and JSON by gzip.
  std::string format = {};
  /// For csv and tsv; empty: found in the header line, which alone decides.
  std::string delimiter = {};
  /// Path of libduckdb, 1.1 or later; empty: FRACTILE_DUCKDB, beside the executable, ../lib from there, the loader's path. A process
  /// loads one.
  std::string library = {};
  static constexpr std::uint32_t most_threads = 256;
  /// How many threads read, sort positions and draw groups, at most `most_threads`; 0: as many as the machine runs at once. The
  /// number changes no profile, and no release from reproducible bits. Records that must come in the order of the file are read by
  /// one thread.
  std::uint32_t threads = 0;
  /// Further tables that a query may read.
  std::vector<NamedTable> tables = {};
  /// For csv and tsv, in all files that are read: a declaration that each record stands on one line. Then a quoted cell
  /// that holds a line end throws `data` when records are read. Without it, two stray quotes may pair, and the records
  /// between them become one cell.
  bool single_line_records = false;
  static constexpr std::uint32_t most_stability = 1'000'000'000;
  /// For a query that is not row-wise, or need not be checked to be: a declaration that one record more or less changes at
  /// most this many rows of its result. A row that changes counts twice under add-remove (one less, one more), once under
  /// change-one. The declaration is not checked. What is counted carries it, and release() multiplies by it. At most
  /// `most_stability`.
  std::optional<std::uint32_t> sql_stability = {};
  static constexpr std::uint64_t least_memory = 100'000'000;
  /// How many bytes the engine may take (half of it), and the records that are sorted by person and those that are being counted; further
  /// ones go to a nameless temporary file, which no other program can open. 0: as many as there are. The limit changes no profile, nor
  /// whether there is one: where the engine cannot read a table within it, or the disk has no room, the table is read again without a limit.
  /// At least `least_memory`. Finished profiles, 16 bytes an occupied position, come on top of it; a publication has those of one column at
  /// a time.
  std::uint64_t memory = 0;
  /// Not given: error, and missing in a release that a ledger pays for. Rows of a row-wise query are read as `missing` whatever
  /// this says, and a value that cannot be computed is missing.
  std::optional<Unreadable> unreadable = {};
  /// What counts as missing in the column that is counted, and in that of persons: numbers by their values, other texts exactly.
  /// For a query, in the columns of its result. None empty, at most `most_missing`.
  std::vector<std::string> missing = {};
  static constexpr std::size_t most_missing = 100;
  /// For csv and tsv without `sql`, in the columns whose numbers are counted; another cell with a point or a comma is not a number.
  NumberStyle numbers = {};
  /// For csv and tsv, in all files that are read: "utf-8", "latin1", "windows-1252", "utf-16", "utf-16le" or "utf-16be"; empty:
  /// UTF-8. Bytes that are not text in the encoding become U+FFFD.
  std::string encoding = {};
  /// Further files, folders and patterns of the same table, beside `file`. All files of a table are of one format and have the same columns in
  /// the same order, and none is named twice; a record belongs to the table whichever file holds it.
  std::vector<std::string> more_files = {};
  static constexpr std::size_t most_files = 1'000;
};

/// Groups of one or several keys each, such as a total over cells.
struct MergedGroups {
  KeyColumns by = {};                      ///< the columns that distinguish the groups; none: there is one group
  GroupKeys keys = {};                     ///< one key per group; none where there is one
  std::vector<std::uint32_t> of_key = {};  ///< for each key that is merged, in which of these groups it is

  std::size_t size() const { return by.empty() ? 1 : keys.size(); }
  friend bool operator==(const MergedGroups&, const MergedGroups&) = default;
};

/// Whose records count, and in which groups. In text files, cells of `person` and `by` are compared byte for byte: 1 and 1.0
/// differ. Elsewhere cells and keys are values of the column's type.
struct RecordSelection {
  /// The column that identifies the person; empty: persons are not distinguished.
  std::string person = {};
  /// With `person`: at most this many of each person's records with a number and a listed key count, those of the smallest ranks
  /// under a sampling key. They are a uniform random sample, and a function of that key and that person's records alone. Without
  /// `person`: a declaration, which is not checked, that no person has more. At least 1.
  std::uint32_t records_per_person = 1;
  /// The columns that hold the keys, none twice; none: all records are one group.
  KeyColumns by = {};
  /// The keys, which are public: 1 to 100,000, none empty, none twice, with a text for each column of `by`. A record whose texts in
  /// these columns together form none of the keys is left out.
  GroupKeys keys = {};
  /// None, or a text for each column of `by`. With a text, a record that has another text there than the column's keys, or no text,
  /// counts as if it had this one, which is a key like the others. With an empty text, such a record is left out.
  std::vector<std::string> others = {};
  /// With `person`: the sampling key, for one release. None: counting draws one.
  std::optional<SamplingKey> sampling_key = {};
  /// With `person`: that person's eligible records become one value, or with `by` one in each group, before anything is sampled. So
  /// `records_per_person` is 1, or with `by` in how many groups a person may count. Proof: docs/proofs/one_value_per_person.md
  std::optional<PerPerson> per_person = {};
  /// With `per_person` and `by`: a person's records with any of a group's keys become one value there. Nothing: each key is a group.
  std::optional<MergedGroups> merged = {};
  /// Where records have weights: units of weight are counted. A record without a weight is treated like one without a number. Not
  /// with `per_person`: a value of several records has no weight.
  std::optional<RecordWeights> weights = {};
  /// With `person`: any of that person's records may be sampled, whatever it holds. When columns are counted together, the same
  /// records count in all of them, each where it has a number and a listed key. Not with `per_person`.
  bool whole_records = false;

  bool selects() const { return !person.empty() || !by.empty() || weights.has_value(); }
  /// Throws `usage` unless the members are as said above.
  void validate() const;
  /// Throws `usage` where the number of counted records reveals more than how many rows a table has.
  void require_public_rows() const;
  /// What was counted with a selection: one profile per key, or one.
  CountedColumn counted(std::vector<RankProfile> profiles) const;
};

/// A column to count: on which lattice, whose records, and in which groups.
struct ColumnToCount {
  std::string column;
  Lattice lattice;
  NullPolicy null_policy = NullPolicy::drop;
  RecordSelection selection = {};
  /// Whether the table's number of rows is declared public, and so is counted, too. Not with a selection that leaves records out.
  bool public_rows = false;

  /// Throws `usage` as RecordSelection::validate() does, and for a value of each person that the lattice's kind does
  /// not have: sums, means, counts and truth values are numbers.
  void validate() const;
};

/// How Table::profile() reads a column's cells. All records decide this: it is for the data's owner, and must not be published.
struct ColumnCells {
  /// What most of the readable cells are: numbers, times (`timestamp`, including dates, unless the column's type is a date's) or
  /// instants. Nothing where no cell can be read.
  std::optional<ValueKind> read_as = {};
  std::uint64_t read = 0;        ///< as these; in a column that is read as nothing, all cells that are not missing
  std::uint64_t missing = 0;     ///< NULL, blank, NaN, or declared to be
  std::uint64_t unreadable = 0;  ///< neither of these
  /// The records with unreadable cells, from 1 on: the first `most_rows`.
  std::vector<std::uint64_t> unreadable_rows = {};
  /// For a table of several files, the file in which each of these records stands and is numbered. Empty for one file, for a query, and
  /// for JSON, where records are numbered consecutively, in the order of the files.
  std::vector<std::string> unreadable_files = {};
  static constexpr std::size_t most_rows = 5;
};

/// A column of a schema, and what its cells are, where they were examined.
struct TableColumn {
  std::string name;
  std::string type;  ///< the engine's; for text files and JSON VARCHAR, whatever they hold
  std::optional<ColumnCells> cells = {};
};

/// Records that can be counted, wherever they are: their columns are known, and no record was kept.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Records {
 public:
  Records() = default;
  virtual ~Records() = default;

  /// Throws `usage` or `data` unless each of them can be counted: there are such columns, their types go with the
  /// lattice and the selection, and all can be read at once. No record is looked at.
  virtual void require_countable(const std::vector<ColumnToCount>& columns) const = 0;
  /// Counts all columns, in one reading where records are read from files. Each column is counted as if it were alone, except those
  /// whose selections are of whole records: these share one sample, are all read at once, and must agree about persons. For a
  /// selection with persons and no sampling key, one is drawn from the bits, in the order of the columns, so that reproducible bits
  /// give a reproducible sample. Throws `usage` as above; throws `data` for what cannot be read, and, under NullPolicy::error, for
  /// a record without a number or a person. `on_progress` is called now and then, without arguments; what it throws ends the
  /// counting.
  /// Proof: docs/proofs/contribution_bounding.md
  virtual std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                           const std::function<void()>& on_progress = {}) const = 0;
  /// The same, when the profiles of all columns together may take much memory: each function gives its column, once. No record is read
  /// then; within TableOptions::memory, what was counted may lie in a temporary file until then.
  virtual std::vector<std::function<CountedColumn()>> count_apart(const std::vector<ColumnToCount>& columns,
                                                                  RandomBits& bits,
                                                                  const std::function<void()>& on_progress = {}) const;
  /// All columns, in their order. No record is looked at.
  virtual std::vector<TableColumn> columns() const = 0;
  /// Throws `data` when a file was written to since it was opened. No record is looked at.
  virtual void require_unchanged() const {}
  /// The column of persons for whom a query makes one row each: the column of the table below the query; empty where no query does
  /// that. Then they are counted with this column of persons alone. Proof: docs/proofs/one_value_per_person.md
  virtual std::string person_of_rows() const { return {}; }
  /// Which share of the files the current reading has taken: for text a share of the bytes, for Parquet as the engine says. Nothing
  /// for files of several formats, and for a query whose stability is declared. It serves to show progress, and nothing else.
  virtual std::optional<double> share_read() const { return {}; }
  /// The files that are read as one table, by OpenedFile::parts; none where one file, a query or something else is read.
  virtual std::vector<std::string> files() const { return {}; }
  /// What reads them, for receipts.
  virtual std::string engine() const = 0;

 protected:
  Records(const Records&) = default;
  Records& operator=(const Records&) = default;
  Records(Records&&) = default;
  Records& operator=(Records&&) = default;
};

/// An opened table whose schema is known. No record of it has been kept.
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

  /// Throws `data` unless the table has this column and its type can be counted on lattices of this kind (text files: any column
  /// can be tried; JSON: any key, spelled as in the records; a key that a record lacks is NULL there). Dates and times without a
  /// zone go with dates and timestamps, times with one with instants. No record is looked at.
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// The same, and throws `usage` for a lattice whose ends do not fit into 64 bits in the units of decimals and wide
  /// integers, where values may not fit either.
  void require_countable(const std::string& column, const Lattice& lattice) const;

  /// Checks the columns as above, and what goes with selections. Throws `usage` as RecordSelection::validate() does;
  /// for a person's column of a query whose stability is declared, as its rows need not come from one person each; for
  /// a key that is not a value of its column's type, or the same as another one; for keys of JSON that differ in letter
  /// case only; and for public rows of a query or a selection. Throws `data` unless the table has the columns, and for
  /// persons by floating-point numbers or nested values.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts a column on a lattice, whole and by itself, as a profile that does not say whose records it holds. Decimals and
  /// integers of any width are exact. Text files are read as doubles whatever their cells look like, so that one record's spelling
  /// never changes how another is read; on lattices that reach 2^53, a whole number that no double holds throws `data`. A text is a
  /// number when it is one of: digits with an optional decimal point and an optional exponent (1e3), or inf, infinity or nan in any
  /// case; each with an optional sign, and with any ASCII white space around it. 1_000, 1,000 and 0x10 are not numbers. A text of
  /// nothing but white space is NULL. On a lattice of times, cell_ticks() reads a text. Times are cut off to microseconds,
  /// and infinite ones clamp. Throws `data` for a cell that is not a number (or time), text that is not RFC 4180 or JSON, and,
  /// under NullPolicy::error, for NULL, empty or NaN. `on_progress` is called now and then, without arguments.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;

  /// How many records the file has, with or without a number. Throws `usage` for a query; throws `data` as profile()
  /// does.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;

  /// Counts each column as profile() does, record by record, in one pass for all columns. A record without a person (NULL, empty,
  /// blank, NaN or NaT) is left out or refused like one without a number, whatever its key. Memory: with persons, for each column
  /// some 5 bytes a record besides the person's text; and what ProfileBuilder takes. TableOptions::memory limits both.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<std::function<CountedColumn()>> count_apart(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                                          const std::function<void()>& on_progress = {}) const override;

  /// profile(), count(), rows() and texts() end in the same way: what was read would not be of one moment.
  void require_unchanged() const override;
  std::string person_of_rows() const override;
  std::optional<double> share_read() const override;
  std::vector<std::string> files() const override;

  /// All cells of some columns as texts, one list per column, in the order of the file: for tables that are small and public.
  /// Throws `data` when a column is not there or a cell is NULL.
  std::vector<std::vector<std::string>> texts(const std::vector<std::string>& columns) const;

  static constexpr std::size_t most_keys = 1000;
  /// Columns with equal names. Throws `usage` for JSON, which has no schema.
  std::vector<TableColumn> columns() const override;
  /// The same, with what their cells are; for JSON the keys that its records have, sorted by name, at most `most_keys`. The records
  /// are read once, or twice for JSON. Throws as profile() does, except for cells that are not numbers. Never call it where a
  /// ledger pays.
  std::vector<TableColumn> checked_columns(const std::function<void()>& on_progress = {}) const;

  /// "DuckDB v1.2.3".
  std::string engine() const override;
  /// The same, with the settings that make values independent of the machine, for profile files.
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
/// is not a number, a count that is negative or no whole number, a code that occurs twice, and as Table::open() does.
std::vector<CodeCount> read_code_counts(const TableOptions& options);

}  // namespace fractile

// --- Columns in memory -----------------------------------------------------------------------------------------------
//
// Frames: columns in memory become a RankProfile, without a copy. They come through Arrow's C interface or as plain buffers.
// Source: the Arrow C data and C stream interfaces, whose structures stand here as their specification has them.

// Their untyped pointers (void*) are the specification's: the program that hands over memory and the one that reads it were
// compiled apart. NOLINTBEGIN(google-global-names-in-headers): the specification's own names
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
#endif
// NOLINTEND(google-global-names-in-headers)

namespace fractile {

/// Numbers that lie at equal distances in memory; for times the smallest integer is not a time (NaT).
struct NumberBuffer {
  const std::byte* first;  ///< of number 0
  std::string format;      ///< a number's type as Arrow writes it: "g" double, "l" 64-bit integer, "tsu:" microseconds
  std::size_t size;        ///< how many
  std::ptrdiff_t stride;   ///< from one to the next, in bytes
  std::shared_ptr<const void> owner;  ///< keeps them alive, and the bits
  const std::uint8_t* validity =
      nullptr;  ///< one bit per number, from the lowest on: 0 where there is none; without it all are
};

/// Columns in memory. A column's type says what it is read as, never its values: integers, decimals and times exactly,
/// floating-point numbers as they are, text (also in dictionaries) only as persons and keys. The columns are known from the start;
/// records are requested when they are counted, and no sooner.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Frame final : public Records {
 public:
  /// All that a stream yields: the columns of a table, or one column, which is called `name`. Takes the stream over, and reads nothing
  /// of it but its schema: functions that count records throw `data` when the stream fails. A record that is NULL as a whole
  /// has a NULL in each column.
  static Frame of(ArrowArrayStream& stream, const std::string& name = {});
  /// The same for one array, which is taken over together with its schema.
  static Frame of(ArrowSchema& schema, ArrowArray& array, const std::string& name = {});
  /// Records that are not there yet: `columns` says what they will be, and `records` gives them, in one frame or in several, when they are
  /// first counted. Several frames are counted one by one, each by its own types; they have neither persons nor keys.
  static Frame later(Frame columns, std::function<std::vector<Frame>()> records);
  /// One column of numbers. Throws `usage` for a format that is not a number's.
  static Frame of(const NumberBuffer& numbers, const std::string& name);
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame() override;

  /// On how many threads records are counted, as in TableOptions.
  void use_threads(std::uint32_t threads);
  /// How many bytes the records that are sorted by person, and those that are counted by group, may take, as in TableOptions::memory.
  void use_memory(std::uint64_t bytes);
  /// What counts as missing in the column that is counted, and in that of persons: numbers and times by their values, other texts exactly,
  /// as TableOptions::missing. Throws `usage` as TableOptions does.
  void use_missing(std::vector<std::string> missing);
  std::vector<TableColumn> columns() const override;

  /// Throws `data` unless the column is there and its type can be counted on lattices of this kind, as
  /// Table::require_countable().
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// As above, and throws `usage` unless its type and the lattice go together, as profile() says.
  void require_countable(const std::string& column, const Lattice& lattice) const;
  /// Checks the columns as above. Throws `usage` as RecordSelection::validate() does, and `data` unless persons and
  /// keys are columns of text or whole numbers.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts the column on the lattice. Throws `usage` when a type and a lattice do not go together: decimals, and whole
  /// numbers without a sign, on lattices whose ends are not 64-bit integers in their units. Throws `data` under
  /// NullPolicy::error for NULL and NaN. `counting` is as for a Table, except that this library always counts.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  /// The profile of values that were counted before, such as the result of GROUP BY value: the k-th value stands for as many
  /// records as the k-th number in the column `counts` of a frame, which may be this one. Otherwise as profile(). Throws `usage`
  /// unless both columns are equally long; throws `data` unless the counts are whole numbers, none negative or NULL.
  RankProfile profile_of_counts(const std::string& column, const Frame& counted, const std::string& counts,
                                const Lattice& lattice, NullPolicy null_policy) const;
  /// How many records there are.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;
  /// "memory".
  std::string engine() const override;

 private:
  struct State;
  explicit Frame(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// --- Profile files ---------------------------------------------------------------------------------------------------
//
// Profile files: a column that was counted in one place, to be merged with others and released in another. Format:
// docs/profile-format.md. They are as sensitive as the data: they are the data, counted.
// Proof: docs/proofs/profile_merging.md

/// What is known of a file's profiles without their counts: the request with which they were counted. No record decides any of it.
struct ProfileHeader {
  Lattice lattice;
  std::string column = {};
  NullPolicy null_policy = NullPolicy::drop;
  /// No person has more records in all profiles together, if what was declared of the sources is true.
  std::uint32_t records_per_person = 1;
  /// The column of persons by which that bound was kept, each person's records being a random sample; empty: it was declared.
  std::string person = {};
  /// The columns of the groups' keys, and the keys, one per profile; both empty for a single profile.
  KeyColumns by = {};
  GroupKeys keys = {};
  /// The query whose result was counted; empty: the sources themselves.
  std::string sql = {};
  /// What was counted, one text per counting, sorted; and how persons' records were chosen, once each, sorted.
  std::vector<std::string> sources = {};
  std::vector<std::string> samplers = {};
  /// Whether the profiles were merged with the declaration that no person is in two of them.
  bool disjoint_persons = false;
  /// What was declared to be missing, in the column and in that of persons, as TableOptions::missing; no text has a comma. And what was
  /// done with a cell that is not a number.
  std::vector<std::string> missing = {};
  Unreadable unreadable = Unreadable::error;
  /// What read the sources, with the settings that could decide about a value, once each, sorted: as Table::reader(). Empty for
  /// columns in memory, and in files of format 1.
  std::vector<std::string> readers = {};
  /// What each person's records became, where each person counts with one value.
  std::optional<PerPerson> per_person = {};
  /// Whether the query made one row of each person's records: then such rows of `person` were counted.
  bool one_row_a_person = false;
  /// The weights' column and grid, where records were weighted: then units of weight were counted. What is declared or expected of
  /// the weights is given with the release.
  std::optional<RecordWeights> weights = {};

  /// Throws `usage` for a header that no file can hold: a bound of 0, keys that RecordSelection refuses, texts above a mebibyte.
  void validate() const;
  /// Throws `usage` when a promise is asked for to persons of fewer records than one person may have here.
  void require_bound(std::uint64_t asked) const;
  /// What was counted.
  ColumnToCount counted() const;
};

/// One profile per key of the header, or one.
/// Thread-safety: a value; threads may share it while none changes it.
struct CountedProfiles {
  ProfileHeader header;
  std::vector<RankProfile> profiles;
};

/// The bytes of a file. Equal countings have equal bytes. Throws `usage` as validate() does, and unless there is a
/// profile a key, on the lattice.
std::string to_bytes(const CountedProfiles& counted);
/// Throws `data` unless these are the bytes of one file, whole and undamaged; `name` says where the bytes come from.
CountedProfiles profiles_of_bytes(std::string_view bytes, const std::string& name);

/// Whether a person may have records in several of the profiles that are merged: then bounds of records per person add up.
enum class Persons { may_overlap, are_disjoint };

/// How to treat files with equal contents: nearly always they are one counting named twice, each of whose records would count
/// double.
enum class EqualFiles { one_counting, different_records };

/// A file that is read piece by piece: first the header, later the counts.
/// Thread-safety: not for two threads at once.
class ProfileFile final : public Records {
 public:
  /// Reads the header, which has a hash of its own, and nothing else. Throws `data` when the file is missing, none,
  /// damaged or of a newer format.
  static ProfileFile open(const std::string& path);
  ProfileFile(ProfileFile&&) noexcept;
  ProfileFile& operator=(ProfileFile&&) noexcept;
  ~ProfileFile() override;

  const ProfileHeader& header() const;
  /// What was opened, and is read.
  const OpenedFile& opened() const;
  /// Throws `usage` unless it is one column, and that of the header, for persons of as many records or more.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;
  /// All counts, once, as they were counted. Throws `data` when the file is damaged: no profile is returned before all
  /// of it has been read and compared with its hash. Throws `usage` when they were taken already.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<TableColumn> columns() const override;
  std::string person_of_rows() const override;
  /// How many countings were added up in it, and of what, where these are few.
  std::string engine() const override;
  /// count() throws in the same way. No count is looked at.
  void require_unchanged() const override;

  /// All records of all files, in any order. Throws as merged() below does (what headers decide, before a count is
  /// read), and as open() and count() do. Throws `usage`, which names both files, when two files that hold records have
  /// equal contents and `equal_files` says that they are one counting. Each file is opened and read twice, and must be the same
  /// file both times. (A pipe, which cannot be opened again, stays open.) `on_file` is called for each file, and then for each
  /// again.
  static CountedProfiles merge(const std::vector<std::string>& paths, Persons persons,
                               EqualFiles equal_files = EqualFiles::one_counting,
                               const std::function<void(const ProfileHeader&)>& on_file = {});

 private:
  struct State;
  explicit ProfileFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The header of merged profiles. Throws `usage` unless lattices, columns, null policies, persons, keys, queries, what
/// counts as missing, what is done with unreadable cells and, for queries, the readers are the same.
ProfileHeader merged(const ProfileHeader& a, const ProfileHeader& b, Persons persons);
/// All records of both. Associative and commutative, bit for bit, among merges with the same `persons`. Throws as
/// above, and `data` beyond RankProfile::max_records.
CountedProfiles merged(const CountedProfiles& a, const CountedProfiles& b, Persons persons);

// --- Sources ---------------------------------------------------------------------------------------------------------
//
// What a release reads: a file or a query, columns in memory, a table on a server, a profile file, or counts from elsewhere.
// Proof: docs/proofs/row_wise_queries.md

/// Who holds the records: a file or a server, which the asker cannot read directly, or the asker's own program, in its memory.
enum class Holder { owner, asker };

/// Records that were named and not opened yet.
/// Thread-safety: not for two threads at once.
class Source {
 public:
  static Source file(TableOptions options);
  /// Uses the frame up. Takes the options that apply to columns in memory: threads, memory, missing, unreadable.
  static Source frame(Frame frame, TableOptions options = {});
  /// A query on a PostgreSQL server, whose client library is loaded when it is needed. `address`: "postgres://user@host:port/database", which
  /// messages show without its password. Takes the options `sql`, `sql_stability`, library, threads and missing. `sql` is one
  /// SELECT. Without `sql_stability` it is row-wise over one table of the server, in DuckDB's dialect, and is run here, while the
  /// server hands over the columns that it names, as they are. With `sql_stability` it is in the server's dialect and is run there.
  /// The role's search path finds names without a schema.
  static Source postgres(std::string address, TableOptions options);
  /// A profile file whose header was read, and none of its counts.
  static Source profile_file(ProfileFile file);
  /// What the asker's program counts in its own way; options as for a frame.
  static Source counted_elsewhere(std::unique_ptr<Records> records, TableOptions options = {});

  /// How the records are read; each kind of source has the options that apply to it.
  const TableOptions& options() const { return options_; }
  /// Whether a profile file declares that no person is in two of the countings that were merged; Fractile does not check that.
  bool has_disjoint_persons() const { return has_disjoint_persons_; }
  Holder holder() const { return holder_; }
  /// How messages call it.
  std::string name() const;
  /// The address of a server; empty elsewhere.
  const std::string& address() const { return address_; }

  /// Opens the files, or reaches the server, and calls `on_opened` as Table::open() does, with nothing where no file is opened.
  /// Throws as Table::open() does. With a server, throws `usage` for a missing client library, for a query that is refused, and
  /// unless a row-wise one reads an ordinary table, all parts of which are ordinary, without row security and outside of the
  /// server's own schemas; throws `data` for a server that cannot be reached. No record is looked at. Throws `usage` when it was
  /// opened before, and is used up. `unsaid`: what is done with cells that are not numbers where the options do not say.
  std::unique_ptr<Records> open(const OnOpened& on_opened = {}, Unreadable unsaid = Unreadable::error);

 private:
  using Opening = std::function<std::unique_ptr<Records>(const OnOpened&, Unreadable)>;
  Source(TableOptions options, Holder holder, Opening opening);
  static Source opened_before(std::unique_ptr<Records> records, TableOptions options, Holder holder,
                              std::vector<OpenedFile> files = {});

  TableOptions options_;
  Holder holder_;
  std::string address_ = {};
  bool has_disjoint_persons_ = false;
  Opening opening_;
};

// --- The engine ------------------------------------------------------------------------------------------------------
//
// The engine that reads files and SQL: DuckDB's library, which is loaded when it is needed, once in a process.

/// Names the libduckdb to load where neither TableOptions::library nor FRACTILE_DUCKDB names one, for programs that bring an engine along.
/// An empty path names none again. It is the program's choice and no asker's, so a ledger's dataset need not declare it.
/// Thread-safety: any thread may call it; an engine that this process has loaded already stays.
void set_default_engine(std::string path);

}  // namespace fractile

// What a release reads, and how it is counted: files and queries, columns in memory, tables on a server, and profile files.
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

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"

namespace fractile {

// --- Samples of records ----------------------------------------------------------------------------------------------
//
// Keyed samples: which records of a person count when they have more than the bound allows. The choice is a function of a key and
// of that person's records alone. So every machine makes the same choice, in whatever order the records come.
// Proof: docs/proofs/contribution_bounding.md

/// The bytes that identify a group when its records are ranked. With one key column they are the key; with several, each column's
/// key after the key's size as 4 bytes, lowest byte first. So different groups of the same columns have different bytes, whatever
/// their keys hold.
std::string sampled_group(const GroupKey& key);

/// One of a person's records. Records that are equal in position and group are distinguished by their ordinals 0, 1, ...
struct SampledRecord {
  Position position;
  std::string_view group;  ///< as sampled_group() returns it; empty without groups
  std::uint64_t ordinal;
};

/// The key that chooses each person's sample: the `most` records of the smallest ranks. The bound on records per person holds
/// whatever the key is, so the key need not be secret. The samples are uniform because the key is drawn at random, for one release.
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
// Columns of files and queries, counted here or through DuckDB's C interface; and the interface of all counted records.

/// Who counts: the engine (GROUP BY value) or this library, record by record, on several threads. Both give the same profile,
/// bit for bit. automatic lets the engine count whole numbers, and dates on lattices of dates, if the lattice spans at most 4,096
/// whole numbers or days, whatever its step. On other columns and lattices, push_down throws `usage`.
enum class Counting { automatic, push_down, stream };

/// A file that was opened, even if its name leads elsewhere by now; or several files that form one table.
struct OpenedFile {
  std::string name;  ///< the name by which it was opened; several names are sorted, with commas between them
  /// Its absolute path, without links and dots. Empty when it is not known: for standard input, for a pipe, and for a file that has
  /// no path in this process (one that was removed since, is in another mount namespace, or was reached by a link of /proc to what
  /// some process has open). A folder's path ends with a slash. For a pattern, it is the folder's path followed by the pattern, if
  /// all files were found there and not through links. For several names, it has all paths, sorted, with commas between them, and
  /// is empty if one of them is not known.
  std::string path;
  /// The name of each file when there are several, in order. A folder and a pattern count as several files, whatever they hold.
  /// Empty for one file.
  std::vector<std::string> parts = {};
};

/// Called once with the files of all tables that are read, when these are open and before a byte of them is looked at. What it
/// throws ends the opening.
using OnOpened = std::function<void(const std::vector<OpenedFile>&)>;

struct TableOptions {
  /// Path; "-" for standard input (spooled to a private temporary file); may be empty with `sql`. The path of a folder stands for
  /// all files in it except those whose names begin with . or _, and the folder may hold no folders. Where there is no file of this
  /// name, a name with * ? or [ is a pattern, and stands for the files that match it, as in a shell.
  std::string file = {};
  /// One SELECT over `input` (the file) and `tables`, and nothing else. It must be row-wise, or have a declared `sql_stability`.
  /// Columns of text files are VARCHAR in it, whatever they hold; columns of JSON are the keys that the query names. Empty: the
  /// file itself.
  /// Proof: docs/proofs/row_wise_queries.md
  std::string sql = {};
  /// "csv", "tsv", "parquet", "json", or empty: by the file's name, csv for standard input. CSV and TSV may be packed by gzip, zstd, bzip2
  /// or xz, as their first bytes say, and JSON by gzip.
  std::string format = {};
  /// For csv and tsv; empty: detected from the header line alone.
  std::string delimiter = {};
  /// Path of libduckdb, 1.1 or later. Empty: searched for in FRACTILE_DUCKDB, next to the executable, in ../lib from there, and on
  /// the loader's path. A process loads it once.
  std::string library = {};
  static constexpr std::uint32_t most_threads = 256;
  /// How many threads read, sort positions and draw groups, at most `most_threads`; 0: as many as the machine runs at once. The
  /// number changes no profile, and no release from reproducible bits. Records that must come in the order of the file are read by
  /// one thread.
  std::uint32_t threads = 0;
  /// Further tables that a query may read.
  std::vector<NamedTable> tables = {};
  /// For csv and tsv, in all files that are read: a declaration that each record stands on one line. Then a quoted cell that holds
  /// a line end throws `data` when records are read. Without this declaration, two stray quotes may pair up, and the records
  /// between them become one cell.
  bool single_line_records = false;
  static constexpr std::uint32_t most_stability = 1'000'000'000;
  /// For a query that is not row-wise, or is not to be checked for that: a declaration that one record more or less changes at most
  /// this many rows of its result. A row that changes counts twice under add-remove (one less, one more), and once under
  /// change-one. The declaration is not checked. A counted column carries it, and release() multiplies by it. At most
  /// `most_stability`.
  std::optional<std::uint32_t> sql_stability = {};
  static constexpr std::uint64_t least_memory = 100'000'000;
  /// The limit, in bytes, for the engine (which may take half of it) together with the records that are sorted by person and those
  /// that are being counted. Further records go to a nameless temporary file, which no other program can open. At least
  /// `least_memory`; 0: no limit. The limit changes no profile, nor whether counting succeeds: where the engine cannot read a table
  /// within it, or the disk has no room, the table is read again without a limit. Finished profiles need 16 bytes per occupied
  /// position in addition; a publication holds those of one column at a time.
  std::uint64_t memory = 0;
  /// What to do with a cell that is not a number. Not given: error, but missing in a release that a ledger pays for. Rows of a
  /// row-wise query are always read as `missing`, and a value that cannot be computed is missing.
  std::optional<Unreadable> unreadable = {};
  /// What counts as missing in the column that is counted, and in those of persons and weights: numbers by their values, other texts
  /// exactly. For a query, this is about the columns of its result. At most `most_missing` texts, none empty.
  std::vector<std::string> missing = {};
  static constexpr std::size_t most_missing = 100;
  /// For csv and tsv without `sql`, in the columns whose numbers are counted; a cell with any other point or comma is not a number.
  NumberStyle numbers = {};
  /// For csv and tsv, in all files that are read: "utf-8", "latin1", "windows-1252", "utf-16", "utf-16le" or "utf-16be"; empty:
  /// UTF-8. Bytes that are not text in the encoding become U+FFFD.
  std::string encoding = {};
  /// Further files, folders and patterns of the same table, in addition to `file`. All files of a table are of one format and have
  /// the same columns in the same order, and none is named twice; a record belongs to the table whichever file holds it.
  std::vector<std::string> more_files = {};
  static constexpr std::size_t most_files = 1'000;

  /// Throws `usage` for options that Table::open() refuses whatever the files hold. Looks at no file.
  void validate() const;
};

/// Groups that merge one or several keys each, such as a total over cells.
struct MergedGroups {
  KeyColumns by = {};                      ///< the columns that distinguish the groups; none: there is one group
  GroupKeys keys = {};                     ///< one key per group; none where there is one
  std::vector<std::uint32_t> of_key = {};  ///< for each merged key, the place of its group

  std::size_t size() const { return by.empty() ? 1 : keys.size(); }
  friend bool operator==(const MergedGroups&, const MergedGroups&) = default;
};

/// Whose records count, and in which groups. In text files, cells of `person` and `by` are compared byte for byte: 1 and 1.0
/// differ. Elsewhere cells and keys are values of the column's type.
struct RecordSelection {
  /// The column that identifies the person; empty: persons are not distinguished.
  std::string person = {};
  /// With `person`: among each person's records with a number and a listed key, at most this many count: those of the smallest
  /// ranks under a sampling key. They are a uniform random sample, and a function of that key and that person's records alone.
  /// Without `person`: a declaration, which is not checked, that no person has more records. At least 1.
  std::uint32_t records_per_person = 1;
  /// The columns that hold the keys, none twice; none: all records are one group.
  KeyColumns by = {};
  /// The keys, which are public: 1 to 100,000, each not empty, different from the others, and with a text for each column of `by`.
  /// A record whose texts in these columns together form none of the keys is left out.
  GroupKeys keys = {};
  /// None, or a text for each column of `by`. A record whose text in the column is none of the column's keys, or is missing, counts
  /// as if it had this text, which is a key like the others. If this text is empty, such a record is left out.
  std::vector<std::string> others = {};
  /// With `person`: the sampling key, for one release. None: counting draws one.
  std::optional<SamplingKey> sampling_key = {};
  /// With `person`: each person's eligible records become one value, or with `by` one value in each group, before anything is
  /// sampled. So `records_per_person` is 1 or, with `by`, the number of groups in which a person may count. Proof:
  /// docs/proofs/one_value_per_person.md
  std::optional<PerPerson> per_person = {};
  /// With `per_person` and `by`: a person's records with any of a group's keys become one value there. Nothing: each key is a
  /// separate group.
  std::optional<MergedGroups> merged = {};
  /// Where records have weights: units of weight are counted. A record without a weight is treated like one without a number. Not
  /// with `per_person`: a value of several records has no weight.
  std::optional<RecordWeights> weights = {};
  /// With `person`: any of a person's records may be sampled, whatever it holds. When columns are counted together, the same sample
  /// counts in all of them; a record of it counts in each column in which it has a number and a listed key. Not with `per_person`.
  bool whole_records = false;

  bool selects() const { return !person.empty() || !by.empty() || weights.has_value(); }
  /// Throws `usage` unless the members are as said above.
  void validate() const;
  /// Throws `usage` where the number of counted records reveals more than how many rows a table has.
  void require_public_rows() const;
  /// The counted column for the profiles that were counted with this selection: one per key, or a single one.
  CountedColumn counted(std::vector<RankProfile> profiles) const;
};

/// A column to count: the lattice, whose records, and which groups.
struct ColumnToCount {
  std::string column;
  Lattice lattice;
  NullPolicy null_policy = NullPolicy::drop;
  RecordSelection selection = {};
  /// Whether the table's number of rows is declared public; then it is counted as well. Not with a selection that leaves records
  /// out.
  bool public_rows = false;

  /// Throws `usage` as RecordSelection::validate() does, and for a value per person that the lattice's kind does not have: sums,
  /// means, counts and truth values are numbers.
  void validate() const;
};

/// How Table::profile() reads a column's cells. All records decide this: it is for the data's owner, and must not be published.
struct ColumnCells {
  /// What most of the readable cells are: numbers, times (`timestamp`, including dates, unless the column's type is a date's) or
  /// instants. Numbers, of which none is read, where no cell can be read and most are numbers for people: with a decimal comma,
  /// separators of thousands, or a currency. Nothing where no cell can be read otherwise.
  std::optional<ValueKind> read_as = {};
  std::uint64_t read = 0;        ///< cells read as `read_as`; if that is nothing, all cells that are not missing
  std::uint64_t missing = 0;     ///< cells that are NULL, blank, NaN, or declared to be missing
  std::uint64_t unreadable = 0;  ///< all other cells
  /// The numbers, from 1 on, of the first `most_rows` records with unreadable cells.
  std::vector<std::uint64_t> unreadable_rows = {};
  /// For a table of several files, the file in which each of these records stands and is numbered. Empty for one file, for a query, and
  /// for JSON, where records are numbered consecutively, in the order of the files.
  std::vector<std::string> unreadable_files = {};
  static constexpr std::size_t most_rows = 5;
};

/// A column of a schema, and what its cells are, where they were examined.
struct TableColumn {
  std::string name;
  std::string type;  ///< the engine's name of the type; VARCHAR for text files and JSON, whatever they hold
  std::optional<ColumnCells> cells = {};
};

/// Records that can be counted, wherever they are. Their columns are known; no record has been kept.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Records {
 public:
  Records() = default;
  virtual ~Records() = default;

  /// Throws `usage` or `data` unless every column can be counted: the columns exist, their types fit the lattice and the selection,
  /// and all can be read at once. No record is looked at.
  virtual void require_countable(const std::vector<ColumnToCount>& columns) const = 0;
  /// Counts all columns; records of files are read once for all of them. Each column is counted as if it were alone, except columns
  /// whose selections have `whole_records`: these share one sample, are all read at once, and must agree about persons. For a
  /// selection with persons and no sampling key, a key is drawn from the bits, in the order of the columns; so reproducible bits
  /// give a reproducible sample. Throws `usage` as above; throws `data` for what cannot be read, and, under NullPolicy::error, for
  /// a record without a number or a person. `on_progress` is called now and then, without arguments; what it throws ends the
  /// counting.
  /// Proof: docs/proofs/contribution_bounding.md
  virtual std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                           const std::function<void()>& on_progress = {}) const = 0;
  /// The same, when the profiles of all columns together may take much memory: each function returns its column, once, without
  /// reading a record. Until then, to stay within TableOptions::memory, what was counted may lie in a temporary file.
  virtual std::vector<std::function<CountedColumn()>> count_apart(const std::vector<ColumnToCount>& columns,
                                                                  RandomBits& bits,
                                                                  const std::function<void()>& on_progress = {}) const;
  /// All columns, in their order. No record is looked at.
  virtual std::vector<TableColumn> columns() const = 0;
  /// Throws `data` when a file was written to since it was opened. No record is looked at.
  virtual void require_unchanged() const {}
  /// If a query makes one row per person: the column of persons in the table below the query. Then the rows can only be counted
  /// with this column as `person`. Otherwise empty. Proof: docs/proofs/one_value_per_person.md
  virtual std::string person_of_rows() const { return {}; }
  /// The share of the files that the current reading has read: for text a share of the bytes, for Parquet the engine's estimate.
  /// Nothing for files of several formats, and for a query whose stability is declared. It is only for showing progress.
  virtual std::optional<double> share_read() const { return {}; }
  /// The files that are read as one table, as OpenedFile::parts; none where one file, a query or something else is read.
  virtual std::vector<std::string> files() const { return {}; }
  /// The name of what reads the records, for receipts.
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
  /// Opens the files, calls `on_opened`, loads the engine (except for delimited text without a query) and reads the schema. From then on
  /// the files that were opened are read, whatever their names lead to. Throws `usage` for a missing engine, unknown format, too many
  /// threads or a query that is refused; throws `data` for a file that is missing, unreadable or not of its format. Messages name file,
  /// row and column, never a value.
  static Table open(const TableOptions& options, const OnOpened& on_opened = {});
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;
  ~Table() override;

  /// Throws `data` unless the table has this column and its type can be counted on lattices of this kind (text files: any column
  /// can be tried; JSON: any key, spelled as in the records; a key that a record lacks is NULL there). Dates, and times without a
  /// zone, fit lattices of dates and timestamps; times with a zone fit lattices of instants. No record is looked at.
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// The same, and for columns of decimals and wide integers throws `usage` when the lattice's ends do not fit into 64 bits in the
  /// column's units.
  void require_countable(const std::string& column, const Lattice& lattice) const;

  /// Checks the columns as above, and their selections. Throws `usage` as RecordSelection::validate() does, and in these cases:
  /// * persons over a query whose stability is declared, since its rows need not come from one person each;
  /// * a key that is not a value of its column's type, or is the same value as another key;
  /// * keys of JSON that differ in letter case only;
  /// * public rows with a query or a selection.
  /// Throws `data` unless the table has the columns, and when the column of persons has floating-point numbers or nested values.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts a column on a lattice, whole and by itself, without regard to persons. Decimals and integers of any width are exact.
  /// Text files are read as doubles whatever their cells look like, so that one record's spelling never changes how another is
  /// read; on lattices that reach 2^53, a whole number that no double holds throws `data`. A text is a number when it is one of:
  /// digits with an optional decimal point and an optional exponent (1e3), or inf, infinity or nan in any case; each with an
  /// optional sign, and with any ASCII white space around it. 1_000, 1,000 and 0x10 are not numbers. A text of white space alone is
  /// NULL. On a lattice of times, cell_ticks() reads a text. Times are cut off to microseconds, and infinite ones clamp. Throws
  /// `data` for a cell that is not a number (or time), text that is not RFC 4180 or JSON, and, under NullPolicy::error, for NULL,
  /// empty or NaN. `on_progress` is called now and then, without arguments.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;

  /// How many records the file has, with or without a number. Throws `usage` for a query; throws `data` as profile()
  /// does.
  std::uint64_t rows(const std::function<void()>& on_progress = {}) const;

  /// Counts each column as profile() does, record by record, in one pass for all columns. A record without a person (NULL, empty,
  /// blank, NaN or NaT) is left out or refused like one without a number, whatever its key. Memory: with persons, for each column
  /// some 5 bytes per record and the person's text, and in any case what ProfileBuilder takes. TableOptions::memory limits both.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<std::function<CountedColumn()>> count_apart(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                                          const std::function<void()>& on_progress = {}) const override;

  /// profile(), count(), rows() and texts() also throw this at their end, since what they read would not be the state of one
  /// moment.
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
  /// The same, with what their cells are. For JSON, the columns are the keys of its records, sorted by name, at most `most_keys`.
  /// The records are read once, or twice for JSON. Throws as profile() does, except for cells that are not numbers. Never call it
  /// where a ledger pays.
  std::vector<TableColumn> checked_columns(const std::function<void()>& on_progress = {}) const;

  /// "DuckDB v1.2.3"; "text" for delimited text without a query.
  std::string engine() const override;
  /// The same with the settings that make values independent of the machine, for profile files.
  std::string reader() const;

 private:
  struct State;
  explicit Table(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A code, and how many records have it.
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
// Source: the Arrow C data and C stream interfaces, whose structures are copied here from their specification.

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

/// Numbers at equal distances in memory; for times, the smallest integer means NaT.
struct NumberBuffer {
  const std::byte* first;  ///< of number 0
  std::string format;      ///< a number's type as Arrow writes it: "g" double, "l" 64-bit integer, "tsu:" microseconds
  std::size_t size;        ///< how many
  std::ptrdiff_t stride;   ///< from one to the next, in bytes
  std::shared_ptr<const void> owner;  ///< keeps the numbers and the validity bits alive
  const std::uint8_t* validity =
      nullptr;  ///< One bit per number, lowest bit first: 0 where there is no number. Null: every number is there.
};

/// Columns in memory. A column's type decides how it is read, and its values never do: integers, decimals and times exactly,
/// floating-point numbers as they are, and text (also in dictionaries) only as persons and keys. The columns are known from the
/// start; records are requested only when they are counted.
/// Thread-safety: not for two threads at once. Its own work uses several.
class Frame final : public Records {
 public:
  /// All that a stream yields: the columns of a table, or one column, which is called `name`. Takes the stream over and reads only
  /// its schema: functions that count records throw `data` when the stream fails. A record that is NULL as a whole has a NULL in
  /// each column.
  static Frame of(ArrowArrayStream& stream, const std::string& name = {});
  /// The same for one array, which is taken over together with its schema.
  static Frame of(ArrowSchema& schema, ArrowArray& array, const std::string& name = {});
  /// Records that are not available yet: `columns` describes them, and `records` returns them, in one frame or in several, when
  /// they are first counted. Several frames are counted one by one, each by its own types; then persons and keys are not supported.
  static Frame later(Frame columns, std::function<std::vector<Frame>()> records);
  /// One column of numbers. Throws `usage` for a format that is not a number's, and for numbers that are nowhere.
  static Frame of(const NumberBuffer& numbers, const std::string& name);
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame() override;

  /// The number of threads that count records, as in TableOptions. Throws `usage` for more than TableOptions::most_threads.
  void use_threads(std::uint32_t threads);
  /// The limit, in bytes, for the records that are sorted by person and those that are counted by group, as in
  /// TableOptions::memory. Throws `usage` for a limit below TableOptions::least_memory.
  void use_memory(std::uint64_t bytes);
  /// What counts as missing in the counted column, and in those of persons and weights: numbers and times by value, other texts exactly,
  /// as TableOptions::missing. Throws `usage` as TableOptions does.
  void use_missing(std::vector<std::string> missing);
  std::vector<TableColumn> columns() const override;

  /// Throws `data` unless the column exists and its type can be counted on lattices of this kind, as Table::require_countable().
  void require_countable(const std::string& column, ValueKind kind = ValueKind::number) const;
  /// As above, and throws `usage` unless its type fits the lattice, as described for profile().
  void require_countable(const std::string& column, const Lattice& lattice) const;
  /// Checks the columns as above. Throws `usage` as RecordSelection::validate() does, and `data` unless persons and
  /// keys are columns of text or whole numbers.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;

  /// Counts the column on the lattice. Throws `usage` when the type does not fit the lattice: for decimals, and for unsigned whole
  /// numbers, when the lattice's ends are not 64-bit integers in the column's units. Throws `data` under NullPolicy::error for NULL
  /// and NaN. `counting` is as for a Table, except that this library always counts.
  RankProfile profile(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                      Counting counting = Counting::automatic, const std::function<void()>& on_progress = {}) const;
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  /// The profile of values that were counted before, such as the result of GROUP BY value: the k-th value stands for as many
  /// records as the k-th number in the column `counts` of the frame `counted`, which may be this one. Otherwise as profile().
  /// Throws `usage` unless both columns are equally long; throws `data` unless the counts are whole numbers, none negative or NULL.
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
// docs/profile-format.md. They are as sensitive as the data.
// Proof: docs/proofs/profile_merging.md

/// What is known of a file's profiles without their counts: the request with which they were counted. No record affects it.
struct ProfileHeader {
  Lattice lattice;
  std::string column = {};
  NullPolicy null_policy = NullPolicy::drop;
  /// No person has more records in all profiles together, if the declarations about the sources are true.
  std::uint32_t records_per_person = 1;
  /// The column of persons with which that bound was enforced: the records counted are a random sample of each person's. Empty: the
  /// bound was declared.
  std::string person = {};
  /// The columns of the groups' keys, and the keys, one per profile; both empty for a single profile.
  KeyColumns by = {};
  GroupKeys keys = {};
  /// The query whose result was counted; empty: the sources themselves.
  std::string sql = {};
  /// `sources`: what was counted, one text per counting, sorted. `samplers`: how persons' records were chosen, each once, sorted.
  std::vector<std::string> sources = {};
  std::vector<std::string> samplers = {};
  /// Whether the profiles were merged with the declaration that no person is in two of them.
  bool disjoint_persons = false;
  /// What was declared to be missing, in the counted column and in that of persons, as TableOptions::missing; no text has a comma.
  /// `unreadable`: what was done with a cell that is not a number.
  std::vector<std::string> missing = {};
  Unreadable unreadable = Unreadable::error;
  /// What read the sources, with the settings that could decide about a value, once each, sorted: as Table::reader(). Empty for
  /// columns in memory, and in files of format 1.
  std::vector<std::string> readers = {};
  /// How each person's records became one value, where each person counts with one value.
  std::optional<PerPerson> per_person = {};
  /// Whether the query made one row of each person's records; then these rows were counted, with `person` as the column of persons.
  bool one_row_a_person = false;
  /// The weights' column and grid, where records were weighted; then units of weight were counted. Declarations and expectations
  /// about the weights come with the release.
  std::optional<RecordWeights> weights = {};

  /// Throws `usage` for a header that no file can hold: with a bound of 0, keys that RecordSelection refuses, or texts above a
  /// mebibyte.
  void validate() const;
  /// Throws `usage` when `asked` records per person are fewer than one person may have here.
  void require_bound(std::uint64_t asked) const;
  /// What was counted.
  ColumnToCount counted() const;
};

/// A header, and one profile per key of the header, or a single profile.
/// Thread-safety: a value; threads may share it while none changes it.
struct CountedProfiles {
  ProfileHeader header;
  std::vector<RankProfile> profiles;
};

/// The bytes of a file. Equal countings have equal bytes. Throws `usage` as validate() does, and unless there is one profile for
/// each key, on the header's lattice.
std::string to_bytes(const CountedProfiles& counted);
/// Throws `data` unless these are the bytes of one file, whole and undamaged; `name` says where the bytes come from.
CountedProfiles profiles_of_bytes(std::string_view bytes, const std::string& name);

/// Whether a person may have records in several of the profiles that are merged. If so, the bounds of records per person add up.
enum class Persons { may_overlap, are_disjoint };

/// How to treat files with equal contents. Nearly always these are one counting that was named twice, and each of its records would
/// count double.
enum class EqualFiles { one_counting, different_records };

/// A file that is read piece by piece: first the header, later the counts.
/// Thread-safety: not for two threads at once.
class ProfileFile final : public Records {
 public:
  /// Reads only the header, which has a separate hash. Throws `data` when the file is missing, not a profile file, damaged, or of a
  /// newer format.
  static ProfileFile open(const std::string& path);
  ProfileFile(ProfileFile&&) noexcept;
  ProfileFile& operator=(ProfileFile&&) noexcept;
  ~ProfileFile() override;

  const ProfileHeader& header() const;
  /// The file that was opened and is read.
  const OpenedFile& opened() const;
  /// Throws `usage` unless the request is for the header's column alone, with at least the header's number of records per person.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;
  /// All counts, once, as they were counted. Throws `data` when the file is damaged: no profile is returned before all
  /// of it has been read and compared with its hash. Throws `usage` when they were taken already.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<TableColumn> columns() const override;
  std::string person_of_rows() const override;
  /// How many countings were added up in the file, and of which sources, if these are few.
  std::string engine() const override;
  /// count() throws this as well. No count is looked at.
  void require_unchanged() const override;

  /// All records of all files, in any order. Throws as merged() below does, for headers that do not match before any count is read;
  /// and as open() and count() do. Throws `usage`, which names both files, when two files that hold records have equal contents and
  /// `equal_files` says that they are one counting. Each file is opened and read twice, and must be the same file both times. (A
  /// pipe, which cannot be opened again, stays open.) `on_file` is called for each file in the first reading, and again in the
  /// second.
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

/// Who holds the records. owner: they are in a file or on a server, which the asker cannot read directly. asker: they are in the
/// memory of the asker's program.
enum class Holder { owner, asker };

/// Records that were named and have not been opened yet.
/// Thread-safety: not for two threads at once.
class Source {
 public:
  static Source file(TableOptions options);
  /// Consumes the frame. Takes the options that apply to columns in memory: threads, memory, missing, unreadable. Throws `usage` as the
  /// frame's functions for them do.
  static Source frame(Frame frame, TableOptions options = {});
  /// A query on a PostgreSQL server, whose client library is loaded when it is needed. `address`:
  /// "postgres://user@host:port/database", which messages show without its password. Takes the options `sql`, `sql_stability`,
  /// library, threads and missing. `sql` is one SELECT. Without `sql_stability`, it must be row-wise over one table of the server,
  /// in DuckDB's dialect. It runs in this process, on the columns that it names, which the server sends as they are. With
  /// `sql_stability`, it is in the server's dialect and runs on the server. Names without a schema are found by the role's search
  /// path.
  static Source postgres(std::string address, TableOptions options);
  /// A profile file whose header was read, and whose counts were not.
  static Source profile_file(ProfileFile file);
  /// Records that the asker's program counts itself; options as for a frame.
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

  /// Opens the files, or connects to the server, and calls `on_opened` as Table::open() does; without files, with an empty list.
  /// Throws as Table::open() does. With a server, throws `usage` for a missing client library, for a query that is refused, and
  /// unless a row-wise query reads an ordinary table, all parts of which are ordinary, without row security and outside the
  /// server's own schemas. Throws `data` for a server that cannot be reached. No record is looked at. A frame, a profile file and
  /// records that were counted elsewhere can be opened once; throws `usage` the second time. `unsaid`: what is done with cells that
  /// are not numbers when the options do not say.
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

/// Names the libduckdb to load where neither TableOptions::library nor FRACTILE_DUCKDB names one, for programs that ship with an
/// engine. An empty path removes the default. The program chooses it and an asker does not, so a ledger's dataset need not declare
/// it.
/// Thread-safety: any thread may call it; an engine that this process has loaded already stays.
void set_default_engine(std::string path);

}  // namespace fractile

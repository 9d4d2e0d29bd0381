// How releases are published: one, or many tables under one budget, from a source to its receipt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/ranks.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"

namespace fractile {

// --- One release -----------------------------------------------------------------------------------------------------
//
// A release of a column, from its source to its receipt. The steps have the only order in which nothing leaves before it is paid
// for: refuse, answer from a ledger, charge, count, draw, commit, write.
// Thread-safety: a source and an attendant are for one thread at a time; any number of releases may be under way at once, each with its own.

/// What is asked of a source.
struct ReleaseRequest {
  ColumnToCount column;
  /// The promise is made to persons with as many records as the column's selection says, or with more if the query says more.
  QuantileQuery query;
  /// With bounds to find, the column is counted on the lattice of their search.
  std::optional<BoundsToFind> bounds = {};
  std::string receipt = {};  ///< where it is written, a new file; empty: nowhere
  /// Reproducible and not private: for tests and lessons. Not with a payment.
  std::optional<std::uint64_t> unsafe_seed = {};
  /// Counts, shares and means besides the quantiles.
  std::optional<StatisticsRequest> statistics = {};

  /// The query as it applies to what is counted: with the column's bound of records per person, over a SQL query of this declared
  /// stability, and in units of weight. Throws as over_query() and over_weights() do.
  QuantileQuery over_counted(std::uint32_t sql_stability) const;
  /// Throws `usage` for a request that is impossible over a query of this declared stability (1 for any other source). No source is
  /// looked at.
  void validate(std::uint32_t sql_stability = 1) const;
};

/// Throws `usage` if a number of the query or of the lattice has more than 500 characters. A release refuses it, since it would make a
/// receipt that cannot be read.
void require_short_numbers(const QuantileQuery& query, const Lattice& lattice);

/// Which budget pays, and for which source.
struct Payment {
  std::string ledger;        ///< a path, or the address of a PostgreSQL database
  std::string dataset = {};  ///< empty: the ledger's only one
  std::string source = {};   ///< a name that is declared for what is read; empty: files are known by their paths
  bool again = false;        ///< draws and pays anew, even if the ledger holds this very release
};

/// The answer to a request: a release, new or already held by a ledger.
struct Answer {
  std::optional<Release> release = {};        ///< nothing until it is drawn; with its receipt where the receipt is kept
  std::optional<LedgerEntry> stored = {};     ///< the entry that held it
  std::optional<LedgerAccount> account = {};  ///< of the dataset that paid, this release included
  Words status = {};                          ///< what became of it, in words, for when it cannot be shown
};

/// What is known of a request's answer before anything is charged or read.
struct Rehearsal {
  std::string column_type;  ///< of the column, in the engine's words; empty for JSON, which has no schema
  std::optional<LedgerEntry> stored =
      {};  ///< the entry that holds this very release, which would be returned at no cost
  std::optional<LedgerAccount> account = {};  ///< of the dataset that pays, as it would be afterwards
};

struct PublishedTables;

/// The caller's side while a release is made, such as a terminal or another program. Its functions do nothing unless overridden.
class Attendant {
 public:
  Attendant() = default;
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;
  virtual ~Attendant() = default;

  /// Reports what may be a mistake, and what to do about it.
  virtual void warn(const Words& /*what*/, const Words& /*hint*/) {}
  /// Reports what is not a mistake but should be known.
  virtual void tell(const Words& /*what*/, const Words& /*hint*/) {}
  /// Names the task that begins now, "reading people.csv"; "" when it is over.
  virtual void at(const std::string& /*task*/) {}
  /// Called now and then while records are read. What it throws ends the release.
  virtual void tick() {}
  /// Called together with tick() where it is known which share of the files' bytes was read.
  virtual void has_read(double /*share*/) {}
  /// Called before anything is charged, since showing the release may need room on a disk: for parts of a receipt of at most this
  /// many bytes. What it throws ends the release.
  virtual void reserve_room(std::uint64_t /*receipt_size*/) {}
  /// Called as soon as something is charged, or may be. The entries name the path of the receipt, and can be voided only while its folder
  /// can be read, so it must stay from now on, even if it is empty.
  virtual void charged() {}
  /// Called before anything of a release is stored or kept: if the release cannot be shown, this should throw. It may give the
  /// release its receipt.
  virtual void prepare(Answer& /*answer*/) {}
  /// The same for a publication.
  virtual void prepare_tables(const PublishedTables& /*tables*/) {}
  /// Sets what an interrupt reports from now on.
  virtual void on_interrupt(const Words& /*what*/, const Words& /*hint*/) {}
  /// Until the next on_interrupt(), nothing may be interrupted.
  virtual void hold_interrupts() {}
  /// Whether an interrupt came since hold_interrupts().
  virtual bool is_interrupted() { return false; }
};

/// To be called now and then while these records are read: calls tick(), and has_read() where the share is known.
void tell_progress(const Records& records, Attendant& attendant);

/// Makes and publishes a release: opens the ledger that pays, if one does, and then the source; charges, counts, draws, commits,
/// and writes the receipt. It refuses what can be refused before it reads a row. Equal requests of equal sources are answered from
/// the ledger, without a charge. A request must keep to what a ledger's dataset declares and to what the first release of a source
/// fixed: how records are read, whose they are, and what they are. Throws as ReleaseRequest::validate(), Source::open(), Records,
/// Ledger and release() do. Errors after a charge also say what became of the charge.
Answer publish(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment, Attendant& attendant);
Answer publish(Source source, const ReleaseRequest& request, const std::optional<Payment>& payment = {});

/// Everything that publish() does before it charges: refuses what publish() would refuse, and looks up what the ledger holds.
/// Nothing is charged, drawn or written, and no record is looked at. Throws as publish() does before its charge, and when the
/// budget does not suffice.
Rehearsal rehearse(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                   Attendant& attendant);

// --- The plan of a publication ---------------------------------------------------------------------------------------
//
// A publication: several tables of quantiles, counts and means under one budget, and how the budget is split among tables and
// levels. All of this is public: nothing here reads a record.
// Thread-safety: values, and functions of their arguments, for any number of threads.

/// A column whose keys divide tables into cells. The keys are public, and never read from the data.
struct KeyColumn {
  std::string column;
  std::vector<std::string> keys;         ///< as cells of the column hold them, in the order in which they are shown
  std::vector<std::string> labels = {};  ///< what a reader is shown for each key; none: the keys themselves
};

/// The key columns that divide a level of a table into cells: places in PublicationTable::by, increasing. Empty: one cell,
/// everyone.
using KeyLevel = std::vector<std::size_t>;

/// One key per column.
using KeyTuple = std::vector<std::string>;

/// The largest error that a table may have. The table's budget is solved for it: the error is kept at every level, in every cell
/// whose rows are expected, and for every quantile, at the publication's confidence.
struct PublicationTarget {
  enum class Quantity {
    ranks,  ///< rank error, in records
    share,  ///< rank error, as a share of the cell's expected records
    value,  ///< distance in value, as if the cell's expected records were spread evenly between the bounds
    /// Width of the table's intervals: the share of the cell's expected records between their ends within which half of each
    /// quantile's intervals stay, for a public normal table. This is an expectation, not a guarantee.
    interval,
  };
  Quantity quantity = Quantity::ranks;
  Rational limit;  ///< the largest value that it may have
};

/// A table of one column: what is published in each of its cells, and which cells it has.
struct PublicationTable {
  std::string name;
  std::string column;
  Lattice lattice;
  std::vector<Rational> quantiles;  ///< may be none where counts, shares or means are asked for
  Mechanism mechanism = Mechanism::automatic;
  Rates rates = Rates::tight;
  Base base = Base::by_mechanism;
  bool interpolate = true;
  std::optional<IntervalRequest> intervals = {};
  bool count = false;                ///< how many records with a value in this column a cell has
  bool mean = false;                 ///< of the values, as they count on the lattice
  std::vector<Rational> below = {};  ///< the number and the share of records below each of these; increasing
  /// How each person's records become one value in each cell, at every level anew. Needs Publication::person; not with weights.
  std::optional<PerPerson> per_person = {};
  std::vector<std::string> by = {};  ///< columns of Publication::keys
  /// None, or a text for each column of `by`: a further key, listed after the column's keys, for all records that have none of
  /// these. With an empty text, the column has no such key.
  std::vector<std::string> others = {};
  std::vector<KeyLevel> levels = {{}};  ///< the first one is all of `by`, the finest; then margins, each once
  /// The cells that the finest level can have, each once. Records of other cells are left out of all levels. None: all tuples of
  /// the keys.
  std::vector<KeyTuple> possible_cells = {};
  /// About how many records each cell of the finest level has, by public knowledge, in the order of cells_of(). None: nothing is
  /// known.
  std::vector<std::uint64_t> expected_rows = {};
  /// The table's share of the publication's budget, in proportion to other tables'. If any table has a share, tables without one
  /// have a share of 1.
  std::optional<Rational> share = {};
  std::vector<Rational> level_shares =
      {};  ///< the same among this table's levels, in their order; none: by their cells
  std::optional<Rational> counts_share = {};  ///< of the finest level's part, for counts, shares and means, in (0, 1)
  std::optional<PublicationTarget> target = {};  ///< instead of a share
  std::vector<std::string> quantile_names = {};  ///< as QuantileQuery::names

  /// Whether noisy counts are drawn: at the finest level, and where counts do not add up, at every level.
  bool has_counts() const { return count || mean || !below.empty(); }
  /// Whether the records of a total are those of its cells. With `per_person` they are not: a person with values in two cells has
  /// yet another value in the total.
  bool adds_up() const { return !per_person; }
  /// How many levels draw something; these come first.
  std::size_t drawn_levels() const { return quantiles.empty() && adds_up() ? 1 : levels.size(); }
};

/// Which values are marked or left out, decided from released values alone.
struct PublicationMarks {
  std::optional<Rational> unreliable =
      {};  ///< a quantile, count, share or mean whose interval is wider than this share of its distance from 0
  std::optional<std::uint64_t> hidden = {};  ///< a released count that is below this
};

/// Several tables under one budget. The source says what is read, and which texts count as missing.
struct Publication {
  std::string title;
  Budget budget;  ///< what all tables together cost one person
  Neighbors neighbors = Neighbors::add_remove;
  std::string person = {};  ///< the column that identifies the person; empty: each record is one person's
  /// With `person`, at most this many of each person's records are sampled. In a table with `per_person`, the number of cells of a
  /// level in which one person counts.
  std::uint32_t records_per_person = 1;
  std::optional<RecordWeights> weights = {};  ///< of the records of all tables, which then count in units of weight
  NullPolicy null_policy = NullPolicy::drop;
  std::vector<KeyColumn> keys = {};
  std::vector<PublicationTable> tables = {};
  PublicationMarks marks = {};
  Rational confidence = Rational(19, 20);  ///< of worst cases and targets
  /// How many rows of the source's query one record can change, as TableOptions::sql_stability declares it. Targets and plans are for a
  /// person with that many rows per record. publish() takes it from its source.
  std::uint32_t sql_stability = 1;
  /// The budget is what the targets of all tables take, as least_parts() sets it, and not a limit: publish() pays the least for each level
  /// that no ledger holds, and its tables have the budget that all levels cost together.
  bool is_least = false;

  /// The columns of a table's `by`. Throws `usage` when one is not among `keys`.
  std::vector<const KeyColumn*> columns_of(const PublicationTable& table) const;
  static constexpr std::size_t most_cells = GroupKeys::most;  // in a level: they are the groups of a release
  static constexpr std::size_t most_parts = 10'000;
  /// Throws `usage` unless everything described above holds, each table's query can be answered, and there are at most `most_cells`
  /// cells in a level and `most_parts` parts.
  void validate() const;
  /// Checks one table, and the keys alone.
  void validate(const PublicationTable& table) const;
  void validate_keys() const;
};

/// The cells of a level, in order. The finest level has the possible tuples as they are listed; or else all tuples of the keys,
/// including the key for other records, with the last column's keys changing first. A margin has the tuples of its columns that
/// occur in the finest level's cells, in the order of these cells.
struct LevelCells {
  std::vector<KeyTuple> cells;         ///< one key per column of the level
  std::vector<std::size_t> of_finest;  ///< for each cell of the finest level, the index of its cell here
  std::vector<std::uint64_t> expected_rows =
      {};  ///< One per cell: sums over the finest level's cells. None where nothing is known.
};
/// Throws `usage` for more than Publication::most_cells, for a column whose keys are not listed, for a level that is no KeyLevel of the
/// table, for a possible cell without one key per column, and unless `others` has one text per column and `expected_rows` one number per
/// cell, or none.
LevelCells cells_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level);

/// A level of a table as a separate release, with its part of the budget.
struct PublicationPart {
  std::size_t table;  ///< in Publication::tables
  std::size_t level;  ///< in PublicationTable::levels
  Rational share;     ///< of the publication's budget
  Budget cost;        ///< that share: what the level costs one person, in whichever of its cells their records are
  /// The part of `cost` that pays for counts, shares and means: 1 where the table has no quantiles, and 0 at margins that add up.
  /// The counts and sums of such margins come from the finest level's cells, at no cost.
  Rational counts_share;
  /// The query for each cell, before over_query(), over_weights() and group_query(): its budget is `cost`, which includes the share
  /// for counts.
  QuantileQuery query;
  std::optional<Budget> least = {};  ///< the least cost that reaches the table's target; nothing without a target
};

/// One part for each level that draws something, in the order of tables and levels. (Margins of a table without quantiles draw
/// nothing.) The shares add up to exactly 1, and so the costs add up to exactly the publication's budget. They are the same on
/// every machine. Shares that the publication states are kept. The other shares equalize, as far as public numbers allow, the
/// relative errors that nine releases in ten stay within. A level's part is proportional to its number of cells or, where rows are
/// expected, to one over the rows of its smallest cell (under zCDP to the squares of these), times a factor for the table's number
/// of quantiles. Throws `usage` as Publication::validate() does, and for targets that the budget does not reach.
/// Proof: docs/proofs/publication.md
std::vector<PublicationPart> parts(const Publication& publication);

/// The parts at the least budget, in the measure of the publication's budget, that reaches all targets. Sets the publication's
/// budget to it, and Publication::is_least. Each level takes the least budget in four significant digits. Throws `usage` as parts() does,
/// when a table has no target, and for a target that no budget reaches.
/// Proof: docs/proofs/publication.md
std::vector<PublicationPart> least_parts(Publication& publication);

// --- What it will be worth ---------------------------------------------------------------------------------------------

/// Whether a cell's quantiles will be informative.
enum class CellWorth {
  unknown,  ///< it is not stated how many records it has
  useful,
  noise,  ///< with this part of the budget its values are mostly noise, as MostlyNoise defines it
  lost,   ///< with the whole budget they would be, too; or less than one record lies between two of its quantiles
};
/// "unknown", "useful", "noise", "lost".
std::string to_string(CellWorth worth);

/// What is known beforehand of a cell's quantiles.
struct PlannedCell {
  KeyTuple keys;
  std::optional<std::uint64_t> rows = {};  ///< as expected
  std::optional<std::uint64_t> units =
      {};  ///< `rows` in the unit of errors: the same number or, with weights, the number of units of weight.
  /// In units: each quantile's error exceeds this with probability at most 1 - the publication's confidence, whatever the data.
  std::optional<std::uint64_t> worst = {};
  /// In units: the errors that half, and nine in ten, of the simulated releases of a reference table with this many rows do not
  /// exceed at any quantile.
  std::optional<double> typical = {};
  std::optional<double> nine_in_ten = {};
  CellWorth worth = CellWorth::unknown;
  /// In records: the error of the released count does not exceed this with the probability StatisticsTerms::level. Nothing where no
  /// count is released.
  std::optional<std::uint64_t> count_error = {};
  std::optional<Rational> mean_error = {};  ///< likewise, approximately, wherever in the range the values lie
};

/// A level of a table, and what its part of the budget buys.
struct PlannedLevel {
  PublicationPart part;
  std::optional<Budget> quantiles_cost = {};  ///< of part.cost; nothing without quantiles
  std::optional<Budget> counts_cost = {};     ///< the rest of it; nothing where no counts are drawn
  MechanismUsed used = {};                    ///< for quantiles
  std::string unbounded_reason = {};          ///< why no worst case is known; empty when one is
  /// records_that_settle() of a cell's intervals; nothing without intervals.
  std::optional<std::uint64_t> settled_from = {};
  std::vector<PlannedCell> cells = {};
};

struct PublicationPlan {
  Publication publication;
  std::vector<PlannedLevel> levels;  ///< one per part, in their order
  /// The totals of tables without quantiles, as PublishedTables::sums: they draw nothing and cost nothing. Each has the part of the
  /// finest level, whose counts it adds up, with a share of 0.
  std::vector<PlannedLevel> sums = {};
};

/// Plans a publication and its parts from public numbers alone: no record is read. Typical errors are those of normal reference
/// tables with the cells' rows, drawn with reproducible bits. A table of 1,000 rows stands for more rows where errors are at most 1/50 of
/// them; otherwise at most 10,000 rows (1,000 with more than 100 levels), at a larger budget, stand for more.
PublicationPlan plan_publication(const Publication& publication, const std::vector<PublicationPart>& parts);

/// One JSON object.
std::string to_json(const PublicationPlan& plan);
/// One line per cell.
std::string to_csv(const PublicationPlan& plan);
/// One row per level, in aligned columns, and a list of the cells that are not informative.
std::string to_table(const PublicationPlan& plan);
/// What the CSV has no room for: tables whose values are rounded to few possible ones.
std::vector<NoiseInWords> beside_csv(const PublicationPlan& plan);

// --- A publication ---------------------------------------------------------------------------------------------------
//
// A publication, from its source to its tables: it is refused, charged, counted in one reading, drawn, committed and written as a
// whole.
// Thread-safety: as fractile/publication.hpp.

/// What is asked of a source.
struct PublicationRequest {
  Publication publication;
  std::string receipt = {};  ///< where it is written, a new file; empty: nowhere
  /// Reproducible and not private: for tests and lessons. Not with a payment.
  std::optional<std::uint64_t> unsafe_seed = {};
};

/// A level of a table, as it was published.
struct PublishedLevel {
  std::size_t table;  ///< in Publication::tables
  std::size_t level;  ///< in PublicationTable::levels
  Release release;    ///< of the level's cells, with its receipt
  /// The entry of the ledger that held this level: it was published before, at its own cost, and nothing was spent for it now.
  std::optional<LedgerEntry> stored = {};
};

/// What a publication got.
struct PublishedTables {
  Publication publication;
  std::vector<PublishedLevel> levels;  ///< those that draw something, in the order of parts()
  /// The totals of tables without quantiles: they draw nothing and cost nothing, since their statistics are sums of the finest
  /// level's. Their releases have keys, and the receipt of the finest level.
  std::vector<PublishedLevel> sums = {};
  std::optional<LedgerAccount> account = {};  ///< of the dataset that paid, this publication included
  std::string receipt = {};                   ///< byte for byte
  Words status = {};                          ///< what became of it, in words, for when it cannot be shown

  /// What all levels together cost, including those that a ledger held.
  Spending cost() const;
};

/// Publishes all tables of a publication, in the steps of publish() of a release. Every column is counted in one reading. All
/// levels are charged in one transaction, each as a separate entry, and all are committed in one transaction. A level's profiles
/// are sums of the profiles of the table's finest cells. With Publication::person, the same records of each person count in all
/// tables that are drawn: they are sampled as whole records, whatever they hold (RecordSelection::whole_records). The records of a
/// profile file were sampled when it was counted.
/// A level that the ledger holds is taken as it is, and its cost counts in the publication's budget. The other levels with a
/// target cost the least that reaches it, and those without share the rest of the budget in their proportions; if all tables have targets
/// and the budget is not the least one, all levels share the rest. With Payment::again all levels are drawn anew, at the full price.
/// Throws `budget_refused`, before a record is read, when nothing is left for the other levels or too little for their targets, when a
/// held level cost less than its target takes, and when the ledger's budget does not suffice. Otherwise throws as publish() and parts() do.
/// Proof: docs/proofs/publication.md
PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment,
                        Attendant& attendant);
PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment = {});

/// All levels that are shown, drawn or sums of drawn ones, in the order of tables and of their levels. They are those of `tables`.
std::vector<const PublishedLevel*> levels_of(const PublishedTables& tables);
std::vector<const PublishedLevel*> levels_of(PublishedTables&& tables) = delete;

/// What a table's counts, shares and means have in common; nothing for a table without any.
std::optional<StatisticsTerms> statistics_terms(const PublishedTables& tables, std::size_t table);
/// The statistics of each cell of a level, in the order of its release's groups: those that were released with its quantiles or, at
/// a margin, the sums of the released numbers of its finest cells. So rows and columns add up. Empty for a table without any.
std::vector<Statistics> statistics_of(const PublishedTables& tables, const PublishedLevel& level);

/// The receipt: a description of the publication, and the receipts of its levels, each as a release's receipt. One JSON object;
/// docs/receipt.md lists its members.
std::string receipt_of(const PublishedTables& tables);
/// Reads such a receipt. Throws `data` for any other text; `name` is how messages call it.
PublishedTables read_publication_receipt(const std::string& text, const std::string& name);
/// Whether a text is a publication's receipt, and not that of a release.
bool is_publication_receipt(const std::string& text);

/// One line per value, in the order of tables, levels, cells and statistics: "table", the names of all key columns, "statistic",
/// "quantile", "value", "lower", "upper", "mark". A key column by which a level has no cells is empty there.
std::string to_csv(const PublishedTables& tables);
/// For a terminal: one table per level, with what was promised and what it cost.
std::string to_table(const PublishedTables& tables);

/// In plain language, for people who decide: what was published, for whom the promise holds and how strong it is, what each level
/// cost, how wrong the numbers may be, and what was left out. Claims nothing that the proofs do not. Ignores
/// PageOptions::guess_above.
std::string explain(const PublishedTables& tables, Prose prose, const PageOptions& options = {});
/// The same as a page: each table as readers know it, rows by columns where it has two key columns, with labels, totals, marks and intervals;
/// and, unless it is public, the receipt. A function of the receipt and of the options.
WebPage to_html(const PublishedTables& tables, const PageOptions& options = {});
/// A record of all tables together for the public registry of deployments, like to_registry() of a release, and with the same
/// errors.
std::string to_registry(const PublishedTables& tables, const About& about);

}  // namespace fractile

// A publication: several tables of quantiles, counts and means under one budget, and how the budget is split among tables and
// levels. All of it is public: nothing here reads a record.
// Thread-safety: values, and functions of their arguments, for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/keys.hpp"
#include "fractile/provenance.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/ranks.hpp"
#include "fractile/weights.hpp"

namespace fractile {

/// A column by which tables have cells, with its keys. These are public, and never read from the data.
struct KeyColumn {
  std::string column;
  std::vector<std::string> keys;         ///< as cells of the column hold them, in the order in which they are shown
  std::vector<std::string> labels = {};  ///< what a reader is shown for each key; none: the keys themselves
};

/// The key columns by which a level of a table has cells: places in PublicationTable::by, increasing. Empty: one cell, everyone.
using KeyLevel = std::vector<std::size_t>;

/// One key per column.
using KeyTuple = std::vector<std::string>;

/// An error that a table is to have at most, for which its budget is solved: at every level, in every cell whose rows are expected, and for
/// every quantile, at the publication's confidence.
struct PublicationTarget {
  enum class Of {
    ranks,  ///< rank error, in records
    share,  ///< rank error, as a share of the cell's expected records
    value,  ///< distance in value, as if the cell's expected records were spread evenly between the bounds
    /// Width of the table's intervals: the share of the cell's expected records between their ends within which half of each
    /// quantile's intervals stay, for a public normal table. This is expected and not promised.
    interval,
  };
  Of of = Of::ranks;
  Rational at_most;
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
  bool count = false;                ///< how many records a cell has that have a value in this column
  bool mean = false;                 ///< of the values, as they count on the lattice
  std::vector<Rational> below = {};  ///< how many records, and which share of them, lie below these; increasing
  /// What each person's records become: one value in each cell, at every level anew. Needs Publication::person; not with weights.
  std::optional<PerPerson> per_person = {};
  std::vector<std::string> by = {};  ///< columns of Publication::keys
  /// None, or a text for each column of `by`: a further key, after the column's own keys, for all records without one of these; an
  /// empty text for no such key.
  std::vector<std::string> other = {};
  std::vector<KeyLevel> levels = {{}};  ///< the first one is all of `by`, the finest; then margins, each once
  /// The cells that the finest level can have, each once: records of other cells are left out of all levels. None: all tuples of
  /// the keys.
  std::vector<KeyTuple> possible = {};
  /// About how many records each cell of the finest level has, by public knowledge, in the order of cells_of(). None: nothing is
  /// known.
  std::vector<std::uint64_t> expected_rows = {};
  /// The table's share of the publication's budget, in proportion to other tables'. Where one table has a share, one without has a share of 1.
  std::optional<Rational> share = {};
  std::vector<Rational> level_shares =
      {};  ///< the same among this table's levels, in their order; none: by their cells
  std::optional<Rational> counts_share = {};  ///< of the finest level's part, for counts, shares and means, in (0, 1)
  std::optional<PublicationTarget> target = {};  ///< instead of a share
  std::vector<std::string> quantile_names = {};  ///< as QuantileQuery::names

  /// Whether noisy counts are drawn: at the finest level, or at every level where they do not add up.
  bool has_counts() const { return count || mean || !below.empty(); }
  /// Whether a total has the records of its cells. A person with values in two cells has another value in their total.
  bool adds_up() const { return !per_person; }
  /// How many levels draw something, from the finest on.
  std::size_t drawn_levels() const { return quantiles.empty() && adds_up() ? 1 : levels.size(); }
};

/// Which values are marked or left out, decided from released values alone.
struct PublicationMarks {
  std::optional<Rational> unreliable =
      {};  ///< an interval that is wider than this share of its value's distance from 0
  std::optional<std::uint64_t> hidden = {};  ///< a released count that is below this
};

/// Several tables under one budget. The source says what is read, and which texts count as missing.
struct Publication {
  std::string title;
  Budget budget;  ///< what all tables together cost one person
  Neighbors neighbors = Neighbors::add_remove;
  std::string person = {};  ///< the column that identifies the person; empty: a record is one
  /// With `person`, at most this many of each person's records are sampled. For a table of persons' values, in how many cells of a
  /// level one person counts.
  std::uint32_t records_per_person = 1;
  std::optional<RecordWeights> weights = {};  ///< of the records of all tables, which then count in units of weight
  NullPolicy null_policy = NullPolicy::drop;
  std::vector<KeyColumn> keys = {};
  std::vector<PublicationTable> tables = {};
  PublicationMarks marks = {};
  Rational confidence = Rational(19, 20);  ///< of worst cases and targets

  /// The columns of a table's `by`. Throws `usage` when one is not among `keys`.
  std::vector<const KeyColumn*> columns_of(const PublicationTable& table) const;
  static constexpr std::size_t most_cells = GroupKeys::most;  // in a level: they are the groups of a release
  static constexpr std::size_t most_parts = 10'000;
  /// Throws `usage` unless all that is said above holds, each table's query can be answered, and there are at most `most_cells` and `most_parts`.
  void validate() const;
  /// Checks one table, and the keys alone.
  void validate(const PublicationTable& table) const;
  void validate_keys() const;
};

/// The cells of a level, in order. The finest level has the possible tuples as they are listed, or all tuples of the keys, the one
/// for other keys among them, with the last column's keys changing first. A margin has the tuples of its columns that occur in the
/// finest level's cells, in the order in which these come.
struct LevelCells {
  std::vector<KeyTuple> cells;         ///< one key per column of the level
  std::vector<std::size_t> of_finest;  ///< of each cell of the finest level, in which of these it lies
  std::vector<std::uint64_t> expected_rows =
      {};  ///< one per cell: sums over the finest level's; none where nothing is known
};
/// Throws `usage` for more than Publication::most_cells, and for a column whose keys are not listed.
LevelCells cells_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level);

/// A level of a table as a release of its own, with its part of the budget.
struct PublicationPart {
  std::size_t table;  ///< in Publication::tables
  std::size_t level;  ///< in PublicationTable::levels
  Rational share;     ///< of the publication's budget
  Budget cost;        ///< which is this: what the level costs one person, in whichever of its cells their records are
  /// The part of `cost` that pays for counts, shares and means, at the finest level of a table that has them; 1 where the table has
  /// no quantiles. It is 0 at margins that add up: their counts and sums come from the finest level's cells, which costs nothing.
  Rational counts_share;
  /// The query for each cell, before over_query(), over_weights() and group_query(): its budget is `cost`, of which counts_share is
  /// not for quantiles.
  QuantileQuery query;
};

/// One part for each level of each table that draws something, in their order: margins of a table without quantiles draw nothing. The
/// shares add up to exactly 1, and so the costs to exactly the publication's budget. The same on every machine. Shares that are stated
/// hold. The other shares make the relative errors within which nine releases in ten stay as equal as public numbers allow: a
/// level's part is in proportion to its number of cells, or, where rows are expected, to one over the rows of its smallest cell
/// (under zCDP to the squares), times a factor for the table's number of quantiles. Throws `usage` as Publication::validate() does,
/// and for targets that the budget does not reach.
/// Proof: docs/proofs/publication.md
std::vector<PublicationPart> parts(const Publication& publication);

/// The parts at the least budget, in the measure of the publication's own budget, that reaches all targets; the publication then
/// has this budget. Each level takes the least in four significant digits. Throws `usage` as parts() does, when a table has no
/// target, and for a target that no budget reaches.
/// Proof: docs/proofs/publication.md
std::vector<PublicationPart> least_parts(Publication& publication);

// --- What it will be worth ---------------------------------------------------------------------------------------------

/// Whether a cell's quantiles will say something.
enum class CellWorth {
  unknown,  ///< it is not stated how many records it has
  useful,
  noise,  ///< with this part of the budget its values are mostly noise, as MostlyNoise has it
  lost,   ///< with the whole budget they would be, too, or less than one record lies between two of its quantiles
};
/// "unknown", "useful", "noise", "lost".
std::string to_string(CellWorth worth);

/// What is known beforehand of a cell's quantiles.
struct PlannedCell {
  KeyTuple keys;
  std::optional<std::uint64_t> rows = {};  ///< as expected
  std::optional<std::uint64_t> units =
      {};  ///< in which errors are: these rows or, with weights, how many units they are
  /// Units: with the publication's confidence no quantile misses by more, whatever the data.
  std::optional<std::uint64_t> worst = {};
  /// Units: the error that half, and that nine in ten, of the simulated releases of a reference table with this many rows do not
  /// exceed at any quantile.
  std::optional<double> typical = {};
  std::optional<double> nine_in_ten = {};
  CellWorth worth = CellWorth::unknown;
  /// Records: the released count will be off by no more, with the probability of StatisticsTerms::level. Nothing where there is none.
  std::optional<std::uint64_t> count_error = {};
  std::optional<Rational> mean_error = {};  ///< likewise, about, of values in the middle of the range
};

/// A level of a table, and what its part of the budget buys.
struct PlannedLevel {
  PublicationPart part;
  std::optional<Budget> quantiles_cost = {};  ///< of part.cost; nothing without quantiles
  std::optional<Budget> counts_cost = {};     ///< the rest of it; nothing where no counts are drawn
  MechanismUsed used = {};                    ///< for quantiles
  std::string without = {};                   ///< why no worst case is known; empty when one is
  /// records_that_settle() of a cell's intervals; nothing without intervals.
  std::optional<std::uint64_t> settled_from = {};
  std::vector<PlannedCell> cells = {};
};

struct PublicationPlan {
  Publication publication;
  std::vector<PlannedLevel> levels;  ///< one per part, in their order
};

/// Plans a publication and its parts from public numbers alone: no record is read. Typical errors are those of tables of shape `normal`, of
/// at most 1,000 rows, beyond which they hardly change, drawn with reproducible bits.
PublicationPlan plan_publication(const Publication& publication, const std::vector<PublicationPart>& parts);

/// One JSON object.
std::string to_json(const PublicationPlan& plan);
/// One line per cell.
std::string to_csv(const PublicationPlan& plan);
/// One row per level, in aligned columns, and which cells say little.
std::string to_table(const PublicationPlan& plan);

}  // namespace fractile

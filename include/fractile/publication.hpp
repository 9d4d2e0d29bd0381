// A release of a column, from its source to its receipt, in the one order in which nothing leaves that was not paid for: refuse,
// answer from a ledger, charge, count, draw, commit, write.
// Thread-safety: a source and an attendant are for one thread at a time; any number of releases may be under way at once, each with its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "fractile/provenance.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/release.hpp"
#include "fractile/sources.hpp"
#include "fractile/statistics.hpp"

namespace fractile {

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

  /// The query as it applies to what is counted: for persons with all records that may be theirs, over a query of this declared
  /// stability, and in units of weight. Throws as over_query() and over_weights() do.
  QuantileQuery over_counted(std::uint32_t sql_stability) const;
  /// Throws `usage` for a request that is impossible over a query of this declared stability (1 for any other source). No source is
  /// looked at.
  void validate(std::uint32_t sql_stability = 1) const;
};

/// Whose budget pays, and what for.
struct Payment {
  std::string ledger;        ///< a path, or the address of a PostgreSQL database
  std::string dataset = {};  ///< empty: the ledger's only one
  std::string source = {};   ///< a name that is declared for what is read; empty: files are known by their paths
  bool again = false;        ///< pays anew, even if the ledger holds this very release
};

/// What a request got: a release, which may be one that a ledger held already.
struct Answer {
  std::optional<Release> release = {};        ///< nothing until it is drawn; with its receipt where that is kept
  std::optional<LedgerEntry> stored = {};     ///< the entry that held it
  std::optional<LedgerAccount> account = {};  ///< of the dataset that paid, this release included
  Words kept = {};                            ///< where it is kept, in words, for when it cannot be shown
};

/// What a request would get, as far as that is known before anything is charged or read.
struct Rehearsal {
  std::string column_type;  ///< of the column, in the engine's words
  std::optional<LedgerEntry> stored =
      {};  ///< the entry that holds this very release, which would be returned at no cost
  std::optional<LedgerAccount> account = {};  ///< of the dataset that pays, as it would be afterwards
};

struct PublishedTables;

/// The caller's side while a release is made: a person at a terminal, or a program. Its functions do nothing unless overridden.
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
  /// Says what is going on from now on: "reading people.csv"; "" when it is over.
  virtual void at(const std::string& /*task*/) {}
  /// Called now and then while records are read. What it throws ends the release.
  virtual void tick() {}
  /// Called together with tick() where that is known: which share of the files' bytes was read.
  virtual void has_read(double /*share*/) {}
  /// Called before anything is charged: what will be shown may need room on a disk, for parts of a receipt of at most this many
  /// bytes. What it throws ends the release.
  virtual void reserve_room(std::uint64_t /*receipt_size*/) {}
  /// Called before anything of a release is stored or kept: what cannot be shown should fail here. It may give the release its
  /// receipt.
  virtual void prepare(Answer& /*answer*/) {}
  /// The same for a publication.
  virtual void prepare_tables(const PublishedTables& /*tables*/) {}
  /// From now on an interrupt should report this.
  virtual void on_interrupt(const Words& /*what*/, const Words& /*hint*/) {}
  /// Until the next on_interrupt(), nothing may be interrupted.
  virtual void hold_interrupts() {}
  /// Whether an interrupt came since hold_interrupts().
  virtual bool is_interrupted() { return false; }
};

/// Called now and then while these records are read: ticks, and reports how far the reading is.
void tell_progress(const Records& records, Attendant& attendant);

/// Refusals first, rows second: opens the ledger that pays, if one does, and then the source; charges, counts, draws, commits, and writes the
/// receipt. Equal requests of equal sources are answered from the ledger, without a charge. A request must keep what a ledger's
/// dataset declares and what the first release of a source fixed: how records are read, whose they are, and what they are. Throws
/// as ReleaseRequest::validate(), Source::open(), Records, Ledger and release() do. Once something is charged, errors also say what
/// became of the charge.
Answer publish(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment, Attendant& attendant);
Answer publish(Source source, const ReleaseRequest& request, const std::optional<Payment>& payment = {});

/// All that publish() does before it charges: refuses what it would refuse, and looks up what the ledger holds. Nothing is charged, drawn or
/// written, and no record is looked at. Throws as publish() does until then, and when the budget does not suffice.
Rehearsal rehearse(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                   Attendant& attendant);

/// The dataset that pays; throws `usage` when the ledger has none of this name, or has several and none is named.
LedgerDataset dataset_of(const Ledger& ledger, const Payment& payment);

/// The ledger's name for what was opened: the declared name, or else the path of the table's file; without one, the paths of all
/// files, with commas between them. "" when nothing is known, as for standard input and a pipe. Throws `usage` for a name that is a
/// path.
std::string name_of_source(const std::string& declared, const TableOptions& read,
                           const std::vector<OpenedFile>& opened);

}  // namespace fractile

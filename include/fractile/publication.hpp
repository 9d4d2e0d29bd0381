// A release of a column, from its source to its receipt, in the one order in which nothing is out that was not paid for: refused, answered
// from a ledger, charged, counted, drawn, committed, written.
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
  /// The promise is made to persons of as many records as the column's selection says, or of more, where the query says more.
  QuantileQuery query;
  /// With them the column is counted on the lattice of their search.
  std::optional<BoundsToFind> bounds = {};
  std::string receipt = {};  ///< where it is written, a new file; empty: nowhere
  /// Reproducible and not private: for tests and lessons. Not with a payment.
  std::optional<std::uint64_t> unsafe_seed = {};
  /// Counts, shares and means beside the quantiles.
  std::optional<StatisticsRequest> statistics = {};

  /// The query as it is asked of what is counted: for persons of all records that may be theirs, over a query of this declared stability, and
  /// in units of weight. Errors as over_query() and over_weights().
  QuantileQuery over_counted(std::uint32_t sql_stability) const;
  /// Throws `usage` for what cannot be, of a query of this declared stability; 1 of any other source. No source is
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

/// What a request would get, as far as that is known before a charge and before a record.
struct Rehearsal {
  std::string column_type;  ///< of the column, in the engine's words
  std::optional<LedgerEntry> stored =
      {};  ///< the entry that holds this very release, which would be given out for nothing
  std::optional<LedgerAccount> account = {};  ///< of the dataset that pays, as it would be afterwards
};

struct PublishedTables;

/// Who asks, while a release is made: a person at a terminal, or a program. Does nothing, unless overridden.
class Attendant {
 public:
  Attendant() = default;
  Attendant(const Attendant&) = delete;
  Attendant& operator=(const Attendant&) = delete;
  virtual ~Attendant() = default;

  /// What may be a mistake, and what to do about it.
  virtual void warn(const Words& /*what*/, const Words& /*hint*/) {}
  /// What is no mistake and should be known.
  virtual void tell(const Words& /*what*/, const Words& /*hint*/) {}
  /// What goes on from now on: "reading people.csv"; "" when it is over.
  virtual void at(const std::string& /*task*/) {}
  /// Now and then while records are read. What it throws ends the release.
  virtual void tick() {}
  /// How large a share of the files' bytes was read, beside tick(), where that is known.
  virtual void has_read(double /*share*/) {}
  /// Before anything is charged: what will be shown may need room on a disk, for some of what a receipt of at most so many bytes says.
  /// What it throws ends the release.
  virtual void reserve_room(std::uint64_t /*receipt_size*/) {}
  /// Before anything of a release is stored or kept: what cannot be shown should fail here. It may give the release its receipt.
  virtual void prepare(Answer& /*answer*/) {}
  /// As prepare(), for a publication.
  virtual void prepare_tables(const PublishedTables& /*tables*/) {}
  /// From now on an interrupt should say this.
  virtual void on_interrupt(const Words& /*what*/, const Words& /*hint*/) {}
  /// Until the next on_interrupt() nothing may be cut in two.
  virtual void hold_interrupts() {}
  /// Whether one came since hold_interrupts().
  virtual bool is_interrupted() { return false; }
};

/// Now and then while these records are read: ticks, and says how far the reading is.
void tell_progress(const Records& records, Attendant& attendant);

/// Refusals first, rows second: opens the ledger that pays, if one does, and then the source; charges, counts, draws, commits, and writes the
/// receipt. Equal requests of equal sources are answered from the ledger, without a charge. What a ledger's dataset declares, and what the
/// first release of a source fixed, a request must keep: how records are read, whose they are, and what they are.
/// Errors are those of ReleaseRequest::validate(), Source::open(), Records, Ledger and release(); once something is charged, they also say
/// what became of it.
Answer publish(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment, Attendant& attendant);
Answer publish(Source source, const ReleaseRequest& request, const std::optional<Payment>& payment = {});

/// All that publish() does before it charges: refuses what it would refuse, and looks up what the ledger holds. Nothing is charged, drawn or
/// written, and no record is looked at. Errors as those of publish() until then, and of a budget that does not suffice.
Rehearsal rehearse(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                   Attendant& attendant);

/// The dataset that pays; throws `usage` when the ledger has none of this name, or several and none is named.
LedgerDataset dataset_of(const Ledger& ledger, const Payment& payment);

/// What a ledger calls what was opened: the name that is declared, or else the path of the table's file; without one the paths of all,
/// with commas between them. "" when nothing is known, as of standard input and of a pipe. Throws `usage` for a name
/// that is a path.
std::string name_of_source(const std::string& declared, const TableOptions& read,
                           const std::vector<OpenedFile>& opened);

}  // namespace fractile

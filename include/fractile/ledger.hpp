// A durable ledger of privacy budgets: what may be spent on each dataset, and what was. A SQLite file, or for a team a schema
// in a PostgreSQL database; the format, and what a crash at any point leaves, are in docs/ledger.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fractile/privacy.hpp"

namespace fractile {

/// How a source is read: the names of the options that determine it ("delimiter", "person", "table", ...), each with its value as a
/// text. An option that holds its default is left out.
using LedgerReading = std::map<std::string, std::string>;

/// What shares one budget: a table of people, or several of the same people.
struct LedgerDataset {
  std::string name;  ///< not empty, of one line
  Budget budget;     ///< for all releases together, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string unit = "person";  ///< whose records are protected together, in words; not empty, of one line
  // What no release may weaken, so that an asker cannot choose a cheaper unit. Each is one line of text; empty: not pinned.
  std::string person = {};               ///< the column by which every release must bound persons' records
  std::uint32_t records_per_person = 1;  ///< no release may be for persons of fewer records; at least 1
  /// What every release must read: the canonical path of a file, which begins with a slash, or a name that the asker
  /// must declare.
  std::string source = {};
  LedgerReading reading =
      {};  ///< what every release must be read with; what it leaves open, a source's first release fixes
  /// The canonical path of a file that takes the log's last line before a release draws, and before it is published, so that
  /// a ledger which was put back to an earlier state is detected; empty: none.
  std::string witness = {};

  /// Throws `usage` unless the members are as said above.
  void validate() const;
};

/// What is to be charged for.
struct LedgerRequest {
  std::string dataset;
  std::string query;  ///< all that determines the release, in any text; equal texts are the same query
  Budget cost;        ///< of the whole release, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string receipt_path = {};  ///< where a receipt will be written, absolute; empty when nowhere
  // Compared with what the dataset pins, and with how the first release of this source that counts was read.
  std::string person = {};               ///< the column by which persons' records are bounded; empty: by declaration
  std::uint32_t records_per_person = 1;  ///< the cost is for persons of at most this many records
  std::string source = {};               ///< as LedgerDataset::source; empty when nothing is known of it
  LedgerReading reading = {};            ///< what this release is read with
  /// Whether `person` contributes one value, or one in each group, however many records they have: then no bound of records is too
  /// small where the dataset pins that column. Not stored.
  bool one_value_a_person = false;
  /// Bytes of the receipt at most, for which there must be room before anything is charged; not stored.
  std::uint64_t receipt_size = 0;
};

/// An entry with a token that identifies it: a ledger that was put back to an earlier state may have given the entry's number to
/// another release.
struct LedgerReservation {
  std::int64_t id = 0;
  std::string token = {};  ///< in lower-case hexadecimal digits; "" of entries of formats before 3
};

/// "entry 3", or "entries 3 to 7": what is charged together has consecutive numbers. Takes at least one reservation.
std::string entries_in_words(const std::vector<LedgerReservation>& reservations);

/// An entry's release, as it is to be stored.
struct LedgerCommitment {
  LedgerReservation reservation;
  std::string receipt;
};

/// All but void entries count as spent. Nothing of a reserved entry's release has left the process that drew it, unless a program
/// of an older format wrote its receipt first. A drawn entry was about to be stored when something stopped that: it counts for
/// good.
enum class EntryState { reserved, drawn, committed, voided };

/// "reserved", "drawn", "committed", "void".
std::string to_string(EntryState state);

struct LedgerEntry {
  std::int64_t id = 0;  ///< 1, 2, ... in the order of reservation, which alone counts; clocks do not
  LedgerRequest request;
  Budget charge;  ///< what the cost counts as on this budget: a pure cost on a zCDP budget has a rho
  EntryState state = EntryState::reserved;
  std::string reserved_at = {};  ///< UTC, the day alone: "2026-01-31"; as the clock was, for information
  std::string settled_at = {};   ///< when it was committed or voided; of a drawn one empty
  std::string receipt = {};      ///< of committed entries: the published text; empty if an older format did not keep it
  std::string receipt_sha256 = {};  ///< of committed entries, in lower-case hexadecimal digits
  std::string reason = {};          ///< of void entries
  std::string token = {};           ///< as LedgerReservation has it

  LedgerReservation reservation() const { return {id, token}; }
};

/// Queries of a dataset that may have been answered before.
struct LedgerQueries {
  std::string dataset;
  std::vector<std::string> queries;
  std::uint64_t receipts_size = 0;  ///< bytes of all receipts together at most, if all are charged
};

/// What is to be charged, decided by what a ledger holds: one per query, or nothing.
using LedgerRequests = std::function<std::vector<LedgerRequest>(const std::vector<std::optional<LedgerEntry>>& held)>;

/// A sum of charges in the measure of a budget, exactly; what the measure does not have is zero.
struct Spending {
  Measure measure = Measure::pure;
  EpsilonSum epsilon = {};
  Rational rho = {};
  Rational delta = {};

  /// The sum of this many equal charges on a budget of this measure.
  void add(const Budget& charge, std::int64_t count = 1);
  /// True when neither of them exceeds that of the budget, decided exactly.
  bool is_within(const Budget& budget) const;
  /// "epsilon = 1/2 + ln 3", "rho = 1/2", "epsilon = 1, delta = 1/1000000"; "about 0.7" for what is long.
  std::string to_string() const;
};

struct LedgerBalance {
  Spending spent;      ///< reserved, drawn and committed
  Spending reserved;   ///< the part of it that is reserved or drawn
  Spending remaining;  ///< exact where rational, otherwise a certified lower bound
};

/// A line of the log; lines are only ever added.
struct LedgerEvent {
  std::int64_t id = 0;
  std::string time;
  std::string kind;        ///< "dataset", "reserve", "draw", "commit" or "void"
  std::string dataset;     ///< of "dataset"
  std::int64_t entry = 0;  ///< of the others
  std::string hash;        ///< of this line and, through the hash before it, of all lines before it
};

/// How a source is read, as its first release that counts fixed it.
struct LedgerSource {
  std::string dataset;
  std::string source;
  std::int64_t entry = 0;  ///< that fixed it
  LedgerReading reading;   ///< all of it but the records per person
  std::uint32_t records_per_person = 1;
};

struct LedgerAccount {
  LedgerDataset dataset;
  LedgerBalance balance;
};

/// All that a ledger holds, as of one moment.
struct LedgerStatement {
  int format = 0;
  std::vector<LedgerAccount> accounts;   ///< in the order in which they were added
  std::vector<LedgerEntry> entries;      ///< by id
  std::vector<LedgerEvent> events;       ///< by id
  std::vector<LedgerSource> sources;     ///< in the order of the entries that fixed them
  std::vector<std::string> damage = {};  ///< what is wrong; sums are of what can be read
};

/// A witness that datasets declare, and whether the ledger has what it has seen.
struct LedgerWitness {
  std::string path;
  std::int64_t line = 0;   ///< of the log, which it has seen last; 0: none yet
  std::string wrong = {};  ///< "" where the ledger has that line; otherwise what is wrong, in words
};

/// What a ledger that was put back to an earlier state counts from now on.
struct LedgerAcceptance {
  std::vector<LedgerEntry> charged;  ///< new entries, for what it did not have
  std::vector<std::int64_t> drawn;   ///< entries that were reserved in that state, and may have been published since
  std::vector<std::string> made;     ///< witnesses that were not there
};

struct LedgerOptions {
  /// How long to wait for another process's lock, or a server, before anything is charged; after that the ledger waits as long as
  /// it takes.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
  std::function<bool()> stop = {};  ///< asked while it waits and nothing is drawn: true ends the wait
  std::function<void(std::chrono::seconds)> waiting =
      {};  ///< told after ten seconds of a wait after a charge, then each minute
};

/// An open ledger. Any number of processes may have it open, and each function is one transaction that either happened
/// durably (synced to the disk) or not at all, whenever the process or the machine stops. Not for two threads at once: let
/// each open its own.
///
/// A path is a file's, or the address of a PostgreSQL database: "postgres://user@host:port/database". When a connection is lost, a
/// function begins anew if nothing had happened, and asks the server what happened if that is in doubt.
///
/// A release reserves, reads its rows, commits with its receipt, and only then is published. An entry that was reserved and not
/// committed stays spent until a person voids it.
///
/// Every function reads the tables from end to end and recomputes the log's hashes: neither an index nor an altered row decides
/// what was spent. It throws `ledger` when the file is not a ledger, is damaged, of a newer format, locked for longer than
/// `patience`, or cannot be written; then nothing happened, except that a failed write may have spent what it reserved. When a
/// connection is lost during a change and the server cannot be asked what became of it, the error says so: what was to be reserved
/// may then count.
/// Thread-safety: not for two threads at once; open the ledger for each. Processes and threads that did so may write at once.
class Ledger {
 public:
  static constexpr int format = 3;

  /// Throws `usage` when there is something at `path` already (an empty file is nothing).
  static Ledger create(const std::string& path, LedgerOptions options = {});
  /// Older formats are migrated.
  static Ledger open(const std::string& path, LedgerOptions options = {});
  static Ledger open_or_create(const std::string& path, LedgerOptions options = {});
  /// Opens a ledger for reading only: any format as it is, also where nothing may be written. Throws `ledger` where the last
  /// changes stand in a file beside the ledger and cannot be read from there.
  static Ledger open_to_read(const std::string& path, LedgerOptions options = {});
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  /// Throws `usage` as validate() does, and when there is a dataset of this name, since datasets never change. Makes its witness,
  /// or takes an existing one that has seen this ledger.
  void add_dataset(const LedgerDataset& dataset);
  std::vector<LedgerDataset> datasets() const;

  /// Throws `usage` unless the request's dataset is there, has its neighbor relation, pins nothing that the request
  /// does not keep, and its budget takes costs of its measure; unless the release is read as the dataset declares and,
  /// in what that leaves open, as the first release of the source that counts was (with at least its records per
  /// person). A source of which nothing is known is read as declared, and otherwise by default. No number of the cost has more
  /// than 50 digits above or below its line. Throws `ledger` when the ledger is behind the dataset's witness, or that
  /// cannot be used. A zCDP budget takes pure costs, at zcdp_of_pure_tight; an approximate one as they are, without a
  /// delta. Nothing else mixes. Throws `usage`, too, when a reserved entry has the request's receipt_path: settle that
  /// entry first.
  void require_fit(const LedgerRequest& request) const;
  /// Charges the request and returns the entry's id. Throws `usage` as require_fit() does, and `budget_refused`, which says what
  /// remains; then nothing is spent.
  LedgerReservation reserve(const LedgerRequest& request);
  /// Looks up what is held of each query, as find_committed() does, and charges what `wanted` then asks for, each request as
  /// reserve() does, all of it in one transaction: every request or none. `wanted` may be called again, when a transaction begins
  /// anew. What is charged together may share a receipt_path.
  std::vector<LedgerReservation> reserve_beside(const LedgerQueries& held, const LedgerRequests& wanted);
  /// Stores the entry's release for good; call it before anything of the release is published. First, and synced, the
  /// entry becomes a drawn one, so that nothing of the release is on the disk while the entry could still be voided.
  /// Throws `usage` when it was committed already; throws `ledger` when it was voided meanwhile, or when the ledger has
  /// no entry of this number with this token: publish nothing.
  void commit(const LedgerReservation& reservation, const std::string& receipt);
  /// Stores the releases of several entries: one transaction makes all of them drawn ones, and a second one stores them all. Throws
  /// as above, and then none of them was stored.
  void commit(std::span<const LedgerCommitment> releases);
  /// A person declares that a reserved entry's release was never published: the entry no longer counts. Throws `usage`
  /// without a reason, when there is no such entry, when it is not reserved, or unless it is sure that no file is at
  /// its receipt_path, nor at that path followed by a dot and six characters, as older programs wrote them. Throws
  /// `ledger` when the ledger is behind the dataset's witness: the entry may have been published since.
  void void_entry(std::int64_t id, const std::string& reason);

  /// All witnesses that datasets declare.
  std::vector<LedgerWitness> witnesses() const;
  /// For an owner who has put the ledger back to an earlier state for good. Where the ledger is behind a witness, this charges what
  /// the witness has seen and the ledger does not have, and what is reserved counts for good. Makes witnesses that are not there.
  /// It may be stopped anywhere, and called again. Throws `ledger` where that cannot be charged.
  LedgerAcceptance accept_witnesses();

  /// The last committed entry of this query, when its receipt was kept; throws `ledger` when that is not what was
  /// committed.
  std::optional<LedgerEntry> find_committed(const std::string& dataset, const std::string& query) const;
  /// Throws `usage` when there is no such dataset.
  LedgerBalance balance(const std::string& dataset) const;
  /// What is spent of the budget and what remains, from the log's last line; it does not say how much is only reserved. Throws
  /// `usage` as balance().
  LedgerAccount account(const std::string& dataset) const;
  /// The account as it would be with the request charged; nothing is charged. Throws as require_fit() does, and as reserve() does
  /// for a cost that exceeds the budget.
  LedgerAccount account_with(const LedgerRequest& request) const;
  LedgerStatement statement() const;
  /// The same for what can still be read of a damaged ledger, and what is wrong with it.
  LedgerStatement salvaged() const;
  /// Throws `usage` when there is none of this id.
  LedgerEntry entry(std::int64_t id) const;

  /// Also compares receipts with their hashes, sums with budgets, and the log with the witnesses that are there, and has SQLite
  /// check its pages. Throws `ledger`, which names the first thing that is wrong. The ledger alone cannot show that lines are
  /// missing at its end; with `head`, the hash of an earlier last line that was kept elsewhere, verify() finds that. Returns the
  /// last line's hash.
  std::string verify(const std::string& head = {}) const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A ledger's path as messages show it: an address without its password.
std::string shown_ledger(const std::string& path);

}  // namespace fractile

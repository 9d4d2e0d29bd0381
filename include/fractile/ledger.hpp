// A durable ledger of privacy budgets: what may be spent on each dataset, and what was spent. A ledger is a SQLite file or, for a
// team, a schema in a PostgreSQL database. docs/ledger.md describes the format, and what a crash at any point leaves behind.
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

#include "fractile/error.hpp"
#include "fractile/privacy.hpp"

namespace fractile {

/// How a source is read: the names of the options that determine it ("delimiter", "person", "table", ...), each with its value as a
/// text. An option that holds its default is left out.
using LedgerReading = std::map<std::string, std::string>;

/// What shares one budget: a table of people, or several tables of the same people.
struct LedgerDataset {
  std::string name;  ///< not empty, of one line
  Budget budget;     ///< for all releases together, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string unit = "person";  ///< whose records are protected together, in words; not empty, of one line
  // Pinned terms: no release may weaken them, so an asker cannot choose a cheaper unit. Each is one line of text; empty: not
  // pinned.
  std::string person = {};               ///< the column by which every release must bound persons' records
  std::uint32_t records_per_person = 1;  ///< no release may be for persons of fewer records; at least 1
  /// What every release must read: the canonical path of a file, which begins with a slash, or a name that the asker
  /// must declare.
  std::string source = {};
  LedgerReading reading =
      {};  ///< what every release must be read with; what it leaves open, a source's first release fixes
  /// The canonical path of the witness: a file to which the log's last line is written before a release draws, and again before it
  /// is published. It shows when the ledger was put back to an earlier state. Empty: none.
  std::string witness = {};

  /// Throws `usage` unless the members are as described above.
  void validate() const;
};

/// A release to charge for.
struct LedgerRequest {
  std::string dataset;
  std::string query;  ///< all that determines the release, in any text; equal texts are the same query
  Budget cost;        ///< of the whole release, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string receipt_path = {};  ///< where a receipt will be written, absolute; empty when nowhere
  // Compared with what the dataset pins, and with how this source was read for the first of its releases that count as spent.
  std::string person = {};               ///< the column by which persons' records are bounded; empty: by declaration
  std::uint32_t records_per_person = 1;  ///< the cost is for persons of at most this many records
  std::string source = {};               ///< as LedgerDataset::source; empty when nothing is known of it
  LedgerReading reading = {};            ///< what this release is read with
  /// Whether each person contributes one value, or one in each group, however many records they have. Then a dataset that pins the
  /// column `person` accepts any bound of records. Not stored.
  bool one_value_a_person = false;
  /// The largest size of the receipt, in bytes; there must be room for it before anything is charged. Not stored.
  std::uint64_t receipt_size = 0;
};

/// An entry's number, and a token that identifies the entry: a ledger that was put back to an earlier state may give the same
/// number to another release.
struct LedgerReservation {
  std::int64_t id = 0;
  std::string token = {};  ///< in lower-case hexadecimal digits; "" for entries of formats before 3
};

/// An entry's release, to be stored.
struct LedgerCommitment {
  LedgerReservation reservation;
  std::string receipt;
};

/// All entries except void ones count as spent. Nothing of a reserved entry's release has left the process that drew it, unless a
/// program of an older format wrote its receipt first. A drawn entry was about to be stored when something prevented it: it counts
/// for good.
enum class EntryState { reserved, drawn, committed, voided };

/// "reserved", "drawn", "committed", "void".
std::string to_string(EntryState state);

struct LedgerEntry {
  std::int64_t id = 0;  ///< 1, 2, ... in the order of reservation, whatever the clocks say
  LedgerRequest request;
  Budget charge;  ///< what the cost counts as on this budget: a pure cost on a zCDP budget has a rho
  EntryState state = EntryState::reserved;
  std::string reserved_at = {};  ///< the day in UTC by the machine's clock, "2026-01-31"; for information
  std::string settled_at = {};   ///< when it was committed or voided; empty for a drawn entry
  std::string receipt = {};      ///< of committed entries: the published text; empty if an older format did not keep it
  std::string receipt_sha256 = {};  ///< of committed entries, in lower-case hexadecimal digits
  std::string reason = {};          ///< of void entries
  std::string token = {};           ///< as in LedgerReservation

  LedgerReservation reservation() const { return {id, token}; }
};

/// Queries of a dataset that may have been answered before.
struct LedgerQueries {
  std::string dataset;
  std::vector<std::string> queries;
  std::uint64_t receipts_size = 0;  ///< largest size of all receipts together, in bytes, if all are charged
  /// What each query costs, if that is known: then the answers are, if the ledger holds each query at its cost, the last entries with
  /// these costs.
  std::vector<Budget> costs = {};
};

/// Decides what to charge. `held` has, for each query, the entry that the ledger holds, or nothing.
using LedgerRequests = std::function<std::vector<LedgerRequest>(const std::vector<std::optional<LedgerEntry>>& held)>;

/// An exact sum of charges in the measure of a budget; parameters that the measure lacks are zero.
struct Spending {
  Measure measure = Measure::pure;
  EpsilonSum epsilon = {};
  Rational rho = {};
  Rational delta = {};

  /// The sum of this many equal charges on a budget of this measure.
  void add(const Budget& charge, std::int64_t count = 1);
  /// True when no parameter exceeds the budget's, decided exactly.
  bool is_within(const Budget& budget) const;
  /// "epsilon = 1/2 + ln 3", "rho = 1/2", "epsilon = 1, delta = 1/1000000"; "about 0.7" for a long sum.
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
  std::vector<std::string> damage = {};  ///< what is wrong; sums then cover what can be read
};

/// A witness that datasets declare, and whether the ledger has what it has seen.
struct LedgerWitness {
  std::string path;
  std::int64_t line = 0;   ///< the last line of the log that it has seen; 0: none yet
  std::string fault = {};  ///< what is wrong, in words; "" when the ledger has that line
};

/// What accept_witnesses() changed in a ledger that was put back to an earlier state.
struct LedgerAcceptance {
  std::vector<LedgerEntry> charged;  ///< new entries, for charges that the ledger had lost
  /// Entries that were reserved in that state and may have been published since; they count for good.
  std::vector<std::int64_t> drawn;
  std::vector<std::string> made;  ///< witnesses whose files were missing
};

struct LedgerOptions {
  /// How long to wait for another process's lock, or for a server, before anything is charged. Once something is charged, the
  /// ledger waits without limit.
  std::chrono::milliseconds patience = std::chrono::seconds(10);
  std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;  ///< empty: the same
  std::function<bool()> stop = {};  ///< asked while it waits and nothing is drawn: true ends the wait
  /// Called when a wait that follows a charge has lasted ten seconds, and then each minute.
  std::function<void(std::chrono::seconds)> waiting = {};
};

/// An open ledger. Any number of processes may have it open, and each function is one transaction that either happened durably
/// (synced to the disk) or not at all, whenever the process or the machine stops. Two threads must not use one ledger at once: let
/// each open its own.
///
/// A ledger's path is that of a file, or the address of a PostgreSQL database: "postgres://user@host:port/database". When a
/// connection is lost before anything happened, a function begins anew; when it is in doubt whether the change happened, the
/// function asks the server.
///
/// A release reserves an entry, reads its rows and commits the entry with its receipt; only then is it published. An entry that was
/// reserved and not committed stays spent until the owner voids it.
///
/// Every function reads the tables from end to end and recomputes the log's hashes: neither an index nor an altered row decides
/// what was spent. It throws `ledger` when the file is not a ledger, is damaged, has a newer format, stays locked for longer than
/// `patience`, or cannot be written. Then nothing happened, except that a failed write may have spent what it reserved. When a
/// connection is lost during a change and the server cannot be asked whether the change happened, the error says so; the charge may
/// then count.
/// Thread-safety: not for two threads at once; open the ledger for each. Processes and threads that each opened it may write at
/// once.
class Ledger {
 public:
  static constexpr int format = 3;

  /// Throws `usage` when `path` already exists, unless it is an empty file.
  static Ledger create(const std::string& path, LedgerOptions options = {});
  /// Older formats are migrated.
  static Ledger open(const std::string& path, LedgerOptions options = {});
  static Ledger open_or_create(const std::string& path, LedgerOptions options = {});
  /// Adds a dataset to the ledger at `path`, which is made if there is none. Throws as add_dataset() does. Looks at the dataset and at its
  /// witness first, so that no empty ledger is made for a dataset that is refused.
  static void init(const std::string& path, const LedgerDataset& dataset, LedgerOptions options = {});
  /// Opens a ledger for reading only: functions that change it throw `usage`. Any format is read as it is, and no write access is
  /// needed. Throws `ledger` when the last changes are in a file next to the ledger and cannot be read from there.
  static Ledger open_to_read(const std::string& path, LedgerOptions options = {});
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  /// Throws `usage` as validate() does, and when there already is a dataset of this name, since datasets never change. Creates its
  /// witness, or uses an existing file that has seen this ledger.
  void add_dataset(const LedgerDataset& dataset);
  std::vector<LedgerDataset> datasets() const;

  /// Throws `usage` unless all of this holds:
  /// * The request's dataset exists, has the request's neighbor relation, and takes costs of its measure. A zCDP budget takes pure
  ///   costs, at zcdp_of_pure_tight; an approximate budget takes them as they are, without a delta. Nothing else mixes.
  /// * The request keeps everything that the dataset pins.
  /// * The release is read as the dataset declares. What the declaration leaves open is read as for the source's first release that
  ///   counts, with at least that release's records per person. An unknown source is read as declared, and otherwise by default.
  /// * No number of the cost has more than 50 digits above or below its fraction bar.
  /// * No reserved entry has the request's receipt_path: settle such an entry first.
  /// Throws `ledger` when the ledger is behind the dataset's witness, or the witness cannot be used.
  void require_fit(const LedgerRequest& request) const;
  /// Charges the request and returns its entry. Throws `usage` as require_fit() does, and `budget_refused`, whose message says what
  /// remains; then nothing is spent.
  LedgerReservation reserve(const LedgerRequest& request);
  /// Looks up the entry that is held for each query, as find_committed() does, and charges what `wanted` then asks for, each
  /// request as reserve() does. All of it is one transaction, which charges every request or none. `wanted` is called again when
  /// the transaction begins anew. Requests that are charged together may share a receipt_path.
  std::vector<LedgerReservation> reserve_beside(const LedgerQueries& held, const LedgerRequests& wanted);
  /// Stores the entry's release for good; call it before anything of the release is published. First the entry becomes a drawn one,
  /// synced to the disk. So nothing of the release is on the disk while the entry can still be voided. Throws `usage` when it was
  /// committed already; throws `ledger` when it was voided meanwhile, or when the ledger has no entry of this number with this
  /// token: publish nothing.
  void commit(const LedgerReservation& reservation, const std::string& receipt);
  /// Stores the releases of several entries: one transaction makes all of them drawn ones, and a second one stores them all. Throws
  /// as above, and `usage` when an entry occurs twice; then none of them was stored.
  void commit(std::span<const LedgerCommitment> releases);
  /// The owner declares that a reserved entry's release was never published: the entry no longer counts. Throws `usage` without a
  /// reason, when there is no such entry, and when it is not reserved. Throws `usage` also unless it is certain that there is no
  /// file at the entry's receipt_path, nor at that path followed by a dot and six characters, as older programs wrote them. Throws
  /// `ledger` when the ledger is behind the dataset's witness: the entry may have been published since.
  void void_entry(std::int64_t id, const std::string& reason);

  /// All witnesses that datasets declare.
  std::vector<LedgerWitness> witnesses() const;
  /// For an owner who has put the ledger back to an earlier state for good. Where the ledger is behind a witness, this charges what
  /// the witness has seen and the ledger lacks, and reserved entries count for good. Creates witnesses that are missing. It may be
  /// interrupted anywhere and called again. Throws `ledger` when what is missing cannot be charged.
  LedgerAcceptance accept_witnesses();

  /// The last committed entry of this query, when its receipt was kept; throws `ledger` when the stored receipt is not the one that
  /// was committed.
  std::optional<LedgerEntry> find_committed(const std::string& dataset, const std::string& query) const;
  /// The same for several queries, as of one moment: for each its entry, or nothing.
  std::vector<std::optional<LedgerEntry>> find_committed(const LedgerQueries& asked) const;
  /// Throws `usage` when there is no such dataset.
  LedgerBalance balance(const std::string& dataset) const;
  /// What is spent of the budget and what remains, from the log's last line; this does not show how much is only reserved. Throws
  /// `usage` as balance() does.
  LedgerAccount account(const std::string& dataset) const;
  /// The account as it would be with the request charged; nothing is charged. Throws as require_fit() does, and as reserve() does
  /// for a cost that exceeds the budget.
  LedgerAccount account_with(const LedgerRequest& request) const;
  LedgerStatement statement() const;
  /// The same for a damaged ledger: what can still be read, and what is wrong with it.
  LedgerStatement salvaged() const;
  /// Throws `usage` when there is no entry of this id.
  LedgerEntry entry(std::int64_t id) const;

  /// Also compares receipts with their hashes, sums with budgets, and the log with the witnesses that are there, and has SQLite
  /// check its pages. Throws `ledger` and names the first thing that is wrong. The ledger alone cannot show that lines are missing
  /// at its end; with `head`, the hash of an earlier last line that was kept elsewhere, verify() finds that. Throws `usage` for a
  /// `head` that is not a hash. Returns the last line's hash.
  std::string verify(const std::string& head = {}) const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A ledger's path as messages show it: an address without its password.
std::string shown_ledger(const std::string& path);

}  // namespace fractile

// A durable ledger of privacy budgets: what may be spent on each dataset, and what was. One SQLite file; its format, and
// what a crash at any point leaves, are in docs/ledger.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/accounting.hpp"
#include "fractile/privacy.hpp"

namespace fractile {

/// What shares one budget: a table of people, or several of the same people.
struct LedgerDataset {
  std::string name;  ///< not empty, of one line
  Budget budget;     ///< for all releases together, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string unit = "person";  ///< whose records are protected together, in words; not empty, of one line

  /// Error(usage) unless name and unit are what they should be.
  void validate() const;
};

/// What is to be charged for.
struct LedgerRequest {
  std::string dataset;
  std::string query;  ///< all that determines the release, in any text; equal texts are the same query
  Budget cost;        ///< of the whole release, for one unit
  Neighbors neighbors = Neighbors::add_remove;
  std::string receipt_path = {};  ///< where a receipt will be written, absolute; empty when nowhere
};

/// reserved and committed entries count as spent. A reserved one may or may not have been published.
enum class EntryState { reserved, committed, voided };

/// "reserved", "committed", "void".
std::string to_string(EntryState state);

struct LedgerEntry {
  std::int64_t id = 0;  ///< 1, 2, ... in the order of reservation, which alone counts; clocks do not
  LedgerRequest request;
  Budget charge;  ///< what the cost counts as on this budget: a pure cost on a zCDP budget has a rho
  EntryState state = EntryState::reserved;
  std::string reserved_at = {};  ///< UTC, "2026-01-31T09:00:00Z"; as the clock was, for information
  std::string settled_at = {};   ///< when it was committed or voided
  std::string receipt = {};      ///< of committed entries: the published text; empty if an older format did not keep it
  std::string receipt_sha256 = {};  ///< of committed entries, in lower-case hexadecimal digits
  std::string reason = {};          ///< of void entries
};

/// A sum of charges in the measure of a budget, exactly; what the measure does not have is zero.
struct Spending {
  Measure measure = Measure::pure;
  EpsilonSum epsilon = {};
  Rational rho = {};
  Rational delta = {};

  /// So many equal charges on a budget of this measure.
  void add(const Budget& charge, std::int64_t count = 1);
  /// True when neither of them exceeds that of the budget, decided exactly.
  bool is_within(const Budget& budget) const;
  /// "epsilon = 1/2 + ln 3", "rho = 1/2", "epsilon = 1, delta = 1/1000000"; "about 0.7" for what is long.
  std::string to_string() const;
};

struct LedgerBalance {
  Spending spent;      ///< reserved and committed
  Spending reserved;   ///< the reserved part of it
  Spending remaining;  ///< exact where rational, otherwise a certified lower bound
};

/// A line of the log; lines are only ever added.
struct LedgerEvent {
  std::int64_t id = 0;
  std::string time;
  std::string kind;        ///< "dataset", "reserve", "commit" or "void"
  std::string dataset;     ///< of "dataset"
  std::int64_t entry = 0;  ///< of the others
  std::string hash;        ///< of this line and, through the hash before it, of all lines before it
};

struct LedgerAccount {
  LedgerDataset dataset;
  LedgerBalance balance;
};

/// All that a ledger holds, as of one moment.
struct LedgerStatement {
  int format = 0;
  std::vector<LedgerAccount> accounts;  ///< in the order in which they were added
  std::vector<LedgerEntry> entries;     ///< by id
  std::vector<LedgerEvent> events;      ///< by id
};

struct LedgerOptions {
  std::chrono::milliseconds patience = std::chrono::seconds(10);  ///< how long to wait for another process's lock
  std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
};

/// An open ledger. Any number of processes may have it open, and each function is one transaction that either happened
/// durably (synced to the disk) or not at all, whenever the process or the machine stops. Not for two threads at once: let
/// each open its own.
///
/// A release reserves, reads its rows, and commits with its receipt. What was reserved and not committed stays spent until
/// a person voids it.
///
/// Every function throws Error(ledger) when the file is not a ledger, is damaged, of a newer format, locked for longer than
/// `patience`, or cannot be written; then nothing happened, except that a failed write may have spent what it reserved.
class Ledger {
 public:
  static constexpr int format = 1;

  /// Error(usage) when there is something at `path` already (an empty file is nothing).
  static Ledger create(const std::string& path, LedgerOptions options = {});
  /// Older formats are migrated.
  static Ledger open(const std::string& path, LedgerOptions options = {});
  static Ledger open_or_create(const std::string& path, LedgerOptions options = {});
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  /// Error(usage) when there is one of this name, which never changes, and as validate().
  void add_dataset(const LedgerDataset& dataset);
  std::vector<LedgerDataset> datasets() const;

  /// Error(usage) unless the request's dataset is there, has its neighbour relation, and its budget takes costs of its
  /// measure. A zCDP budget takes pure costs, at zcdp_of_pure_tight; an approximate one as they are, without a delta.
  /// Nothing else mixes.
  void require_fit(const LedgerRequest& request) const;
  /// Charges the request and returns the entry's id. Errors: usage, as require_fit; budget_refused, which says what
  /// remains, and nothing is spent.
  std::int64_t reserve(const LedgerRequest& request);
  /// The entry's release is published: stores its receipt for good. `before` runs first, under the ledger's lock: if it
  /// throws, the entry stays reserved. Error(usage) when there is no such entry, or it was committed already;
  /// Error(ledger) when it was voided meanwhile: publish nothing.
  void commit(std::int64_t id, const std::string& receipt, const std::function<void()>& before = {});
  /// A person's word that a reserved entry's release was never published: it no longer counts. Error(usage) without a
  /// reason, when there is no such entry, when it is not reserved, or when a file is at its receipt_path.
  void void_entry(std::int64_t id, const std::string& reason);

  /// The last committed entry of this query, when its receipt was kept; Error(ledger) when that is not what was committed.
  std::optional<LedgerEntry> find_committed(const std::string& dataset, const std::string& query) const;
  /// Error(usage) when there is no such dataset.
  LedgerBalance balance(const std::string& dataset) const;
  LedgerStatement statement() const;

  /// Recomputes every hash and every sum, compares receipts with their hashes, and has SQLite check its pages.
  /// Error(ledger) names the first thing that is wrong. Lines missing at the end cannot be found by the ledger alone: with
  /// `head`, the hash of an earlier last line that was kept elsewhere, they are. Returns the last line's hash.
  std::string verify(const std::string& head = {}) const;

 private:
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fractile

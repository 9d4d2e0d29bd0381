// What a ledger adds to releases: each is paid for before rows are read, and paid for only once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "fractile/publication.hpp"
#include "report/text/durable.hpp"

namespace fractile::publication_detail {

/// What an entry is charged for.
struct ChargedRelease {
  std::string query;  ///< as canonical_text() writes it
  Budget cost;
  std::uint64_t receipt_size = 0;  ///< an upper bound on the bytes of its receipt
};

/// Decides what to charge. For each query, `held` has the entry of its earlier release, or nothing.
using WantedReleases = std::function<std::vector<ChargedRelease>(const std::vector<std::optional<LedgerEntry>>& held)>;

/// The charge of one release, or of several that are paid for and stored together.
class ReleaseCharge {
 public:
  /// Opens the ledger. Refuses what does not go with a ledger, and what holds only if its dataset declares it. Before that, nothing is
  /// opened or loaded. All that is charged together has the same source and counts the same persons' records. `columns`: all columns that
  /// are counted.
  static ReleaseCharge of(const Payment& payment, const Source& source, const ReleaseRequest& release,
                          const std::vector<ColumnToCount>& columns, Attendant& attendant);

  /// Call it when all files are open and no record has been read. Refuses queries that the dataset's budget is not for: with another unit,
  /// other files or another reading. `opened` is empty when no file is read.
  void require_fit(const Source& source, const std::vector<OpenedFile>& opened);

  /// Call it when it is known what was opened. If the dataset pins the column of persons, refuses a query unless it makes one row of each
  /// person's records.
  void require_persons(const Source& source, const Records& records) const;

  /// The entry of an earlier release of this very query, if any. Nothing if the payment asks for a new release, or if the table read is
  /// unknown.
  std::optional<LedgerEntry> stored(const std::string& query) const;
  /// The text under which the ledger holds or will hold a release. `as_typed`: its text in an older program, which is returned if only that
  /// one is held.
  std::string held_text(const std::string& text, const std::string& as_typed) const;
  /// The release that such an entry holds, read back from its receipt.
  static Release release_of(const LedgerEntry& entry);
  /// Writes the entry's receipt where the request says, unless it is there already, and reports that nothing was spent.
  void repeat(const LedgerEntry& entry, Attendant& attendant) const;
  /// Writes a text where the request says, unless it is there already.
  void write_again(const std::string& text) const;

  /// The dataset and its balance as they would be with the release; nothing is reserved.
  LedgerAccount account_with(const ChargedRelease& release) const;
  /// The dataset and its balance, this release included once it is reserved.
  LedgerAccount account() const;

  const std::string& dataset() const { return dataset_.name; }
  /// After reserve(): the charge that each release states, in the order in which the releases were wanted.
  std::vector<Charge> charges() const;

  /// What was opened, as in ReleaseDetails.
  const std::string& source() const { return source_; }
  const std::vector<NamedTable>& tables() const { return tables_; }
  /// The ledger's path, as messages show it.
  const std::string& path() const { return path_; }

  /// Reserves a release. Also reserves room for its receipt, of `receipt_size` bytes in the ledger and in the receipt's file, and for what
  /// will be shown. From here on, an interrupt reports what counts as spent and what can be done.
  void reserve(const ChargedRelease& release, Attendant& attendant);
  /// Looks up the entries held for these queries of the dataset that pays, if stored() would look, and reserves what `wanted` then asks
  /// for. All of it is one transaction, which reserves everything or nothing. If all queries are held, it takes no transaction and no room.
  /// Room as above, and `file_size` bytes in the request's file.
  void reserve(LedgerQueries asked, const WantedReleases& wanted, std::uint64_t file_size, Attendant& attendant);
  /// "entries 3 to 4 of b.db; earlier: entry 1 at epsilon = 1": the entries that were given for these queries, and the other committed
  /// ones. Empty if none was given.
  std::string held_in_words(const std::vector<std::string>& queries,
                            const std::vector<std::optional<LedgerEntry>>& held) const;
  /// Runs `work`. If it fails or is interrupted, the message also says what became of the entries.
  void guard(const std::function<void()>& work, Attendant& attendant) const;
  /// Commits a receipt for each release that was reserved, and only then writes `file` where the request says. An interrupt cannot stop it
  /// halfway.
  void publish(std::vector<std::string> receipts, const std::string& file, Attendant& attendant);
  /// What to say when the release cannot be shown: what holds it, and what prints it.
  Words kept() const;

 private:
  LedgerRequest request_for(const ChargedRelease& release) const;
  ReleaseCharge(Ledger ledger, LedgerDataset dataset, LedgerRequest request, const Payment& payment,
                std::string receipt);
  void make_room(std::uint64_t file_size, Attendant& attendant);
  bool may_be_stored() const { return !payment_.again && !source_.empty(); }
  /// What became of the entries, for an error.
  Words fate() const;
  /// One entry per query, if there are queries and all of them were released before. Otherwise nothing.
  std::optional<std::vector<std::optional<LedgerEntry>>> all_stored(const LedgerQueries& asked) const;
  /// The same, where the ledger can be read. Throws `usage` if it does not have the entries.
  Words what_became_of_entries(const Ledger& ledger) const;
  /// What to say if it does not have them.
  Words gone() const;

  Ledger ledger_;
  Payment payment_;
  std::string path_;     ///< of the ledger, as messages show it
  std::string receipt_;  ///< as the request names it
  LedgerDataset dataset_;
  LedgerRequest request_;  ///< what all requests have in common
  std::vector<LedgerReservation> reservations_ = {};
  std::vector<Budget> costs_ = {};               ///< what each of the reservations costs
  std::unique_ptr<RoomForFile> room_ = nullptr;  ///< for the receipt's file
  std::string source_ = {};
  std::vector<NamedTable> tables_ = {};
  bool fits_ = false;
};

/// Throws `data` because memory has run out. `became` says what that means for a charge.
[[noreturn]] void refuse_without_memory(const Words& became);

/// Returns what `work` returns. When memory runs out, throws an Error in place of std::bad_alloc.
template <class Work>
auto or_without_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    refuse_without_memory("if a ledger pays, its last entry says whether it was charged");
  }
}

}  // namespace fractile::publication_detail

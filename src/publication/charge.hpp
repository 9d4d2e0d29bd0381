// What a ledger adds to releases: they are paid for before rows are read, and paid for once.
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
  std::string query;  ///< of canonical_text()
  Budget cost;
  std::uint64_t receipt_size = 0;  ///< bytes of its receipt at most
};

/// What is to be charged, decided by what the ledger holds: a release that was asked for before, or nothing, for each query.
using WantedReleases = std::function<std::vector<ChargedRelease>(const std::vector<std::optional<LedgerEntry>>& held)>;

/// The charge of one release, or of several that are paid for and stored together.
class ReleaseCharge {
 public:
  /// Opens the ledger. Refuses what does not go with a ledger, and what holds only where its dataset declares it. Nothing is opened or
  /// loaded before that. What is read, and whose records count, is the same for all that is charged; `columns` are all that are counted.
  static ReleaseCharge of(const Payment& payment, const Source& source, const ReleaseRequest& release,
                          const std::vector<ColumnToCount>& columns, Attendant& attendant);

  /// Once all files are open that are read, and before anything of them is: refuses queries that the dataset's budget is not for, of
  /// other units, of other files, or read otherwise. `opened`: none where no file is read.
  void require_fit(const Source& source, const std::vector<OpenedFile>& opened);

  /// Once it is known what was opened: refuses a query where the dataset pins the column of persons, unless it makes one row of each of
  /// theirs.
  void require_persons(const Source& source, const Records& records) const;

  /// The entry by which this very query was released before, unless all is paid for anew, or it is not known what table is read.
  std::optional<LedgerEntry> stored(const std::string& query) const;
  /// What such an entry holds, read back.
  static Release release_of(const LedgerEntry& entry);
  /// Writes its receipt where the request says, unless it is there already, and says that nothing was spent.
  void repeat(const LedgerEntry& entry, Attendant& attendant) const;
  /// Writes a text where the request says, unless it is there already.
  void write_again(const std::string& text) const;

  /// The dataset and its balance as they would be with the release; nothing is reserved.
  LedgerAccount account_with(const ChargedRelease& release) const;
  /// The dataset and its balance, this release included once it is reserved.
  LedgerAccount account() const;

  const std::string& dataset() const { return dataset_.name; }
  /// Once it is reserved: what each release says of its entry, in the order in which they were wanted.
  std::vector<Charge> charges() const;

  /// What was opened, as ReleaseDetails has it.
  const std::string& source() const { return source_; }
  const std::vector<NamedTable>& tables() const { return tables_; }
  /// The ledger, as messages show it.
  const std::string& path() const { return path_; }

  /// Reserves a release, with room for a receipt of this many bytes in the ledger, in its file, and for what will be shown. From here on an
  /// interrupt says what counts, and what can be done.
  void reserve(const ChargedRelease& release, Attendant& attendant);
  /// Looks up what is held of these queries, where stored() would, and reserves what is wanted then, as one transaction: all of it or
  /// nothing. Where all of them are held, no transaction and no room is taken. Room as above, for `receipts_size` bytes of all receipts in the ledger, and `file_size` in the request's file.
  void reserve(const std::vector<std::string>& queries, const WantedReleases& wanted, std::uint64_t receipts_size,
               std::uint64_t file_size, Attendant& attendant);
  /// Errors of `work` also say what became of the entries, and so does an interrupt that ended it.
  void guard(const std::function<void()>& work, Attendant& attendant) const;
  /// Commits a receipt for each release that was reserved, and only then writes `file` where the request says. Nothing interrupts it
  /// halfway.
  void publish(std::vector<std::string> receipts, const std::string& file, Attendant& attendant);
  /// For when the release cannot be shown.
  Words kept() const;

 private:
  LedgerRequest request_for(const ChargedRelease& release) const;
  ReleaseCharge(Ledger ledger, LedgerDataset dataset, LedgerRequest request, const Payment& payment,
                std::string receipt);
  void make_room(std::uint64_t file_size, Attendant& attendant);
  bool may_be_stored() const { return !payment_.again && !source_.empty(); }
  /// What became of the entries, for an error.
  Words fate() const;
  /// One per query, where there are queries and all of them were released before.
  std::optional<std::vector<std::optional<LedgerEntry>>> all_stored(const std::vector<std::string>& queries) const;
  /// "stays" or "stay".
  std::string one_or_more(const char* of_one, const char* of_more) const;

  Ledger ledger_;
  Payment payment_;
  std::string path_;     ///< of the ledger, as messages show it
  std::string receipt_;  ///< as the request names it
  LedgerDataset dataset_;
  LedgerRequest request_;  ///< what all of them have in common
  std::vector<LedgerReservation> reservations_ = {};
  std::string cost_ = {};                        ///< of all that was reserved, in words
  std::unique_ptr<RoomForFile> room_ = nullptr;  ///< for the receipt's file
  std::string source_ = {};
  std::vector<NamedTable> tables_ = {};
  bool fits_ = false;
};

/// Throws `data`: memory could not be had. `became` says what that means for a charge.
[[noreturn]] void refuse_without_memory(const Words& became);

/// What `work` gives. Memory that cannot be had is an error of ours.
template <class Work>
auto or_without_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    refuse_without_memory("if a ledger pays, its last entry says whether it was charged");
  }
}

}  // namespace fractile::publication_detail

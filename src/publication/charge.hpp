// What a ledger adds to a release: it is paid for before rows are read, and paid for once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fractile/durable.hpp"
#include "fractile/publication.hpp"

namespace fractile::publication_detail {

class ReleaseCharge {
 public:
  /// Opens the ledger. Refuses what does not go with a ledger, and what holds only where its dataset declares it. Nothing is opened or
  /// loaded before that.
  static ReleaseCharge of(const Payment& payment, const Source& source, const ReleaseRequest& release,
                          Attendant& attendant);

  /// Once all files are open that are read, and before anything of them is: refuses queries that the dataset's budget is not for, of
  /// other units, of other files, or read otherwise. `opened`: none where no file is read.
  void require_fit(const Source& source, const std::vector<OpenedFile>& opened);

  /// The entry by which this very query was released before, unless all is paid for anew, or it is not known what table is read.
  std::optional<LedgerEntry> stored(const std::string& query_text);
  /// What such an entry holds, read back.
  static Release release_of(const LedgerEntry& entry);
  /// Writes its receipt where the request says, unless it is there already, and tells that nothing was spent.
  void repeat(const LedgerEntry& entry, Attendant& attendant) const;

  /// The dataset and its balance, this release included once it is reserved.
  LedgerAccount account() const;

  /// Once it is reserved: what the release says of it.
  Charge charge() const { return {request_.dataset, reservation_.id, reservation_.token}; }

  /// What was opened, as ReleaseDetails has it.
  const std::string& source() const { return source_; }
  const std::vector<NamedTable>& tables() const { return tables_; }

  /// Reserves the query that was last looked for, with room for a receipt of so many bytes in the ledger, in its file, and for what will
  /// be shown. From here on an interrupt says
  /// what counts, and what can be done.
  void reserve(std::uint64_t receipt_size, Attendant& attendant);
  /// Errors of `work` also tell what became of the entry, and so does an interrupt that ended it.
  void guard(const std::function<void()>& work, Attendant& attendant) const;
  /// Commits, and only then writes the receipt where the request says. Nothing interrupts it halfway.
  void publish(const std::string& receipt, Attendant& attendant);
  /// For when the release cannot be shown.
  Words kept() const;

 private:
  ReleaseCharge(Ledger ledger, LedgerDataset dataset, LedgerRequest request, const Payment& payment,
                std::string receipt);
  void make_room(std::uint64_t receipt_size, Attendant& attendant);
  /// What became of the entry, for an error.
  Words fate() const;

  Ledger ledger_;
  Payment payment_;
  std::string path_;     ///< of the ledger, as messages show it
  std::string receipt_;  ///< as the request names it
  LedgerDataset dataset_;
  LedgerRequest request_;
  LedgerReservation reservation_;
  std::unique_ptr<RoomForFile> room_ = nullptr;  ///< for the receipt's file
  std::string source_ = {};
  std::vector<NamedTable> tables_ = {};
  bool fits_ = false;
};

}  // namespace fractile::publication_detail

// What --ledger adds to a release: it is paid for before rows are read, and paid for once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fractile/ledger.hpp"
#include "fractile/quantiles.hpp"
#include "options.hpp"
#include "values.hpp"

namespace fractile::cli {

class ReleaseCharge {
 public:
  /// Opens the ledger that --ledger names; nothing when none is. Refuses what does not go with a ledger, and queries that
  /// the dataset's budget is not for.
  static std::optional<ReleaseCharge> of(const Typed& typed, const QuantileQuery& query);

  /// When this very query was released before, and --again was not given: prints that release in this format, writes its
  /// receipt where --receipt says, and tells so on standard error. False when there is none.
  bool answer_from_ledger(const std::string& query_text, Format format);

  /// Reserves the query that was last looked for.
  void reserve();
  /// Errors of `work` also tell that the entry stays reserved.
  void guard(const std::function<void()>& work) const;
  /// `write_receipt` runs when nothing can come between it and the commitment.
  void commit(const std::string& receipt, const std::function<void()>& write_receipt);
  /// For when the release cannot be printed.
  std::string kept() const;

 private:
  ReleaseCharge(Ledger ledger, std::string path, LedgerRequest request, bool again);

  Ledger ledger_;
  std::string path_;
  LedgerRequest request_;
  bool again_;
  std::int64_t entry_ = 0;
};

}  // namespace fractile::cli

// What --ledger adds to a release: it is paid for before rows are read, and paid for once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fractile/ledger.hpp"
#include "fractile/quantiles.hpp"
#include "options.hpp"
#include "query.hpp"

namespace fractile::cli {

class ReleaseCharge {
 public:
  /// Opens the ledger that --ledger names; nothing when none is. Refuses what does not go with a ledger, and queries that
  /// the dataset's budget is not for: of other units, of another table.
  static std::optional<ReleaseCharge> of(const Typed& typed, const QuantileQuery& query);

  /// When this very query was released before, and --again was not given: prints that release in this format, writes its
  /// receipt where --receipt says, unless it is there already, and tells so on standard error. False when there is none, and
  /// when it is not known what table is read.
  bool answer_from_ledger(const std::string& query_text, Shown shown);

  /// The dataset and its balance, this release included once it is reserved.
  LedgerAccount account() const;

  /// What the table is, as ReleaseDetails has it.
  const std::string& source() const { return request_.source; }

  /// Reserves the query that was last looked for. From here on Ctrl-C says what counts, and what can be done.
  void reserve();
  /// Errors of `work` also tell what became of the entry.
  void guard(const std::function<void()>& work) const;
  /// Commits, and only then writes the receipt where --receipt says. Nothing interrupts it halfway.
  void publish(const std::string& receipt);
  /// For when the release cannot be printed.
  std::string kept() const;

 private:
  ReleaseCharge(Ledger ledger, LedgerRequest request, const Typed& typed);
  /// What became of the entry, for an error.
  std::string fate() const;

  Ledger ledger_;
  std::string path_;
  std::string receipt_;  ///< as typed
  bool again_;
  LedgerRequest request_;
  std::int64_t entry_ = 0;
};

}  // namespace fractile::cli

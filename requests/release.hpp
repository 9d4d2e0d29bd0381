// A release, from words to a receipt: what the program and the Python package both do, step by step in one order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fractile/canonical_query.hpp"
#include "fractile/ledger.hpp"
#include "fractile/postgres.hpp"
#include "fractile/quantiles.hpp"
#include "fractile/random.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "requests/attendant.hpp"
#include "requests/groups.hpp"
#include "requests/query.hpp"
#include "requests/records.hpp"
#include "requests/release_charge.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {

/// All that was asked for, in values.
struct ReleaseRequest {
  std::string column;
  QuantileQuery asked;  ///< as typed
  QuantileQuery query;  ///< the same over the query, if there is one: over_query()
  std::optional<BoundsToFind> bounds;
  Lattice lattice;  ///< on which records are counted
  RecordSelection selection;
  NullPolicy null_policy;
  bool public_rows;
  TableOptions table;                       ///< without file and query when the records are in memory
  std::optional<PostgresOptions> postgres;  ///< in place of the table
  std::optional<std::uint64_t> seed;
  std::string receipt;  ///< where to write it; empty: nowhere

  /// Error(usage) for what cannot be, and Error(data) for a file of keys that cannot be read. No table is looked at.
  /// `in_memory`: the records are, so that no option may tell of a file.
  static ReleaseRequest of(const Typed& typed, bool in_memory);
  RandomBits bits() const;
  bool reads_files() const { return !table.file.empty() || !table.tables.empty(); }
};

/// What a request got: a release, which may be one that a ledger held already.
struct Answer {
  std::optional<Release> release = {};        ///< nothing until it is drawn; with its receipt where that is kept
  std::optional<LedgerEntry> stored = {};     ///< the entry that held it
  std::optional<LedgerAccount> account = {};  ///< of the dataset that paid, this release included
  Words kept = {};                            ///< where it is kept, in words, for when it cannot be shown
};

/// Opens the records; calls what it is given as Table::open does, where files are read.
using OpenRecords = std::function<std::unique_ptr<Records>(const OnOpened& on_opened)>;

/// Refusals first, rows second: opens the ledger that `typed` names and then the records, charges, reads, draws, commits, and writes
/// the receipt.
Answer answer(const Typed& typed, const ReleaseRequest& request, const OpenRecords& open, Attendant& attendant);

}  // namespace fractile::requests

// What a release reads: a file or a query, columns in memory, a table on a server, a profile file, or counts from elsewhere.
// Proof: docs/proofs/row_wise_queries.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fractile/frames.hpp"
#include "fractile/profile_files.hpp"
#include "fractile/source.hpp"

namespace fractile {

/// Who holds the records: a file or a server, which the asker cannot read directly, or the asker's own program, in its memory.
enum class Holder { owner, asker };

/// Records that were named and not opened yet.
/// Thread-safety: not for two threads at once.
class Source {
 public:
  static Source file(TableOptions options);
  /// Uses the frame up. Takes the options that apply to columns in memory: threads, memory, missing, unreadable.
  static Source frame(Frame frame, TableOptions options = {});
  /// A query on a PostgreSQL server, whose client library is loaded when it is needed. `address`: "postgres://user@host:port/database", which
  /// messages show without its password. Takes the options `sql`, `sql_stability`, library, threads and missing. `sql` is one
  /// SELECT. Without `sql_stability` it is row-wise over one table of the server, in DuckDB's dialect, and is run here, while the
  /// server hands over the columns that it names, as they are. With `sql_stability` it is in the server's dialect and is run there.
  /// The role's search path finds names without a schema.
  static Source postgres(std::string address, TableOptions options);
  /// A profile file whose header was read, and none of its counts.
  static Source profile_file(ProfileFile file);
  /// What the asker's program counts in its own way; options as for a frame.
  static Source counted_elsewhere(std::unique_ptr<Records> records, TableOptions options = {});

  /// How the records are read; each kind of source has the options that apply to it.
  const TableOptions& options() const { return options_; }
  /// Whether a profile file declares that no person is in two of the countings that were merged; Fractile does not check that.
  bool has_disjoint_persons() const { return has_disjoint_persons_; }
  Holder holder() const { return holder_; }
  /// How messages call it.
  std::string name() const;
  /// The address of a server; empty elsewhere.
  const std::string& address() const { return address_; }

  /// Opens the files, or reaches the server, and calls `on_opened` as Table::open() does, with nothing where no file is opened.
  /// Throws as Table::open() does. With a server, throws `usage` for a missing client library, for a query that is refused, and
  /// unless a row-wise one reads an ordinary table, all parts of which are ordinary, without row security and outside of the
  /// server's own schemas; throws `data` for a server that cannot be reached. No record is looked at. Throws `usage` when it was
  /// opened before, and is used up. `unsaid`: what is done with cells that are not numbers where the options do not say.
  std::unique_ptr<Records> open(const OnOpened& on_opened = {}, Unreadable unsaid = Unreadable::error);

 private:
  using Opening = std::function<std::unique_ptr<Records>(const OnOpened&, Unreadable)>;
  Source(TableOptions options, Holder holder, Opening opening);
  static Source opened_before(std::unique_ptr<Records> records, TableOptions options, Holder holder,
                              std::vector<OpenedFile> files = {});

  TableOptions options_;
  Holder holder_;
  std::string address_ = {};
  bool has_disjoint_persons_ = false;
  Opening opening_;
};

}  // namespace fractile

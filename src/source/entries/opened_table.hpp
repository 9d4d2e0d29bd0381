// An opened table: its relations, and passes over it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "source/engine/engine.hpp"
#include "source/files/columns.hpp"
#include "source/files/input_files.hpp"
#include "source/files/query_relation.hpp"
#include "source/files/relation.hpp"

namespace fractile::source_detail {

/// Gives the connection to the first caller, on any thread.
class FirstConnection {
 public:
  void put(Session connection) {
    const std::lock_guard lock(mutex_);
    connection_.emplace(std::move(connection));
  }
  std::optional<Session> take() const {
    const std::lock_guard lock(mutex_);
    std::optional<Session> taken;
    if (connection_) taken.emplace(std::move(*connection_));
    connection_.reset();
    return taken;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Session> connection_;
};

/// An opened table.
struct OpenedTable {
  std::string library;
  std::uint32_t threads;
  std::uint64_t memory;
  std::string display_name;  // of the file or the query
  std::string engine;
  std::vector<Input> inputs;  // with their relations
  std::uint32_t stability;    // declared for the query and not checked; 0: none is declared
  LineEndsInCells line_ends;  // in delimited text
  Unreadable unreadable;
  std::vector<std::string> missing;
  bool has_query = false;
  std::optional<Relation> relation;  // the query's, if there is one; otherwise the file's
  FirstConnection first_connection;
  // The share read so far.
  std::shared_ptr<std::atomic<double>> engine_share = std::make_shared<std::atomic<double>>(0);

  /// Whether the engine groups rows by person. It then holds all groups in memory, and when threads reach its memory limit, it does
  /// not always report that.
  bool groups_in_engine() const { return relation && !relation->person_of_rows().empty(); }

  /// How messages name a row of a reading on one thread: its number, from 1, in its file.
  std::string row(std::uint64_t number) const {
    if (has_query) return "the query: result row " + std::to_string(number);
    const auto place = relation->place_of(number);
    if (!place) return display_name + ": row " + std::to_string(number);
    return file(*place) + ": row " + std::to_string(place->record);
  }
  const std::string& file(const TextTable::Place& place) const {
    return inputs.front().files.files()[place.file].display_name();
  }
};

/// In which order a pass meets rows.
enum class Order { any, of_file };

/// `threads` as in TableOptions; without a limit if `memory` is 0.
Session connect(const std::string& library, Order order, std::uint32_t threads, std::uint64_t memory);

/// For a pass over the table. Every pass has a separate connection, since a failed scan may leave the engine unusable; the first pass uses
/// the connection that opened the table. The share read is reported if only the engine knows it.
Session connect(const OpenedTable& source, Order order, std::uint64_t memory);

/// The same when it is first called.
EngineOnDemand connecting(const OpenedTable& source, Order order, std::uint64_t memory);

/// Runs a pass within the memory limit. The engine's need of memory depends on the records, but the success of a release must not.
/// So if the limit is too low for the engine, the pass is repeated without one.
template <class Pass>
auto within_memory(const OpenedTable& source, Pass pass) {
  if (source.groups_in_engine()) return pass(std::uint64_t{0});
  try {
    return pass(source.memory);
  } catch (const EngineFailure& failure) {
    if (failure.kind != FailureKind::memory || source.memory == 0) throw;
  }
  return pass(std::uint64_t{0});
}

bool is_delimited(const Input& input);

/// Throws `data` if a file was changed since it was opened.
void require_unchanged(const OpenedTable& source);

/// Checks delimited text: the files that no reading has seen as a whole, or all files after a failed pass. So faults of the text
/// are reported first, with their first line.
void check_texts(const OpenedTable& source, bool has_failed, const std::function<void()>& on_progress);

/// The result of a pass, if the files are unchanged since they were opened. If a file was changed meanwhile, this is reported in
/// place of other failures.
template <class Pass>
auto while_unchanged(const OpenedTable& source, const std::function<void()>& on_progress, Pass pass) {
  try {
    bool has_failed = true;
    try {
      auto made = pass();
      has_failed = false;
      check_texts(source, has_failed, on_progress);
      require_unchanged(source);
      return made;
    } catch (const Error&) {
      require_unchanged(source);
      if (has_failed) check_texts(source, has_failed, on_progress);
      throw;
    }
  } catch (const Error&) {
    require_unchanged(source);
    throw;
  }
}

/// The relation that a pass reads, after JSON is checked for faults that the engine would ignore. `counted`: the columns to which
/// declared missing values apply.
Relation look_through(const OpenedTable& source, std::vector<Column> counted, const std::function<void()>& on_progress);

}  // namespace fractile::source_detail

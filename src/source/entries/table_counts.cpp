#include "source/entries/table_counts.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "exact/lists.hpp"
#include "ranks/position_counters.hpp"
#include "source/counting/counting.hpp"
#include "source/counting/text_cells.hpp"
#include "source/entries/table_faults.hpp"
#include "source/files/countable.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile::source_detail {
namespace {

bool counts_in_engine(const Column& column, const Lattice& lattice, Counting counting) {
  const bool can = engine_can_count(column, lattice);
  if (counting == Counting::push_down && !can) {
    throw Error(ErrorCode::usage, "the engine counts only whole numbers, on lattices that span at most 4,096 of them",
                "count by stream");
  }
  return can && counting != Counting::stream;
}

Counted count(const OpenedTable& source, const Relation& relation, const Column& column, const Lattice& lattice,
              bool in_engine, std::uint64_t memory, const std::function<void()>& on_progress) {
  if (is_read_here(relation))
    return count_text(relation, column, lattice, source.unreadable, source.threads, on_progress);
  const Session connection = connect(source, Order::any, memory);
  const NumberQuery query{number_expression(column, lattice, source.unreadable), relation.from(column),
                          reading_of(column, lattice.kind(), source.unreadable)};
  if (in_engine) return count_by_engine(connection, query, lattice, on_progress);
  return count_by_stream(connection, query, lattice, source.threads, on_progress);
}

std::optional<Column> optional_column(const OpenedTable& source, const std::string& name) {
  if (name.empty()) return {};
  return source.relation->column(name, source.display_name);
}

}  // namespace

void require_persons(const OpenedTable& source, const RecordSelection& selection) {
  require_person_of_rows(source.relation->person_of_rows(), selection);
  if (source.stability == 0 || selection.person.empty()) return;
  throw Error(ErrorCode::usage, "a person's column goes with row-wise queries only, not with a declared stability",
              {"leave ", Field("person"), " out: ", Field("sql_stability"),
               " says how many rows one record changes; or leave that out, if the query is row-wise"},
              "person");
}

RecordSelection with_typed_keys(const OpenedTable& source, const RecordSelection& selection) {
  if (const auto person = optional_column(source, selection.person)) require_identifier(*person, source.display_name);
  RecordSelection typed = selection;
  std::optional<Session> connection;
  try {
    for (std::size_t k = 0; k < selection.by.size(); ++k) {
      const Column by = source.relation->column(selection.by[k], source.display_name);
      if (holds_texts(by)) continue;
      if (!connection) connection.emplace(Session::open(source.library));
      typed.keys = keys_of_type(*connection, by, typed, k);
    }
  } catch (const EngineFailure& failure) {
    throw worded(failure, source);
  }
  return typed;
}

void require_rows(const OpenedTable& source, const RecordSelection& selection) {
  if (source.has_query) {
    throw Error(ErrorCode::usage, "how many rows a query's result has is not public", "leave it out", "public_rows");
  }
  selection.require_public_rows();
}

RankProfile profile_of_column(const OpenedTable& table, const std::string& column_name, const Lattice& lattice,
                              NullPolicy null_policy, Counting counting, const std::function<void()>& on_progress) {
  const Column column = table.relation->numeric_column(column_name, lattice.kind(), table.display_name);
  const UnitLattice units = counted_on(column, lattice);
  const bool in_engine = counts_in_engine(column, units.counted_on, counting);
  const bool missing_too = null_policy == NullPolicy::error;
  const std::string& source = table.display_name;
  const std::vector<Asked> asked{{column, lattice, missing_too, table.unreadable}};
  const Relation relation = look_through(table, {column}, on_progress);
  try {
    Counted counted = within_memory(table, [&](std::uint64_t memory) {
      return count(table, relation, column, units.counted_on, in_engine, memory, on_progress);
    });
    if (!counted.any_missing || !missing_too) return units.back_on(lattice, std::move(counted.profile));
  } catch (const EngineFailure& failure) {
    throw explain(table, relation, asked, worded(failure, table));
  }
  throw explain(table, relation, asked, some_missing(source));
}

Column number_column(const OpenedTable& table, const ColumnToCount& asked) {
  if (const auto& how = asked.selection.per_person) {
    Column column = table.relation->column(asked.column, table.display_name);
    if (has_values(column, *how)) return column;
  }
  return table.relation->numeric_column(asked.column, asked.lattice.kind(), table.display_name);
}

SelectedColumns columns_of(const OpenedTable& table, const ColumnToCount& asked) {
  SelectedColumns columns{
      number_column(table, asked), optional_column(table, asked.selection.person), {}, asked.selection.per_person};
  for (const std::string& name : asked.selection.by.names()) {
    columns.keys.push_back(table.relation->column(name, table.display_name));
  }
  const std::optional<RecordWeights>& weights = asked.selection.weights;
  if (weights) columns.weight = table.relation->numeric_column(weights->column, ValueKind::number, table.display_name);
  return columns;
}

void require_countable_units(const OpenedTable& table, const RecordWeights& weights) {
  const auto records =
      sum_over<std::uint64_t>(table.inputs, [](const Input& input) { return input.relation->most_records(); });
  const std::uint64_t units = weights.most_units_of_record();
  if (records <= RankProfile::max_records / units) return;
  throw Error(ErrorCode::data,
              table.display_name + " may hold more than " + std::to_string(RankProfile::max_records / units) +
                  " records, and no more of " + std::to_string(units) + " units of weight each can be counted",
              {"write a coarser ", Field("weight_step"), ", or unpack the file"}, "weight_step");
}

namespace {

std::vector<ColumnTask> tasks_of(const OpenedTable& table, const std::vector<ColumnToCount>& columns,
                                 RandomBits& bits) {
  require_one_sample(columns);
  SamplingKeys keys(bits);
  return mapped(columns, [&](const ColumnToCount& asked) {
    ColumnTask task = task_of(asked, columns_of(table, asked), keys.of(asked.selection));
    task.typed = with_typed_keys(table, asked.selection);
    return task;
  });
}

/// Counts all tasks in one reading.
std::vector<SelectedCounts> selected_records(const OpenedTable& table, const std::vector<ColumnTask>& tasks,
                                             const Relation& relation, const std::function<void()>& on_progress) {
  return within_memory(table, [&](std::uint64_t memory) {
    return held_or_spooled(table.memory, [&](std::uint64_t held) {
      return count_selected(connecting(table, Order::any, memory), relation, tasks, table.threads, held,
                            table.unreadable, on_progress);
    });
  });
}

/// The requirements on every cell of the task's columns of numbers.
std::vector<Asked> asked_of(const OpenedTable& table, const ColumnTask& task) {
  std::vector<Asked> all{{task.columns.number, task.asked.lattice, task.missing_too(), table.unreadable,
                          task.columns.per_person == PerPerson::count}};
  if (task.grid) all.push_back({*task.columns.weight, *task.grid, task.missing_too(), table.unreadable, false});
  return all;
}

/// The columns of persons and keys, whose cells may hold anything except text that is not UTF-8. Only delimited text has lines that
/// are named.
std::vector<Asked> names_of(const OpenedTable& table, const ColumnTask& task) {
  std::vector<Asked> all;
  if (std::ranges::none_of(table.inputs, is_delimited)) return all;
  const auto add = [&](const Column& column) {
    all.push_back({column, task.asked.lattice, false, Unreadable::missing, true});
  };
  if (task.columns.person) add(*task.columns.person);
  for (const Column& key : task.columns.keys) add(key);
  return all;
}

ProfilesLater later(KeyedCounts counts, const ColumnTask& task) {
  return [counts = std::make_shared<KeyedCounts>(std::move(counts)), units = task.units, lattice = task.asked.lattice] {
    std::vector<RankProfile> profiles = counts->finish();
    for (RankProfile& profile : profiles) profile = units.back_on(lattice, std::move(profile));
    return profiles;
  };
}

/// Counts all tasks in one reading.
std::vector<ProfilesLater> counted_together(const OpenedTable& table, const std::vector<ColumnTask>& tasks,
                                            const std::function<void()>& on_progress) {
  std::vector<Column> counted;
  std::vector<Asked> all_asked;
  for (const ColumnTask& task : tasks) {
    for (Column& column : columns_with_missing(task.columns)) counted.push_back(std::move(column));
    for (const Asked& each : asked_of(table, task)) all_asked.push_back(each);
  }
  for (const ColumnTask& task : tasks) {
    for (const Asked& each : names_of(table, task)) all_asked.push_back(each);
  }
  const Relation relation = look_through(table, std::move(counted), on_progress);
  std::vector<ProfilesLater> all;
  try {
    std::vector<SelectedCounts> selected = selected_records(table, tasks, relation, on_progress);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const ColumnTask& task = tasks[i];
      if (task.missing_too() && selected[i].any_nobody) {
        throw explain_nobody(table, relation, *task.columns.person);
      }
      if (task.missing_too() && selected[i].any_missing) {
        throw explain(table, relation, asked_of(table, task), some_missing(table.display_name));
      }
      all.push_back(later(std::move(selected[i].counts), task));
    }
  } catch (const EngineFailure& failure) {
    throw explain(table, relation, all_asked, worded(failure, table));
  }
  return all;
}

}  // namespace

std::uint64_t counted_rows(const OpenedTable& table, const std::function<void()>& on_progress) {
  const Relation relation = look_through(table, {}, on_progress);
  try {
    if (is_read_here(relation)) {
      return TextReading(relation, {})
          .for_each_chunk(
              table.threads, [](const Chunk&) {}, on_progress);
    }
    return within_memory(table, [&](std::uint64_t memory) {
      const Session connection = connect(table, Order::any, memory);
      ResultStream result =
          connection.query("SELECT count(*) FROM " + relation.from(std::vector<Column>{}), {CellType::integer});
      return static_cast<std::uint64_t>(result.next().value().column(0).numbers<std::int64_t>()[0]);
    });
  } catch (const EngineFailure& failure) {
    throw worded(failure, table);
  }
}

bool is_counted_alone(const OpenedTable& table, const std::vector<ColumnToCount>& columns) {
  if (columns.size() != 1 || columns.front().selection.selects()) return false;
  return table.memory == 0 || columns.front().lattice.size() <= most_counters;
}

std::vector<ProfilesLater> counted_profiles(const OpenedTable& table, const std::vector<ColumnToCount>& columns,
                                            RandomBits& bits, const std::function<void()>& on_progress) {
  std::vector<ProfilesLater> all;
  if (is_counted_alone(table, columns)) {
    const auto& [column, lattice, null_policy, selection, public_rows] = columns.front();
    const auto profile = std::make_shared<RankProfile>(
        profile_of_column(table, column, lattice, null_policy, Counting::automatic, on_progress));
    all.emplace_back([profile] {
      std::vector<RankProfile> profiles;
      profiles.push_back(std::move(*profile));
      return profiles;
    });
    return all;
  }
  const std::vector<ColumnTask> tasks = tasks_of(table, columns, bits);
  if (!hide_keys(mapped(tasks, &ColumnTask::columns), table.missing))
    return counted_together(table, tasks, on_progress);
  std::vector<ColumnTask> of_sample;
  std::ranges::copy_if(tasks, std::back_inserter(of_sample), &ColumnTask::is_shared);
  require_shown_keys(mapped(of_sample, &ColumnTask::columns), table.missing);
  std::vector<ProfilesLater> shared;
  if (!of_sample.empty()) shared = counted_together(table, of_sample, on_progress);
  auto next = shared.begin();
  for (const ColumnTask& task : tasks) {
    all.push_back(task.is_shared() ? std::move(*next++)
                                   : std::move(counted_together(table, {task}, on_progress).front()));
  }
  return all;
}

}  // namespace fractile::source_detail

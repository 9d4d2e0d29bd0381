#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "exact/uncopied.hpp"
#include "exact/workers.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "source/counting/record_selector.hpp"
#include "source/counting/selected_records.hpp"
#include "source/counting/shared_sample.hpp"
#include "source/counting/shared_tally.hpp"
#include "source/entries/arrow_column.hpp"
#include "source/entries/missing_values.hpp"
#include "source/files/columns.hpp"
#include "source/files/missing_cells.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile {

using namespace source_detail;

namespace {

constexpr const char* frame_name = "the frame";  // in messages

/// Owns a structure of the interface, and releases it.
template <class Structure>
class Owned {
 public:
  Owned() : structure_(Structure{}) {}
  explicit Owned(Structure& taken) : structure_(taken) { taken.release = nullptr; }
  Owned(Owned&& other) noexcept : Owned(other.structure_) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (structure_.release != nullptr) structure_.release(&structure_);
  }
  Structure& operator*() { return structure_; }
  Structure* operator->() { return &structure_; }
  const Structure* operator->() const { return &structure_; }
  Structure* get() { return &structure_; }

 private:
  Structure structure_;
};

/// A block of records. Threads take blocks one after the other.
struct Block {
  const ArrowPiece* piece;
  std::size_t from;
  std::size_t rows;
  std::uint64_t before;  // records in the blocks before
};

std::vector<Block> blocks_of(const ArrowColumn& column) {
  std::vector<Block> blocks;
  std::uint64_t before = 0;
  for (const ArrowPiece& piece : column.pieces) {
    for (std::size_t from = 0; from < piece.rows; from += NumberBlock::most_rows) {
      blocks.push_back({&piece, from, std::min(NumberBlock::most_rows, piece.rows - from), before});
      before += blocks.back().rows;
    }
  }
  return blocks;
}

/// The blocks of several columns, one list per column, with the same records in each; the pieces of columns may differ.
std::vector<std::vector<Block>> blocks_of(const std::vector<const ArrowColumn*>& columns) {
  std::vector<std::vector<Block>> own;
  std::vector<std::uint64_t> begins;
  for (const ArrowColumn* const column : columns) {
    own.push_back(blocks_of(*column));
    for (const Block& block : own.back()) begins.push_back(block.before);
  }
  std::ranges::sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::vector<std::vector<Block>> all;
  for (const std::vector<Block>& blocks : own) {
    std::vector<Block>& cut = all.emplace_back();
    auto at = blocks.begin();
    for (std::size_t i = 0; i < begins.size(); ++i) {
      while (at->before + at->rows <= begins[i]) ++at;
      const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : at->before + at->rows;
      cut.push_back({at->piece, at->from + static_cast<std::size_t>(begins[i] - at->before),
                     static_cast<std::size_t>(end - begins[i]), begins[i]});
    }
  }
  return all;
}

std::size_t workers_for(std::uint32_t threads, std::size_t blocks) {
  const std::size_t most = threads != 0 ? threads : threads_of_machine();
  return std::min(most, std::max<std::size_t>(1, blocks / 2));
}

/// Calls work(block, number block) for all blocks, on this many threads. The calling thread is one of them, and also calls
/// on_progress(). An exception of any thread ends all of them and is thrown here.
template <class Work>
void for_each_block(const std::vector<Block>& blocks, std::size_t threads, const std::function<void()>& on_progress,
                    Work work) {
  std::vector<NumberBlock> numbers(threads);
  share_among_workers(threads, blocks.size(), [&](std::size_t worker, std::size_t i) {
    work(blocks[i], numbers[worker]);
    if (worker == 0 && on_progress) on_progress();
  });
  if (on_progress) on_progress();  // also if other threads took all blocks
}

Error missing_cell(const ArrowColumn& column, std::uint64_t row, const char* what) {
  return {ErrorCode::data,
          fmt::format("row {}, column '{}': {}", row, column.name, what),
          {"fill the cell, or leave such records out with ", Field("null").text("drop")}};
}

/// The first record, from 1, that is missing.
std::optional<std::uint64_t> first_missing(const ArrowColumn& column, const MissingValues& missing) {
  NumberBlock numbers;
  for (const Block& block : blocks_of(column)) {
    const ColumnView view = numbers.read(*block.piece, column.type, block.from, block.rows, missing);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const bool is_nan = column.type.is_real() && source_detail::is_nan(view.numbers<double>()[row]);
      if (view.is_null(row) || is_nan) return block.before + row + 1;
    }
  }
  return {};
}

[[noreturn]] void refuse_missing(const ArrowColumn& column, const MissingValues& missing) {
  if (const std::optional<std::uint64_t> row = first_missing(column, missing)) {
    throw missing_cell(column, *row, "NULL or NaN");
  }
  throw Error(ErrorCode::internal, "the frame changed while it was read");
}

/// The number, from 1, of the first cell of names that is empty; there must be one.
std::uint64_t first_empty(const ArrowColumn& column, const MissingNames& missing) {
  std::string buffer;
  std::uint64_t before = 0;
  for (const ArrowPiece& piece : column.pieces) {
    for (std::size_t row = 0; row < piece.rows; ++row) {
      if (holds_nothing(missing.without(name_at(piece, column.type, row, buffer)))) return before + row + 1;
    }
    before += piece.rows;
  }
  throw Error(ErrorCode::internal, "the frame changed while it was read");
}

/// The cells of a column that are counted: its numbers or, for names and persons' counts, whether each cell holds something.
class CountedBlock {
 public:
  CountedBlock(const ArrowColumn& column, const MissingValues& missing, const MissingNames& missing_names)
      : column_(column), missing_(missing), missing_names_(missing_names) {}

  ColumnView read(const Block& block, NumberBlock& numbers) {
    if (column_.type.is_number() || column_.type.unit || column_.type.is_truth()) {
      return numbers.read(*block.piece, column_.type, block.from, block.rows, missing_);
    }
    constexpr std::size_t word = 64;
    ones_.assign(block.rows, 1);
    validity_.assign((block.rows + word - 1) / word, 0);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::string_view cell = name_at(*block.piece, column_.type, block.from + row, buffer_);
      const bool is_there = !holds_nothing(missing_names_.without(cell));
      validity_[row / word] |= std::uint64_t{is_there} << (row % word);
    }
    return {ones_.data(), validity_.data(), block.rows};
  }

 private:
  const ArrowColumn& column_;
  const MissingValues& missing_;
  const MissingNames& missing_names_;
  std::vector<std::int64_t> ones_;
  std::vector<std::uint64_t> validity_;
  std::string buffer_;
};

/// How many records each row stands for.
std::vector<std::uint64_t> whole_counts(const ArrowColumn& column) {
  if (!column.type.is_number() || column.type.is_real() || column.type.is_decimal()) {
    throw Error(ErrorCode::data, fmt::format("column '{}' is {}, not whole numbers", column.name, column.type.name),
                "give the number of records that have each value");
  }
  std::vector<std::uint64_t> counts;
  NumberBlock numbers;
  for (const Block& block : blocks_of(column)) {
    const ColumnView view = numbers.read(*block.piece, column.type, block.from, block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (view.is_null(row) || view.numbers<std::int64_t>()[row] < 0) {
        throw Error(ErrorCode::data,
                    fmt::format("row {}, column '{}': not a count, which is a whole number of at least 0",
                                counts.size() + 1, column.name),
                    "give the number of records that have each value");
      }
      counts.push_back(static_cast<std::uint64_t>(view.numbers<std::int64_t>()[row]));
    }
  }
  return counts;
}

/// Finds names by record number. Callers ask for records in increasing order. This column may consist of other pieces than the column
/// of numbers.
class NamesInOrder {
 public:
  explicit NamesInOrder(const ArrowColumn* column) : column_(column) {}
  std::string_view at(std::uint64_t row) {
    while (row - before_ >= column_->pieces[piece_].rows) before_ += column_->pieces[piece_++].rows;
    return name_at(column_->pieces[piece_], column_->type, static_cast<std::size_t>(row - before_), buffer_);
  }

 private:
  const ArrowColumn* column_;
  std::size_t piece_ = 0;
  std::uint64_t before_ = 0;  // records in the pieces before
  std::string buffer_;
};

/// The lattice on which a column, or persons' values, are counted. Throws `usage` as in_units_of() does.
Lattice counted_on(const ArrowColumn& column, const ColumnToCount& asked) {
  const std::optional<PerPerson>& how = asked.selection.per_person;
  const bool are_others = how == PerPerson::count || how == PerPerson::any || how == PerPerson::all;
  return are_others ? asked.lattice : in_units_of(column, asked.lattice);
}

/// How a column is read; for persons' counts, only whether cells hold something.
CellReading reading_of(const ArrowColumn& column, const ColumnToCount& asked) {
  if (asked.selection.per_person != PerPerson::count) return column.type.reading();
  return {column.type.is_real() ? CellType::real : CellType::integer};
}

/// A column that is counted by persons or groups, and the columns that are read with it.
struct FrameColumn {
  const ColumnToCount& asked;
  const ArrowColumn& column;
  const ArrowColumn* person;
  std::vector<const ArrowColumn*> keys;
  Lattice lattice;  ///< in the units of the column
  CellReading reading;
  MissingValues missing;
  const ArrowColumn* weight = nullptr;
  std::optional<WeightGrid> grid = {};
  std::optional<MissingValues> missing_weights = {};

  /// Throws `data` if cells were missing and none may be.
  void require_all(const SelectedProfiles& found, const MissingNames& missing_names) const {
    if (asked.null_policy != NullPolicy::error) return;
    if (found.any_nobody) throw missing_cell(*person, first_empty(*person, missing_names), "empty or NULL");
    if (!found.any_missing) return;
    const bool is_number = column.type.is_number() || column.type.unit || column.type.is_truth();
    if (!is_number) throw missing_cell(column, first_empty(column, missing_names), "empty or NULL");
    const bool is_weight = weight != nullptr && !first_missing(column, missing);
    is_weight ? refuse_missing(*weight, *missing_weights) : refuse_missing(column, missing);
  }
  std::vector<RankProfile> relabeled_profiles(SelectedProfiles found) const {
    for (RankProfile& profile : found.profiles) profile = relabeled(std::move(profile), asked.lattice);
    return std::move(found.profiles);
  }
};

/// The cells of a block, for one thread.
class BlockCells : Uncopied {
 public:
  BlockCells(const FrameColumn& read, const MissingNames& missing_names, const Block& block, const Block* of_weights)
      : missing_names_(missing_names),
        counted_(read.column, read.missing, missing_names),
        persons_(read.person),
        keys_(read.keys.begin(), read.keys.end()),
        before_(block.before),
        cells_{counted_.read(block, numbers_), read.reading} {
    if (of_weights == nullptr) return;
    const ArrowColumn& weight = *read.weight;
    cells_.weights.emplace(WeightCells{
        weights_.read(*of_weights->piece, weight.type, of_weights->from, of_weights->rows, *read.missing_weights),
        weight.type.reading()});
  }

  const SharedCells& cells() const { return cells_; }
  std::string_view person_at(std::size_t row) { return missing_names_.without(persons_.at(before_ + row)); }
  std::string_view key_at(std::size_t key, std::size_t row) { return keys_[key].at(before_ + row); }

 private:
  const MissingNames& missing_names_;
  CountedBlock counted_;
  NamesInOrder persons_;
  std::vector<NamesInOrder> keys_;
  std::uint64_t before_;
  NumberBlock numbers_;
  NumberBlock weights_;
  SharedCells cells_;
};

/// The blocks of columns whose records are read together: for each column its numbers, and then its weights, where it has some.
class BlocksTogether {
 public:
  explicit BlocksTogether(const std::vector<FrameColumn>& read) {
    std::vector<const ArrowColumn*> columns;
    for (const FrameColumn& each : read) {
      columns.push_back(&each.column);
      of_weights_.push_back(each.weight == nullptr ? std::optional<std::size_t>() : columns.size());
      if (each.weight != nullptr) columns.push_back(each.weight);
      of_numbers_.push_back(columns.size() - (each.weight == nullptr ? 1 : 2));
    }
    blocks_ = blocks_of(columns);
  }
  const std::vector<Block>& first() const { return blocks_.front(); }
  const Block& numbers(std::size_t column, std::size_t block) const { return blocks_[of_numbers_[column]][block]; }
  /// Null if the column has no weights.
  const Block* weights(std::size_t column, std::size_t block) const {
    return of_weights_[column] ? &blocks_[*of_weights_[column]][block] : nullptr;
  }

 private:
  std::vector<std::size_t> of_numbers_;
  std::vector<std::optional<std::size_t>> of_weights_;
  std::vector<std::vector<Block>> blocks_;
};

Error broken_stream() {
  return {ErrorCode::data, "the frame's Arrow stream failed", "export it again, or read a file"};
}

}  // namespace

struct Frame::State {
  Owned<ArrowSchema> schema;
  std::optional<Owned<ArrowArrayStream>> stream;  // for records that were not requested yet
  bool is_broken = false;
  std::function<std::vector<Frame>()> later;  // makes `parts` when the records are requested
  std::vector<Frame> parts;                   // made by `later`
  std::vector<Owned<ArrowArray>> arrays;      // own the memory of the columns
  std::shared_ptr<const void> owner;
  std::vector<ArrowColumn> columns;
  std::uint64_t rows = 0;
  std::uint32_t threads = 0;
  std::uint64_t memory = 0;
  std::vector<std::string> missing;

  const ArrowColumn& column(const std::string& name) const {
    const std::vector<Column> names = mapped(columns, [](const ArrowColumn& column) {
      return Column{column.name, column.name, column.type.name};
    });
    const std::string& found = find_column(names, name, frame_name).name;
    return *std::ranges::find(columns, found, &ArrowColumn::name);
  }

  const ArrowColumn& numeric_column(const std::string& name, ValueKind kind) const {
    const ArrowColumn& found = column(name);
    const bool is_null = found.type.kind == CellKind::none;
    if (kind != ValueKind::number && !is_null) {
      const bool is_text = found.type.is_text() || found.type.dictionary;
      if (!is_text && go_together(found.type.time, kind)) return found;
      throw Error(
          ErrorCode::data,
          fmt::format("column '{}' is {}, and the bounds are {}s", found.name, found.type.name, to_string(kind)),
          is_text ? "convert it to dates or times first" : kind_hint(found.type.time, kind));
    }
    if (found.type.is_number()) return found;
    if (found.type.unit) {
      throw Error(ErrorCode::data, fmt::format("column '{}' is {}, not a number", found.name, found.type.name),
                  "write the bounds as dates or times, or convert it to whole numbers first");
    }
    throw Error(ErrorCode::data, fmt::format("column '{}' is {}, not a number", found.name, found.type.name),
                found.type.is_text() ? "convert it to numbers first"
                : found.type.name == "duration"
                    ? "release how many seconds each took: .dt.total_seconds() of the column"
                    : "convert it to whole numbers or floating-point numbers first");
  }

  /// The column that is counted. Persons' counts allow any type that can be read, and `any` and `all` also allow truth values.
  const ArrowColumn& counted_column(const ColumnToCount& asked) const {
    const ArrowColumn& found = column(asked.column);
    const std::optional<PerPerson>& how = asked.selection.per_person;
    const bool is_looked_at = found.type.is_name() || found.type.is_number() || found.type.unit;
    if (how == PerPerson::count && (is_looked_at || found.type.is_truth())) return found;
    if ((how == PerPerson::any || how == PerPerson::all) && found.type.is_truth()) return found;
    return numeric_column(asked.column, asked.lattice.kind());
  }

  const ArrowColumn* names_column(const std::string& name) const {
    if (name.empty()) return nullptr;
    const ArrowColumn& found = column(name);
    if (found.type.is_name()) return &found;
    // As text, NaN may become "nan", which is a person or a key.
    const std::string_view target =
        found.type.is_number() ? "whole numbers first: in pandas, astype(\"Int64\") keeps missing ones" : "text first";
    throw Error(ErrorCode::data,
                fmt::format("column '{}' is {}, neither text nor whole numbers", found.name, found.type.name),
                fmt::format("convert it to {}", target));
  }

  void set_schema() {
    const bool is_table = std::string_view(schema->format) == "+s";
    const auto count = is_table ? static_cast<std::size_t>(schema->n_children) : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const ArrowSchema& of_column = is_table ? *schema->children[i] : *schema;
      columns.push_back({of_column.name != nullptr ? of_column.name : "", arrow_type(of_column)});
    }
  }

  void add(Owned<ArrowArray> array) {
    const auto count = static_cast<std::size_t>(array->length);
    const bool is_table = std::string_view(schema->format) == "+s";
    if (is_table && array->n_children != schema->n_children) throw unlike_its_schema();
    const auto first = static_cast<std::size_t>(array->offset);
    const bool has_nulls = is_table && array->null_count != 0 && array->n_buffers > 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ArrowArray& of_column = is_table ? *array->children[i] : *array;
      ArrowPiece piece = piece_of(of_column, columns[i].type, is_table ? first : 0, count);
      if (has_nulls) piece.records = static_cast<const std::uint8_t*>(array->buffers[0]);
      piece.first_record = first;
      columns[i].pieces.push_back(std::move(piece));
    }
    rows += count;
    arrays.push_back(std::move(array));
  }

  /// Loads all records. `on_progress`, which may be empty, is called before each batch of a stream.
  void load(const std::function<void()>& on_progress = {}) {
    if (later) {
      parts = later();
      later = nullptr;
      for (Frame& part : parts) {
        part.use_threads(threads);
        part.use_memory(memory);
        part.state_->missing = missing;
      }
    }
    if (is_broken) throw broken_stream();
    while (stream) {
      if (on_progress) on_progress();
      Owned<ArrowArray> array;
      is_broken = (*stream)->get_next(stream->get(), array.get()) != 0;
      if (is_broken) throw broken_stream();
      if (array->release == nullptr) {
        stream.reset();
      } else {
        add(std::move(array));
      }
    }
  }

  /// For records that are in one frame.
  const State& loaded(const std::function<void()>& on_progress = {}) {
    load(on_progress);
    if (parts.empty()) return *this;
    if (parts.size() > 1) {
      throw Error(ErrorCode::usage, "persons and counts need records of one type", "give them one type");
    }
    return parts.front().state_->loaded(on_progress);
  }

  /// For loaded records.
  FrameColumn read_for(const ColumnToCount& asked) const {
    const RecordSelection& selection = asked.selection;
    const ArrowColumn& found = counted_column(asked);
    FrameColumn read{asked,
                     found,
                     names_column(selection.person),
                     {},
                     counted_on(found, asked),
                     reading_of(found, asked),
                     MissingValues(missing, found.type.form())};
    for (const std::string& name : selection.by.names()) read.keys.push_back(names_column(name));
    if (!selection.weights) return read;
    read.weight = &numeric_column(selection.weights->column, ValueKind::number);
    read.grid.emplace(WeightGrid{in_units_of(*read.weight, selection.weights->grid()),
                                 selection.weights->least_units_of_record(),
                                 selection.weights->most_units_of_record()});
    read.missing_weights.emplace(missing, read.weight->type.form());
    return read;
  }

  /// Calls work(cells of each column) for all blocks.
  template <class Work>
  void for_each_block_of(const std::vector<FrameColumn>& read, const MissingNames& missing_names,
                         const std::function<void()>& on_progress, Work work) const {
    const BlocksTogether together(read);
    const std::vector<Block>& blocks = together.first();
    for_each_block(
        blocks, workers_for(threads, blocks.size()), on_progress, [&](const Block& block, NumberBlock& /*numbers*/) {
          const auto number = static_cast<std::size_t>(&block - blocks.data());
          std::deque<BlockCells> cells;
          for (std::size_t i = 0; i < read.size(); ++i) {
            cells.emplace_back(read[i], missing_names, together.numbers(i, number), together.weights(i, number));
          }
          work(cells);
        });
  }

  std::vector<RankProfile> selected(const ColumnToCount& asked, const std::optional<SamplingKey>& key,
                                    const std::function<void()>& on_progress) {
    const State& all = loaded(on_progress);
    const std::vector<FrameColumn> read{all.read_for(asked)};
    const FrameColumn& column = read.front();
    const MissingNames missing_names(all.missing);
    SelectedProfiles found = held_or_spooled(all.memory, [&](std::uint64_t held) {
      RecordSelector selector(column.lattice, asked.selection, key, all.threads, held, column.reading.type,
                              column.grid);
      all.for_each_block_of(read, missing_names, on_progress, [&](std::deque<BlockCells>& of_columns) {
        BlockCells& block = of_columns.front();
        const ColumnView& numbers = block.cells().numbers;
        std::vector<std::uint32_t> keys;
        if (!column.keys.empty()) {
          keys = selector.groups().of_rows(numbers.rows(),
                                           [&](std::size_t k, std::size_t row) { return block.key_at(k, row); });
        }
        selector.add(
            numbers, block.cells().reading, [&](std::size_t row) { return block.person_at(row); }, keys,
            block.cells().weights);
      });
      return selector.finish(on_progress);
    });
    column.require_all(found, missing_names);
    return column.relabeled_profiles(std::move(found));
  }

  /// For columns that share one sample.
  std::vector<std::vector<RankProfile>> sampled(const std::vector<const ColumnToCount*>& asked, const SamplingKey& key,
                                                const std::function<void()>& on_progress) {
    const State& all = loaded(on_progress);
    const std::vector<FrameColumn> read =
        mapped(asked, [&](const ColumnToCount* const each) { return all.read_for(*each); });
    const std::vector<SharedColumn> shared = mapped(read, [](const FrameColumn& each) {
      return SharedColumn{each.lattice, each.asked.selection, each.grid};
    });
    const MissingNames missing_names(all.missing);
    std::vector<SelectedProfiles> found = held_or_spooled(all.memory, [&](std::uint64_t held) {
      SharedSample sample(shared, key, all.threads, held);
      all.for_each_block_of(read, missing_names, on_progress, [&](std::deque<BlockCells>& of_columns) {
        sample.add(
            mapped(of_columns, &BlockCells::cells), [&](std::size_t row) { return of_columns.front().person_at(row); },
            [&](std::size_t column, std::size_t k, std::size_t row) { return of_columns[column].key_at(k, row); });
      });
      return sample.finish(on_progress);
    });
    std::vector<std::vector<RankProfile>> profiles;
    for (std::size_t i = 0; i < read.size(); ++i) {
      read[i].require_all(found[i], missing_names);
      profiles.push_back(read[i].relabeled_profiles(std::move(found[i])));
    }
    return profiles;
  }

  void name_only_column(const std::string& name) {
    if (columns.size() == 1 && !name.empty()) columns.front().name = name;
  }
};

Frame::Frame(std::unique_ptr<State> state) : state_(std::move(state)) {}
Frame::Frame(Frame&&) noexcept = default;
Frame& Frame::operator=(Frame&&) noexcept = default;
Frame::~Frame() = default;

Frame Frame::of(ArrowArrayStream& stream, const std::string& name) {
  if (stream.release == nullptr) {
    throw Error(ErrorCode::usage, "the frame's Arrow stream was already read", "export it again");
  }
  auto state = std::make_unique<State>();
  state->stream.emplace(stream);
  if ((*state->stream)->get_schema(state->stream->get(), state->schema.get()) != 0) throw broken_stream();
  state->set_schema();
  if (std::string_view(state->schema->format) != "+s") state->name_only_column(name);
  return Frame(std::move(state));
}

Frame Frame::of(ArrowSchema& schema, ArrowArray& array, const std::string& name) {
  if (schema.release == nullptr || array.release == nullptr) {
    throw Error(ErrorCode::usage, "the frame's Arrow array was already read", "export it again");
  }
  auto state = std::make_unique<State>();
  *state->schema = schema;
  schema.release = nullptr;
  Owned<ArrowArray> owned(array);
  state->set_schema();
  state->add(std::move(owned));
  if (std::string_view(state->schema->format) != "+s") state->name_only_column(name);
  return Frame(std::move(state));
}

Frame Frame::later(Frame columns, std::function<std::vector<Frame>()> records) {
  columns.state_->stream.reset();
  columns.state_->later = std::move(records);
  return columns;
}

Frame Frame::of(const NumberBuffer& numbers, const std::string& name) {
  auto state = std::make_unique<State>();
  ArrowType type = number_type(numbers.format);
  if (!type.is_number() && !type.unit) {
    throw Error(ErrorCode::usage, fmt::format("an array of {} holds no numbers", type.name),
                "convert it to numbers first");
  }
  if (numbers.first == nullptr && numbers.size > 0) {
    throw Error(ErrorCode::usage, "the numbers of the column are missing", "say where they are");
  }
  ArrowPiece piece;
  piece.rows = numbers.size;
  piece.values = numbers.first;
  piece.stride = numbers.stride;
  piece.validity = numbers.validity;
  state->owner = numbers.owner;
  state->rows = numbers.size;
  state->columns.push_back({name, std::move(type), {piece}});
  return Frame(std::move(state));
}

void Frame::use_threads(std::uint32_t threads) {
  if (threads > TableOptions::most_threads) {
    throw Error(ErrorCode::usage, fmt::format("{} threads are more than {}", threads, TableOptions::most_threads),
                "ask for 0, as many as the machine runs at once");
  }
  state_->threads = threads;
}

void Frame::use_memory(std::uint64_t bytes) {
  if (bytes > 0 && bytes < TableOptions::least_memory) {
    throw Error(ErrorCode::usage, "less memory than 100 MB", "allow more, or 0 for as much as there is");
  }
  state_->memory = bytes;
}

void Frame::use_missing(std::vector<std::string> missing) {
  check_missing(missing);
  state_->missing = std::move(missing);
}

std::vector<TableColumn> Frame::columns() const {
  return mapped(state_->columns, [](const ArrowColumn& column) { return TableColumn{column.name, column.type.name}; });
}

void Frame::require_countable(const std::string& column, ValueKind kind) const { state_->numeric_column(column, kind); }

void Frame::require_countable(const std::string& column, const Lattice& lattice) const {
  in_units_of(state_->numeric_column(column, lattice.kind()), lattice);
}

void Frame::require_countable(const std::vector<ColumnToCount>& columns) const {
  require_one_sample(columns);
  for (const ColumnToCount& asked : columns) {
    asked.validate();
    static_cast<void>(counted_on(state_->counted_column(asked), asked));
    state_->names_column(asked.selection.person);
    for (const std::string& name : asked.selection.by.names()) state_->names_column(name);
    if (const std::optional<RecordWeights>& weights = asked.selection.weights) {
      require_countable(weights->column, ValueKind::number);
      require_countable(weights->column, weights->grid());
    }
    if (asked.public_rows) asked.selection.require_public_rows();
    if (!asked.selection.selects()) continue;
    require_spool(state_->memory, asked.selection.person.empty() ? "counts" : "persons' records");
  }
}

RankProfile Frame::profile(const std::string& column_name, const Lattice& lattice, NullPolicy null_policy,
                           Counting counting, const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  if (counting == Counting::push_down) {
    throw Error(ErrorCode::usage, "no engine counts what is in memory", "count by stream");
  }
  state_->load(on_progress);
  if (state_->parts.size() > 1) {
    RankProfile all(lattice, {}, {});
    for (const Frame& part : state_->parts) {
      all = RankProfile::merge(all, part.profile(column_name, lattice, null_policy, counting, on_progress));
    }
    return all;
  }
  const State& state = state_->loaded(on_progress);
  const ArrowColumn& column = state.numeric_column(column_name, lattice.kind());
  const Lattice counted_on = in_units_of(column, lattice);
  const std::vector<Block> blocks = blocks_of(column);
  const CellReading reading = column.type.reading();
  const MissingValues missing(state.missing, column.type.form());
  SharedTally tally(counted_on, state.threads);
  for_each_block(blocks, workers_for(state.threads, blocks.size()), on_progress,
                 [&](const Block& block, NumberBlock& numbers) {
                   tally.add(numbers.read(*block.piece, column.type, block.from, block.rows, missing), reading);
                 });
  Counted counted = tally.finish();
  if (counted.any_missing && null_policy == NullPolicy::error) {
    refuse_missing(column, missing);
  }
  return relabeled(std::move(counted.profile), lattice);
}

RankProfile Frame::profile_of_counts(const std::string& column_name, const Frame& counted, const std::string& counts,
                                     const Lattice& lattice, NullPolicy null_policy) const {
  const OwnEnvironment own;
  const State& state = state_->loaded();
  const ArrowColumn& column = state.numeric_column(column_name, lattice.kind());
  const std::vector<std::uint64_t> weights = whole_counts(counted.state_->loaded().column(counts));
  if (weights.size() != state.rows) {
    throw Error(ErrorCode::usage, fmt::format("there are {} values and {} counts", state.rows, weights.size()),
                "give one count per value");
  }
  const Lattice counted_on = in_units_of(column, lattice);
  const MissingValues missing(state.missing, column.type.form());
  ProfileBuilder builder(counted_on);
  TimeCells times;
  std::size_t before = 0;
  bool any_missing = false;
  for_each_block(blocks_of(column), 1, {}, [&](const Block& block, NumberBlock& numbers) {
    const ColumnView view = times.numbers(numbers.read(*block.piece, column.type, block.from, block.rows, missing),
                                          column.type.reading(), lattice.kind());
    for (std::size_t row = 0; row < block.rows; ++row) {
      const bool is_nan = column.type.is_real() && source_detail::is_nan(view.numbers<double>()[row]);
      const std::uint64_t weight = weights[before + row];
      if (view.is_null(row) || is_nan) {
        any_missing = any_missing || weight > 0;
      } else if (weight > 0) {
        builder.add_position(column.type.is_real() ? counted_on.position_of(view.numbers<double>()[row])
                                                   : counted_on.position_of(view.numbers<std::int64_t>()[row]),
                             weight);
      }
    }
    before += block.rows;
  });
  if (any_missing && null_policy == NullPolicy::error) {
    refuse_missing(column, missing);
  }
  return relabeled(builder.finish(), lattice);
}

std::vector<CountedColumn> Frame::count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                        const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  require_countable(columns);
  SamplingKeys keys(bits);
  std::vector<const ColumnToCount*> of_sample;
  for (const ColumnToCount& asked : columns) {
    if (asked.selection.whole_records) of_sample.push_back(&asked);
  }
  std::vector<std::vector<RankProfile>> shared;
  std::size_t next = 0;  // of these
  std::vector<CountedColumn> counted;
  for (const ColumnToCount& asked : columns) {
    std::vector<RankProfile> profiles;
    if (asked.selection.whole_records) {
      if (next == 0) shared = state_->sampled(of_sample, keys.of(asked.selection).value(), on_progress);
      profiles = std::move(shared[next++]);
    } else if (asked.selection.selects()) {
      profiles = state_->selected(asked, keys.of(asked.selection), on_progress);
    } else {
      profiles.push_back(profile(asked.column, asked.lattice, asked.null_policy, Counting::automatic, on_progress));
    }
    CountedColumn column = asked.selection.counted(std::move(profiles));
    if (asked.public_rows) column = std::move(column).with_public_rows(rows(on_progress));
    counted.push_back(std::move(column));
  }
  return counted;
}

std::uint64_t Frame::rows(const std::function<void()>& on_progress) const {
  const OwnEnvironment own;
  state_->load(on_progress);
  std::uint64_t rows = state_->rows;
  for (const Frame& part : state_->parts) rows += part.rows(on_progress);
  return rows;
}

std::string Frame::engine() const { return "memory"; }

}  // namespace fractile

#include "source/counting/text_cells.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <utility>

#include "exact/workers.hpp"
#include "source/engine/streamed_table.hpp"
#include "source/engine/time_cells.hpp"
#include "source/files/missing_cells.hpp"
#include "source/text/delimited_records.hpp"
#include "source/text/text_numbers.hpp"

namespace fractile::source_detail {
namespace {

constexpr double most_compared = 0x1p127;  // by the engine, too, whose widest integers are those up to here

struct NumberCell {
  CellState state;
  double number = 0;
};

NumberCell number_of(std::string_view text, const TextCell& cell) {
  std::optional<std::string> plain;
  if (!cell.column.numbers.is_plain()) {
    plain = in_plain_style(text, cell.column.numbers);
    if (!plain) return {CellState::no_number};
    text = *plain;
  }
  text = without_blanks(text);
  if (text.empty()) return {CellState::missing};
  const std::optional<double> number = number_in(text);
  if (!number) return {CellState::no_number};
  if (std::isnan(*number)) return {CellState::missing};
  const double size = std::abs(*number);
  const bool may_be_inexact =
      size >= static_cast<double>(first_gap) && size <= cell.exact_until && size < most_compared;
  if (may_be_inexact && !is_whole_number(text, *number)) return {CellState::inexact, *number};
  return {CellState::number, *number};
}

bool holds_something(std::string_view text) {
  text = without_blanks(text);
  return !text.empty() && std::ranges::find(words_for_none, text) == words_for_none.end();
}

/// A column that is made from another one.
struct MadeColumn {
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
  std::vector<EngineText> texts;
  std::vector<std::uint64_t> validity;

  void be_null(std::size_t row) { validity[row / 64] &= ~(std::uint64_t{1} << (row % 64)); }
};

}  // namespace

TextCell TextCell::number(const Column& column, const Lattice& lattice, Unreadable unreadable) {
  if (lattice.kind() != ValueKind::number) return {column, As::moment};
  return {column, As::number, unreadable, end_of_gaps(lattice).value_or(0)};
}

TextCell TextCell::state(const Column& column, const Lattice& lattice) {
  return {column, As::state, Unreadable::missing, end_of_gaps(lattice).value_or(0)};
}

struct TextReading::State {
  State(const Relation& from, std::vector<TextCell> asked) : relation(from), cells(std::move(asked)) {
    for (const TextCell& cell : cells) {
      const std::size_t column = relation.number_of(cell.column);
      const auto found = std::ranges::find(columns, column);
      places.push_back(static_cast<std::size_t>(found - columns.begin()));
      if (found == columns.end()) columns.push_back(column);
      const std::vector<std::string>& declared = relation.missing_in(cell.column);
      missing.push_back(declared.empty() ? nullptr : std::make_unique<MissingTexts>(declared, cell.column.numbers));
    }
    reading = relation.text()->read();
  }

  const Relation& relation;
  std::vector<TextCell> cells;
  std::vector<std::size_t> columns;  // that are read
  std::vector<std::size_t> places;   // of each cell's column among these
  std::vector<std::unique_ptr<MissingTexts>> missing;
  std::unique_ptr<TableReading> reading;
};

TextReading::TextReading(const Relation& relation, std::vector<TextCell> cells)
    : state_(std::make_unique<State>(relation, std::move(cells))) {}
TextReading::~TextReading() = default;

struct TextReading::Part::State {
  explicit State(const TextReading::State& whole)
      : of(whole), stream(whole.reading->stream()), made(whole.cells.size()) {
    stream->start(whole.columns);
  }

  /// The cells that are asked, from a column of the text.
  ColumnView made_of(std::size_t i, const ColumnView& texts) {
    const TextCell& cell = of.cells[i];
    const MissingTexts* const missing = of.missing[i].get();
    if (cell.as == TextCell::As::name && missing == nullptr) return texts;
    MadeColumn& column = made[i];
    const std::size_t rows = texts.rows();
    column.validity.assign(texts.validity(), texts.validity() + (rows + 63) / 64);
    const auto for_each_text = [&](auto on_text) {
      for (std::size_t row = 0; row < rows; ++row) {
        if (texts.is_null(row)) continue;
        const std::string_view text = texts.text(row);
        if (missing != nullptr && missing->has(text)) {
          column.be_null(row);
        } else {
          on_text(row, text);
        }
      }
    };
    switch (cell.as) {
      case TextCell::As::number:
        column.numbers.assign(rows, 0);
        for_each_text([&](std::size_t row, std::string_view text) {
          const NumberCell read = number_of(text, cell);
          const bool is_there = read.state == CellState::number || read.state == CellState::inexact;
          const bool is_refused = read.state == CellState::no_number || read.state == CellState::inexact;
          if (is_refused && cell.unreadable == Unreadable::error)
            throw EngineFailure(FailureKind::not_a_number, {}, {});
          if (!is_there) return column.be_null(row);
          column.numbers[row] = read.number;
        });
        return {column.numbers.data(), column.validity.data(), rows};
      case TextCell::As::presence:
        column.whole.assign(rows, 1);
        for_each_text([&](std::size_t row, std::string_view text) {
          if (!holds_something(text)) column.be_null(row);
        });
        return {column.whole.data(), column.validity.data(), rows};
      case TextCell::As::state:
        column.whole.assign(rows, static_cast<std::int64_t>(CellState::missing));
        for_each_text([&](std::size_t row, std::string_view text) {
          column.whole[row] = static_cast<std::int64_t>(number_of(text, cell).state);
        });
        return {column.whole.data(), nullptr, rows};
      default:
        column.texts.assign(texts.texts().begin(), texts.texts().end());
        for_each_text([&](std::size_t row, std::string_view text) {
          if (cell.as == TextCell::As::name) return;
          const std::string_view bare = without_blanks(text);
          if (bare.empty()) return column.be_null(row);
          if (bare.size() != text.size()) column.texts[row] = engine_text(bare);
        });
        return {column.texts.data(), column.validity.data(), rows};
    }
  }

  const TextReading::State& of;
  std::unique_ptr<RecordStream> stream;
  std::vector<MadeColumn> made;
  std::vector<ColumnView> columns;
};

TextReading::Part::Part(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextReading::Part::Part(Part&&) noexcept = default;
TextReading::Part::~Part() = default;

std::optional<Chunk> TextReading::Part::next() {
  try {
    const std::size_t rows = state_->stream->next();
    if (rows == 0) return std::nullopt;
    state_->columns.clear();
    for (std::size_t i = 0; i < state_->of.cells.size(); ++i) {
      state_->columns.push_back(state_->made_of(i, state_->stream->column(state_->of.places[i])));
    }
    return Chunk(state_->columns, rows);
  } catch (const NotUtf8& text) {
    throw EngineFailure(FailureKind::not_utf8, text.line, {});
  }
}

TextReading::Part TextReading::part() const { return Part(std::make_unique<Part::State>(*state_)); }

std::uint64_t TextReading::for_each_chunk(std::size_t threads, const std::function<void(const Chunk&)>& take,
                                          const std::function<void()>& on_progress) const {
  const std::size_t wanted = threads == 0 ? threads_of_machine() : threads;
  const std::size_t parts = std::min(wanted, state_->reading->most_threads());
  std::atomic<bool> has_failed = false;
  std::atomic<std::uint64_t> records = 0;
  if (on_progress) on_progress();  // other workers may read everything before this one begins
  share_among_workers(parts, parts, [&](std::size_t worker, std::size_t) {
    try {
      Part mine = part();
      while (const std::optional<Chunk> chunk = mine.next()) {
        if (has_failed) return;
        take(*chunk);
        records += chunk->rows();
        if (worker == 0 && on_progress) on_progress();
      }
    } catch (...) {
      has_failed = true;
      throw;
    }
  });
  return records;
}

Counted count_text(const Relation& relation, const Column& column, const Lattice& lattice, Unreadable unreadable,
                   std::size_t threads, const std::function<void()>& on_progress) {
  SharedTally tally(lattice, threads);
  const CellReading reading = reading_of(column, lattice.kind(), unreadable);
  const TextReading text(relation, {TextCell::number(column, lattice, unreadable)});
  text.for_each_chunk(
      threads, [&](const Chunk& chunk) { tally.add(chunk.column(0), reading); }, on_progress);
  return tally.finish();
}

bool any_chunk(const EngineOnDemand& engine, const Relation& relation, const TextCell& text,
               const std::string& expression, CellType type, const std::function<bool(const Chunk&)>& is_enough) {
  const auto any_of = [&](auto&& chunks) {
    while (const std::optional<Chunk> chunk = chunks.next()) {
      if (is_enough(*chunk)) return true;
    }
    return false;
  };
  if (is_read_here(relation)) {
    const TextReading reading(relation, {text});
    return any_of(reading.part());
  }
  return any_of(engine().stream("SELECT " + expression + " FROM " + relation.from(text.column), {type}));
}

}  // namespace fractile::source_detail

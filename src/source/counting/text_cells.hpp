// Delimited text that is counted without the engine: its cells as numbers, times and names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exact/uncopied.hpp"
#include "fractile/ranks.hpp"
#include "source/counting/counting.hpp"
#include "source/engine/engine.hpp"
#include "source/files/relation.hpp"

namespace fractile::source_detail {

/// A cell that is asked of every record. What relation.without() declares missing is NULL.
struct TextCell {
  enum class As {
    number,    ///< as number_expression() on a lattice of numbers
    moment,    ///< as number_expression() on a lattice of times: the text
    presence,  ///< as presence_expression()
    name,      ///< the text; NULL if it is empty
    state      ///< as cell_state_expression()
  };

  static TextCell number(const Column& column, const Lattice& lattice, Unreadable unreadable);
  static TextCell presence(const Column& column) { return {column, As::presence}; }
  static TextCell name(const Column& column) { return {column, As::name}; }
  static TextCell state(const Column& column, const Lattice& lattice);

  Column column;
  As as;
  Unreadable unreadable = Unreadable::missing;  ///< what to do with a cell that is no number
  double exact_until = 0;                       ///< whole numbers from 2^53 up to here must be doubles
};

/// Whether the relation is read without the engine: delimited text, without a query.
inline bool is_read_here(const Relation& relation) { return relation.text() != nullptr; }

/// One reading of the relation, which must be read here and must outlive this object.
class TextReading : Uncopied {
 public:
  TextReading(const Relation& relation, std::vector<TextCell> cells);
  ~TextReading();

  /// The records that one thread reads: all of them, in order, if it is the only part.
  class Part {
   public:
    Part(Part&&) noexcept;
    Part& operator=(Part&&) = delete;
    ~Part();
    /// The next records, with a column for each cell; valid until the next call. Nothing at the end. Throws EngineFailure, and
    /// what DelimitedRecords throws.
    std::optional<Chunk> next();

   private:
    friend class TextReading;
    struct State;
    explicit Part(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Part part() const;

  /// Calls take() for all records, a chunk at a time, on at most `threads` threads at once (0: as many as the machine runs) and in
  /// no order. on_progress(), which may be empty, is called on this thread only. What either function throws ends the reading and
  /// is thrown here. Returns the number of records. Throws as Part::next() does; which failure is thrown can depend on the threads.
  std::uint64_t for_each_chunk(std::size_t threads, const std::function<void(const Chunk&)>& take,
                               const std::function<void()>& on_progress) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Counts a column of a relation that is read here, as count_by_stream() counts other columns.
Counted count_text(const Relation& relation, const Column& column, const Lattice& lattice, Unreadable unreadable,
                   std::size_t threads, const std::function<void()>& on_progress);

/// Reads one cell of every record in order, a chunk at a time, until a call of is_enough(chunk) returns true. Returns whether one
/// did. The cell is asked as `text` if the relation is read here; otherwise of the engine, as an expression of this type. Throws
/// EngineFailure.
bool any_chunk(const EngineOnDemand& engine, const Relation& relation, const TextCell& text,
               const std::string& expression, CellType type, const std::function<bool(const Chunk&)>& is_enough);

}  // namespace fractile::source_detail

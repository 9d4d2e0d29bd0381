#include "source/counting/shared_tally.hpp"

#include <memory>
#include <span>

namespace fractile::source_detail {
namespace {

/// Adds the numbers that are present; returns whether any was missing.
template <class Number>
bool add_present(const ColumnView& column, ProfileBuilder& builder) {
  return for_each_present<Number>(column, [&](std::span<const Number> numbers) { builder.add(numbers); });
}

}  // namespace

void SharedTally::add(const ColumnView& column, const CellReading& reading) {
  const auto count = [&](Part& part) {
    const ColumnView numbers = part.cells.numbers(column, reading, lattice_.kind());
    const bool any_missing = reading.type == CellType::real ? add_present<double>(numbers, part.builder)
                                                            : add_present<std::int64_t>(numbers, part.builder);
    part.any_missing = part.any_missing || any_missing;
  };
  parts_.with_one([&] { return std::make_unique<Part>(Part{ProfileBuilder(lattice_), {}}); }, count);
}

Counted SharedTally::finish() {
  ProfileBuilder all(lattice_, threads_);
  bool any_missing = false;
  for (const std::unique_ptr<Part>& part : parts_.take_all()) {
    all.take(part->builder);
    any_missing = any_missing || part->any_missing;
  }
  return {all.finish(), any_missing};
}

}  // namespace fractile::source_detail

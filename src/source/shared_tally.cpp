#include "source/shared_tally.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace fractile::source_detail {
namespace {

/// Whether any number was missing.
template <class Number>
bool add_present(const ColumnView& column, ProfileBuilder& builder) {
  return for_each_present<Number>(column, [&](std::span<const Number> numbers) { builder.add(numbers); });
}

}  // namespace

std::unique_ptr<SharedTally::Part> SharedTally::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Part> part = std::move(idle_.back());
  idle_.pop_back();
  return part;
}

void SharedTally::give_back(std::unique_ptr<Part> part) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(part));
}

void SharedTally::add(const ColumnView& column, const CellReading& reading) {
  std::unique_ptr<Part> part = take_idle();
  if (!part) part = std::make_unique<Part>(Part{ProfileBuilder(lattice_), {}});
  const ColumnView numbers = part->cells.numbers(column, reading, lattice_.kind());
  const bool any_missing = reading.type == CellType::real ? add_present<double>(numbers, part->builder)
                                                          : add_present<std::int64_t>(numbers, part->builder);
  part->any_missing = part->any_missing || any_missing;
  give_back(std::move(part));
}

Counted SharedTally::finish() {
  ProfileBuilder all(lattice_, threads_);
  bool any_missing = false;
  for (const std::unique_ptr<Part>& part : idle_) {
    all.take(part->builder);
    any_missing = any_missing || part->any_missing;
  }
  idle_.clear();
  return {all.finish(), any_missing};
}

}  // namespace fractile::source_detail

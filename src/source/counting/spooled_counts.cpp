#include "source/counting/spooled_counts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "source/counting/leb128.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 14;  // bytes; adding up runs needs one block of each
constexpr std::size_t most_of_place = 25;                 // most bytes of a key, a position and a count
constexpr std::size_t fewest_held = std::size_t{1} << 12;
constexpr std::size_t runs_of_level = 64;  // this many runs and one more are merged to one

}  // namespace

NamelessFile& CountSpool::file() {
  const std::lock_guard lock(mutex_);
  if (!file_) file_.emplace("counts");
  return *file_;
}

std::size_t most_held_of(std::uint64_t memory, std::size_t threads, std::size_t columns) {
  if (memory == 0) return CountSpool::unlimited;
  return std::max<std::size_t>(fewest_held, memory / 4 / sizeof(Position) / (threads * columns));
}

void RunWriter::add(const PlaceCount& place) {
  if (bytes_.size() + most_of_place > block_size) write_block();
  if (bytes_.empty()) {
    block_.first_key = place.key;
    last_ = {};
  }
  append_leb128(bytes_, place.key - last_.key);
  append_leb128(bytes_, place.key == last_.key ? place.position - last_.position : place.position);
  append_leb128(bytes_, place.count);
  ++block_.counts;
  last_ = place;
}

void RunWriter::write_block() {
  if (bytes_.empty()) return;
  block_.bytes = static_cast<std::uint32_t>(bytes_.size());
  block_.from = file_.append(bytes_);
  run_.blocks.push_back(std::exchange(block_, {}));
  bytes_.clear();
}

CountRun RunWriter::finish() {
  write_block();
  return std::move(run_);
}

void CountRuns::add(CountSpool& spool, CountRun run) {
  for (std::size_t level = 0;; ++level) {
    if (level == by_level_.size()) by_level_.emplace_back();
    by_level_[level].push_back(std::move(run));
    if (by_level_[level].size() <= runs_of_level) return;
    std::vector<const CountRun*> runs;
    for (const CountRun& each : by_level_[level]) runs.push_back(&each);
    SumOfRuns sum(spool, runs, 0, ~std::uint32_t{0});
    RunWriter writer(spool);
    while (const std::optional<PlaceCount> place = sum.next()) writer.add(*place);
    run = writer.finish();
    by_level_[level].clear();
  }
}

void CountRuns::take(CountRuns& other) {
  for (std::vector<CountRun>& runs : other.by_level_) by_level_.push_back(std::move(runs));
  other = {};
}

std::vector<const CountRun*> CountRuns::all() const {
  std::vector<const CountRun*> runs;
  for (const std::vector<CountRun>& of_level : by_level_) {
    for (const CountRun& run : of_level) runs.push_back(&run);
  }
  return runs;
}

SumOfRuns::Cursor::Cursor(const NamelessFile& file, const CountRun& run, std::uint32_t first, std::uint32_t end)
    : file_(&file), run_(&run), end_(end) {
  // If a block begins with the first key, the block before may have places of this key, too.
  const auto with = std::ranges::lower_bound(run.blocks, first, {}, &CountRun::Block::first_key);
  next_block_ = static_cast<std::size_t>(with - run.blocks.begin());
  if (next_block_ > 0) --next_block_;
  do advance();
  while (!is_at_end_ && place_.key < first);
}

std::uint64_t SumOfRuns::Cursor::number() {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto next = static_cast<unsigned char>(bytes_[at_++]);
    value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
}

void SumOfRuns::Cursor::advance() {
  if (at_ == bytes_.size()) {
    if (next_block_ == run_->blocks.size()) {
      is_at_end_ = true;
      return;
    }
    const CountRun::Block& block = run_->blocks[next_block_++];
    bytes_.resize(block.bytes);
    file_->read(block.from, bytes_);
    at_ = 0;
    place_ = {};
  }
  const auto keys = static_cast<std::uint32_t>(number());
  const std::uint64_t positions = number();
  place_ = {place_.key + keys, keys == 0 ? place_.position + positions : positions, number()};
  is_at_end_ = place_.key >= end_;
}

std::uint64_t SumOfRuns::Cursor::most() const {
  std::uint64_t most = 0;
  for (std::size_t block = next_block_ - 1; block < run_->blocks.size() && run_->blocks[block].first_key < end_;
       ++block)
    most += run_->blocks[block].counts;
  return most;
}

/// The order of a heap whose top comes before all others.
bool SumOfRuns::is_behind(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b) {
  return std::tie(a->place().key, a->place().position) > std::tie(b->place().key, b->place().position);
}

SumOfRuns::SumOfRuns(CountSpool& spool, const std::vector<const CountRun*>& runs, std::uint32_t first,
                     std::uint32_t end) {
  for (const CountRun* const run : runs) {
    auto cursor = std::make_unique<Cursor>(spool.file(), *run, first, end);
    if (!cursor->is_at_end()) cursors_.push_back(std::move(cursor));
  }
  std::ranges::make_heap(cursors_, is_behind);
}

std::optional<PlaceCount> SumOfRuns::next() {
  std::optional<PlaceCount> sum;
  while (!cursors_.empty()) {
    const PlaceCount& place = cursors_.front()->place();
    if (sum && (place.key != sum->key || place.position != sum->position)) break;
    if (!sum) sum = PlaceCount{place.key, place.position, 0};
    sum->count += place.count;
    std::ranges::pop_heap(cursors_, is_behind);
    cursors_.back()->advance();
    if (cursors_.back()->is_at_end()) {
      cursors_.pop_back();
    } else {
      std::ranges::push_heap(cursors_, is_behind);
    }
  }
  return sum;
}

std::uint64_t SumOfRuns::most() const {
  std::uint64_t most = 0;
  for (const std::unique_ptr<Cursor>& cursor : cursors_) most += cursor->most();
  return most;
}

}  // namespace fractile::source_detail

#include "source/counting/record_selector.hpp"

#include <bit>
#include <limits>
#include <utility>

#include "exact/workers.hpp"
#include "source/counting/keyed_sample.hpp"

namespace fractile::source_detail {

KeyNumbers::KeyNumbers(std::span<const std::string> keys, std::string_view other)
    : keys_(keys), texts_(keys.begin(), keys.end()), mask_(std::bit_ceil(4 * keys.size() + 4) - 1) {
  slots_.resize(mask_ + 1);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::size_t slot = hash_of(keys[k], texts_[k]) & mask_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<std::uint32_t>(k + 1);
  }
  if (!other.empty()) other_ = of(other);
}

namespace {

/// The largest number of slots per pair for a dense table, which needs no search.
constexpr std::size_t most_dense = 8;

}  // namespace

PairNumbers::PairNumbers(std::size_t firsts, std::size_t seconds, std::size_t most)
    : is_dense_(firsts <= (most_dense * most + 4096) / std::max<std::size_t>(1, seconds)), seconds_(seconds) {
  const std::size_t slots = is_dense_ ? firsts * seconds : std::bit_ceil(4 * most + 4);
  if (!is_dense_) shift_ = std::numeric_limits<std::uint64_t>::digits - std::countr_zero(slots);
  slots_.resize(slots);
}

std::uint32_t PairNumbers::add(std::uint32_t first, std::uint32_t second, std::uint32_t fresh) {
  Slot& slot = slots_[slot_of(first, second)];
  if (slot.number == 0) slot = {first, second, fresh + 1};
  return slot.number - 1;
}

GroupNumbers::GroupNumbers(const GroupKeys& keys, std::span<const std::string> others) {
  const auto other = [&](std::size_t column) {
    return others.empty() ? std::string_view() : std::string_view(others[column]);
  };
  std::vector<std::uint32_t> before(keys.size());  // for each group, the number of its keys in the columns so far
  for (std::size_t group = 0; group < keys.size(); ++group) before[group] = keys.number(group, 0);
  std::size_t firsts = keys.list(0).size();
  columns_.emplace_back(keys.list(0), other(0));
  for (std::size_t column = 1; column < keys.columns(); ++column) {
    columns_.emplace_back(keys.list(column), other(column));
    const bool is_last = column + 1 == keys.columns();
    PairNumbers& pairs = pairs_.emplace_back(firsts, keys.list(column).size(), keys.size());
    std::uint32_t next = 0;
    for (std::size_t group = 0; group < keys.size(); ++group) {
      const std::uint32_t fresh = is_last ? static_cast<std::uint32_t>(group) : next;
      before[group] = pairs.add(before[group], keys.number(group, column), fresh);
      if (before[group] == next) ++next;
    }
    firsts = next;
  }
}

PersonRecords::Limits limits_of(std::uint64_t memory, std::size_t threads) {
  if (memory == 0) return {};
  // A table takes up to eight times the bytes of its records, and each thread has one.
  return {static_cast<std::size_t>(memory / 4), static_cast<std::size_t>(memory / (32 * threads))};
}

RecordSelector::RecordSelector(const Lattice& lattice, const RecordSelection& selection,
                               const std::optional<SamplingKey>& key, std::size_t threads, std::uint64_t memory,
                               CellType cells, std::optional<WeightGrid> weights)
    : lattice_(lattice),
      selection_(selection),
      key_(key),
      weights_(std::move(weights)),
      threads_(threads == 0 ? threads_of_machine() : threads),
      has_person_(!selection.person.empty()),
      has_key_(!selection.by.empty()),
      groups_(selection.merged ? selection.merged->size()
              : has_key_       ? selection.keys.size()
                               : 1),
      values_(selection.per_person ? std::optional(PersonValues(*selection.per_person, lattice, cells)) : std::nullopt),
      persons_(RecordCode(values_ ? values_->largest_mark() : 2 * lattice.size(), groups_ - 1, most_units()),
               limits_of(memory, threads_)),
      spool_(std::make_shared<CountSpool>(most_held_of(memory, threads_, 1))) {
  if (!has_key_) return;
  numbers_.emplace(selection.keys, selection.others);
  if (!has_person_) return;
  const GroupKeys& groups = selection.merged ? selection.merged->keys : selection.keys;
  for (const GroupKey& group : groups.all()) sampled_groups_.push_back(sampled_group(group));
}

SelectedCounts RecordSelector::counted(const std::function<void()>& on_progress) {
  SelectedCounts selected{new_counts(threads_)};
  for (const std::unique_ptr<Part>& part : parts_.take_all()) {
    selected.any_missing = selected.any_missing || part->any_missing;
    selected.any_nobody = selected.any_nobody || part->any_nobody;
    if (part->counts) selected.counts.take(*part->counts);
  }
  if (has_person_) count_persons(selected.counts, on_progress);
  selected.counts.put_away();
  return selected;
}

void RecordSelector::count_persons(KeyedCounts& counts, const std::function<void()>& on_progress) {
  struct Sampler {
    KeyedSample sample;
    KeyedCounts counts;
    PersonTable table;
    std::optional<PersonValues> values;
  };
  IdleParts<Sampler> samplers;
  const auto new_sampler = [&] {
    return std::make_unique<Sampler>(
        Sampler{KeyedSample(key_.value(), selection_.records_per_person, sampled_groups_), new_counts(1), {}, values_});
  };
  const std::thread::id asking = std::this_thread::get_id();
  share_among_threads(threads_, PersonRecords::partitions, [&](std::size_t partition) {
    samplers.with_one(new_sampler, [&](Sampler& sampler) {
      const auto count_kept = [&](std::string_view person, std::vector<KeyedRecord>& records) {
        if (sampler.values) sampler.values->combine(records);
        sampler.sample.keep(person, records);
        for (const KeyedRecord& record : records) sampler.counts.add(record);
      };
      persons_.for_each_person(partition, sampler.table, count_kept);
    });
    if (on_progress && std::this_thread::get_id() == asking) on_progress();
  });
  for (const std::unique_ptr<Sampler>& sampler : samplers.take_all()) counts.take(sampler->counts);
}

}  // namespace fractile::source_detail

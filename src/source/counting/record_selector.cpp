#include "source/counting/record_selector.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "exact/workers.hpp"
#include "source/counting/keyed_sample.hpp"

namespace fractile::source_detail {

KeyNumbers::KeyNumbers(std::span<const std::string> keys) : keys_(keys), mask_(std::bit_ceil(4 * keys.size() + 4) - 1) {
  slots_.resize(mask_ + 1);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::size_t slot = hash_of(keys[k]) & mask_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<std::uint32_t>(k + 1);
  }
}

PersonRecords::Limits limits_of(std::uint64_t memory, std::size_t threads) {
  if (memory == 0) return {};
  // A table takes up to eight times the bytes of its records, and each thread has one.
  return {static_cast<std::size_t>(memory / 4), static_cast<std::size_t>(memory / (32 * threads))};
}

RecordSelector::RecordSelector(const Lattice& lattice, const RecordSelection& selection,
                               const std::optional<SamplingKey>& key, std::size_t threads, std::uint64_t memory)
    : lattice_(lattice),
      selection_(selection),
      key_(key),
      threads_(threads == 0 ? threads_of_machine() : threads),
      has_person_(!selection.person.empty()),
      has_key_(!selection.by.empty()),
      groups_(has_key_ ? selection.keys.size() : 1),
      numbers_(selection.keys),
      persons_(RecordCode(2 * lattice.size(), groups_ - 1), limits_of(memory, threads_)) {}

SelectedProfiles RecordSelector::finish(const std::function<void()>& on_progress) {
  SelectedProfiles selected{{}, false, false};
  KeyedCounts counts(lattice_, groups_, threads_);
  for (const std::unique_ptr<Part>& part : parts_.take_all()) {
    selected.any_missing = selected.any_missing || part->any_missing;
    selected.any_nobody = selected.any_nobody || part->any_nobody;
    if (part->counts) counts.take(*part->counts);
  }
  if (has_person_) count_persons(counts, on_progress);
  selected.profiles = counts.finish();
  return selected;
}

void RecordSelector::count_persons(KeyedCounts& counts, const std::function<void()>& on_progress) {
  struct Sampler {
    KeyedSample sample;
    KeyedCounts counts;
    PersonTable table;
  };
  IdleParts<Sampler> samplers;
  const auto new_sampler = [&] {
    return std::make_unique<Sampler>(Sampler{
        KeyedSample(key_.value(), selection_.records_per_person, selection_.keys), KeyedCounts(lattice_, groups_), {}});
  };
  const std::thread::id asking = std::this_thread::get_id();
  share_among_threads(threads_, PersonRecords::partitions, [&](std::size_t partition) {
    samplers.with_one(new_sampler, [&](Sampler& sampler) {
      const auto count_kept = [&](std::string_view person, std::vector<KeyedRecord>& records) {
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

#include "source/counting/shared_sample.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "exact/lists.hpp"
#include "exact/workers.hpp"

namespace fractile::source_detail {
namespace {

/// Lowest byte first.
void append_number(std::string& text, std::uint64_t number, std::size_t bytes) {
  text.append(reinterpret_cast<const char*>(&number), bytes);  // NOLINT: the machine's order
}

}  // namespace

/// Chooses among the records of one person at a time, for one thread.
class SharedSample::Sampler {
 public:
  explicit Sampler(const SharedSample& sample) : sample_(sample), ranking_(sample.key_) {
    for (std::size_t i = 0; i < sample.columns_.size(); ++i) counts.push_back(sample.counts_of(i, 1));
  }

  /// Removes the records that do not count from all records of a person, which may come in any order.
  void keep(std::string_view person, std::vector<WrittenRecord>& records) {
    const std::size_t most = sample_.columns_.front().selection.records_per_person;
    if (records.size() <= most) return;
    std::ranges::sort(records, [&](const auto& a, const auto& b) {
      const int order = sample_.compare(a, b);
      return order != 0 ? order < 0 : sample_.is_lighter(a, b);
    });
    ranked_.clear();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool is_again = i > 0 && sample_.compare(records[i], records[i - 1]) == 0;
      const std::uint64_t ordinal = is_again ? ranked_.back().ordinal + 1 : 0;
      if (!is_again) sample_.describe(records[i], described_);
      ranked_.push_back({ranking_.of(person, {0, described_, ordinal}), i, ordinal});
    }
    const auto first_out = ranked_.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(ranked_, first_out, [](const Ranked& a, const Ranked& b) {
      const int by_rank = std::memcmp(a.rank.data(), b.rank.data(), a.rank.size());
      return by_rank != 0 ? by_rank < 0 : a.place < b.place;  // two equal ranks have never been observed
    });
    std::vector<WrittenRecord> kept;
    for (auto at = ranked_.begin(); at != first_out; ++at) kept.push_back(records[at->place]);
    records = std::move(kept);
  }

  std::vector<KeyedCounts> counts;  // one per column
  TableByPerson<WrittenRecord> table;

 private:
  struct Ranked {
    SamplingKey::Rank rank;
    std::size_t place;  // among the person's records, sorted by their contents
    std::uint64_t ordinal;
  };

  const SharedSample& sample_;
  Ranking ranking_;
  std::string described_;
  std::vector<Ranked> ranked_;
};

SharedSample::SharedSample(std::vector<SharedColumn> columns, const SamplingKey& key, std::size_t threads,
                           std::uint64_t memory)
    : columns_(std::move(columns)),
      key_(key),
      threads_(threads == 0 ? threads_of_machine() : threads),
      known_(fields_of()),
      persons_(WrittenRecordCode(bytes_), limits_of(memory, threads_)),
      spool_(std::make_shared<CountSpool>(most_held_of(memory, threads_, columns_.size()))) {}

std::vector<SharedSample::Known> SharedSample::fields_of() {
  const auto new_field = [this](std::uint64_t none) {
    const std::size_t size = bytes_for(none);
    const Field field{bytes_, size, ~std::uint64_t{0} >> (64 - 8 * size), none};
    bytes_ += field.bytes;
    return field;
  };
  std::vector<Known> all;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const RecordSelection& selection = columns_[i].selection;
    Known known{new_field(2 * columns_[i].lattice.size() + 1)};
    if (!selection.by.empty()) {
      const auto are_mine = [&](const Grouping& each) {
        const RecordSelection& other = columns_[each.column].selection;
        return other.by == selection.by && have_same_keys(other, selection);
      };
      const auto same = std::ranges::find_if(groupings_, are_mine);
      known.grouping = static_cast<std::size_t>(same - groupings_.begin());
      if (same == groupings_.end()) {
        Grouping grouping{i, GroupNumbers(selection.keys, selection.others), {}, new_field(selection.keys.size())};
        for (std::size_t k = 0; k < selection.keys.size(); ++k) {
          grouping.sampled.push_back(sampled_group(selection.keys[k]));
        }
        groupings_.push_back(std::move(grouping));
      }
    }
    all.push_back(known);
  }
  unweighted_bytes_ = bytes_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].weights) all[i].units = new_field(columns_[i].weights->most_units);
  }
  return all;
}

void SharedSample::place_column(std::size_t column, const SharedCells& cells, Placed& placed) const {
  const Lattice& lattice = columns_[column].lattice;
  const ColumnView numbers = placed.times.numbers(cells.numbers, cells.reading, lattice.kind());
  bool any_missing = place(numbers, cells.reading, lattice, placed.positions);
  if (const std::optional<WeightGrid>& grid = columns_[column].weights) {
    const WeightCells& weights = cells.weights.value();
    any_missing |= place_weights(weights.cells, weights.reading, grid->counted_on, placed.weights, placed.positions);
  }
  placed.any_missing = placed.any_missing || any_missing;
}

std::uint32_t SharedSample::most_units(std::size_t column) const {
  const std::optional<WeightGrid>& weights = columns_[column].weights;
  return weights ? std::max(2U, weights->most_units) : 1;
}

void SharedSample::describe(const WrittenRecord& record, std::string& text) const {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  text.clear();
  for (const Known& known : known_) {
    append_number(text, read(record.bytes, known.position).value_or(none), 8);
    if (!known.grouping) continue;
    const Grouping& grouping = groupings_[*known.grouping];
    const std::optional<std::uint64_t> number = read(record.bytes, grouping.field);
    append_number(text, number ? grouping.sampled[*number].size() : none, 4);
    if (number) text += grouping.sampled[*number];
  }
}

bool SharedSample::is_lighter(const WrittenRecord& a, const WrittenRecord& b) const {
  for (const Known& known : known_) {
    if (!known.units) continue;
    const std::uint64_t of_a = number_at(a.bytes, *known.units);
    const std::uint64_t of_b = number_at(b.bytes, *known.units);
    if (of_a != of_b) return of_a < of_b;
  }
  return false;
}

KeyedCounts SharedSample::counts_of(std::size_t column, std::size_t threads) const {
  const auto& [lattice, selection, weights] = columns_[column];
  return {lattice, selection.by.empty() ? 1 : selection.keys.size(), threads, most_units(column), spool_};
}

void SharedSample::count_kept(const WrittenRecord& record, std::vector<KeyedCounts>& counts) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Known& known = known_[i];
    const std::optional<std::uint64_t> position = read(record.bytes, known.position);
    if (!position) continue;
    const std::optional<std::uint64_t> group =
        known.grouping ? read(record.bytes, groupings_[*known.grouping].field) : 0;
    if (!group) continue;
    counts[i].add({*position, static_cast<std::uint32_t>(*group),
                   known.units ? static_cast<std::uint32_t>(number_at(record.bytes, *known.units)) : 1});
  }
}

std::vector<SelectedCounts> SharedSample::counted(const std::function<void()>& on_progress) {
  std::vector<SelectedCounts> selected;
  for (std::size_t i = 0; i < columns_.size(); ++i) selected.push_back({counts_of(i, threads_)});
  for (const std::unique_ptr<Part>& part : parts_.take_all()) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      selected[i].any_missing = selected[i].any_missing || part->columns[i].any_missing;
      selected[i].any_nobody = selected[i].any_nobody || part->any_nobody;
    }
  }
  IdleParts<Sampler> samplers;
  const std::thread::id asking = std::this_thread::get_id();
  share_among_threads(threads_, RecordsByPerson<WrittenRecordCode>::partitions, [&](std::size_t partition) {
    samplers.with_one([&] { return std::make_unique<Sampler>(*this); },
                      [&](Sampler& sampler) {
                        persons_.for_each_person(partition, sampler.table,
                                                 [&](std::string_view person, std::vector<WrittenRecord>& records) {
                                                   sampler.keep(person, records);
                                                   for (const WrittenRecord& record : records)
                                                     count_kept(record, sampler.counts);
                                                 });
                      });
    if (on_progress && std::this_thread::get_id() == asking) on_progress();
  });
  const std::vector<std::unique_ptr<Sampler>> all = samplers.take_all();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::unique_ptr<Sampler>& sampler : all) selected[i].counts.take(sampler->counts[i]);
    selected[i].counts.put_away();
  }
  return selected;
}

std::vector<SelectedProfiles> SharedSample::finish(const std::function<void()>& on_progress) {
  return mapped(counted(on_progress), [](SelectedCounts& each) { return each.finish(); });
}

}  // namespace fractile::source_detail

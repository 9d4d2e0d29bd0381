// Which records of persons and groups count, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fractile/random.hpp"
#include "fractile/ranks.hpp"
#include "fractile/source.hpp"
#include "source/column_view.hpp"
#include "source/keyed_counts.hpp"
#include "source/persons.hpp"

namespace fractile::source_detail {

struct SelectedProfiles {
  std::vector<RankProfile> profiles;
  bool any_missing;        ///< some record had no number, and was left out
  bool any_nobody;         ///< some record had no person, and was left out
  std::uint64_t rows = 0;  ///< how many records came
};

/// Empty, or nothing but white space.
inline bool names_nobody(std::string_view person) {
  return person.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

/// Decides which records count, and where.
class RecordSelector {
 public:
  /// `selection` is valid and outlives this.
  RecordSelector(const Lattice& lattice, const RecordSelection& selection, RandomBits& bits)
      : has_person_(!selection.person.empty()),
        has_key_(!selection.by.empty()),
        lattice_(lattice),
        groups_(has_key_ ? selection.keys.size() : 1),
        keys_(numbers_of(selection.keys)),
        samples_(selection.records_per_person, bits) {}

  /// Records in their order. `person_at` and `key_at` give the text of a row, empty where it is NULL; they are asked where persons or
  /// keys count.
  template <class Number, class PersonAt, class KeyAt>
  void add(const ColumnView& numbers, PersonAt person_at, KeyAt key_at) {
    place<Number>(numbers);
    for (std::size_t row = 0; row < positions_.size(); ++row) {
      const Position position = positions_[row];
      const std::string_view person = has_person_ ? person_at(row) : std::string_view();
      const bool is_nobodys = has_person_ && names_nobody(person);
      any_missing_ = any_missing_ || position == nowhere;
      any_nobody_ = any_nobody_ || is_nobodys;
      if (position == nowhere || is_nobodys) continue;
      const std::optional<std::uint32_t> key = has_key_ ? number_of(key_at(row)) : std::uint32_t{0};
      if (key) add_record(person, {position, *key});
    }
  }

  SelectedProfiles finish() {
    samples_.for_each_kept([this](const KeyedRecord& record) { counts_.add(record); });
    return {counts_.finish(groups_, lattice_.size()), any_missing_, any_nobody_};
  }

 private:
  using KeyNumbers = std::unordered_map<std::string_view, std::uint32_t>;

  static KeyNumbers numbers_of(const std::vector<std::string>& keys) {
    KeyNumbers numbers;
    numbers.reserve(keys.size());
    for (const std::string& key : keys) numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()));
    return numbers;
  }

  static constexpr Position nowhere = ~Position{0};

  /// The position of each number of the chunk; `nowhere` for those that are NULL or NaN.
  template <class Number>
  void place(const ColumnView& column) {
    const std::span<const Number> numbers = column.numbers<Number>();
    positions_.resize(numbers.size());
    if (!column.any_null() && !any_nan(numbers)) return lattice_.positions_of(numbers, positions_);
    const auto is_missing = [&](std::size_t i) { return column.is_null(i) || is_nan(numbers[i]); };
    std::vector<Number> all(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_missing(i)) all[i] = 0;
    }
    lattice_.positions_of(all, positions_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_missing(i)) positions_[i] = nowhere;
    }
  }

  /// Nothing when the record's key is not listed; no key is empty.
  std::optional<std::uint32_t> number_of(std::string_view key) const {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return {};
    return found->second;
  }

  void add_record(std::string_view person, const KeyedRecord& record) {
    if (has_person_) {
      samples_.add(person, record);
    } else {
      counts_.add(record);
    }
  }

  bool has_person_;
  bool has_key_;
  const Lattice& lattice_;
  std::size_t groups_;
  KeyNumbers keys_;
  PersonSamples samples_;
  KeyedCounts counts_;
  std::vector<Position> positions_;  // of the chunk
  bool any_missing_ = false;
  bool any_nobody_ = false;
};

}  // namespace fractile::source_detail

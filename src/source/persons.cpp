#include "source/persons.hpp"

#include "exact/uniform.hpp"

namespace fractile::source_detail {

void PersonSamples::add(std::string_view person, const KeyedRecord& record) {
  auto at = samples_.find(person);
  if (at == samples_.end()) at = samples_.emplace(std::string(person), Sample{}).first;
  Sample& sample = at->second;
  ++sample.seen;
  if (sample.seen <= most_) {
    sample.kept.push_back(record);
    return;
  }
  const std::uint64_t place = uniform_below(bits_, sample.seen);
  if (place < most_) sample.kept[place] = record;
}

}  // namespace fractile::source_detail

#include "source/counting/persons.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

static_assert(std::endian::native == std::endian::little, "records are written with the lowest byte first");

constexpr int partition_bits = std::countr_zero(PersonRecords::partitions);
constexpr int hash_bits = std::numeric_limits<std::size_t>::digits;
constexpr unsigned last_level = hash_bits / partition_bits - 1;
constexpr std::size_t first_chunk = 256;  // bytes; so small that a small table does not touch a page for each partition
constexpr std::size_t most_in_table = std::numeric_limits<std::uint32_t>::max() - 1;

std::size_t hash_of(std::string_view person) { return std::hash<std::string_view>()(person); }

}  // namespace

std::size_t bytes_for(std::uint64_t largest) {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8);
}

RecordCode::RecordCode(Position largest_position, std::uint64_t largest_key, std::uint32_t most_units)
    : position_bytes_(bytes_for(largest_position)),
      key_bytes_(largest_key == 0 ? 0 : bytes_for(largest_key)),
      units_bytes_(most_units == 1 ? 0 : bytes_for(most_units)) {}

template <class Record>
void TableByPerson<Record>::clear(std::size_t records) {
  if (records > most_in_table) {
    throw Error(ErrorCode::data, "more than 4294967294 records of one person", "count them by parts of the table");
  }
  const std::size_t slots = std::bit_ceil(records + records / 2 + 2);
  slots_.assign(slots, 0);
  shift_ = hash_bits - std::countr_zero(slots);
  persons_.clear();
  whose_.clear();
  whose_.reserve(records);
  records_.clear();
  records_.reserve(records);
}

template <class Record>
void TableByPerson<Record>::add(std::string_view person, const Record& record) {
  // Needed since the hashes of one partition agree in their highest bits.
  constexpr std::size_t spread = 0x9E3779B97F4A7C15;
  const std::size_t hash = hash_of(person);
  std::size_t slot = (hash * spread) >> shift_;
  while (slots_[slot] != 0) {
    const Person& known = persons_[slots_[slot] - 1];
    if (known.hash == hash && known.name == person) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (slots_[slot] == 0) {
    persons_.push_back({person, hash, 0, 0});
    slots_[slot] = static_cast<std::uint32_t>(persons_.size());
  }
  const std::uint32_t number = slots_[slot] - 1;
  ++persons_[number].records;
  whose_.push_back(number);
  records_.push_back(record);
}

template <class Record>
void TableByPerson<Record>::bring_together() {
  std::uint32_t before = 0;
  for (Person& person : persons_) {
    person.next = before;
    before += person.records;
  }
  together_.resize(records_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) together_[persons_[whose_[i]].next++] = records_[i];
}

template <class Code>
class RecordsByPerson<Code>::Part {
 public:
  std::array<Partition, partitions> of;
};

template <class Code>
RecordsByPerson<Code>::RecordsByPerson(const Code& code, const Limits& limits, unsigned level)
    : code_(code), limits_(limits), level_(level) {}
template <class Code>
RecordsByPerson<Code>::~RecordsByPerson() = default;

template <class Code>
typename RecordsByPerson<Code>::Part& RecordsByPerson<Code>::new_part() {
  auto part = std::make_unique<Part>();
  const std::lock_guard lock(mutex_);
  return *parts_.emplace_back(std::move(part));
}

template <class Code>
std::size_t RecordsByPerson<Code>::partition_of(std::size_t hash) const {
  return (hash >> (hash_bits - partition_bits * static_cast<int>(level_ + 1))) % partitions;
}

template <class Code>
void RecordsByPerson<Code>::add(Part& part, std::string_view person, const Record& record) {
  Partition& partition = part.of[partition_of(hash_of(person))];
  const std::size_t most = code_.most_bytes(person) + RecordCode::slack;
  if (partition.open.size - partition.open.used < most) make_room(partition, most);
  Chunk& chunk = partition.open;
  char* const at = chunk.bytes.get() + chunk.used;
  chunk.used += static_cast<std::size_t>(code_.write(at, person, record) - at);
  ++partition.records;
}

template <class Code>
void RecordsByPerson<Code>::make_room(Partition& partition, std::size_t bytes) {
  put_away(partition);
  const std::size_t wanted = std::max(bytes, std::clamp(partition.bytes, first_chunk, Limits::chunk));
  if (partition.open.size >= wanted) return;
  partition.open = {std::unique_ptr<char[]>(new char[wanted]), wanted, 0};  // NOLINT(modernize-avoid-c-arrays)
}

/// Moves the open chunk away: either writes it to the file and empties it, or adds it to the chunks in memory and leaves none open.
template <class Code>
void RecordsByPerson<Code>::put_away(Partition& partition) {
  Chunk& chunk = partition.open;
  if (chunk.used == 0) return;
  partition.bytes += chunk.used;
  if (held_ + chunk.size > limits_.in_memory) {
    const std::uint64_t from = file().append({chunk.bytes.get(), chunk.used});
    partition.spooled.push_back({from, std::exchange(chunk.used, 0)});
    return;
  }
  held_ += chunk.size;
  partition.full.push_back(std::exchange(chunk, {}));
}

template <class Code>
NamelessFile& RecordsByPerson<Code>::file() {
  const std::lock_guard lock(mutex_);
  if (!file_) file_.emplace("persons' records");
  return *file_;
}

template <class Code>
template <class Take>
void RecordsByPerson<Code>::for_each_record(std::size_t partition, std::vector<char>& buffer, Take take) const {
  const auto take_all = [&](std::span<const char> written) {
    std::string_view person;
    Record record{};
    const char* at = written.data();
    while (at != written.data() + written.size()) {
      at = code_.read(at, person, record);
      take(person, record);
    }
  };
  std::size_t spooled = 0;
  for (const std::unique_ptr<Part>& part : parts_) {
    for (const Extent& extent : part->of[partition].spooled) spooled += extent.size + RecordCode::slack;
  }
  buffer.resize(spooled);
  std::span<char> room(buffer);
  for (const std::unique_ptr<Part>& part : parts_) {
    const Partition& of_part = part->of[partition];
    take_all({of_part.open.bytes.get(), of_part.open.used});
    for (const Chunk& chunk : of_part.full) take_all({chunk.bytes.get(), chunk.used});
    for (const Extent& extent : of_part.spooled) {
      file_->read(extent.from, room.first(extent.size));
      take_all(room.first(extent.size));
      room = room.subspan(extent.size + RecordCode::slack);
    }
  }
}

template <class Code>
void RecordsByPerson<Code>::forget(std::size_t partition) {
  for (const std::unique_ptr<Part>& part : parts_) part->of[partition] = {};
}

/// Visits the partition in parts, by further bits of the hash.
template <class Code>
void RecordsByPerson<Code>::visit_in_parts(std::size_t partition, Table& table, const Visit& visit) {
  RecordsByPerson finer(code_, {limits_.largest_table, limits_.largest_table}, level_ + 1);
  Part& part = finer.new_part();
  {
    std::vector<char> buffer;
    for_each_record(partition, buffer,
                    [&](std::string_view person, const Record& record) { finer.add(part, person, record); });
  }
  forget(partition);
  for (std::size_t k = 0; k < partitions; ++k) finer.for_each_person(k, table, visit);
}

template <class Code>
void RecordsByPerson<Code>::for_each_person(std::size_t partition, Table& table, const Visit& visit) {
  std::size_t records = 0;
  std::size_t bytes = 0;
  for (const std::unique_ptr<Part>& part : parts_) {
    const Partition& of_part = part->of[partition];
    records += of_part.records;
    bytes += of_part.bytes + of_part.open.used;
  }
  if (bytes > limits_.largest_table && level_ < last_level) return visit_in_parts(partition, table, visit);
  std::vector<char> buffer;
  table.clear(records);
  for_each_record(partition, buffer, [&](std::string_view person, const Record& record) { table.add(person, record); });
  table.for_each_person(visit);
  forget(partition);
}

template class TableByPerson<KeyedRecord>;
template class TableByPerson<WrittenRecord>;
template class RecordsByPerson<RecordCode>;
template class RecordsByPerson<WrittenRecordCode>;

}  // namespace fractile::source_detail

// Records laid down by person: many threads write, and then each person's records are read together. Persons are distinguished by
// their exact bytes. Beyond a limit of memory the records go to a nameless file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "source/counting/keyed_counts.hpp"
#include "source/files/nameless_file.hpp"

namespace fractile::source_detail {

/// How a person's name is written: its size, and its bytes.
class PersonCode {
 public:
  static std::size_t most_bytes(std::string_view person) { return long_size + person.size(); }
  static char* write(char* at, std::string_view person) {
    if (person.size() < long_size_mark) {
      *at++ = static_cast<char>(person.size());
    } else {
      *at++ = static_cast<char>(long_size_mark);
      const std::uint64_t size = person.size();
      std::memcpy(at, &size, sizeof(size));
      at += sizeof(size);
    }
    std::memcpy(at, person.data(), person.size());
    return at + person.size();
  }
  static const char* read(const char* at, std::string_view& person) {
    std::uint64_t size = static_cast<unsigned char>(*at++);
    if (size == long_size_mark) {
      std::memcpy(&size, at, sizeof(size));
      at += sizeof(size);
    }
    person = {at, size};
    return at + size;
  }

 private:
  static constexpr std::size_t long_size = 9;            // bytes
  static constexpr unsigned char long_size_mark = 0xff;  // instead of a size below it; the size follows
};

/// How many bytes hold each number up to this one.
std::size_t bytes_for(std::uint64_t largest);

/// How a record is written: the person's size and bytes, then position, key and units, in no more bytes than the largest of them needs.
class RecordCode {
 public:
  using Record = KeyedRecord;
  /// Bytes behind a record that may be written or read, too.
  static constexpr std::size_t slack = 8;

  RecordCode(Position largest_position, std::uint64_t largest_key, std::uint32_t most_units = 1);

  std::size_t most_bytes(std::string_view person) const {
    return PersonCode::most_bytes(person) + position_bytes_ + key_bytes_ + units_bytes_;
  }
  /// Where the next record begins.
  char* write(char* at, std::string_view person, const KeyedRecord& record) const {
    at = PersonCode::write(at, person);
    at = write_number(at, record.position, position_bytes_);
    at = write_number(at, record.key, key_bytes_);
    return units_bytes_ == 0 ? at : write_number(at, record.units, units_bytes_);
  }
  const char* read(const char* at, std::string_view& person, KeyedRecord& record) const {
    at = PersonCode::read(at, person);
    std::uint64_t key = 0;
    at = read_number(at, record.position, position_bytes_);
    at = read_number(at, key, key_bytes_);
    record.key = static_cast<std::uint32_t>(key);
    record.units = 1;
    if (units_bytes_ == 0) return at;
    std::uint64_t units = 0;
    at = read_number(at, units, units_bytes_);
    record.units = static_cast<std::uint32_t>(units);
    return at;
  }

 private:
  static char* write_number(char* at, std::uint64_t number, std::size_t bytes) {
    std::memcpy(at, &number, sizeof(number));  // lowest byte first, so that the first ones are those that count
    return at + bytes;
  }
  static const char* read_number(const char* at, std::uint64_t& number, std::size_t bytes) {
    std::memcpy(&number, at, sizeof(number));
    if (bytes < sizeof(number)) number &= (std::uint64_t{1} << (8 * bytes)) - 1;
    return at + bytes;
  }
  std::size_t position_bytes_;
  std::size_t key_bytes_;
  std::size_t units_bytes_;
};

/// A record that is no more than bytes of a fixed number, wherever these are.
struct WrittenRecord {
  const char* bytes;
};

/// The person, and behind it the bytes as they are.
class WrittenRecordCode {
 public:
  using Record = WrittenRecord;
  /// Bytes behind a record that may be read, too.
  static constexpr std::size_t slack = 8;

  explicit WrittenRecordCode(std::size_t bytes) : bytes_(bytes) {}

  std::size_t most_bytes(std::string_view person) const { return PersonCode::most_bytes(person) + bytes_; }
  char* write(char* at, std::string_view person, const WrittenRecord& record) const {
    at = PersonCode::write(at, person);
    std::memcpy(at, record.bytes, bytes_);
    return at + bytes_;
  }
  /// The record is where it was read from.
  const char* read(const char* at, std::string_view& person, WrittenRecord& record) const {
    record.bytes = PersonCode::read(at, person);
    return record.bytes + bytes_;
  }

 private:
  std::size_t bytes_;
};

/// The records of some persons, to be asked for person by person.
template <class Record>
class TableByPerson {
 public:
  /// Forgets all; at most this many records will come, fewer than 2^32.
  void clear(std::size_t records);
  void add(std::string_view person, const Record& record);
  /// Calls visit(person, their records as a vector, which it may change) for each person.
  template <class Visit>
  void for_each_person(Visit visit) {
    bring_together();
    const Record* next = together_.data();
    for (const Person& person : persons_) {
      of_one_.assign(next, next + person.records);
      next += person.records;
      visit(person.name, of_one_);
    }
  }

 private:
  struct Person {
    std::string_view name;
    std::size_t hash;
    std::uint32_t records;
    std::uint32_t next;  // where the next of them goes
  };

  void bring_together();

  std::vector<std::uint32_t> slots_;  // by hash: 1 + the number of a person, or 0
  int shift_ = 0;
  std::vector<Person> persons_;
  std::vector<std::uint32_t> whose_;  // of each record the number of its person
  std::vector<Record> records_;
  std::vector<Record> together_;  // each person's behind one another
  std::vector<Record> of_one_;
};
using PersonTable = TableByPerson<KeyedRecord>;

struct PersonLimits {
  std::size_t in_memory = ~std::size_t{0};                    ///< bytes of records, beyond which they go to the file
  std::size_t largest_table = std::size_t{1} << 30;           ///< bytes of records that are made one table
  static constexpr std::size_t chunk = std::size_t{8} << 10;  ///< bytes that are written at a time
};

/// Records in partitions, by a hash of the person, so that a partition holds all records of each of its persons.
template <class Code>
class RecordsByPerson {
 public:
  using Record = typename Code::Record;
  using Table = TableByPerson<Record>;
  using Limits = PersonLimits;
  /// So many that the table of one partition fits a cache when there are some ten million records.
  static constexpr std::size_t partitions = 1024;
  /// What one thread writes at a time.
  class Part;

  RecordsByPerson(const Code& code, const Limits& limits, unsigned level = 0);
  ~RecordsByPerson();

  /// A separate part for each writer; it stays here.
  Part& new_part();
  void add(Part& part, std::string_view person, const Record& record);

  using Visit = std::function<void(std::string_view person, std::vector<Record>& records)>;
  /// Visits all persons of a partition, each with all of their records; to be called once, when all records have been added.
  /// `table` is scratch. Several threads may call this, each with another partition and table.
  void for_each_person(std::size_t partition, Table& table, const Visit& visit);

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes = nullptr;  // NOLINT(modernize-avoid-c-arrays): not to be initialized
    std::size_t size = 0;
    std::size_t used = 0;
  };
  struct Extent {
    std::uint64_t from;
    std::size_t size;
  };
  struct Partition {
    Chunk open;
    std::vector<Chunk> full;
    std::vector<Extent> spooled;
    std::size_t records = 0;
    std::size_t bytes = 0;
  };

  std::size_t partition_of(std::size_t hash) const;
  void make_room(Partition& partition, std::size_t bytes);
  void put_away(Partition& partition);
  NamelessFile& file();
  /// Calls take(person, record) for the records of a partition. Bytes that were read from the file stay in `buffer`.
  template <class Take>
  void for_each_record(std::size_t partition, std::vector<char>& buffer, Take take) const;
  void visit_in_parts(std::size_t partition, Table& table, const Visit& visit);
  void forget(std::size_t partition);

  Code code_;
  Limits limits_;
  unsigned level_;
  std::atomic<std::size_t> held_ = 0;  // bytes of full chunks in memory
  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::optional<NamelessFile> file_;
};
using PersonRecords = RecordsByPerson<RecordCode>;

}  // namespace fractile::source_detail

// Columns in memory, as programs hand them over, and profiles of them.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

#include "fractile/exact.hpp"
#include "fractile/ranks.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "host/entry_groups.hpp"

namespace fractile::host_test {
namespace {

/// 60 records as Arrow lays them down: texts are of one letter each. The receiver of a structure must release it.
class Laid {
 public:
  Laid() {
    for (std::size_t i = 0; i <= rows; ++i) ends_[i] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < rows; ++i) {
      numbers_[i] = static_cast<double>((i * 37) % 64) / 4;
      persons_[i] = static_cast<char>('a' + i % 17);
      keys_[i] = i % 3 == 0 ? 'a' : 'b';
    }
    for (std::size_t k = 0; k < columns; ++k) {
      schemas_[k] = {formats[k], names[k], nullptr, 0, 0, nullptr, nullptr, give_back<ArrowSchema>, nullptr};
      arrays_[k] = {rows,   0, 0, k == 0 ? 2 : 3, 0, buffers_[k].data(), nullptr, nullptr, give_back<ArrowArray>,
                    nullptr};
      schema_pointers_[k] = &schemas_[k];
      array_pointers_[k] = &arrays_[k];
    }
  }
  Laid(const Laid&) = delete;

  void hand_over(ArrowSchema& schema) {
    schema = {"+s", "", nullptr, 0, columns, schema_pointers_.data(), nullptr, give_back<ArrowSchema>, new char};
  }
  void hand_over(ArrowArray& array) {
    array = {
        rows,    0, 0, 1, columns, buffers_[columns].data(), array_pointers_.data(), nullptr, give_back<ArrowArray>,
        new char};
  }

 private:
  static constexpr std::size_t rows = 60;
  static constexpr std::size_t columns = 3;
  static constexpr std::array<const char*, columns> formats = {"g", "u", "u"};
  static constexpr std::array<const char*, columns> names = {"x", "p", "k"};

  template <class Structure>
  static void give_back(Structure* structure) {
    delete static_cast<char*>(structure->private_data);
    structure->release = nullptr;
  }

  std::array<double, rows> numbers_{};
  std::array<std::int32_t, rows + 1> ends_{};
  std::array<char, rows> persons_{};
  std::array<char, rows> keys_{};
  std::array<std::array<const void*, 3>, columns + 1> buffers_ = {{{nullptr, numbers_.data(), nullptr},
                                                                   {nullptr, ends_.data(), persons_.data()},
                                                                   {nullptr, ends_.data(), keys_.data()},
                                                                   {nullptr, nullptr, nullptr}}};
  std::array<ArrowSchema, columns> schemas_{};
  std::array<ArrowArray, columns> arrays_{};
  std::array<ArrowSchema*, columns> schema_pointers_{};
  std::array<ArrowArray*, columns> array_pointers_{};
};

Laid& laid() {
  static Laid laid;
  return laid;
}

/// Gives back what nobody has taken.
template <class Structure>
struct Given {
  Structure it{};
  Given() = default;
  Given(const Given&) = delete;
  ~Given() {
    if (it.release != nullptr) it.release(&it);
  }
};

/// As others' streams say that memory lacks.
template <class Structure>
int code_of_handing_over(Structure& structure) {
  try {
    laid().hand_over(structure);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

/// The records twice, as a stream.
ArrowArrayStream stream_of_records() {
  return {[](ArrowArrayStream*, ArrowSchema* schema) { return code_of_handing_over(*schema); },
          [](ArrowArrayStream* self, ArrowArray* array) {
            *array = {};
            int& left = *static_cast<int*>(self->private_data);
            return left-- > 0 ? code_of_handing_over(*array) : 0;
          },
          [](ArrowArrayStream*) -> const char* { return nullptr; },
          [](ArrowArrayStream* self) {
            delete static_cast<int*>(self->private_data);
            self->release = nullptr;
          },
          new int(2)};
}

Lattice quarters_of_points() { return Lattice::regular(0, 16, Rational(1, 4)); }

std::string counted(const Frame& columns, const RecordSelection& selection) {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  std::string all;
  for (const CountedColumn& column : columns.count({{"x", quarters_of_points(), NullPolicy::drop, selection}}, bits)) {
    for (const RankProfile& profile : column.profiles()) all += text(profile);
  }
  return all;
}

std::string counted_by(const RecordSelection& selection) { return counted(people(), selection); }

RecordSelection by_person(std::uint32_t most) { return {.person = "p", .records_per_person = most}; }

std::string streamed() {
  Given<ArrowArrayStream> stream;
  stream.it = stream_of_records();
  return counted(Frame::of(stream.it), by_person(2));
}

std::string one_value_each() {
  RecordSelection selection = by_person(1);
  selection.per_person = PerPerson::sum;
  return counted_by(selection);
}

std::string without_missing() {
  Frame columns = people();
  columns.use_missing({"2.25", "b"});
  columns.use_threads(2);
  return counted(columns, by_person(2)) + to_table(columns.columns()) + to_csv(columns.columns()) +
         to_json(columns.columns());
}

std::string counted_later() {
  Frame later = Frame::later(frame({}), [] {
    std::vector<Frame> frames;
    frames.push_back(frame({1, 2.5}));
    frames.push_back(frame({3}));
    return frames;
  });
  return counted(later, RecordSelection{});
}

std::string counts_of_values() {
  static constexpr std::array<std::int64_t, 3> counts = {4, 5, 6};
  const Frame counted =
      Frame::of({reinterpret_cast<const std::byte*>(counts.data()), "l", counts.size(), sizeof counts[0], {}}, "n");
  return text(frame({1, 2, 3}).profile_of_counts("x", counted, "n", quarters_of_points(), NullPolicy::drop));
}

std::string regrouped() {
  const RankProfile profile = frame({1, 2, 3}).profile("x", quarters_of_points(), NullPolicy::drop);
  const CountedColumn groups({"a", "b", "c"}, {profile, profile, profile}, 2);
  std::string all;
  for (const RankProfile& each : groups.in_groups({"y", "z"}, std::array<std::size_t, 3>{0, 1, 0}).profiles()) {
    all += text(each) + text(clamped(each, 8, 12));
  }
  return all + std::to_string(CountedColumn(profile, 1).over_query(3).sql_stability()) +
         std::to_string(CountedColumn(profile, 1).with_public_rows(9).public_rows().value_or(0));
}

/// Counted apart, kept, read again and added up.
std::string merged_profiles(const std::vector<double>& values) {
  const auto kept = [&](std::size_t from, std::size_t count) {
    const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(from),
                                   values.begin() + static_cast<std::ptrdiff_t>(from + count));
    return to_bytes({ProfileHeader{tenths(), "x"}, {frame(part).profile("x", tenths(), NullPolicy::drop)}});
  };
  const auto read = [](const std::string& bytes) { return profiles_of_bytes(bytes, "profile"); };
  const CountedProfiles first = read(kept(0, values.size() / 2));
  const CountedProfiles second = read(kept(values.size() / 2, values.size() / 2));
  return text(RankProfile::merge(first.profiles.front(), second.profiles.front())) +
         std::to_string(merged(first, second, Persons::may_overlap).header.records_per_person);
}

}  // namespace

Frame people() {
  Given<ArrowSchema> schema;
  Given<ArrowArray> array;
  laid().hand_over(schema.it);
  laid().hand_over(array.it);
  return Frame::of(schema.it, array.it);
}

std::vector<Entry> entries_of_records() {
  const std::vector<double> few = numbers(54);
  return {{"persons", [] { return counted_by(by_person(2)); }},
          {"stream", streamed},
          {"groups of records",
           [] {
             return counted_by({.by = "k", .keys = {"a", "b"}});
           }},
          {"one value for each person", one_value_each},
          {"missing values", without_missing},
          {"records that come later", counted_later},
          {"counts of values", counts_of_values},
          {"other groups", regrouped},
          {"merge", [few] { return merged_profiles(few); }}};
}

}  // namespace fractile::host_test

#include "counted.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "attendant.hpp"
#include "calls.hpp"
#include "fractile/error.hpp"
#include "interpreter.hpp"
#include "libraries/fmt.hpp"
#include "module.hpp"
#include "report/text/durable.hpp"

namespace fractile::python {
namespace {

std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

/// Reads a column, a smallest and a largest weight and a step. Returns nothing if there are no texts.
std::optional<RecordWeights> weights_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  return RecordWeights{texts.at(0), Rational::parse(texts.at(1)), Rational::parse(texts.at(2)),
                       Rational::parse(texts.at(3))};
}

class CountedElsewhere final : public Records {
 public:
  CountedElsewhere(Frame columns, nb::handle counter, std::vector<std::string> missing)
      : columns_(std::move(columns)), counter_(counter), missing_(std::move(missing)) {}

  void require_countable(const std::vector<ColumnToCount>& columns) const override {
    columns_.require_countable(columns);
    for (const ColumnToCount& column : columns) {
      if (column.selection.others.empty()) continue;
      throw Error(ErrorCode::usage, {Field("other"), ": records of other keys are not counted by Spark's tasks"},
                  "make one key of the others in a column of the frame, and list it", "other");
    }
  }
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& /*on_progress*/) const override {
    std::vector<std::vector<RankProfile>> profiles = profiles_of(columns, bits);
    std::vector<CountedColumn> all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      CountedColumn counted = columns[i].selection.counted(std::move(profiles[i]));
      if (columns[i].public_rows) {
        const auto rows = [&] { return nb::cast<std::uint64_t>(counter_.attr("rows")()); };
        counted = std::move(counted).with_public_rows(in_python(rows));
      }
      all.push_back(std::move(counted));
    }
    return all;
  }
  std::vector<TableColumn> columns() const override { return columns_.columns(); }
  std::string engine() const override {
    return in_python([&] { return nb::cast<std::string>(counter_.attr("engine")()); });
  }

 private:
  /// The profiles of all columns, which are counted at once.
  std::vector<std::vector<RankProfile>> profiles_of(const std::vector<ColumnToCount>& columns, RandomBits& bits) const {
    std::vector<Counted> questions;
    std::vector<std::optional<Counted>> cells;
    std::vector<std::string> keys;
    std::string key_of_sample;
    for (const ColumnToCount& asked : columns) {
      questions.push_back(Counted::of(asked, missing_));
      cells.push_back(cells_of(asked));
      const bool is_drawn = asked.selection.whole_records && !key_of_sample.empty();
      keys.push_back(is_drawn ? key_of_sample : key_of(asked.selection, bits));
      if (asked.selection.whole_records) key_of_sample = keys.back();
    }
    return in_python([&] {
      nb::list asked;
      nb::list sampling_keys;
      nb::list of_sample;
      nb::list of_cells;
      for (std::size_t i = 0; i < questions.size(); ++i) {
        asked.append(nb::cast(std::move(questions[i])));
        sampling_keys.append(bytes_of(keys[i]));
        of_sample.append(nb::bool_(columns[i].selection.whole_records));
        if (cells[i]) {
          of_cells.append(nb::make_tuple(std::move(*cells[i]), columns[i].selection.merged->of_key));
        } else {
          of_cells.append(nb::none());
        }
      }
      const nb::object answers = counter_.attr("count")(asked, sampling_keys, of_sample, of_cells);
      if (nb::len(answers) != columns.size()) throw Error(ErrorCode::internal, "another number of columns was counted");
      std::vector<std::vector<RankProfile>> profiles;
      for (const nb::handle answer : answers) profiles.push_back(std::move(nb::cast<Counted&>(answer)).profiles());
      return profiles;
    });
  }

  /// The question about the cells from which groups are merged. Returns nothing if no groups are merged.
  std::optional<Counted> cells_of(ColumnToCount asked) const {
    if (!asked.selection.merged) return {};
    asked.selection.merged.reset();
    return Counted::of(asked, missing_);
  }

  /// The key that decides which records of a person count; empty if persons are not distinguished.
  static std::string key_of(const RecordSelection& selection, RandomBits& bits) {
    std::string key;
    if (selection.person.empty()) return key;
    const std::optional<SamplingKey>& given = selection.sampling_key;
    const SamplingKey drawn = given ? *given : SamplingKey::draw(bits);
    for (const std::byte byte : drawn.bytes()) key += static_cast<char>(byte);
    return key;
  }

  Frame columns_;
  nb::handle counter_;
  std::vector<std::string> missing_;
};

std::vector<Counted> parts_of_sample(const std::vector<Counted>& questions, Frame& frame,
                                     const nb::bytes& sampling_key) {
  const std::string key(text_of(sampling_key));
  return interruptible(
      [&](SignalWatch& signals) { return Counted::of_sample(questions, frame, key, [&] { signals.look(); }); });
}

Counted part_of(const Counted& question, Frame& frame, const nb::bytes& sampling_key, const Counted* cells,
                const std::vector<std::uint32_t>& group_of_cell) {
  const std::string key(text_of(sampling_key));
  return interruptible([&](SignalWatch& signals) {
    return question.of_frame(
        frame, key, [&] { signals.look(); }, cells, group_of_cell);
  });
}

Counted with(const Counted& one, const Counted& other, bool disjoint_persons) {
  const Unlocked unlocked;
  return Counted(merged(one.all(), other.all(), disjoint_persons ? Persons::are_disjoint : Persons::may_overlap));
}

/// A profile of one column, without its name.
Counted of_profile(const RankProfile& profile, NullPolicy null_policy, std::uint32_t records_per_person,
                   std::optional<RecordWeights> weights = {}) {
  ProfileHeader header{profile.lattice()};
  header.weights = std::move(weights);
  header.null_policy = null_policy;
  header.records_per_person = records_per_person;
  header.validate();
  return Counted({std::move(header), {profile}});
}

/// A profile of these counts, passed through the format of profile files: its reader refuses what no column can have.
Counted of_counts(const Lattice& lattice, std::vector<Position> positions, const std::vector<std::uint64_t>& counts,
                  std::uint32_t records_per_person) {
  const Counted read =
      of_profile(RankProfile(lattice, std::move(positions), counts), NullPolicy::drop, records_per_person);
  return Counted(profiles_of_bytes(to_bytes(read.all()), "the counts"));
}

Counted of_counted(const Frame& frame, const std::string& column, const Frame& counted, const std::string& counts,
                   const Lattice& lattice, bool refuse_missing, std::uint32_t records_per_person,
                   const std::vector<std::string>& weight) {
  const NullPolicy null_policy = refuse_missing ? NullPolicy::error : NullPolicy::drop;
  return interruptible([&](SignalWatch&) {
    return of_profile(frame.profile_of_counts(column, counted, counts, lattice, null_policy), null_policy,
                      records_per_person, weights_of(weight));
  });
}

const RankProfile& only_profile(const Counted& counted) { return counted.all().profiles.at(0); }

std::vector<std::pair<std::uint64_t, std::uint64_t>> counts_of(const Counted& counted) {
  const RankProfile& profile = only_profile(counted);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
  counts.reserve(profile.distinct());
  for (std::size_t k = 0; k < profile.distinct(); ++k) counts.emplace_back(profile.position(k), profile.count(k));
  return counts;
}

/// Reads one profile of one column, and drops the name of the column.
Counted of_profile_bytes(const nb::bytes& bytes) {
  CountedProfiles all = profiles_of_bytes(text_of(bytes), "the profile");
  if (!all.header.by.empty()) {
    throw Error(ErrorCode::data, "these are the profiles of several groups", "release the file that holds them");
  }
  all.header.column.clear();
  return Counted(std::move(all));
}

/// Writes a profile file, which `fractile release --counts` reads.
void write_counted(const Counted& counted, const std::string& output, const std::string& column,
                   const std::string& source, std::optional<std::uint32_t> records_per_person) {
  CountedProfiles all = counted.all();
  ProfileHeader& header = all.header;
  if (records_per_person) {
    header.require_bound(*records_per_person);
    header.records_per_person = *records_per_person;
  }
  header.column = column;
  if (header.sources.empty()) header.sources = {source};
  header.validate();
  require_writable(output, "profile file");
  write_durably(output, to_bytes(all), "profile file");
}

Counted for_persons_of(const Counted& counted, std::uint32_t records_per_person) {
  CountedProfiles all = counted.all();
  all.header.require_bound(records_per_person);
  all.header.records_per_person = records_per_person;
  return Counted(std::move(all));
}

}  // namespace

Counted Counted::of(const ColumnToCount& asked, const std::vector<std::string>& missing) {
  const RecordSelection& selection = asked.selection;
  asked.validate();
  ProfileHeader header{asked.lattice};
  header.column = asked.column;
  header.null_policy = asked.null_policy;
  header.records_per_person = selection.records_per_person;
  header.person = selection.person;
  header.by = selection.merged ? selection.merged->by : selection.by;
  header.keys = selection.merged ? selection.merged->keys : selection.keys;
  header.missing = missing;
  header.per_person = selection.per_person;
  if (selection.weights) header.weights = selection.weights->as_counted();
  // All records of a person are in one part. Merged parts are marked so, and with the mark, a single part is about the same question as
  // merged ones.
  header.disjoint_persons = true;
  header.validate();
  const std::size_t profiles = header.by.empty() ? 1 : header.keys.size();
  return Counted({std::move(header), std::vector<RankProfile>(profiles, RankProfile(asked.lattice, {}, {}))});
}

Counted Counted::of_frame(Frame& frame, const std::string& sampling_key, const std::function<void()>& on_progress,
                          const Counted* cells, const std::vector<std::uint32_t>& group_of_cell) const {
  const ProfileHeader& asked = header();
  ColumnToCount counted = cells == nullptr ? asked.counted() : cells->header().counted();
  if (cells != nullptr) counted.selection.merged = MergedGroups{asked.by, asked.keys, group_of_cell};
  std::optional<SamplingKey>& key = counted.selection.sampling_key;
  if (!asked.person.empty()) key = SamplingKey::of_bytes(sampling_key);
  RandomBits unused = RandomBits::system();  // persons' records are chosen by the key
  frame.use_missing(asked.missing);
  CountedProfiles answer{asked, std::move(frame.count({counted}, unused, on_progress).front()).profiles()};
  if (key) answer.header.samplers = {fmt::format("key {}", key->id())};
  return Counted(std::move(answer));
}

std::vector<Counted> Counted::of_sample(const std::vector<Counted>& questions, Frame& frame,
                                        const std::string& sampling_key, const std::function<void()>& on_progress) {
  const SamplingKey key = SamplingKey::of_bytes(sampling_key);
  std::vector<ColumnToCount> columns;
  for (const Counted& question : questions) {
    columns.push_back(question.header().counted());
    columns.back().selection.sampling_key = key;
    columns.back().selection.whole_records = true;
  }
  RandomBits unused = RandomBits::system();  // persons' records are chosen by the key
  frame.use_missing(questions.at(0).header().missing);
  std::vector<CountedColumn> counted = frame.count(columns, unused, on_progress);
  std::vector<Counted> answers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    answers.push_back(Counted({questions[i].header(), std::move(counted[i]).profiles()}));
    answers.back().counted_.header.samplers = {fmt::format("key {}", key.id())};
  }
  return answers;
}

std::vector<Counted> Counted::alone() const {
  ProfileHeader of_one = header();
  of_one.column.clear();
  of_one.by = {};
  of_one.keys = {};
  of_one.disjoint_persons = false;
  if (of_one.per_person) of_one.records_per_person = 1;  // in one group a person has one value
  std::vector<Counted> all;
  for (const RankProfile& profile : counted_.profiles) all.push_back(Counted({of_one, {profile}}));
  return all;
}

Source source_of(Frame&& frame, nanobind::handle counter, TableOptions read) {
  if (counter.is_none()) return Source::frame(std::move(frame), std::move(read));
  auto records = std::make_unique<CountedElsewhere>(std::move(frame), counter, read.missing);
  return Source::counted_elsewhere(std::move(records), std::move(read));
}

void bind_counted(nb::module_& module) {
  nb::class_<Counted>(module, "Counted", "A question to a column, and profiles that answer it in part or in whole.")
      .def_static(
          "of",
          [](const std::string& column, const Lattice& lattice, bool refuse_missing, const std::string& person,
             std::uint32_t records_per_person, const std::vector<std::string>& by,
             const std::vector<std::vector<std::string>>& key_lists,
             const std::vector<std::vector<std::string>>& key_tuples, const std::vector<std::string>& missing,
             const std::string& per_person, const std::vector<std::string>& weight) {
            GroupKeys keys = key_tuples.empty() ? GroupKeys::crossed(key_lists) : GroupKeys::tuples(key_tuples);
            RecordSelection selection{person, records_per_person, KeyColumns(by), std::move(keys)};
            if (!per_person.empty()) {
              const auto is_it = [&](PerPerson each) { return to_string(each) == per_person; };
              selection.per_person = *std::ranges::find_if(all_per_person, is_it);  // the text names one of these
            }
            selection.weights = weights_of(weight);
            return Counted::of(
                {column, lattice, refuse_missing ? NullPolicy::error : NullPolicy::drop, std::move(selection)},
                missing);
          },
          nb::arg("column"), nb::arg("lattice"), nb::arg("refuse_missing"), nb::arg("person"),
          nb::arg("records_per_person"), nb::arg("by"), nb::arg("key_lists"), nb::arg("key_tuples"), nb::arg("missing"),
          nb::arg("per_person") = "", nb::arg("weight") = std::vector<std::string>(),
          "The question, with counts of 0 for every answer.")
      .def_static(
          "of_bytes",
          [](const nb::bytes& bytes) { return Counted(profiles_of_bytes(text_of(bytes), "a worker's counts")); },
          nb::arg("bytes"))
      .def_static("of_profile_bytes", &of_profile_bytes, nb::arg("bytes"), "One profile of one column.")
      .def("to_bytes", [](const Counted& counted) { return bytes_of(to_bytes(counted.all())); })
      .def("of_frame", &part_of, nb::arg("frame"), nb::arg("sampling_key"), nb::arg("cells") = nb::none(),
           nb::arg("group_of_cell") = std::vector<std::uint32_t>(),
           "The same question, answered for the records of a frame; with the cells of which its groups are made.")
      .def_static("of_sample", &parts_of_sample, nb::arg("questions"), nb::arg("frame"), nb::arg("sampling_key"),
                  "Questions about the same persons, answered for one sample of whole records of a frame.")
      .def_static("of_counts", &of_counts, nb::arg("lattice"), nb::arg("positions"), nb::arg("counts"),
                  nb::arg("records_per_person"))
      .def_static("of_counted", &of_counted, nb::arg("frame"), nb::arg("column"), nb::arg("counted"), nb::arg("counts"),
                  nb::arg("lattice"), nb::arg("refuse_missing"), nb::arg("records_per_person"),
                  nb::arg("weight") = std::vector<std::string>())
      .def("merge", &with, nb::arg("other"), nb::arg("disjoint_persons"))
      .def("write", &write_counted, nb::arg("output"), nb::arg("column"), nb::arg("source"),
           nb::arg("records_per_person").none())
      .def("for_persons_of", &for_persons_of, nb::arg("records_per_person"),
           "The same profiles with a larger bound on records per person.")
      .def_prop_ro("alone", &Counted::alone)
      .def_prop_ro("lattice", [](const Counted& counted) { return counted.header().lattice; })
      .def_prop_ro("records", [](const Counted& counted) { return only_profile(counted).records(); })
      .def_prop_ro("counts", &counts_of)
      .def(
          "counts_equal", [](const Counted& a, const Counted& b) { return a.all().profiles == b.all().profiles; },
          nb::arg("other"))
      .def_prop_ro("records_per_person", [](const Counted& counted) { return counted.header().records_per_person; })
      .def_prop_ro("disjoint_persons", [](const Counted& counted) { return counted.header().disjoint_persons; })
      .def_prop_ro("person", [](const Counted& counted) { return counted.header().person; })
      .def_prop_ro("per_person",
                   [](const Counted& counted) {
                     const std::optional<PerPerson>& how = counted.header().per_person;
                     return how ? to_string(*how) : std::string();
                   })
      .def_prop_ro("refuses_missing",
                   [](const Counted& counted) { return counted.header().null_policy == NullPolicy::error; });
}

}  // namespace fractile::python

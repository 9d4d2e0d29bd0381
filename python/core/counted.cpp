#include "counted.hpp"

#include <string_view>
#include <utility>

#include "attendant.hpp"
#include "fractile/error.hpp"
#include "fractile/sampling.hpp"
#include "module.hpp"

namespace fractile::python {
namespace {

std::string_view text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

RecordSelection selection_of(const ProfileHeader& header) {
  return {header.person, header.records_per_person, header.by, header.keys};
}

/// What a Python function threw, as the library's error; an interruption stays one. The interpreter's lock is held.
[[noreturn]] void rethrow(nb::python_error& error) {
  if (error.matches(PyExc_KeyboardInterrupt)) {
    error.restore();
    throw Interrupted();
  }
  const nb::object known = nb::module_::import_("fractile._errors").attr("Error");
  if (!error.matches(known)) {
    throw Error(ErrorCode::internal, "counting failed: " + nb::cast<std::string>(error.type().attr("__name__")));
  }
  const auto text = [&](const char* name) { return nb::cast<std::string>(error.value().attr(name)); };
  constexpr int usage = 2;
  constexpr int data = 3;
  const int code = nb::cast<int>(error.value().attr("code"));
  throw Error(code == usage  ? ErrorCode::usage
              : code == data ? ErrorCode::data
                             : ErrorCode::internal,
              text("message"), text("hint"), text("field"));
}

/// What a call of Python gives, on a thread without the interpreter's lock.
template <class Call>
auto in_python(const Call& call) {
  const nb::gil_scoped_acquire gil;
  try {
    return call();
  } catch (nb::python_error& error) {
    rethrow(error);
  }
}

class CountedElsewhere final : public requests::Records {
 public:
  CountedElsewhere(Frame columns, nb::handle counter) : columns_(std::move(columns)), counter_(counter) {}

  void require_countable(const std::string& column, ValueKind kind) const override {
    columns_.require_countable(column, kind);
  }
  void require_selection(const RecordSelection& selection, const std::string& column) const override {
    columns_.require_selection(selection, column);
  }
  std::vector<RankProfile> profiles(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                                    const RecordSelection& selection, RandomBits& bits,
                                    const std::function<void()>& /*on_progress*/) const override {
    std::string key;
    if (!selection.person.empty()) {
      const SamplingKey drawn = selection.sampling_key ? *selection.sampling_key : SamplingKey::draw(bits);
      for (const std::byte byte : drawn.bytes()) key += static_cast<char>(byte);
    }
    Counted question = Counted::of(column, lattice, null_policy, selection);
    return in_python([&] {
      const nb::object answer = counter_.attr("count")(nb::cast(std::move(question)), bytes_of(key));
      return std::move(nb::cast<Counted&>(answer)).profiles();
    });
  }
  std::uint64_t rows() const override {
    return in_python([&] { return nb::cast<std::uint64_t>(counter_.attr("rows")()); });
  }
  std::string engine() const override {
    return in_python([&] { return nb::cast<std::string>(counter_.attr("engine")()); });
  }

 private:
  Frame columns_;
  nb::handle counter_;
};

Counted part_of(const Counted& question, Frame& frame, const nb::bytes& sampling_key) {
  const std::string key(text_of(sampling_key));
  try {
    const nb::gil_scoped_release unlocked;
    SignalWatch signals;
    return question.of_frame(frame, key, [&] { signals.look(); });
  } catch (const Interrupted&) {
    raise_interrupted();
  }
}

Counted with(const Counted& one, const Counted& other) {
  const nb::gil_scoped_release unlocked;
  return Counted(merged(one.all(), other.all(), Persons::are_disjoint));
}

}  // namespace

Counted Counted::of(const std::string& column, const Lattice& lattice, NullPolicy null_policy,
                    const RecordSelection& selection) {
  selection.validate();
  ProfileHeader header{lattice};
  header.column = column;
  header.null_policy = null_policy;
  header.records_per_person = selection.records_per_person;
  header.person = selection.person;
  header.by = selection.by;
  header.keys = selection.keys;
  // A person's records are all in one part. Merged parts say so, and then they are the same question as one part alone.
  header.disjoint_persons = true;
  header.validate();
  const std::size_t profiles = selection.by.empty() ? 1 : selection.keys.size();
  return Counted({std::move(header), std::vector<RankProfile>(profiles, RankProfile(lattice, {}, {}))});
}

Counted Counted::of_frame(const Frame& frame, const std::string& sampling_key,
                          const std::function<void()>& on_progress) const {
  const ProfileHeader& asked = header();
  RecordSelection selection = selection_of(asked);
  if (!selection.person.empty()) selection.sampling_key = SamplingKey::of_bytes(sampling_key);
  RandomBits unused = RandomBits::system();  // persons' records are chosen by the key
  const requests::RecordsOf<const Frame&> records(frame);
  return Counted(
      {asked, records.profiles(asked.column, asked.lattice, asked.null_policy, selection, unused, on_progress)});
}

std::unique_ptr<requests::Records> counted_elsewhere(Frame columns, nanobind::handle counter) {
  return std::make_unique<CountedElsewhere>(std::move(columns), counter);
}

void bind_counted(nb::module_& module) {
  nb::class_<Counted>(module, "Counted", "A question to a column, and profiles that answer it in part or in whole.")
      .def_static(
          "of",
          [](const std::string& column, const Lattice& lattice, bool refuse_missing, const std::string& person,
             std::uint32_t records_per_person, const std::string& by, const std::vector<std::string>& keys) {
            return Counted::of(column, lattice, refuse_missing ? NullPolicy::error : NullPolicy::drop,
                               {person, records_per_person, by, keys});
          },
          nb::arg("column"), nb::arg("lattice"), nb::arg("refuse_missing"), nb::arg("person"),
          nb::arg("records_per_person"), nb::arg("by"), nb::arg("keys"), "The question, answered for no record.")
      .def_static(
          "of_bytes",
          [](const nb::bytes& bytes) { return Counted(profiles_of_bytes(text_of(bytes), "a worker's counts")); },
          nb::arg("bytes"))
      .def("to_bytes", [](const Counted& counted) { return bytes_of(to_bytes(counted.all())); })
      .def("of_frame", &part_of, nb::arg("frame"), nb::arg("sampling_key"),
           "The same question, answered for the records of a frame.")
      .def("merge", &with, nb::arg("other"))
      .def_prop_ro("column", [](const Counted& counted) { return counted.header().column; })
      .def_prop_ro("person", [](const Counted& counted) { return counted.header().person; })
      .def_prop_ro("refuses_missing",
                   [](const Counted& counted) { return counted.header().null_policy == NullPolicy::error; })
      .def_prop_ro("profiles", [](const Counted& counted) { return counted.all().profiles; });
}

}  // namespace fractile::python

// Lattices and profiles: the counts of a column, which merge and can be kept.
#include "fractile/ranks.hpp"

#include <utility>

#include "attendant.hpp"
#include "fractile/durable.hpp"
#include "fractile/frames.hpp"
#include "fractile/profile_files.hpp"
#include "fractile/sampling.hpp"
#include "module.hpp"
#include "pages.hpp"
#include "requests/query.hpp"
#include "requests/release.hpp"

namespace fractile::python {
namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> counts_of(const RankProfile& profile) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts;
  counts.reserve(profile.distinct());
  for (std::size_t k = 0; k < profile.distinct(); ++k) counts.emplace_back(profile.position(k), profile.count(k));
  return counts;
}

RankProfile profile_of(Frame& frame, const std::string& column, const Lattice& lattice, bool refuse_missing) {
  try {
    const nb::gil_scoped_release unlocked;
    SignalWatch signals;
    return frame.profile(column, lattice, refuse_missing ? NullPolicy::error : NullPolicy::drop, Counting::automatic,
                         [&] { signals.look(); });
  } catch (const Interrupted&) {
    raise_interrupted();
  }
}

/// One profile a key, or one, of at most so many records a person; `key`: the sampling key's bytes.
std::vector<RankProfile> selected_profiles(Frame& frame, const std::string& column, const Lattice& lattice,
                                           bool refuse_missing, const std::string& person,
                                           std::uint32_t records_per_person, const nb::bytes& key,
                                           const std::string& by, const std::vector<std::string>& keys) {
  RecordSelection selection{person, records_per_person, by, keys};
  if (!person.empty()) selection.sampling_key = SamplingKey::of_bytes({key.c_str(), key.size()});
  frame.require_selection(selection, column);
  RandomBits bits = RandomBits::system();
  try {
    const nb::gil_scoped_release unlocked;
    SignalWatch signals;
    return frame.profiles(column, lattice, refuse_missing ? NullPolicy::error : NullPolicy::drop, selection, bits,
                          [&] { signals.look(); });
  } catch (const Interrupted&) {
    raise_interrupted();
  }
}

RankProfile profile_of_counts(const Frame& frame, const std::string& column, const Frame& counted,
                              const std::string& counts, const Lattice& lattice, bool refuse_missing) {
  const nb::gil_scoped_release unlocked;
  return frame.profile_of_counts(column, counted, counts, lattice,
                                 refuse_missing ? NullPolicy::error : NullPolicy::drop);
}

/// As a profile file, which `fractile release --counts` reads.
void write_profile(const RankProfile& profile, const std::string& output, const std::string& column,
                   const std::string& source, std::uint32_t records_per_person) {
  ProfileHeader header{profile.lattice()};
  header.column = column;
  header.records_per_person = records_per_person;
  header.sources = {source};
  header.validate();
  require_writable(output, "profile file");
  write_durably(output, to_bytes({std::move(header), {profile}}), "profile file");
}

/// As --bounds and --step, or --candidates, say.
Lattice lattice_of_words(Arguments words) { return requests::lattice_of({{}, {}, {}, std::move(words), {}}); }

RankProfile from_counts(const Lattice& lattice, std::vector<Position> positions,
                        const std::vector<std::uint64_t>& counts) {
  return {lattice, std::move(positions), counts};
}

}  // namespace

void bind_ranks(nb::module_& module) {
  nb::class_<Lattice>(module, "Lattice")
      .def_static(
          "regular",
          [](const Rational& lower, const Rational& upper, const Rational& step) {
            return Lattice::regular(lower, upper, step);
          },
          nb::arg("lower"), nb::arg("upper"), nb::arg("step"))
      .def_static(
          "of", [](std::vector<Rational> points) { return Lattice::explicit_points(std::move(points)); },
          nb::arg("candidates"))
      .def_static("of_words", &lattice_of_words, nb::arg("words"))
      .def_prop_ro("kind", [](const Lattice& lattice) { return to_string(lattice.kind()); })
      .def("text", &Lattice::text, nb::arg("index"))
      .def_prop_ro("step_text", [](const Lattice& lattice) { return distance_text(lattice.kind(), lattice.step()); })
      .def_prop_ro("size", &Lattice::size)
      .def_prop_ro("is_regular", &Lattice::is_regular)
      .def_prop_ro("lower", &Lattice::lower)
      .def_prop_ro("upper", &Lattice::upper)
      .def_prop_ro("step", [](const Lattice& lattice) { return Rational(lattice.step()); })
      .def("at", &Lattice::at, nb::arg("index"))
      .def(
          "equals", [](const Lattice& a, const Lattice& b) { return a == b; }, nb::arg("other"));
  nb::class_<RankProfile>(module, "RankProfile")
      .def_static("of_frame", &profile_of, nb::arg("frame"), nb::arg("column"), nb::arg("lattice"),
                  nb::arg("refuse_missing"))
      .def_static("selected", &selected_profiles, nb::arg("frame"), nb::arg("column"), nb::arg("lattice"),
                  nb::arg("refuse_missing"), nb::arg("person"), nb::arg("records_per_person"), nb::arg("sampling_key"),
                  nb::arg("by"), nb::arg("keys"), "One profile a key, or one, of at most so many records a person.")
      .def_static("of_counts", &from_counts, nb::arg("lattice"), nb::arg("positions"), nb::arg("counts"))
      .def_static("of_counted", &profile_of_counts, nb::arg("frame"), nb::arg("column"), nb::arg("counted"),
                  nb::arg("counts"), nb::arg("lattice"), nb::arg("refuse_missing"))
      .def("write", &write_profile, nb::arg("output"), nb::arg("column"), nb::arg("source"),
           nb::arg("records_per_person"))
      .def_static("merge", &RankProfile::merge, nb::arg("first"), nb::arg("second"))
      .def_prop_ro("lattice", [](const RankProfile& profile) { return profile.lattice(); })
      .def_prop_ro("records", &RankProfile::records)
      .def_prop_ro("counts", &counts_of)
      .def(
          "equals", [](const RankProfile& a, const RankProfile& b) { return a == b; }, nb::arg("other"));
}

}  // namespace fractile::python

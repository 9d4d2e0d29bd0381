// Profiles that are counted in parts, each by a process of its own, and travel between them as the bytes of profile files.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fractile/source.hpp"

namespace fractile::python {

/// What is asked of a column, and profiles that answer it: of nothing yet, of a part of the records, or of all. With them goes what a
/// release must know: how many records of one person they may hold, how these were chosen, what was declared.
class Counted {
 public:
  /// The question, with empty profiles; with merged groups, which cells() has, the question about these groups.
  static Counted of(const ColumnToCount& asked, const std::vector<std::string>& missing);
  explicit Counted(CountedProfiles counted) : counted_(std::move(counted)) {}

  /// The same question, answered for the records of a frame. With persons, all records of each of its persons must be in it. `cells`: the
  /// question about the cells of which each group is made, in so many of which a person's records become one value; none: no groups are.
  Counted of_frame(Frame& frame, const std::string& sampling_key, const std::function<void()>& on_progress,
                   const Counted* cells = nullptr, const std::vector<std::uint32_t>& group_of_cell = {}) const;
  /// The same for several questions about the same persons, whose records are sampled as a whole.
  static std::vector<Counted> of_sample(const std::vector<Counted>& questions, Frame& frame,
                                        const std::string& sampling_key, const std::function<void()>& on_progress);
  /// Each of its profiles by itself, and of no column. Parts of one counting had no person in common, so that no merge of them counts.
  std::vector<Counted> alone() const;
  const ProfileHeader& header() const { return counted_.header; }
  const CountedProfiles& all() const { return counted_; }
  std::vector<RankProfile> profiles() && { return std::move(counted_.profiles); }

 private:
  CountedProfiles counted_;
};

/// The records of a frame, which is used up. Unless `counter` is None, the frame has only the columns, and a Python object counts records:
///     count(questions: list[Counted], sampling_keys: list[bytes], of_sample: list[bool], cells: list[tuple[Counted, list[int]] | None])
///         -> list[Counted], rows() -> int, engine() -> str.
/// `of_sample` says which questions are about one sample of whole records, for which they have one key; `cells` are what of_frame() takes.
/// The Python caller keeps `counter` alive.
Source source_of(Frame&& frame, nanobind::handle counter, TableOptions read);

}  // namespace fractile::python

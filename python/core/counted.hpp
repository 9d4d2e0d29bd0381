// Profiles that are counted in parts. A separate process counts each part, and the parts travel between processes as bytes of profile
// files.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fractile/source.hpp"

namespace fractile::python {

/// A question about a column, and profiles that answer it for no record yet, for a part of the records or for all. It also holds what a
/// release must know: how many records of one person the profiles may hold, how these records were chosen, and what was declared.
class Counted {
 public:
  /// The question with empty profiles. If `asked` merges groups from cells, the question is about the merged groups.
  static Counted of(const ColumnToCount& asked, const std::vector<std::string>& missing);
  explicit Counted(CountedProfiles counted) : counted_(std::move(counted)) {}

  /// The same question, answered for the records of a frame. With persons, the frame must hold all records of each of its persons. If
  /// groups are merged from cells, `cells` is the question about the cells, and `group_of_cell` is the group of each cell. The question
  /// about the cells says in how many of them a person's records count, as one value in each cell.
  Counted of_frame(Frame& frame, const std::string& sampling_key, const std::function<void()>& on_progress,
                   const Counted* cells = nullptr, const std::vector<std::uint32_t>& group_of_cell = {}) const;
  /// Several questions about the same persons, answered for the records of a frame. Each person's records are sampled as whole records,
  /// which all questions share.
  static std::vector<Counted> of_sample(const std::vector<Counted>& questions, Frame& frame,
                                        const std::string& sampling_key, const std::function<void()>& on_progress);
  /// Each profile by itself, without the name of the column. The mark `disjoint_persons` is removed: parts of one counting never have a
  /// person in common, so merging them does not count as merging files.
  std::vector<Counted> alone() const;
  const ProfileHeader& header() const { return counted_.header; }
  const CountedProfiles& all() const { return counted_; }
  std::vector<RankProfile> profiles() && { return std::move(counted_.profiles); }

 private:
  CountedProfiles counted_;
};

/// The records of a frame, which is used up. Unless `counter` is None, the frame has only the columns, and `counter` counts the records. It
/// is a Python object with the methods
///     count(questions: list[Counted], sampling_keys: list[bytes], of_sample: list[bool], cells: list[tuple[Counted, list[int]] | None])
///         -> list[Counted], rows() -> int, engine() -> str.
/// `of_sample` says which questions are about one sample of whole records; these share one key. `cells` are as in of_frame().
/// The Python caller keeps `counter` alive.
Source source_of(Frame&& frame, nanobind::handle counter, TableOptions read);

}  // namespace fractile::python

// Profile files: a column that was counted in one place, to be merged with others and released in another. Format:
// docs/profile-format.md. They are as sensitive as the data: they are the data, counted.
// Proof: docs/proofs/profile_merging.md
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fractile/ranks.hpp"
#include "fractile/source.hpp"

namespace fractile {

/// What is known of a file's profiles without their counts: the request with which they were counted. No record decides any of it.
struct ProfileHeader {
  Lattice lattice;
  std::string column = {};
  NullPolicy null_policy = NullPolicy::drop;
  /// No person has more records in all profiles together, if what was declared of the sources is true.
  std::uint32_t records_per_person = 1;
  /// The column of persons by which that bound was kept, each person's records being a random sample; empty: it was declared.
  std::string person = {};
  /// The columns of the groups' keys, and the keys, one per profile; both empty for a single profile.
  KeyColumns by = {};
  GroupKeys keys = {};
  /// The query whose result was counted; empty: the sources themselves.
  std::string sql = {};
  /// What was counted, one text per counting, sorted; and how persons' records were chosen, once each, sorted.
  std::vector<std::string> sources = {};
  std::vector<std::string> samplers = {};
  /// Whether the profiles were merged with the declaration that no person is in two of them.
  bool disjoint_persons = false;
  /// What was declared to be missing, in the column and in that of persons, as TableOptions::missing; no text has a comma. And what was
  /// done with a cell that is not a number.
  std::vector<std::string> missing = {};
  Unreadable unreadable = Unreadable::error;
  /// What read the sources, with the settings that could decide about a value, once each, sorted: as Table::reader(). Empty for
  /// columns in memory, and in files of format 1.
  std::vector<std::string> readers = {};
  /// What each person's records became, where each person counts with one value.
  std::optional<PerPerson> per_person = {};
  /// Whether the query made one row of each person's records: then such rows of `person` were counted.
  bool one_row_a_person = false;
  /// The weights' column and grid, where records were weighted: then units of weight were counted. What is declared or expected of
  /// the weights is given with the release.
  std::optional<RecordWeights> weights = {};

  /// Throws `usage` for a header that no file can hold: a bound of 0, keys that RecordSelection refuses, texts above a mebibyte.
  void validate() const;
  /// Throws `usage` when a promise is asked for to persons of fewer records than one person may have here.
  void require_bound(std::uint64_t asked) const;
  /// What was counted.
  ColumnToCount counted() const;
};

/// One profile per key of the header, or one.
/// Thread-safety: a value; threads may share it while none changes it.
struct CountedProfiles {
  ProfileHeader header;
  std::vector<RankProfile> profiles;
};

/// The bytes of a file. Equal countings have equal bytes. Throws `usage` as validate() does, and unless there is a
/// profile a key, on the lattice.
std::string to_bytes(const CountedProfiles& counted);
/// Throws `data` unless these are the bytes of one file, whole and undamaged; `name` says where the bytes come from.
CountedProfiles profiles_of_bytes(std::string_view bytes, const std::string& name);

/// Whether a person may have records in several of the profiles that are merged: then bounds of records per person add up.
enum class Persons { may_overlap, are_disjoint };

/// How to treat files with equal contents: nearly always they are one counting named twice, each of whose records would count
/// double.
enum class EqualFiles { one_counting, different_records };

/// A file that is read piece by piece: first the header, later the counts.
/// Thread-safety: not for two threads at once.
class ProfileFile final : public Records {
 public:
  /// Reads the header, which has a hash of its own, and nothing else. Throws `data` when the file is missing, none,
  /// damaged or of a newer format.
  static ProfileFile open(const std::string& path);
  ProfileFile(ProfileFile&&) noexcept;
  ProfileFile& operator=(ProfileFile&&) noexcept;
  ~ProfileFile() override;

  const ProfileHeader& header() const;
  /// What was opened, and is read.
  const OpenedFile& opened() const;
  /// Throws `usage` unless it is one column, and that of the header, for persons of as many records or more.
  void require_countable(const std::vector<ColumnToCount>& columns) const override;
  /// All counts, once, as they were counted. Throws `data` when the file is damaged: no profile is returned before all
  /// of it has been read and compared with its hash. Throws `usage` when they were taken already.
  std::vector<CountedColumn> count(const std::vector<ColumnToCount>& columns, RandomBits& bits,
                                   const std::function<void()>& on_progress = {}) const override;
  std::vector<TableColumn> columns() const override;
  std::string person_of_rows() const override;
  /// How many countings were added up in it, and of what, where these are few.
  std::string engine() const override;
  /// count() throws in the same way. No count is looked at.
  void require_unchanged() const override;

  /// All records of all files, in any order. Throws as merged() below does (what headers decide, before a count is
  /// read), and as open() and count() do. Throws `usage`, which names both files, when two files that hold records have
  /// equal contents and `equal_files` says that they are one counting. Each file is opened and read twice, and must be the same
  /// file both times. (A pipe, which cannot be opened again, stays open.) `on_file` is called for each file, and then for each
  /// again.
  static CountedProfiles merge(const std::vector<std::string>& paths, Persons persons,
                               EqualFiles equal_files = EqualFiles::one_counting,
                               const std::function<void(const ProfileHeader&)>& on_file = {});

 private:
  struct State;
  explicit ProfileFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The header of merged profiles. Throws `usage` unless lattices, columns, null policies, persons, keys, queries, what
/// counts as missing, what is done with unreadable cells and, for queries, the readers are the same.
ProfileHeader merged(const ProfileHeader& a, const ProfileHeader& b, Persons persons);
/// All records of both. Associative and commutative, bit for bit, among merges with the same `persons`. Throws as
/// above, and `data` beyond RankProfile::max_records.
CountedProfiles merged(const CountedProfiles& a, const CountedProfiles& b, Persons persons);

}  // namespace fractile

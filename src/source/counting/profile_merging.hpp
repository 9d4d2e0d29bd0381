// Sums of many profiles and of their headers, in time that grows with the size of what is added.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fractile/source.hpp"

namespace fractile::source_detail {

/// The merged header of many profiles, as merged() computes it for two.
class HeaderSum {
 public:
  explicit HeaderSum(Persons persons) : persons_(persons) {}
  /// Throws `usage` as merged() does, except for lists that are too long.
  void add(const ProfileHeader& header);
  /// Takes at least one header. Throws `usage` as ProfileHeader::validate() does.
  ProfileHeader finish();

 private:
  Persons persons_;
  std::optional<ProfileHeader> sum_;  // its lists are not sorted yet
};

/// The sum of all profiles. Profiles with similar numbers of positions are added to each other, so each is added only a few times.
class ProfileSum {
 public:
  /// Adds a list of profiles, as long as the lists before and on the same lattice. Throws `data` beyond RankProfile::max_records.
  void add(std::vector<RankProfile> profiles);
  /// Takes at least one list of profiles.
  std::vector<RankProfile> finish();

 private:
  struct Part {
    std::vector<RankProfile> profiles;
    std::size_t size;
  };
  static Part part_of(std::vector<RankProfile> profiles);
  void join_last();

  std::vector<Part> parts_;  // each is at least twice as large as the next one
};

}  // namespace fractile::source_detail

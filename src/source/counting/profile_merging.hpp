// Sums of many profiles and of what was asked when they were counted, in time that grows with what there is to add.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fractile/source.hpp"

namespace fractile::source_detail {

/// The header of all, as merged() has it of two.
class HeaderSum {
 public:
  explicit HeaderSum(Persons persons) : persons_(persons) {}
  /// Throws `usage` as merged() does, except for lists that are too long.
  void add(const ProfileHeader& header);
  /// Takes at least one header. Throws `usage` as ProfileHeader::validate() does.
  ProfileHeader finish();

 private:
  Persons persons_;
  std::optional<ProfileHeader> sum_;  // whose lists are in no order yet
};

/// The records of all. Profiles with about equally many positions are added to one another, so that each is added to others only a
/// few times.
class ProfileSum {
 public:
  /// Profiles on one lattice, as many as the others. Throws `data` beyond RankProfile::max_records.
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

  std::vector<Part> parts_;  // each twice as large as the next one, or larger
};

}  // namespace fractile::source_detail

// The record for the public registry of deployments, the same for a release and for many tables.
#pragma once

#include <string>
#include <vector>

#include "fractile/receipts.hpp"
#include "fractile/release.hpp"

namespace fractile::report_detail {

/// What a record says of what was published; who published it, and what for, is said by an About.
struct RegistryRecord {
  std::string description;  ///< where the publisher gives none
  Budget cost;
  std::string domain;
  std::string unprotected;
  std::string unit;
  std::vector<std::string> declarations;  ///< a sentence each
  std::string preprocessing;
  std::string program;
  std::vector<std::string> mechanisms;
  std::string composition;
  std::vector<std::string> post_processing;  ///< post-processing; none where values are as they were drawn
  std::string receipt;
  bool is_private = true;  ///< that no random bits came from a seed
};

/// The record of a release that has its receipt.
RegistryRecord registry_record(const Release& release);

/// Throws `usage` for what the registry requires and `about` does not say, and for what is not private.
std::string in_yaml(const RegistryRecord& record, const About& about);

}  // namespace fractile::report_detail

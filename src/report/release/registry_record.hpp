// The record for the public registry of deployments. A release and a publication of many tables have the same form.
#pragma once

#include <string>
#include <vector>

#include "fractile/receipts.hpp"
#include "fractile/release.hpp"

namespace fractile::report_detail {

/// What a record says about what was published. An About says who published it, and for which purpose.
struct RegistryRecord {
  std::string description;  ///< used if the publisher gives none
  Budget cost;
  std::string domain;
  std::string unprotected;
  std::string unit;
  std::vector<std::string> declarations;  ///< one sentence each
  std::string preprocessing;
  std::string program;
  std::vector<std::string> mechanisms;
  std::string composition;
  std::vector<std::string> post_processing;  ///< empty if values are published as they were drawn
  std::string receipt;
  bool is_private = true;  ///< whether no random bits came from a seed
};

/// The record of a release that has its receipt.
RegistryRecord registry_record(const Release& release);

/// Throws `usage` when `about` lacks something that the registry requires, and when the record is not private.
std::string in_yaml(const RegistryRecord& record, const About& about);

}  // namespace fractile::report_detail

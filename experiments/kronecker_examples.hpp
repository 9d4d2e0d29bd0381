// The worked examples of kronecker-utility 2023, sections 6.2 to 8.2 and appendices B to F, computed again exactly.
#pragma once

#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::experiments::kronecker_utility {

/// A table of exact numbers.
struct Table {
  std::string name;  ///< "appendix_e_r3_sum"
  std::string what;
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};

/// What the paper says, and what was computed here.
struct Finding {
  std::string place;  ///< "appendix D.1"
  std::string paper;
  std::string found;
  bool agrees;
};

struct Findings {
  std::vector<Table> tables = {};
  std::vector<Finding> findings = {};
};

/// One row per secret, one column per observation.
Table channel_table(std::string name, std::string what, const flow::Channel& channel);
/// An analyst's beliefs and the costs of their actions, one row per secret.
Table analyst_table(std::string name, std::string what, const std::vector<std::string>& secrets,
                    const flow::Prior& prior, const flow::Loss& loss);

/// All findings, in the paper's order.
Findings worked_examples();

/// The four people of appendix D.1. The analyst knows that three of them have 0, 1 and 1.
flow::Pipeline four_people();
flow::Analyst thousandfold_linear_error();

}  // namespace fractile::experiments::kronecker_utility

// Which pipelines' channels a certificate may lead from and to, so that it decides about the pipeline that was asked about.
// Proof: docs/proofs/stability.md, "Certificates about a part"
#pragma once

#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

struct CertifiedPart {
  flow::Pipeline pipeline;
  std::string name;  ///< as certificates have it
};

/// At these odds: the pipeline itself first.
std::vector<CertifiedPart> certified_parts(const flow::Pipeline& asked, bool is_witness, const Rational& from,
                                           const Rational& to);

}  // namespace fractile::report_detail

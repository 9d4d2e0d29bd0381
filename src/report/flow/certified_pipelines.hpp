// Lists the pipelines whose certificates decide about the pipeline that was asked about.
// Proof: docs/proofs/stability.md, "Certificates about a part"
#pragma once

#include <string>
#include <vector>

#include "fractile/pipelines.hpp"

namespace fractile::report_detail {

struct CertifiedPart {
  flow::Pipeline pipeline;
  std::string name;  ///< the part's name in certificates
};

/// The parts whose certificates at these odds decide about `asked`, which comes first. `is_witness`: the certificate is a matrix that leads
/// from one channel to the other, which can be composed.
std::vector<CertifiedPart> certified_parts(const flow::Pipeline& asked, bool is_witness, const Rational& from,
                                           const Rational& to);

}  // namespace fractile::report_detail

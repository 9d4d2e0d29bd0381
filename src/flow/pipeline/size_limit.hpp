// The largest size of a channel that is listed, and the most people.
#pragma once

#include <cstdint>
#include <string>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

/// The limit for a channel's entries, and for secrets, tuples and totals of steps.
constexpr std::int64_t most_entries = 1'000'000;

/// The most participants of a pipeline, and the most people of a histogram.
constexpr std::uint64_t most_people = std::uint64_t{1} << 40;

/// A hint for making this pipeline's channel smaller.
inline std::string smaller_channel(const Pipeline& pipeline) {
  std::string hint = "take fewer participants or values";
  if (pipeline.perturber.release() != nullptr) return hint;
  if (!pipeline.post.is_symmetric()) return hint + ", or release a count, a sum or a mode";
  if (!pipeline.perturber.is_shared()) return hint + ", or one perturber for all of them";
  return pipeline.secret.kind == Secret::Kind::everyone ? hint + ", or a target among others whose values are known"
                                                        : hint;
}

/// Throws `usage` above the limit.
inline void require_few(const Rational& entries, const std::string& hint = "take fewer participants or values") {
  if (entries > Rational(most_entries)) {
    throw Error(ErrorCode::usage, "the channel has more than a million entries", hint);
  }
}

}  // namespace fractile::flow

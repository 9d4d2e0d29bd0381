// How large a channel may be that is written out.
#pragma once

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

/// Of a channel; secrets, tuples and totals of steps have the same limit.
constexpr std::int64_t most_entries = 1'000'000;

/// Error(usage) above the limit.
inline void require_few(const Rational& entries) {
  if (entries > Rational(most_entries)) {
    throw Error(ErrorCode::usage, "the channel has more than a million entries",
                "take fewer participants or values, or a post-processor that does not care who is who");
  }
}

}  // namespace fractile::flow

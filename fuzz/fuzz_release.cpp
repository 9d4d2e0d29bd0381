// Any small profile, query and random bits give ordered lattice points, and the cursors cover every split exactly once.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "exact/law.hpp"
#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "quantiles/release/release.hpp"
#include "ranks/span.hpp"

using namespace fractile;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

RankProfile any_profile(FuzzedDataProvider& in, const Lattice& lattice) {
  std::map<Position, std::uint64_t> records;
  for (int k = in.ConsumeIntegralInRange(0, 8); k > 0; --k) {
    const auto position = 2 * in.ConsumeIntegralInRange<Position>(0, lattice.size() - 1) + 1;
    records[position] += in.ConsumeIntegralInRange<std::uint64_t>(1, 1000);
  }
  ProfileBuilder builder(lattice);
  for (const auto& [position, count] : records) builder.add_position(position, count);
  return builder.finish();
}

void check_cover(const RankProfile& profile, std::uint64_t subcells, const QuantileFraction& alpha) {
  const RankSpan span = whole_span(profile, subcells);
  Split next = span.lowest;
  for (const auto& run : runs_of(SplitCursor(profile, span, subcells, alpha))) {
    require(run.start == next);
    next += run.length;
  }
  require(next == span.highest + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  const Lattice lattice = Lattice::regular(0, in.ConsumeIntegralInRange<std::int64_t>(0, std::int64_t{1} << 40), 1);
  const RankProfile profile = any_profile(in, lattice);
  QuantileQuery query{{},
                      Budget::pure(Rational(in.ConsumeIntegralInRange<std::int64_t>(1, 1 << 20),
                                            in.ConsumeIntegralInRange<std::int64_t>(1, 1 << 20)))};
  if (in.ConsumeBool()) query.neighbors = Neighbors::change_one;
  for (int i = 0; i <= 16; ++i) {
    if (in.ConsumeBool()) query.quantiles.emplace_back(i, 16);
  }
  if (query.quantiles.empty()) query.quantiles.emplace_back(1, 3);
  check_cover(profile, subcells_for(lattice.size()), QuantileFraction::of(query.quantiles.front()));
  RandomBits bits = RandomBits::unsafe_seeded(in.ConsumeIntegral<std::uint64_t>());
  const Release release = detail::release(profile, query, bits, in.ConsumeBool() ? Filter::stress() : Filter{});
  require(std::ranges::is_sorted(release.only().indices) && release.only().indices.back() < lattice.size());
  return 0;
}

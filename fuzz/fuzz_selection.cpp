// Every instruction set gives any scores at any rate the same weights as UnitMajorant does one by one, to the last bit. Any
// random bits select an existing index.
#include "libraries/highway.hpp"
#include <fuzzer/FuzzedDataProvider.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "exact/run_majorant.hpp"
#include "exact/unit_majorant.hpp"
#include "fractile/exact.hpp"

using namespace fractile;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const UnitMajorant& majorant, const std::vector<std::uint64_t>& scores, std::uint64_t flip) {
  std::uint64_t best = ~std::uint64_t{0};
  for (const std::uint64_t score : scores) best = std::min(best, score ^ flip);
  std::vector<std::uint64_t> masses(scores.size());
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) total += masses[k] = majorant((scores[k] ^ flip) - best);
  std::vector<std::uint64_t> written(scores.size());
  const UnitRow row = unit_row(majorant, scores, flip, written.data());
  require(row.best == best && row.total == total && written == masses);
  require(least_score(scores, flip) == best);
  require(unit_mass(majorant, scores, flip, best) == total);
}

void check_runs(double rate, const std::vector<std::uint64_t>& scores, const std::vector<std::uint64_t>& lengths,
                std::uint64_t flip) {
  const RunSpan runs{scores, lengths, flip};
  const std::uint64_t best = least_score(runs);
  RunMajorant majorant(rate);
  double largest = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    require(lengths[k] == 0 || (scores[k] ^ flip) >= best);
    largest = std::max(largest, majorant.weight((scores[k] ^ flip) - best, lengths[k]));
  }
  require(largest_weight(majorant, runs, best) == largest);
  if (largest == 0) return;
  majorant.fit(largest);
  std::vector<std::uint64_t> masses(scores.size());
  std::uint64_t total = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    total += masses[k] = majorant((scores[k] ^ flip) - best, lengths[k]);
  }
  std::vector<std::uint64_t> written(scores.size());
  require(run_masses(majorant, runs, best, written.data()) == total && written == masses);
  require(run_mass(majorant, runs, best) == total);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  const double rate = std::fabs(in.ConsumeFloatingPoint<double>());
  if (!(rate <= 0x1p900)) return 0;
  const std::uint64_t flip = in.ConsumeBool() ? ~std::uint64_t{0} : 0;
  std::vector<std::uint64_t> scores(in.ConsumeIntegralInRange<std::size_t>(1, 150));
  const int width = in.ConsumeIntegralInRange(0, 63);
  for (std::uint64_t& score : scores) score = in.ConsumeIntegral<std::uint64_t>() >> width;
  std::vector<std::uint64_t> lengths(scores.size());
  for (std::uint64_t& length : lengths)
    length = in.ConsumeIntegral<std::uint64_t>() >> in.ConsumeIntegralInRange(1, 63);
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::GetChosenTarget().Update(left & -left);
    check(UnitMajorant(rate), scores, flip);
    check_runs(rate, scores, lengths, flip);
    RandomBits bits = RandomBits::unsafe_seeded(in.ConsumeIntegral<std::uint64_t>());
    require(select_softmax(scores, Exponent(Rational::from_double(rate)), bits) < scores.size());
  }
  hwy::GetChosenTarget().DeInit();
  return 0;
}

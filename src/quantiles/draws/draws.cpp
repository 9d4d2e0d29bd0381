#include "quantiles/draws/draws.hpp"

#include <algorithm>

#include "exact/selection.hpp"
#include "fractile/error.hpp"
#include "quantiles/draws/count_noise.hpp"
#include "quantiles/joint/joint.hpp"

namespace fractile {

std::vector<Run> ScoredSelection::outcomes() const {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < scores_.size(); ++k) runs.push_back({k, lengths_.empty() ? 1 : lengths_[k], scores_[k]});
  return runs;
}

std::uint64_t ScoredSelection::draw(const PreparedRate& rate, RandomBits& bits, Filter filter) const {
  if (lengths_.empty()) return detail::select_softmax(scores_, rate.rate, bits, Optimize::minimize, filter);
  return detail::select_softmax(scores_, lengths_, rate.rate, bits, Optimize::minimize, filter);
}

namespace {

/// Random bits that one source owns.
struct OwnBits {
  RandomBits own;
};

class SplitSource : private OwnBits, public RandomSource {
 public:
  SplitSource(RandomBits bits, Filter filter) : OwnBits{std::move(bits)}, RandomSource(own, filter) {}
};

}  // namespace

std::vector<std::unique_ptr<DrawSource>> RandomSource::split(std::size_t pieces) {
  std::vector<std::unique_ptr<DrawSource>> sources;
  sources.reserve(pieces);
  for (RandomBits& bits : bits_.split(pieces))
    sources.push_back(std::make_unique<SplitSource>(std::move(bits), filter_));
  return sources;
}

std::uint64_t RandomSource::select(const Selection& selection, const PreparedRate& rate) {
  return selection.draw(rate, bits_, filter_);
}

std::vector<Split> RandomSource::select(const JointSplits& splits) {
  return JointSelection(splits.problem()).draw(bits_, filter_).splits;
}

void RandomSource::add_noise(const CountTreeNoise& noise, std::span<std::int64_t> counts) {
  for (std::int64_t& count : counts) count = noise.noisy(count, bits_, filter_);
}

std::size_t RandomSource::reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                          const std::vector<std::int64_t>& borders) {
  const std::int64_t noisy = noise.noisy(count, bits_, filter_);
  return static_cast<std::size_t>(std::ranges::upper_bound(borders, noisy) - borders.begin());
}

std::uint64_t PaidPart::select(const Selection& selection, const SelectionPrice& price) {
  const PricedRate all = priced(price);
  odometer_->charge(part_, all.quote_);
  return source_->select(selection, all.rate_);
}

std::uint64_t PaidPart::select_beside(const Selection& selection, const PricedRate& priced) {
  odometer_->charge_beside(part_, priced.quote_);
  return source_->select(selection, priced.rate_);
}

std::vector<Split> PaidPart::select_beside(const JointSplits& splits, const SelectionPrice& price) {
  if (splits.problem().rate != price.rate) throw Error(ErrorCode::internal, "a draw at another rate than is paid for");
  odometer_->charge_beside(part_, odometer_->quote(price));
  return source_->select(splits);
}

void PaidPart::add_noise(const CountTreeNoise& noise, const std::vector<std::size_t>& levels,
                         std::span<std::int64_t> counts) {
  const Quote quote = odometer_->quote(noise.price());
  std::size_t nodes = 0;
  for (const std::size_t level : levels) {
    odometer_->charge_next(part_, quote, level);
    nodes += level;
  }
  if (nodes != counts.size()) throw Error(ErrorCode::internal, "noise on counts that are not paid for");
  source_->add_noise(noise, counts);
}

std::size_t PaidPart::reached_borders(std::int64_t count, const CountTreeNoise& noise,
                                      const std::vector<std::int64_t>& borders) {
  odometer_->charge(part_, odometer_->quote(noise.price()));
  return source_->reached_borders(count, noise, borders);
}

}  // namespace fractile

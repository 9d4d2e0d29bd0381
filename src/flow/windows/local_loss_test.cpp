#include "flow/windows/local_loss.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fractile::flow {
namespace {

/// f(t) = least of t + 1/8 and 1/8 - t / 2 on places t, something that does not change, and a tail whose slope is at most so much: rises
/// up to 0.
class Roof final : public LocalLoss {
 public:
  Roof(double tail, double error) : has_tail_(tail > 0) {
    arb_set_d(tail_.arb(), tail);
    arb_set_d(error_.arb(), error);
    for (const double slope : {1.0, -0.5, 0.0}) {
      LocalPolynomial constant;
      Enclosure value;
      arb_set_d(value.arb(), slope);
      arb_poly_set_coeff_arb(constant.get(), 0, value.arb());
      slopes_.emplace_back(constant);
    }
  }
  std::vector<OpenActions> observations() const override {
    std::vector<OpenActions> all{{0, 0, {0, 1}}, {1, 1, {2}}};
    if (has_tail_) all.push_back({2, 3, {0, 1}});
    return all;
  }
  std::size_t parting(std::size_t first, std::size_t /*last*/, const Places& /*places*/) const override {
    return first;
  }
  bool is_no_worse(std::size_t action, std::size_t /*other*/, std::size_t observation, const Places& places) override {
    return observation == 0 && (action == 0 ? places.to <= 0 : places.from >= 0);
  }
  const FilteredPolynomial& slope(std::size_t /*first*/, std::size_t /*last*/, std::size_t action) override {
    return slopes_[action];
  }
  bool is_negligible(std::size_t first, std::size_t /*last*/, const Places& /*places*/) override { return first > 1; }
  const Enclosure& negligible_slope() const override { return tail_; }
  Enclosure slope_error() const override { return error_; }
  double flat_slope() const override { return 0x1p-58; }

 private:
  bool has_tail_;
  Enclosure tail_;
  Enclosure error_;
  std::vector<FilteredPolynomial> slopes_;
};

std::vector<MonotonePiece::Direction> directions(double tail, double error) {
  Roof roof(tail, error);
  std::vector<MonotonePiece::Direction> result;
  for (const MonotonePiece& piece : pieces_of(roof, {10, 1})) result.push_back(piece.direction);
  return result;
}

// Omitted tails and interpolation errors count: where either is as large as the slope, nothing is claimed.
TEST(PiecesOf, TailsAndErrorsCount) {
  using enum MonotonePiece::Direction;
  EXPECT_EQ(directions(0, 0), (std::vector{rises, falls}));
  EXPECT_EQ(directions(0.4, 0), (std::vector{rises, falls}));
  EXPECT_EQ(directions(0, 0.6), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(0.6, 0), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(0.3, 0.3), (std::vector{rises, unknown}));
  EXPECT_EQ(directions(1.1, 0), (std::vector{unknown}));
}

}  // namespace
}  // namespace fractile::flow

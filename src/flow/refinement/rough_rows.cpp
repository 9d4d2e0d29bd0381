#include "flow/refinement/rough_rows.hpp"

#include "flow/algebra/ring.hpp"

namespace fractile::flow {

RoughRows rough(const IntegerMatrix& rows, const std::vector<Rational>& scales) {
  RoughRows result(rows.rows());
  for (std::size_t x = 0; x < rows.rows(); ++x) {
    for (std::size_t y = 0; y < rows.columns(); ++y) {
      result[x].push_back((rational_of(rows.at(x, y)) / scales[x]).to_double());
    }
  }
  return result;
}

}  // namespace fractile::flow

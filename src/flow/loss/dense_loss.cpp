#include "flow/loss/dense_loss.hpp"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "flow/loss/analyst.hpp"
#include "flow/pipeline/pipeline_rows.hpp"

namespace fractile::flow {

struct DenseLoss::Lists {
  Lists(const Pipeline& pipeline, const Analyst& analyst)
      : outline(outline_of(pipeline)), prior(prior_of(analyst, outline)), losses(loss_of(analyst, pipeline, outline)) {}

  Outline outline;
  Prior prior;
  Loss losses;
};

struct DenseLoss::Problem {
  Problem(Pipeline of_pipeline, Analyst of_analyst)
      : pipeline(std::move(of_pipeline)), analyst(std::move(of_analyst)) {}

  Pipeline pipeline;
  Analyst analyst;
  std::once_flag once;
  std::optional<Lists> lists;
};

DenseLoss::DenseLoss(const Pipeline& pipeline, const Analyst& analyst)
    : problem_(std::make_shared<Problem>(pipeline, analyst)) {}

const DenseLoss::Lists& DenseLoss::lists() const {
  std::call_once(problem_->once, [&] { problem_->lists.emplace(problem_->pipeline, problem_->analyst); });
  return *problem_->lists;
}

const Pipeline& DenseLoss::pipeline() const { return problem_->pipeline; }
const Outline& DenseLoss::outline() const { return lists().outline; }
const Prior& DenseLoss::prior() const { return lists().prior; }
const Loss& DenseLoss::losses() const { return lists().losses; }

bool DenseLoss::has_short_polynomials() const {
  constexpr double longest = 300;
  return symbolic_degree(pipeline()) <= longest;
}

Rational DenseLoss::exact_loss(const Rational& odds) const {
  const Channel channel(outline().secret_names, outline().observation_names, matrix_at(pipeline(), outline(), odds));
  return expected_loss(prior(), channel, losses());
}

Enclosure DenseLoss::loss(const Enclosure& odds) const {
  const ScaledRows<Enclosure> rows = rows_at(pipeline(), outline(), odds);
  const std::size_t observations = outline().observation_names.size();
  std::vector<Enclosure> least(observations);
  for (std::size_t w = 0; w < losses().actions().size(); ++w) {
    std::vector<Enclosure> here(observations);
    for (std::size_t x = 0; x < prior().size(); ++x) {
      checkpoint();
      const Enclosure weight = Enclosure::of(prior()[x] * losses().matrix()(x, w), enclosure_bits);
      for (std::size_t y = 0; y < observations; ++y) add_product(here[y], rows.numerators[x][y], weight);
    }
    for (std::size_t y = 0; y < observations; ++y) {
      if (w == 0) {
        least[y] = std::move(here[y]);
      } else {
        arb_min(least[y].arb(), least[y].arb(), here[y].arb(), enclosure_bits);
      }
    }
  }
  Enclosure sum;
  for (const Enclosure& one : least) arb_add(sum.arb(), sum.arb(), one.arb(), enclosure_bits);
  arb_div(sum.arb(), sum.arb(), rows.denominator.arb(), enclosure_bits);
  return sum;
}

}  // namespace fractile::flow

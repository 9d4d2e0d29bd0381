#include "quantiles/joint/joint.hpp"

#include <tuple>

#include "exact/checkpoint.hpp"
#include "exact/coin.hpp"
#include "fractile/error.hpp"
#include "quantiles/joint/joint_boxes.hpp"
#include "quantiles/joint/joint_listed.hpp"
#include "quantiles/joint/joint_proposal.hpp"

namespace fractile {

namespace {

constexpr double lost_by_units = 1;  // nats
constexpr std::size_t few_positions = 16;

}  // namespace

/// The proposers, each made when it is first needed.
class JointTables {
 public:
  explicit JointTables(const JointProblem& problem) : problem_(problem) {}

  template <class Real>
  ListedTotals<Real>& listed() {
    if (!runs_)
      runs_.emplace(problem_.profile, problem_.span, problem_.subcells,
                    unit_for(problem_.target.quantiles(), problem_.rate.to_double(), lost_by_units));
    auto& made = std::get<std::unique_ptr<ListedTotals<Real>>>(listed_);
    if (!made) made = std::make_unique<ListedTotals<Real>>(problem_, *runs_);
    return *made;
  }
  JointBoxes& boxes() {
    if (!boxes_) boxes_ = std::make_unique<JointBoxes>(problem_);
    return *boxes_;
  }
  JointWork work() const {
    JointWork sum;
    const auto add = [&](const auto& made) {
      if (!made) return;
      sum.tables += made->work().tables;
      sum.entries += made->work().entries;
    };
    std::apply([&](const auto&... made) { (add(made), ...); }, listed_);
    add(boxes_);
    return sum;
  }

 private:
  const JointProblem& problem_;
  std::optional<JointRuns> runs_;
  std::tuple<std::unique_ptr<ListedTotals<double>>, std::unique_ptr<ListedTotals<long double>>> listed_;
  std::unique_ptr<JointBoxes> boxes_;
};

JointSelection::JointSelection(const JointProblem& problem)
    : problem_(problem), tables_(std::make_unique<JointTables>(problem)) {}

JointSelection::~JointSelection() = default;

JointWork JointSelection::work() const { return tables_->work(); }

namespace {

/// Draws one proposal, and keeps it with probability exactly acceptance().
template <class Proposer>
std::optional<Proposal> accepted(Proposer& proposer, RandomBits& bits, Filter filter) {
  const bool verify = filter.prefix_bits < 64;
  std::optional<Proposal> proposal = proposer.propose(bits, verify);
  if (!proposal) return {};
  const Bounds bounds = proposer.acceptance_bounds(*proposal);
  const Enclose enclose = [&](std::int64_t precision) { return proposer.acceptance(*proposal, precision + 64); };
  if (bounds.lower > 1) throw Error(ErrorCode::internal, "a proposal is likelier than its bound");
  if (!lazy_coin(bits, bounds, enclose, filter)) return {};
  return proposal;
}

}  // namespace

// Rejected proposals do not change the law, so other tables may take over at any time.
JointChoice JointSelection::draw(RandomBits& bits, Filter filter) {
  constexpr int most_trials = 64;
  std::optional<Proposal> kept;
  const auto try_with = [&](auto& proposer) {
    for (int trial = 0; !kept && trial < most_trials; ++trial) {
      ++trials_;
      kept = accepted(proposer, bits, filter);
    }
  };
  const auto try_listed = [&]<class Real>() {
    if (!kept && tables_->listed<Real>().fits()) try_with(tables_->listed<Real>());
  };
  try_listed.operator()<double>();
  // Among few positions, boxes take less time than lists in long double.
  if (problem_.profile.distinct() > few_positions) try_listed.operator()<long double>();
  if (!kept) try_with(tables_->boxes());
  while (!kept) {
    checkpoint();
    tables_->boxes().refine();
    try_with(tables_->boxes());
  }
  JointChoice choice{splits_of(*kept, problem_, bits), kept->below, kept->total};
  for (std::uint64_t& below : choice.below) below += problem_.span.first_rank;
  return choice;
}

}  // namespace fractile

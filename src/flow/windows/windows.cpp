#include <optional>
#include <string>

#include "exact/own_environment.hpp"
#include "flow/loss/loss_model.hpp"
#include "flow/windows/cell_losses.hpp"
#include "flow/windows/enclose.hpp"
#include "flow/windows/isolate.hpp"
#include "fractile/error.hpp"
#include "fractile/pipelines.hpp"

namespace fractile::flow {

Windows find_windows(const Pipeline& pipeline, const Analyst& analyst, const OddsRange& range,
                     const WindowSearch& search) {
  const OwnEnvironment own;
  const auto& [from, to] = range;
  if (from < 1 || to < from) throw Error(ErrorCode::usage, "a range of odds begins at 1 or more and does not decrease");
  using enum Windows::Method;
  const LossModel model(pipeline, analyst);
  const bool can_isolate = model.dense().has_short_polynomials();
  const std::optional<CellLosses> losses = cell_losses(model);
  const bool is_level = !pipeline.perturber.depends_on_epsilon() || from == to;
  if (losses && (!can_isolate || losses->beats_isolation)) {
    return is_level ? Windows{enclosed} : enclosed_windows(model, *losses, from, to, search);
  }
  if (can_isolate) return {isolated, is_level ? std::vector<UnstableWindow>{} : isolated_windows(model, from, to)};
  return {none, {}, {{from, to}}};
}

std::string to_string(Windows::Method method) {
  switch (method) {
    case Windows::Method::isolated:
      return "isolated";
    case Windows::Method::enclosed:
      return "enclosed";
    case Windows::Method::proved:
      return "proved";
    case Windows::Method::none:
      break;
  }
  return "none";
}

}  // namespace fractile::flow

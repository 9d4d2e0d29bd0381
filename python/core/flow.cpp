// Binds channels, pipelines, and reports on what they are worth.
#include "fractile/flow.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/unique_ptr.h>

#include <utility>
#include <variant>

#include "arguments.hpp"
#include "attendant.hpp"
#include "fractile/pipelines.hpp"
#include "pages.hpp"
#include "report/flow/printed_parts.hpp"
#include "requests/flow.hpp"
#include "requests/pipeline_file.hpp"
#include "requests/pipelines/choosing.hpp"
#include "requests/pipelines/epsilons.hpp"

namespace fractile::python {
namespace {

using requests::PipelineFile;
using requests::Typed;
using Rows = std::vector<std::vector<Rational>>;

Rows rows_of(const flow::Matrix& matrix) {
  Rows rows;
  for (std::size_t i = 0; i < matrix.rows(); ++i) rows.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  return rows;
}

flow::Channel channel_of(const Rows& rows, const std::vector<std::string>& secrets,
                         const std::vector<std::string>& observations) {
  flow::Channel numbered(flow::Matrix::of(rows));
  if (secrets.empty() && observations.empty()) return numbered;
  return {secrets.empty() ? numbered.secrets() : secrets, observations.empty() ? numbered.observations() : observations,
          numbered.matrix()};
}

/// Does `work` without the interpreter's lock, and ends it at Ctrl-C.
template <class Work>
auto worked(const Work& work) {
  return interruptible([&](SignalWatch&) { return work(requests::Watch()); });
}

/// (prior, losses, actions, loss_from, loss_to); None without a counterexample.
nb::object in_tuple(const flow::Counterexample* counterexample) {
  if (counterexample == nullptr) return nb::none();
  return nb::make_tuple(counterexample->prior.probabilities(), rows_of(counterexample->loss.matrix()),
                        counterexample->loss.actions(), counterexample->loss_from, counterexample->loss_to);
}

std::string verdict_of(const flow::Refinement& refinement) {
  if (refinement.refines()) return "refines";
  return refinement.refuted() ? "does not refine" : "undecided";
}

nb::tuple in_tuple(const flow::RealBounds& bounds) { return nb::make_tuple(bounds.lower, bounds.upper); }

void bind_channel(nb::module_& module) {
  nb::class_<flow::Channel>(module, "Channel")
      .def(nb::new_(&channel_of), nb::arg("rows"), nb::arg("secrets") = std::vector<std::string>(),
           nb::arg("observations") = std::vector<std::string>())
      .def_prop_ro("secrets", &flow::Channel::secrets)
      .def_prop_ro("observations", &flow::Channel::observations)
      .def_prop_ro("rows", [](const flow::Channel& channel) { return rows_of(channel.matrix()); })
      .def(
          "then",
          [](const flow::Channel& a, const flow::Channel& b) {
            return worked([&](const requests::Watch&) { return a * b; });
          },
          nb::arg("other"))
      .def(
          "kronecker",
          [](const flow::Channel& a, const flow::Channel& b) {
            return worked([&](const requests::Watch&) { return flow::kronecker(a, b); });
          },
          nb::arg("other"))
      .def(
          "equals", [](const flow::Channel& a, const flow::Channel& b) { return a == b; }, nb::arg("other"))
      .def(
          "refines",
          [](const flow::Channel& from, const flow::Channel& to) {
            return worked([&](const requests::Watch&) { return flow::refines(from, to); });
          },
          nb::arg("other"))
      .def(
          "smallest_epsilon",
          [](const flow::Channel& channel, const Rows& distances) -> std::optional<std::string> {
            const auto epsilon = worked([&](const requests::Watch&) {
              return flow::smallest_epsilon(channel, distances.empty() ? flow::discrete_metric(channel.secrets().size())
                                                                       : flow::Matrix::of(distances));
            });
            if (!epsilon) return {};
            return epsilon->to_string();
          },
          nb::arg("distances") = Rows())
      .def(
          "expected_loss",
          [](const flow::Channel& channel, const std::vector<Rational>& prior, const Rows& losses) {
            return worked([&](const requests::Watch&) {
              return flow::expected_loss(flow::Prior(prior), channel, flow::Loss(flow::Matrix::of(losses)));
            });
          },
          nb::arg("prior"), nb::arg("losses"));
}

void bind_refinement(nb::module_& module) {
  nb::class_<flow::Refinement>(module, "Refinement")
      .def_prop_ro("verdict", &verdict_of)
      .def_ro("reason", &flow::Refinement::reason)
      .def_prop_ro("witness",
                   [](const flow::Refinement& refinement) -> std::optional<Rows> {
                     const auto* witness = std::get_if<flow::Witness>(&refinement.verdict);
                     if (witness == nullptr) return {};
                     return rows_of(witness->matrix);
                   })
      .def_prop_ro(
          "counterexample",
          [](const flow::Refinement& refinement) {
            return in_tuple(std::get_if<flow::Counterexample>(&refinement.verdict));
          },
          nb::sig("def counterexample(self) -> tuple[list[fractions.Fraction], list[list[fractions.Fraction]], "
                  "list[str], fractions.Fraction, fractions.Fraction] | None"))
      .def(
          "verify",
          [](const flow::Refinement& refinement, const flow::Channel& from, const flow::Channel& to) {
            return worked([&](const requests::Watch&) {
              if (const auto* witness = std::get_if<flow::Witness>(&refinement.verdict)) {
                return flow::verify(from, to, *witness);
              }
              const auto* counterexample = std::get_if<flow::Counterexample>(&refinement.verdict);
              return counterexample != nullptr && flow::verify(from, to, *counterexample);
            });
          },
          nb::arg("from_"), nb::arg("to"));
}

/// Binds what all reports of flow have in common.
template <class Report>
nb::class_<Report> bind_flow_report(nb::module_& module, const char* name) {
  nb::class_<Report> bound = bind_texts<Report>(module, name);
  if constexpr (requires(const Report& report) { to_html(report, PageOptions()); }) {
    bound.def(
        "page", [](const Report& report, const Texts& about) { return in_pair(to_html(report, {about_of(about)})); },
        nb::arg("about"));
  }
  return bound;
}

/// A tuple for each window: (from_lower, from_upper, to_lower, to_upper) in odds, and its proof (odds_from, odds_to, loss_from, loss_to) or
/// None.
nb::list windows_in_list(const flow::Windows& windows) {
  nb::list list;
  for (const flow::UnstableWindow& window : windows.windows) {
    nb::object proof = nb::none();
    if (window.proof) {
      proof = nb::make_tuple(window.proof->odds_from, window.proof->odds_to, in_tuple(window.proof->loss_from),
                             in_tuple(window.proof->loss_to));
    }
    list.append(nb::make_tuple(in_tuple(window.from), in_tuple(window.to), proof));
  }
  return list;
}

nb::list undecided_in_list(const flow::Windows& windows) {
  nb::list list;
  for (const flow::RealBounds& range : windows.undecided) list.append(in_tuple(range));
  return list;
}

void bind_reports(nb::module_& module) {
  nb::class_<flow::Windows>(module, "Windows")
      .def_prop_ro("method", [](const flow::Windows& windows) { return to_string(windows.method); })
      .def_prop_ro("windows", &windows_in_list,
                   nb::sig("def windows(self) -> list[tuple[typing.Any, typing.Any, typing.Any]]"))
      .def_prop_ro("undecided", &undecided_in_list,
                   nb::sig("def undecided(self) -> list[tuple[fractions.Fraction, fractions.Fraction]]"))
      .def_prop_ro("are_all", &flow::Windows::are_all);
  bind_flow_report<RefinementReport>(module, "RefinementReport")
      .def_prop_ro("verdict", [](const RefinementReport& report) { return verdict_of(report.answer.refinement); })
      .def_prop_ro("reason", [](const RefinementReport& report) { return report.answer.refinement.reason; });
  bind_flow_report<StabilityReport>(module, "StabilityReport")
      .def_prop_ro("verdict", [](const StabilityReport& report) { return to_string(report.answer.verdict); })
      .def_prop_ro("reason", [](const StabilityReport& report) { return report.answer.reason; })
      .def_prop_ro("windows", [](const StabilityReport& report) { return report.windows; });
  bind_flow_report<AnyPriorReport>(module, "AnyPriorReport")
      .def_prop_ro("verdict", [](const AnyPriorReport& report) { return verdict_of(report); })
      .def_prop_ro("reason", [](const AnyPriorReport& report) { return report.answer.reason; });
  bind_flow_report<ComparisonReport>(module, "ComparisonReport")
      .def_prop_ro("verdict", [](const ComparisonReport& report) { return verdict_of(report.answer); })
      .def_prop_ro("reason", [](const ComparisonReport& report) { return report.answer.reason; });
  bind_flow_report<ExpectedLossReport>(module, "ExpectedLossReport")
      .def_prop_ro(
          "loss", [](const ExpectedLossReport& report) { return in_tuple(report.loss); },
          nb::sig("def loss(self) -> tuple[fractions.Fraction, fractions.Fraction]"));
  bind_flow_report<SweepReport>(module, "SweepReport")
      .def_prop_ro(
          "points",
          [](const SweepReport& report) {
            nb::list list;
            for (const flow::LossPoint& point : report.points) {
              list.append(nb::make_tuple(point.epsilon.to_string(), in_tuple(point.loss), to_string(point.change)));
            }
            return list;
          },
          nb::sig("def points(self) -> list[tuple[str, tuple[fractions.Fraction, fractions.Fraction], str]]"))
      .def_prop_ro("windows", [](const SweepReport& report) { return report.windows; });
  bind_flow_report<ChoiceReport>(module, "ChoiceReport")
      .def_prop_ro(
          "served",
          [](const ChoiceReport& report) {
            nb::list list;
            for (const flow::ServedRange& range : report.ranges) {
              if (range.answer != flow::ServedRange::Answer::served) continue;
              const auto [low, high] = printed_epsilons(range);
              list.append(nb::make_tuple(low, high));
            }
            return list;
          },
          nb::sig("def served(self) -> list[tuple[str, str]]"))
      .def_prop_ro("is_least_certain", &ChoiceReport::is_least_certain);
  bind_flow_report<CertificateReport>(module, "CertificateReport")
      .def_prop_ro("holds", [](const CertificateReport& report) -> std::optional<bool> {
        if (report.outcome == CertificateReport::Outcome::nothing) return {};
        return report.outcome == CertificateReport::Outcome::holds;
      });
}

nb::object checked(const PipelineFile& file, Arguments words) {
  const Typed typed = typed_of(std::move(words));
  if (typed.has("any_prior")) {
    return nb::cast(worked([&](const requests::Watch& watch) {
      return requests::decided(requests::any_prior_asked(typed, file), typed, file, watch);
    }));
  }
  if (requests::is_pair_asked(typed)) {
    return nb::cast(worked([&](const requests::Watch& watch) {
      return requests::decided(requests::refinement_asked(typed), file, watch);
    }));
  }
  return nb::cast(worked([&](const requests::Watch& watch) {
    StabilityReport report = requests::stability_asked(typed);
    report.answer = requests::stability_of(report, file, watch);
    if (file.analyst) report.windows = requests::windows_of(report, file, watch);
    return report;
  }));
}

SweepReport swept(const PipelineFile& file, Arguments words) {
  const Typed typed = typed_of(std::move(words));
  return worked([&](const requests::Watch& watch) {
    SweepReport report = requests::sweep_asked(typed);
    report.points = requests::loss_curve_of(file, requests::points_asked(typed), watch);
    report.windows = requests::windows_asked(typed, file, watch);
    return report;
  });
}

ChoiceReport chosen(const PipelineFile& file, Arguments words) {
  Typed typed = typed_of(std::move(words));
  typed.file = "the pipeline";
  return worked([&](const requests::Watch& watch) {
    ChoiceReport asked = requests::choice_asked(typed);
    requests::complete(asked.analysts.front(), file, typed);
    constexpr bool draws = true;
    return requests::decided(asked, {file}, draws, watch);
  });
}

flow::Channel exact_channel(const PipelineFile& file, const std::string& epsilon) {
  const Exponent exponent = requests::epsilon_of("epsilon", epsilon);
  const Rational odds = exponent.has_rational_exponential() ? exponent.exponential() : Rational(0);
  if (odds < Rational(1)) {
    const Field field("epsilon");
    requests::usage({field, ": exp(", epsilon, ") is not rational, and this channel is exact"},
                    {"write a logarithm, for example ", field.number("ln 3")});
  }
  return worked([&](const requests::Watch&) {
    return requests::about_file(file, [&] { return flow::channel_at(file.pipeline, flow::Odds(odds)).channel; });
  });
}

void bind_pipeline(nb::module_& module) {
  nb::class_<PipelineFile>(module, "PipelineFile")
      .def_static("read", &requests::read_pipeline, nb::arg("path"), nb::arg("library"))
      .def_static("of", &requests::pipeline_in, nb::arg("toml"), nb::arg("name"), nb::arg("library"))
      .def_prop_ro("participants", [](const PipelineFile& file) { return file.pipeline.participants; })
      .def_prop_ro("values", [](const PipelineFile& file) { return file.pipeline.values; })
      .def("check", &checked, nb::arg("words"))
      .def("sweep", &swept, nb::arg("words"))
      .def("choose", &chosen, nb::arg("words"))
      .def(
          "loss",
          [](const PipelineFile& file, Arguments words) {
            const Typed typed = typed_of(std::move(words));
            return worked([&](const requests::Watch& watch) { return requests::expected_loss(typed, file, watch); });
          },
          nb::arg("words"))
      .def("channel", &exact_channel, nb::arg("epsilon"));
}

}  // namespace

void bind_flow(nb::module_& module) {
  bind_channel(module);
  bind_refinement(module);
  bind_reports(module);
  bind_pipeline(module);
  module.def(
      "compare",
      [](const std::string& first, const std::string& second, Arguments words) {
        const Typed typed{{}, first, second, std::move(words)};
        return worked(
            [&](const requests::Watch& watch) { return requests::decided(requests::comparison_asked(typed), watch); });
      },
      nb::arg("first"), nb::arg("second"), nb::arg("words"));
  module.def(
      "verify",
      [](const std::string& json) { return worked([&](const requests::Watch&) { return checked_certificate(json); }); },
      nb::arg("json"));
  module.def(
      "bayes_risk", [](std::size_t secrets) { return rows_of(flow::bayes_risk(secrets).matrix()); },
      nb::arg("secrets"));
  module.def(
      "linear_error", [](const std::vector<Rational>& v) { return rows_of(flow::linear_error(v).matrix()); },
      nb::arg("values"));
  module.def(
      "squared_error", [](const std::vector<Rational>& v) { return rows_of(flow::squared_error(v).matrix()); },
      nb::arg("values"));
}

}  // namespace fractile::python

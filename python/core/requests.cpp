// Binds what the program's verbs do; the requests are in the program's words.
#include <nanobind/stl/map.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <utility>

#include "arguments.hpp"
#include "attendant.hpp"
#include "counted.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "pages.hpp"
#include "requests/audit.hpp"
#include "requests/counting.hpp"
#include "requests/plan.hpp"
#include "requests/release.hpp"
#include "requests/tables.hpp"
#include "requests/typed.hpp"

namespace fractile::python {

namespace {

using requests::Typed;

/// The type of key_lists and key_tuples in Typed.
using KeyTexts = std::vector<std::vector<std::string>>;

Typed typed_with_keys(Arguments words, std::vector<std::string> files, KeyTexts key_lists, KeyTexts key_tuples) {
  Typed typed = typed_of(std::move(words), std::move(files));
  typed.key_lists = std::move(key_lists);
  typed.key_tuples = std::move(key_tuples);
  return typed;
}

/// The result of a release, and the warnings that came while it was made.
struct Released {
  Answer answer;
  Caller::Said warnings;
};

/// `frame` and `counter` are as in source_of(), and `cancel` is as in SignalWatch; it serves for all sources.
std::unique_ptr<Released> release(Arguments words, std::vector<std::string> files, KeyTexts key_lists,
                                  KeyTexts key_tuples, Frame* frame, nb::handle counter, nb::handle cancel) {
  auto released = std::make_unique<Released>();
  Caller caller(cancel);
  attended(caller, [&] {
    Typed typed = typed_with_keys(std::move(words), std::move(files), std::move(key_lists), std::move(key_tuples));
    std::optional<ProfileFile> counts = requests::counts_of(typed);
    if (counts) typed = requests::with_header(std::move(typed), counts->header());
    const ReleaseRequest request = requests::release_asked(typed);
    const std::optional<Payment> payment = requests::payment_asked(typed);
    Source source = frame == nullptr ? requests::source_asked(typed, std::move(counts))
                                     : source_of(std::move(*frame), counter, requests::table_of(typed, true));
    released->answer = publish(std::move(source), request, payment, caller);
  });
  released->warnings = std::move(caller.warnings);
  return released;
}

void count(Arguments words, std::vector<std::string> files, KeyTexts key_lists, KeyTexts key_tuples,
           nb::handle cancel) {
  Caller caller(cancel);
  attended(caller, [&] {
    requests::count_to_file(
        typed_with_keys(std::move(words), std::move(files), std::move(key_lists), std::move(key_tuples)), caller);
  });
}

Caller::Said merge(Arguments words, std::vector<std::string> files, nb::handle cancel) {
  Caller caller(cancel);
  attended(caller, [&] { requests::merge_to_file(typed_of(std::move(words), std::move(files)), caller); });
  return std::move(caller.warnings);
}

std::string columns(Arguments words, std::vector<std::string> files, nb::handle cancel) {
  Caller caller(cancel);
  std::string listed;
  attended(caller,
           [&] { listed = to_json(requests::columns_of(typed_of(std::move(words), std::move(files)), caller)); });
  return listed;
}

std::unique_ptr<PlanReport> plan(Arguments words, bool with_others) {
  return interruptible([&](SignalWatch&) {
    return std::make_unique<PlanReport>(
        requests::planned(requests::PlanRequest::of(typed_of(std::move(words))), with_others));
  });
}

Page plan_page(const PlanReport& report, const Texts& about) { return in_pair(to_html(report, {about_of(about)})); }

std::string audited(Arguments words) {
  return interruptible([&](SignalWatch&) {
    const AuditRequest request = requests::audit_request(typed_of(std::move(words)));
    return to_json(request, audit(request));
  });
}

const requests::VerbSpec& verb_of(const std::string& name) {
  for (const requests::VerbSpec* const verb : requests::all_verbs()) {
    if (name == verb->name) return *verb;
    for (const requests::VerbSpec* const word : verb->words) {
      if (name == word->name) return *word;
    }
  }
  requests::usage("unknown verb '" + name + "'", "name one of the program's verbs");
}

/// (name, argument, default in words, heading, help) for every option of a verb.
nb::list options(const std::string& verb) {
  nb::list list;
  for (const requests::OptionSpec& option : verb_of(verb).options) {
    list.append(nb::make_tuple(option.name, option.argument, option.fallback, option.group, option.help));
  }
  return list;
}

void bind_released(nb::module_& module) {
  nb::class_<Released>(module, "Released")
      .def_prop_ro(
          "release", [](const Released& released) -> const Release& { return *released.answer.release; },
          nb::rv_policy::reference_internal)
      .def_prop_ro("stored", [](const Released& released) { return released.answer.stored.has_value(); })
      .def_prop_ro("account", [](const Released& released) { return released.answer.account; })
      .def_ro("warnings", &Released::warnings);
}

void bind_plan(nb::module_& module) {
  bind_texts<PlanReport>(module, "PlanReport")
      .def("page", &plan_page, nb::arg("about"))
      .def_prop_ro("quantiles", [](const PlanReport& report) { return report.plan.query.quantiles; })
      .def_prop_ro("cost", [](const PlanReport& report) { return report.plan.query.budget.to_string(); })
      .def_prop_ro("mechanism", [](const PlanReport& report) { return to_string(report.plan.used.mechanism); })
      .def_prop_ro("worst_case", [](const PlanReport& report) { return report.plan.worst.ranks; })
      .def_prop_ro("together", [](const PlanReport& report) { return report.plan.worst.simultaneous_rank; })
      .def_prop_ro("typical", [](const PlanReport& report) { return report.plan.typical.median; })
      .def_prop_ro("nine_in_ten", [](const PlanReport& report) { return report.plan.typical.nine_in_ten; })
      .def_prop_ro("interval_widths", [](const PlanReport& report) {
        return report.plan.intervals ? report.plan.intervals->widths : std::vector<double>();
      });
}

}  // namespace

void bind_requests(nb::module_& module) {
  bind_released(module);
  bind_plan(module);
  module.def("release", &release, nb::arg("words"), nb::arg("files"), nb::arg("key_lists"), nb::arg("key_tuples"),
             nb::arg("frame").none(), nb::arg("counter") = nb::none(), nb::arg("cancel") = nb::none());
  module.def("count", &count, nb::arg("words"), nb::arg("files"), nb::arg("key_lists"), nb::arg("key_tuples"),
             nb::arg("cancel") = nb::none());
  module.def("merge", &merge, nb::arg("words"), nb::arg("files"), nb::arg("cancel") = nb::none());
  module.def("columns", &columns, nb::arg("words"), nb::arg("files"), nb::arg("cancel") = nb::none());
  module.def("plan", &plan, nb::arg("words"), nb::arg("with_others"));
  module.def("audit", &audited, nb::arg("words"));
  module.def("options", &options, nb::arg("verb"),
             nb::sig("def options(verb: str) -> list[tuple[str, str, str, str, str]]"));
}

}  // namespace fractile::python

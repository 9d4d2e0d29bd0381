// fractile flow: reports what a release is worth to an analyst.
#include "requests/flow.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "page_output.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/text/command_page.hpp"
#include "report/text/durable.hpp"
#include "requests/pipeline_file.hpp"
#include "requests/pipelines/choosing.hpp"
#include "requests/text_file.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
namespace {

constexpr bool also_piped = true;  // nothing in a pipeline's file is private

/// Shows progress at a terminal.
class TerminalProgress {
 public:
  Watch watch(std::function<bool()> stop = {}) {
    const auto at = [state = state_](const std::string& task) {
      state->reset();
      if (!task.empty()) state->emplace(task, also_piped);
    };
    const auto tick = [state = state_](const std::string& detail) {
      if (*state) (*state)->tick(detail);
    };
    return {at, tick, std::move(stop)};
  }

 private:
  std::shared_ptr<std::optional<Progress>> state_ = std::make_shared<std::optional<Progress>>();
};

// --- Printing --------------------------------------------------------------------------------------------------------

/// How a report is printed, with its page and its figure.
struct Printed {
  Format format;
  PageOutput page = {};
  std::string figure = {};  ///< the file for a figure of the analyst's losses; empty if none is asked for

  bool draws() const { return format == Format::html || !figure.empty(); }
};

std::string figure_of(const Typed& typed) {
  std::string name = typed.one("figure");
  if (name.empty()) return name;
  if (!name.ends_with(".svg")) {
    const Field field("figure");
    usage({field, " draws SVG, and '", name, "' does not end in .svg"}, {"write for example ", field.text("loss.svg")});
  }
  require_writable(name, "figure");
  return name;
}

Printed printed_as(const Typed& typed, Format fallback) {
  const Format format = format_of(typed, fallback, Pages::yes);
  Printed printed{format, PageOutput::of(typed, format), figure_of(typed)};
  printed.page.command = command_of(flow_verb(), typed);
  return printed;
}

/// How the report on a question without a curve of losses is printed. Throws `usage` when a figure is asked for.
Printed printed_without_figure(const Typed& typed, Format fallback) {
  if (typed.has("figure")) {
    usage({Field("figure"), " draws the losses of a file's analyst over a range"},
          {"write ", Field("epsilon").blank("LO..HI"), ", or leave it out"});
  }
  return printed_as(typed, fallback);
}

template <class Report>
concept HasPage = requires(const Report& report, const PageOptions& options) {
  to_html(report, options);
};

template <class Report>
void print_report(const Printed& how, const Report& report) {
  const char* const hint = "free some space, or choose another place for the output";
  if constexpr (HasPage<Report>) {
    if (how.format == Format::html)
      return how.page.print_page(with_command(to_html(report, how.page.options), how.page.command), hint);
  }
  print(text_in(how.format, report), hint);
}

bool has_curve(const LeakageReport& report) { return !report.answers.empty(); }
bool has_curve(const ChoiceReport& report) { return !report.analysts.front().points.empty(); }
template <class Report>
bool has_curve(const Report& report) {
  return !report.points.empty();
}

/// Prints the report, and writes the figure of this name on its page to the file that --figure names.
template <class Report>
void print_and_draw(const Printed& how, const Report& report, const char* figure = "sweep.svg") {
  if (!how.figure.empty() && has_curve(report)) {
    for (const PageFile& file : to_html(report, how.page.options).files) {
      if (file.name == figure) write_durably(how.figure, file.text, "figure", Readers::all);
    }
  }
  print_report(how, report);
}

constexpr int undecided_exit_code = 6;

int exit_code_of(flow::Stability::Verdict verdict) {
  switch (verdict) {
    case flow::Stability::Verdict::stable:
      return 0;
    case flow::Stability::Verdict::unstable:
      return 1;
    default:
      return undecided_exit_code;
  }
}

// --- In time ---------------------------------------------------------------------------------------------------------

std::optional<std::chrono::seconds> limit_of(const Typed& typed) {
  if (!typed.has("within")) return {};
  return std::chrono::seconds(whole_number(typed, "within", {1, 1'000'000}));
}

/// Prints the report when it is decided. If the time runs out first, prints `unfinished`, which is undecided.
template <class Report, class Decide>
Report in_time(const Typed& typed, const Printed& format, const Report& unfinished, Decide&& decide) {
  Deadline deadline(limit_of(typed), [&] {
    print_report(format, unfinished);
    return undecided_exit_code;
  });
  Report report = decide();
  deadline.disarm();
  print_report(format, report);
  return report;
}

/// Answers a question that has no partial answer. If the time runs out first, prints only an error.
template <class Answer>
auto answer_in_time(const Typed& typed, const char* what, Answer&& answer) {
  Deadline deadline(limit_of(typed), [&] {
    print_error(fmt::format("{}: {}", what, out_of_time(typed)), "give it more time, or ask of fewer participants");
    return undecided_exit_code;
  });
  auto result = answer();
  deadline.disarm();
  return result;
}

/// Reads FILE, and warns about what may surprise its author.
PipelineFile file_of(const Typed& typed) {
  PipelineFile file = pipeline_asked(typed);
  for (const std::string& remark : file.remarks) {
    print_error({"warning: ", remark}, "fractile flow cost says what an answer costs");
  }
  return file;
}

// --- The words -------------------------------------------------------------------------------------------------------

int check_refinement(const Typed& typed) {
  const Printed format = printed_without_figure(typed, Format::table);
  const RefinementReport asked = refinement_asked(typed);
  const PipelineFile file = file_of(typed);
  const RefinementReport report =
      in_time(typed, format, asked, [&] { return decided(asked, file, TerminalProgress().watch()); });
  const flow::Refinement& refinement = report.answer.refinement;
  if (refinement.refines()) return 0;
  return refinement.refuted() ? 1 : undecided_exit_code;
}

int check_stability(const Typed& typed) {
  const Printed format = printed_as(typed, Format::table);
  StabilityReport report = stability_asked(typed);
  const PipelineFile file = file_of(typed);
  if (typed.has("figure")) analyst_of(file);  // throws if there is no analyst
  if (file.analyst) report.windows = unknown_windows(report);
  std::mutex changing;  // guards the report, which the deadline's thread may print
  Deadline deadline(limit_of(typed), [&] {
    const std::lock_guard lock(changing);
    print_and_draw(format, report);
    return exit_code_of(report.answer.verdict);
  });
  const auto add = [&](auto& member, auto value) {
    const std::lock_guard lock(changing);
    member = std::move(value);
  };
  TerminalProgress progress;
  add(report.answer, stability_of(report, file, progress.watch()));
  if (file.analyst && format.draws()) {
    add(report.without_release, loss_without_release(file));
    add(report.points, loss_curve_of(file, points_to_draw(report), progress.watch()));
  }
  if (file.analyst) {
    add(report.windows, windows_of(report, file, progress.watch([&deadline] { return deadline.is_near(); })));
  }
  deadline.disarm();
  print_and_draw(format, report);
  return exit_code_of(report.answer.verdict);
}

/// Checks for every analyst with the losses of the file's analyst, whatever their prior.
int check_any_prior(const Typed& typed) {
  const Printed format = printed_without_figure(typed, Format::table);
  const PipelineFile file = file_of(typed);
  const AnyPriorReport asked = any_prior_asked(typed, file);
  const auto decide = [&] { return decided(asked, typed, file, TerminalProgress().watch()); };
  return exit_code_of(in_time(typed, format, asked, decide).answer.verdict);
}

int run_check(const Typed& typed) {
  const bool is_pair = is_pair_asked(typed);
  if (typed.has("any_prior")) return check_any_prior(typed);
  return is_pair ? check_refinement(typed) : check_stability(typed);
}

int run_compare(const Typed& typed) {
  const Printed format{format_of(typed, Format::table)};
  const ComparisonReport asked = comparison_asked(typed);
  const ComparisonReport report =
      in_time(typed, format, asked, [&] { return decided(asked, TerminalProgress().watch()); });
  if (report.answer.refines()) return 0;
  return report.answer.refuted() ? 1 : undecided_exit_code;
}

int run_verify(const Typed& typed) {
  constexpr std::size_t largest_certificate = std::size_t{256} << 20;  // bytes
  const Printed format{format_of(typed, Format::table)};
  if (typed.file.empty()) usage("no FILE to check", "name what fractile flow check printed with --format json");
  const TextFile file = read_text(typed.file, largest_certificate);
  if (!file.trouble.empty()) {
    throw Error(ErrorCode::data, fmt::format("cannot open {}: {}", typed.file, file.trouble), "check the path");
  }
  CertificateReport report = [&] {
    const Progress progress("the certificate", also_piped);
    return certificate_checked(typed, file.text);
  }();
  print_report(format, report);
  if (report.outcome == CertificateReport::Outcome::nothing) return undecided_exit_code;
  return report.outcome == CertificateReport::Outcome::holds ? 0 : 1;
}

/// Prints the answer to a question about a file at one epsilon. `read` reads the file.
template <class Report>
int print_at_epsilon(const Typed& typed, Format fallback, PipelineFile (*read)(const Typed&), const char* what,
                     Report (*answer)(const Typed&, const PipelineFile&, const Watch&)) {
  const Printed format{format_of(typed, fallback)};
  epsilon_asked(typed);  // throws before the file is read
  const PipelineFile file = read(typed);
  print_report(format, answer_in_time(typed, what, [&] { return answer(typed, file, TerminalProgress().watch()); }));
  return 0;
}

int run_loss(const Typed& typed) {
  return print_at_epsilon(typed, Format::table, file_of, "the analyst's loss", expected_loss);
}

int run_leakage(const Typed& typed) {
  const Printed format{format_of(typed, Format::table)};
  const Exponent epsilon = epsilon_asked(typed);  // throws before the file is read
  guess_typed(typed);
  const PipelineFile file = pipeline_asked(typed);
  const auto answer = [&] {
    return TerminalProgress().watch().during("how often the guess is right",
                                             [&] { return answered(leakage_asked(typed, file), file, epsilon); });
  };
  print_report(format, answer_in_time(typed, "how often the guess is right", answer));
  return 0;
}

/// Prints how often the best guess is right at each epsilon, instead of the analyst's loss.
int run_leakage_sweep(const Typed& typed) {
  const Printed format = printed_as(typed, usual_format());
  const std::vector<Exponent> points = points_asked(typed);
  guess_typed(typed);
  const PipelineFile file = pipeline_asked(typed);
  const auto answer = [&] {
    const Watch watch = TerminalProgress().watch();
    return watch.during("how often the guess is right", [&] {
      const auto tick = [&](std::size_t done) { watch.tick(fmt::format("{} of {} points", done, points.size())); };
      return answered(leakage_asked(typed, file), file, points, tick);
    });
  };
  print_and_draw(format, answer_in_time(typed, "how often the guess is right", answer), "leakage.svg");
  return 0;
}

/// Prints a sweep. In formats in which the curve can stand alone, it is printed before the search for windows. The search may take long,
/// and the curve is then there if the search is interrupted.
class SweepOutput {
 public:
  explicit SweepOutput(const Printed& format) : format_(format) {}

  void print_curve(const SweepReport& report) {
    if (format_.draws() || (format_.format != Format::csv && format_.format != Format::table)) return;
    print(format_.format == Format::csv ? curve_to_csv(report) : curve_to_table(report));
    is_curve_printed_ = true;
  }

  void print_rest(const SweepReport& report) const {
    if (!is_curve_printed_) return print_and_draw(format_, report);
    print(format_.format == Format::csv ? windows_to_csv(report) : windows_to_table(report));
  }

 private:
  const Printed& format_;
  bool is_curve_printed_ = false;
};

int run_sweep(const Typed& typed) {
  if (typed.has("guess")) return run_leakage_sweep(typed);
  const Printed format = printed_as(typed, usual_format());
  SweepOutput output(format);
  const std::vector<Exponent> points = points_asked(typed);
  SweepReport report = sweep_asked(typed);
  const PipelineFile file = file_of(typed);
  analyst_of(file);  // throws if there is no analyst
  if (format.draws()) report.without_release = loss_without_release(file);
  std::mutex changing;  // guards the report, which the deadline's thread may print
  Deadline deadline(limit_of(typed), [&] {
    const std::lock_guard lock(changing);
    output.print_rest(report);
    return undecided_exit_code;
  });
  TerminalProgress progress;
  std::vector<flow::LossPoint> curve = loss_curve_of(file, points, progress.watch());
  {
    const std::lock_guard lock(changing);
    report.points = std::move(curve);
    output.print_curve(report);
  }
  flow::Windows windows = windows_asked(typed, file, progress.watch([&deadline] { return deadline.is_near(); }));
  {
    const std::lock_guard lock(changing);
    report.windows = std::move(windows);
  }
  deadline.disarm();
  output.print_rest(report);
  return report.windows.is_stopped ? undecided_exit_code : 0;
}

int exit_code_of(const ChoiceReport& report) {
  if (report.least() != nullptr) return 0;
  return report.is_least_certain() ? 1 : undecided_exit_code;
}

int run_choose(const Typed& typed) {
  const Printed format = printed_as(typed, Format::table);
  ChoiceReport asked = choice_asked(typed);
  const std::vector<PipelineFile> files = choosing_files(typed, asked);
  Deadline deadline(limit_of(typed), [&] {
    print_report(format, asked);
    return undecided_exit_code;
  });
  const ChoiceReport report =
      decided(asked, files, format.draws(), TerminalProgress().watch([&deadline] { return deadline.is_near(); }));
  deadline.disarm();
  print_and_draw(format, report, "sweep_1.svg");
  return exit_code_of(report);
}

int run_cost(const Typed& typed) {
  return print_at_epsilon(typed, Format::table, pipeline_asked, "what the release costs", cost_asked);
}

int run_channel(const Typed& typed) {
  return print_at_epsilon(typed, usual_format(), pipeline_asked, "the channel", channel_asked);
}

}  // namespace

int run_flow(const Typed& typed) {
  using Run = int (*)(const Typed&);
  on_interrupt("interrupted", "what was printed is certain; the rest is undecided");
  static const std::map<std::string, Run> words{
      {"channel", run_channel}, {"check", run_check}, {"choose", run_choose},
      {"compare", run_compare}, {"cost", run_cost},   {"leakage", run_leakage},
      {"loss", run_loss},       {"sweep", run_sweep}, {"verify", run_verify}};
  return words.at(typed.word)(typed);
}

}  // namespace fractile::cli

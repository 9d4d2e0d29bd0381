// The findings about a pipeline, as pages.
#include <algorithm>

#include "exact/own_environment.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/flow/choice.hpp"
#include "report/flow/flow_blocks.hpp"
#include "report/flow/flow_numbers.hpp"
#include "report/flow/leakage_blocks.hpp"
#include "report/text/page.hpp"

namespace fractile {

using namespace report_detail;

namespace {

/// The line as a complete sentence.
std::string sentence_of(std::string line) {
  if (line.front() >= 'a' && line.front() <= 'z') line.front() = static_cast<char>(line.front() - 'a' + 'A');
  return line.ends_with('.') ? line : line + ".";
}

/// What a page shows in place of a long table until a reader opens the table; empty for a short table.
std::string summary_of(std::size_t rows) {
  constexpr std::size_t most_seen = 25;
  return rows <= most_seen ? "" : fmt::format("{} rows", rows);
}

/// One paragraph per line, one table per table; the line before a table is its caption.
class BlockWriter {
 public:
  explicit BlockWriter(HtmlPage& page) : page_(page) {}

  void write(const Blocks& blocks) {
    for (const Block& block : blocks.all()) {
      if (block.rows.empty()) {
        write_lines(block.lines);
      } else {
        ++tables_;
        std::string caption;
        std::swap(caption, last_line_);
        page_.table({fmt::format("table_{}", tables_), caption.empty() ? "This analyst" : caption, 1,
                     summary_of(block.rows.size() - 1)},
                    block.rows);
      }
    }
    end_line();
  }

 private:
  void write_lines(const std::string& lines) {
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::string line = lines.substr(at, end - at);
      at = end + 1;
      if (line.empty()) continue;
      end_line();
      last_line_ = sentence_of(line.ends_with(':') ? line.substr(0, line.size() - 1) : line);
    }
  }

  /// Writes the last line as a paragraph, since no table follows that could have it as a caption.
  void end_line() {
    if (!last_line_.empty()) page_.paragraph(last_line_);
    last_line_.clear();
  }

  HtmlPage& page_;
  std::string last_line_;
  int tables_ = 0;
};

/// Where windows are, in epsilon.
std::vector<figures::Shade> shades_of(const flow::Windows& windows) {
  std::vector<figures::Shade> shades;
  for (const flow::UnstableWindow& window : windows.windows) {
    const auto [from, to] = window_epsilons(window.from, window.to);
    shades.push_back({Rational::parse(from).to_double(), Rational::parse(to).to_double()});
  }
  return shades;
}

constexpr const char* about_shades = "shaded: a larger epsilon costs this analyst more";

void draw_windows(HtmlPage& page, const StabilityReport& report) {
  if (!report.windows || report.windows->windows.empty()) return;
  constexpr double nowhere = 2;  // no number is written beside the y axis
  constexpr double flat = 50;
  page.figure(figures::Figure{"windows",
                              "Where a larger epsilon costs the analyst of the file more",
                              "",
                              "epsilon",
                              "",
                              {{"",
                                figures::Axis{false, report.low.to_double(), report.high.to_double()},
                                figures::Axis{false, 0, 1, {nowhere}},
                                {},
                                shades_of(*report.windows)}},
                              "The table of windows lists where the shading begins and ends.",
                              flat});
}

/// An axis for all lines, with a little room above and below.
figures::Axis losses_axis(const std::vector<figures::Line>& lines) {
  double least = 1e300;
  double most = -1e300;
  for (const figures::Line& line : lines) {
    for (const figures::Point& point : line.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  const double room = most > least ? 0.08 * (most - least) : std::max(0.05 * most, 1e-9);
  return {false, std::max(0.0, least - room), most + room};
}

/// `most_loss`: a line that the loss should not cross.
figures::Figure loss_figure(const SweepReport& report, const std::optional<Rational>& most_loss = {}) {
  figures::Line line{"expected loss"};
  for (const flow::LossPoint& point : report.points) {
    const double loss = middle_of(point.loss);
    line.points.push_back({point.epsilon.to_double(), loss, loss, loss});
  }
  const figures::Axis x{false, line.points.front().x, line.points.back().x};
  std::vector<figures::Line> lines{std::move(line)};
  if (report.without_release) {
    const double loss = middle_of(*report.without_release);
    lines.push_back({"without a release", "", 2, 2, 0, {{x.least, loss, loss, loss}, {x.most, loss, loss, loss}}});
  }
  if (most_loss) {
    const double loss = most_loss->to_double();
    lines.push_back({"at most", "", 4, 2, 0, {{x.least, loss, loss, loss}, {x.most, loss, loss, loss}}});
  }
  std::vector<figures::Shade> shades = shades_of(report.windows);
  return {"sweep",
          "The analyst's expected loss against epsilon",
          shades.empty() ? "" : about_shades,
          "epsilon",
          "expected loss",
          {{"", x, losses_axis(lines), lines, std::move(shades)}},
          fmt::format("{} points; the table has them.", report.points.size())};
}

void say_without_release(HtmlPage& page, const std::optional<flow::RealBounds>& loss) {
  if (!loss) return;
  page.paragraph(fmt::format("Without a release, by the prior alone, the analyst expects to lose {}.",
                             significant(*loss, sweep_digits)));
}

void write_points(HtmlPage& page, const SweepReport& report, const std::string& name = "sweep") {
  page.section("Points");
  page.table(
      {name, "Expected loss at each epsilon, and its change since the one before", 1, summary_of(report.points.size())},
      sweep_rows(report));
}

std::string title_or(const PageOptions& options, const std::string& title) {
  return options.about.title.empty() ? title : options.about.title;
}

template <class Report>
WebPage verdict_page(const Report& report, const PageOptions& options, const std::string& title) {
  HtmlPage page;
  page.title(title_or(options, title));
  page.section("Verdict");
  BlockWriter(page).write(blocks_of(report));
  return std::move(page).finished();
}

}  // namespace

WebPage to_html(const RefinementReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  return verdict_page(report, options, "Is one epsilon worth at least as much as the other?");
}

WebPage to_html(const AnyPriorReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  return verdict_page(report, options, "Does a larger epsilon never cost an analyst with this loss more?");
}

WebPage to_html(const StabilityReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  page.title(title_or(options, "Does a smaller epsilon never help?"));
  page.section("Verdict");
  StabilityReport verdict = report;
  verdict.windows.reset();
  BlockWriter writer(page);
  writer.write(blocks_of(verdict));
  if (report.windows) {
    const SweepReport sweep{report.points, *report.windows, report.without_release};
    page.section("The analyst of the file");
    if (sweep.points.empty()) {
      draw_windows(page, report);
    } else {
      page.figure(loss_figure(sweep));
    }
    writer.write(blocks_of(*report.windows));
    say_without_release(page, report.without_release);
    if (!sweep.points.empty()) write_points(page, sweep);
  }
  return std::move(page).finished();
}

WebPage to_html(const SweepReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  page.title(title_or(options, "What the release is worth to the analyst"));
  page.section("Expected loss");
  if (!report.points.empty()) page.figure(loss_figure(report));
  BlockWriter(page).write(blocks_of(report.windows));
  say_without_release(page, report.without_release);
  if (!report.points.empty()) write_points(page, report);
  return std::move(page).finished();
}

WebPage to_html(const ChoiceReport& report, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  page.title(title_or(options, "The least epsilon that serves"));
  page.section("Epsilons that serve");
  BlockWriter writer(page);
  writer.write(blocks_of(report));
  for (std::size_t i = 0; i < report.analysts.size(); ++i) {
    const ChoosingAnalyst& one = report.analysts[i];
    page.section("The analyst of " + one.name);
    const SweepReport sweep{one.points, one.wanted.windows, one.without_release};
    if (!sweep.points.empty()) {
      figures::Figure figure = loss_figure(sweep, one.wanted.most_loss);
      figure.name = fmt::format("sweep_{}", i + 1);
      page.figure(figure);
    }
    writer.write(blocks_of(one.wanted.windows));
    say_without_release(page, one.without_release);
    if (has_answers(one.guess)) writer.write(blocks_of(*one.guess));
    if (!sweep.points.empty()) write_points(page, sweep, fmt::format("sweep_{}", i + 1));
  }
  return std::move(page).finished();
}

}  // namespace fractile

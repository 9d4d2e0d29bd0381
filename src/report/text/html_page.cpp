#include <string_view>

#include "exact/digest.hpp"
#include "figures/figures.hpp"
#include "libraries/fmt.hpp"
#include "report/text/command_page.hpp"
#include "report/text/csv_cells.hpp"
#include "report/text/page.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::report_detail {
namespace {

/// Any bytes as one line that HTML shows to the letter.
std::string shown_in_html(const std::string& words) { return figures::escaped(shown_text(words)); }

constexpr const char* page_end = "</main>\n</body>\n</html>\n";

// Contrasts are at least 4.5:1 on both backgrounds. Without these rules, nothing is hidden, and the order is that of reading.
constexpr const char* page_rules =
    ":root{color-scheme:light dark}body{margin:0 auto;max-width:46rem;padding:1rem;font:1rem/1.5 "
    "sans-serif;color:#1b1b1b;"
    "background:#fff;overflow-wrap:break-word}h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2rem}"
    "figure{margin:1rem 0;break-inside:avoid}figcaption,caption{text-align:left;color:#4a4a4a;padding:.3rem 0}"
    "svg{width:100%;min-width:28rem;height:auto}.w{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid #d0d0d0;text-align:right;vertical-align:top}"
    "th:first-child,.k2 th:nth-child(2),.k3 th:nth-child(-n+3),.k9 th,.k9 td{text-align:left}tbody "
    "th{font-weight:normal}"
    ".k9 th,.k9 td{padding:.2rem .4rem}.k9 td:nth-child(-n+3){white-space:nowrap}.k9 "
    "td:last-child{min-width:11rem;overflow-wrap:anywhere}dt{font-weight:bold}pre{white-space:pre-"
    "wrap;overflow-wrap:anywhere;font-"
    "size:.8rem}"
    // Tables of cells may extend into the margin to the right, and their headings stay in sight.
    ".x{display:inline-block;vertical-align:top;margin-right:1.5rem;max-width:min(100vw - 2rem,max(100%,50vw + "
    "21rem));max-height:85vh;"
    "overflow:auto}.x thead{position:sticky;top:0;background:#fff}.x td{white-space:nowrap}.x th,.x td{padding:.2rem "
    ".35rem}.x tbody th{min-width:6.5rem;max-width:16rem}small{display:block;font-size:.72em;color:#4a4a4a}.t th,.t "
    "td{font-weight:bold}"
    ".t small{font-weight:normal}[colspan]{text-align:center}.x thead tr+tr th{text-align:right}"
    ".wide{display:block;position:relative;left:50%;transform:translateX(-50%);margin-right:0;width:max-content;"
    "min-width:100%;max-width:calc(100vw - 3rem)}summary{cursor:pointer}"
    "@media(max-width:50rem){.x{margin-right:0;font-size:.9rem}.wide{max-width:100%}}@media(prefers-color-scheme:dark){"
    "body{color:#"
    "e8e8e8;background:#"
    "15181c}figcaption,caption,small{color:#b9bec5}.x "
    "thead{background:#15181c}"
    "th,td{border-color:#3a3f46}}"
    "@media "
    "print{body{max-width:none;padding:0}#receipt{display:none}svg{min-width:0}.w{overflow:visible}.x{max-height:none;"
    "max-width:none}.wide{"
    "width:auto;left:0;transform:none}.x "
    "thead{position:static}.x td{white-space:normal}tr{break-inside:avoid}table{font-size:."
    "72rem}th,td{padding:.15rem .3rem;overflow-wrap:anywhere}}";

std::string style_text() { return page_rules + figures::style(); }

/// The bytes of hexadecimal digits in base 64, as content security policies write hashes.
std::string base64_of_hex(const std::string& hex) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : hex) {
    const int nibble = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int i = 3; i >= 0; --i) bits += ((nibble >> i) & 1) != 0 ? '1' : '0';
  }
  std::string text;
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t at = 0; at < bits.size(); at += 6) text += digits[std::stoul(bits.substr(at, 6), nullptr, 2)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string head_of(const std::string& title) {
  const std::string style = style_text();
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; img-src "
      "data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n",
      base64_of_hex(sha256(style)), title, style);
}

/// The beginning of a table, before its headings.
std::string table_start(const TableHead& head, const char* frame) {
  return fmt::format(
      "<div class=\"{2}\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">\n<table{1}>\n<caption>{0}</caption>\n<thead>\n",
      shown_in_html(head.caption), head.left < 2 ? "" : fmt::format(" class=\"k{}\"", head.left < 4 ? head.left : 9),
      frame);
}

}  // namespace

void HtmlPage::title(const std::string& words) {
  title_ = shown_in_html(words);
  body_ += "<main>\n<h1>" + title_ + "</h1>\n";
}

void HtmlPage::section(const std::string& words) {
  body_ += fmt::format("{}<section>\n<h2>{}</h2>\n", in_section_ ? "</section>\n" : "", shown_in_html(words));
  in_section_ = true;
}

void HtmlPage::paragraph(const std::string& words) { body_ += "<p>" + shown_in_html(words) + "</p>\n"; }

void HtmlPage::list(const std::vector<std::string>& items) {
  if (items.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += "<li>" + shown_in_html(item) + "</li>\n";
  body_ += "</ul>\n";
}

void HtmlPage::glossary(const std::vector<std::pair<std::string, std::string>>& words) {
  body_ += "<dl>\n";
  for (const auto& [word, meaning] : words) {
    body_ += fmt::format("<dt>{}</dt>\n<dd>{}</dd>\n", shown_in_html(word), shown_in_html(meaning));
  }
  body_ += "</dl>\n";
}

void HtmlPage::table(const TableHead& head, const std::vector<Row>& rows) {
  if (!head.summary.empty()) body_ += "<details>\n<summary>" + shown_in_html(head.summary) + "</summary>\n";
  body_ += table_start(head, "w") + "<tr>";
  for (const std::string& cell : rows.front()) body_ += "<th scope=\"col\">" + shown_in_html(cell) + "</th>";
  body_ += "</tr>\n</thead>\n<tbody>\n";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    body_ += "<tr>";
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      const std::string cell = shown_in_html(j < head.left ? rows[i][j] : with_separators(rows[i][j]));
      body_ += j < head.left && head.left < 4 ? "<th scope=\"row\">" + cell + "</th>" : "<td>" + cell + "</td>";
    }
    body_ += "</tr>\n";
  }
  end_table(head.name, rows);
  if (!head.summary.empty()) body_ += "</details>\n";
}

void HtmlPage::table(const CellTable& cells) {
  const TableHead& head = cells.head;
  const bool has_groups = !cells.groups.empty();
  constexpr std::size_t narrow = 5;  // with this many columns or fewer, there is room for another table to the right
  body_ += table_start(head, cells.headings.size() - head.left > narrow ? "w x wide" : "w x") + "<tr>";
  const std::size_t first_row = has_groups ? head.left : cells.headings.size();
  for (std::size_t i = 0; i < first_row; ++i) {
    body_ += fmt::format("<th scope=\"col\"{}>{}</th>", has_groups ? " rowspan=\"2\"" : "",
                         shown_in_html(cells.headings[i]));
  }
  for (const CellTable::Group& group : cells.groups) {
    body_ += fmt::format(R"(<th scope="colgroup" colspan="{}">{}</th>)", group.columns, shown_in_html(group.heading));
  }
  if (has_groups) body_ += "</tr>\n<tr>";
  for (std::size_t i = first_row; i < cells.headings.size(); ++i)
    body_ += "<th scope=\"col\">" + shown_in_html(cells.headings[i]) + "</th>";
  body_ += "</tr>\n</thead>\n<tbody>\n";
  for (const CellTable::Line& line : cells.lines) {
    body_ += line.is_total ? "<tr class=\"t\">" : "<tr>";
    for (const std::string& name : line.names) body_ += "<th scope=\"row\">" + shown_in_html(name) + "</th>";
    for (const CellTable::Cell& cell : line.cells) {
      const std::string small = small_print(cell);
      body_ += "<td>" + shown_in_html(with_separators(cell.value.text) + cell.sign);
      if (!small.empty()) body_ += "<small>" + shown_in_html(small) + "</small>";
      body_ += "</td>";
    }
    body_ += "</tr>\n";
  }
  end_table(head.name, number_rows(cells));
}

void HtmlPage::end_table(const std::string& name, const std::vector<Row>& rows) {
  body_ += "</tbody>\n</table>\n</div>\n";
  std::string csv;
  for (const Row& row : rows) append_csv_line(csv, row);
  files_.push_back({name + ".csv", csv});
}

void HtmlPage::add_figure(const std::string& name, const std::string& caption, const std::string& svg,
                          const std::string& file) {
  body_ += fmt::format(
      "<figure>\n<div class=\"w\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">{1}</div>\n<figcaption>{0}</figcaption>\n"
      "</figure>\n",
      figures::escaped(caption), svg);
  files_.push_back({name + ".svg", file});
}

namespace {

/// The words of a figure's file in which no line breaks before a percent sign: with a no-break space.
template <class Figure>
Figure with_kept_percents(Figure figure) {
  const auto keep = [](std::string& text) {
    constexpr std::string_view breaks = " %";
    for (std::size_t at = 0; (at = text.find(breaks, at)) != std::string::npos;) text.replace(at, 1, "\xC2\xA0");
  };
  keep(figure.title);
  if constexpr (requires { figure.remark; }) keep(figure.remark);
  return figure;
}

}  // namespace

void HtmlPage::figure(const figures::Figure& figure) {
  const figures::Figure clean = shown_figure(figure);
  add_figure(clean.name, clean.title + (clean.remark.empty() ? "" : "; " + clean.remark),
             to_svg(clean, figures::ShownIn::page), to_svg(with_kept_percents(clean), figures::ShownIn::file));
}

void HtmlPage::figure(const figures::RangeFigure& figure) {
  const figures::RangeFigure clean = shown_figure(figure);
  add_figure(clean.name, clean.title, to_svg(clean, figures::ShownIn::page),
             to_svg(with_kept_percents(clean), figures::ShownIn::file));
}

void HtmlPage::verbatim(const std::string& id, const std::string& text, const std::string& summary) {
  const std::string lines = fmt::format("<pre id=\"{}\">{}</pre>\n", id, figures::escaped(text));
  body_ += summary.empty()
               ? lines
               : fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", shown_in_html(summary), lines);
}

WebPage HtmlPage::finished() && {
  if (in_section_) body_ += "</section>\n";
  return {head_of(title_) + body_ + page_end, std::move(files_)};
}

figures::Figure shown_figure(figures::Figure figure) {
  for (std::string* const text :
       {&figure.title, &figure.remark, &figure.x_label, &figure.y_label, &figure.description}) {
    *text = shown_text(*text);
  }
  for (figures::Panel& panel : figure.panels) {
    panel.title = shown_text(panel.title);
    for (figures::Line& line : panel.lines) line.title = shown_text(line.title);
  }
  return figure;
}

figures::RangeFigure shown_figure(figures::RangeFigure figure) {
  for (std::string* const text : {&figure.title, &figure.x_label, &figure.description}) *text = shown_text(*text);
  for (figures::Range& row : figure.rows) row.label = shown_text(row.label);
  return figure;
}

}  // namespace fractile::report_detail

namespace fractile {

WebPage with_command(WebPage page, const std::string& command) {
  if (command.empty()) return page;
  report_detail::HtmlPage repeated;
  repeated.section("To repeat it");
  repeated.verbatim("command", shown_text(command));
  const std::string last = std::move(repeated).finished().html;
  page.html.resize(page.html.size() - std::string_view(report_detail::page_end).size());
  page.html += last.substr(report_detail::head_of({}).size());
  return page;
}

}  // namespace fractile

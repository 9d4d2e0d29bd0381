// The page that an explanation is written on: text, Markdown or HTML.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figures/figures.hpp"
#include "fractile/receipts.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// A table's name is that of its file, its caption says what it holds; text has neither.
struct TableHead {
  std::string name;
  std::string caption;
  std::size_t left = 1;  ///< this many columns are names, the others numbers
  std::string summary =
      {};  ///< on a page, all that is seen of the table until a reader opens it; empty: the table is seen
};

/// A table whose columns may stand in groups, as published tables do, and whose cells have small print.
struct CellTable {
  struct Group {
    std::string heading;
    std::size_t columns;
  };
  /// As people read it, and as programs do.
  struct Number {
    Number(std::string both) : text(both), read(std::move(both)) {}  // NOLINT(google-explicit-constructor)
    Number(const char* both) : Number(std::string(both)) {}          // NOLINT(google-explicit-constructor)
    Number(std::string shown, std::string written) : text(std::move(shown)), read(std::move(written)) {}

    std::string text;
    std::string read;
  };
  struct Cell {
    Number value;
    std::vector<Number> beside = {};  ///< in small print: how far it may be off, or its interval's ends
    std::string sign = {};            ///< behind the value
  };
  struct Line {
    Row names;
    std::vector<Cell> cells;
    bool is_total = false;
  };
  TableHead head;
  std::vector<Group> groups = {};  ///< over the columns behind the names; none: one row of headings
  Row headings;                    ///< of all columns; of the names first
  std::vector<Line> lines;
  Row beside = {"lower", "upper"};  ///< what programs call the numbers beside a value
};

/// The small print of a cell: "9900 to 10100"; empty without any.
std::string small_print(const CellTable::Cell& cell);
/// With one row of headings, and small print behind values.
std::vector<Row> plain_rows(const CellTable& table);
/// For programs: with one row of headings, and one number per cell.
std::vector<Row> number_rows(const CellTable& table);

/// Puts separators of thousands into a number of five digits or more, with which the text begins: "12,600 or above". All else stays,
/// years and dates too.
std::string with_separators(const std::string& text);

/// Headings, paragraphs, lists, tables and figures, in order. All words may be anybody's.
class Page {
 public:
  Page() = default;
  virtual ~Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  virtual void title(const std::string& words) = 0;
  virtual void section(const std::string& words) = 0;
  virtual void paragraph(const std::string& words) = 0;
  virtual void list(const std::vector<std::string>& items) = 0;
  /// Words and what they mean.
  virtual void glossary(const std::vector<std::pair<std::string, std::string>>& words) = 0;
  /// The first row is the heading.
  virtual void table(const TableHead& head, const std::vector<Row>& rows) = 0;
  virtual void table(const CellTable& cells) = 0;
  /// A part of another sentence that someone typed, so that it means nothing to the page.
  virtual std::string typed(const std::string& words) const { return words; }

  // Only where pictures can be shown; text leaves them out.
  virtual bool has_figures() const { return false; }
  virtual void figure(const figures::Figure& /*figure*/) {}
  virtual void figure(const figures::RangeFigure& /*figure*/) {}
  /// A text of many lines, to the letter. With a summary, only that is seen until a reader opens it.
  virtual void verbatim(const std::string& /*id*/, const std::string& /*text*/, const std::string& /*summary*/ = {}) {}
};

/// Text or Markdown.
class ProsePage : public Page {
 public:
  explicit ProsePage(Prose prose) : markdown_(prose == Prose::markdown) {}
  void title(const std::string& words) override;
  void section(const std::string& words) override;
  void paragraph(const std::string& words) override;
  void list(const std::vector<std::string>& items) override;
  void glossary(const std::vector<std::pair<std::string, std::string>>& words) override;
  void table(const TableHead& head, const std::vector<Row>& rows) override;
  void table(const CellTable& cells) override { table(cells.head, plain_rows(cells)); }
  std::string typed(const std::string& words) const override;
  const std::string& text() const { return text_; }

 private:
  void add(const std::string& block);

  bool markdown_;
  bool between_ = true;  // a line is left empty before the next block
  std::string text_;
};

/// One HTML file, and its figures and tables as files.
class HtmlPage : public Page {
 public:
  void title(const std::string& words) override;
  void section(const std::string& words) override;
  void paragraph(const std::string& words) override;
  void list(const std::vector<std::string>& items) override;
  void glossary(const std::vector<std::pair<std::string, std::string>>& words) override;
  void table(const TableHead& head, const std::vector<Row>& rows) override;
  void table(const CellTable& cells) override;
  bool has_figures() const override { return true; }
  void figure(const figures::Figure& figure) override;
  void figure(const figures::RangeFigure& figure) override;
  void verbatim(const std::string& id, const std::string& text, const std::string& summary = {}) override;
  WebPage finished() &&;

 private:
  void end_table(const std::string& name, const std::vector<Row>& rows);
  void add_figure(const std::string& name, const std::string& caption, const std::string& svg, const std::string& file);

  std::string title_;
  std::string body_;
  bool in_section_ = false;
  std::vector<PageFile> files_;
};

/// How the page's report can be made again; nothing unless the options have a command.
void say_command(HtmlPage& page, const PageOptions& options);

/// A figure's words as shown_text has them.
figures::Figure shown_figure(figures::Figure figure);
figures::RangeFigure shown_figure(figures::RangeFigure figure);

}  // namespace fractile::report_detail

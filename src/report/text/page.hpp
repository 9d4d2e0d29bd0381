// The page on which an explanation is written: text, Markdown or HTML.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exact/uncopied.hpp"
#include "figures/figures.hpp"
#include "fractile/receipts.hpp"
#include "report/text/text_columns.hpp"

namespace fractile::report_detail {

/// The name of a table is that of its file, and the caption says what the table holds. Text shows neither.
struct TableHead {
  std::string name;
  std::string caption;
  std::size_t left = 1;  ///< this many columns are names, and the others are numbers
  /// What a page shows in place of the table until a reader opens it. If empty, the table is shown.
  std::string summary = {};
};

/// A table for published values. Its columns may be grouped, and its cells may have small print.
struct CellTable {
  struct Group {
    std::string heading;
    std::size_t columns;
  };
  /// A number as people read it, and as programs do.
  struct Number {
    Number(std::string both) : text(both), read(std::move(both)) {}  // NOLINT(google-explicit-constructor)
    Number(const char* both) : Number(std::string(both)) {}          // NOLINT(google-explicit-constructor)
    Number(std::string shown, std::string written) : text(std::move(shown)), read(std::move(written)) {}

    std::string text;
    std::string read;
  };
  struct Cell {
    Number value;
    std::vector<Number> beside = {};  ///< in small print: the error, or the ends of the interval
    std::string sign = {};            ///< follows the value
    std::string mark = {};  ///< what programs read of the sign, or of a text in place of the value: "unreliable"
  };
  struct Line {
    Row names;
    std::vector<Cell> cells;
    bool is_total = false;
  };
  TableHead head;
  std::vector<Group> groups = {};  ///< over the columns after the names; if empty, there is one row of headings
  Row headings;                    ///< of all columns, beginning with those of the names
  std::vector<Line> lines;
  Row beside = {"lower", "upper"};  ///< how programs name the numbers next to a value
};

/// The small print of a cell: "9900 to 10100"; empty if there is none.
std::string small_print(const CellTable::Cell& cell);
/// The table with one row of headings, and with small print after values.
std::vector<Row> plain_rows(const CellTable& table);
/// The table for programs, with one row of headings and one number per cell. Values of which some have marks are followed by their marks.
std::vector<Row> number_rows(const CellTable& table);

/// The words in lines of up to 96 bytes, each with its end. `first` precedes the first line, and `indent` all others.
std::string wrapped(const std::string& words, const std::string& first = {}, const std::string& indent = {});

/// Inserts thousands separators into a number of five digits or more at the beginning of the text: "12,600 or above". Everything else
/// stays, including years and dates.
std::string with_separators(const std::string& text);

/// Headings, paragraphs, lists, tables and figures, in order. The words may come from anyone.
class Page : Uncopied {
 public:
  virtual ~Page() = default;

  virtual void title(const std::string& words) = 0;
  virtual void section(const std::string& words) = 0;
  virtual void paragraph(const std::string& words) = 0;
  virtual void list(const std::vector<std::string>& items) = 0;
  /// Words and their meanings.
  virtual void glossary(const std::vector<std::pair<std::string, std::string>>& words) = 0;
  /// The first row holds the headings.
  virtual void table(const TableHead& head, const std::vector<Row>& rows) = 0;
  virtual void table(const CellTable& cells) = 0;
  /// Words that someone typed, as a part of a sentence, escaped so that they mean nothing to the page's format.
  virtual std::string typed(const std::string& words) const { return words; }

  // Only pages that can show pictures have figures. Text leaves them out.
  virtual bool has_figures() const { return false; }
  virtual void figure(const figures::Figure& /*figure*/) {}
  virtual void figure(const figures::RangeFigure& /*figure*/) {}
  /// A text of many lines, to the letter. If there is a summary, a page shows only the summary until a reader opens the text.
  virtual void verbatim(const std::string& /*id*/, const std::string& /*text*/, const std::string& /*summary*/ = {}) {}
};

/// A page of text or Markdown.
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
  bool between_ = true;  // whether an empty line precedes the next block
  std::string text_;
};

/// One HTML file, with its figures and tables as further files.
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

/// The figure with all its words as by shown_text().
figures::Figure shown_figure(figures::Figure figure);
figures::RangeFigure shown_figure(figures::RangeFigure figure);

}  // namespace fractile::report_detail

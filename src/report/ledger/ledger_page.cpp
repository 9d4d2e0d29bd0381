// A ledger as a page.
#include <algorithm>

#include "exact/own_environment.hpp"
#include "exact/wording.hpp"
#include "fractile/reports.hpp"
#include "libraries/fmt.hpp"
#include "report/ledger/dataset_words.hpp"
#include "report/ledger/ledger_words.hpp"
#include "report/ledger/query_words.hpp"
#include "report/text/decimals.hpp"
#include "report/text/page.hpp"

namespace fractile {

using namespace report_detail;

namespace {

double number_of(const Spending& spending) {
  return spending.measure == Measure::zcdp ? spending.rho.to_double() : spending.epsilon.to_double();
}

double number_of(const Budget& budget) {
  return budget.measure() == Measure::zcdp ? budget.rho().to_double() : budget.epsilon().to_double();
}

/// The entries of a dataset, and what was spent after each.
struct Step {
  const LedgerEntry* entry;
  Spending after;
};

std::vector<Step> steps_of(const LedgerStatement& statement, const LedgerDataset& dataset) {
  std::vector<Step> steps;
  Spending spent{dataset.budget.measure()};
  for (const LedgerEntry& entry : statement.entries) {
    if (entry.request.dataset != dataset.name) continue;
    if (entry.state != EntryState::voided) spent.add(entry.charge);
    steps.push_back({&entry, spent});
  }
  return steps;
}

figures::Figure figure_of(const std::vector<Step>& steps, const LedgerAccount& account, std::size_t number) {
  const double budget = number_of(account.dataset.budget);
  const auto last = static_cast<double>(steps.size());
  figures::Line line{"spent, entry by entry", "", 1, 2.5};
  figures::Line limit{"budget", "", 2, 2};
  figures::Line reserved{"reserved, counts as spent", "", 1, 2, 3};
  figures::Line voided{"void, does not count", "", 1, 2, 7};
  reserved.joined = false;
  voided.joined = false;
  limit.points = {{0, budget, budget, budget}, {last + 0.5, budget, budget, budget}};
  line.points.push_back({0, 0, 0, 0});
  double before = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto x = static_cast<double>(i + 1);
    const double after = number_of(steps[i].after);
    line.points.push_back({x, before, before, before});
    line.points.push_back({x, after, after, after});
    const EntryState state = steps[i].entry->state;
    if (state == EntryState::reserved || state == EntryState::drawn)
      reserved.points.push_back({x, after, after, after});
    if (state == EntryState::voided) voided.points.push_back({x, after, after, after});
    before = after;
  }
  line.points.push_back({last + 0.5, before, before, before});
  std::vector<double> tics;
  const std::size_t stride = std::max<std::size_t>(1, (steps.size() + 11) / 12);
  for (std::size_t i = stride; i <= steps.size(); i += stride) tics.push_back(static_cast<double>(i));
  const char* const measure = account.dataset.budget.measure() == Measure::zcdp ? "rho" : "epsilon";
  figures::Panel panel{"",
                       figures::Axis{false, 0, last + 0.5, tics},
                       figures::Axis{false, 0, std::max(budget, before) * 1.08},
                       {line, limit}};
  if (!reserved.points.empty()) panel.lines.push_back(reserved);
  if (!voided.points.empty()) panel.lines.push_back(voided);
  return {fmt::format("ledger_{}", number),
          fmt::format("Spent on {}, entry by entry", account.dataset.name),
          "in the order of the entries, not of time",
          "entries of this dataset",
          measure,
          {std::move(panel)},
          steps.size() == 1 ? "One entry; the table has it."
                            : fmt::format("{} entries; the table has them.", steps.size())};
}

std::vector<Row> rows_of(const std::vector<Step>& steps) {
  std::vector<Row> rows{{"entry", "state", "reserved at", "cost", "spent after it", "query"}};
  for (const auto& [entry, after] : steps) {
    rows.push_back({fmt::format("{}", entry->id), to_string(entry->state), entry->reserved_at, charge_of(*entry),
                    with_decimals(after),
                    query_in_words(entry->request.query) +
                        (entry->reason.empty() ? "" : " (void because: " + entry->reason + ")")});
  }
  return rows;
}

void write_account(HtmlPage& page, const LedgerStatement& statement, const LedgerAccount& account, std::size_t number) {
  const auto& [dataset, balance] = account;
  page.section("Dataset " + dataset.name);
  std::vector<std::string> items{
      fmt::format("Budget: {}, for each {}, {} neighbors", with_decimals(dataset.budget), dataset.unit,
                  to_string(dataset.neighbors)),
      fmt::format("Spent: {}, of which reserved: {}{}", with_decimals(balance.spent), with_decimals(balance.reserved),
                  report_detail::drawn_among_reserved(statement, dataset)),
      fmt::format("Left: {}", with_decimals(balance.remaining))};
  if (const std::string pinned = pins_in_words(dataset).in(Wording::program); !pinned.empty()) {
    items.push_back("Releases must have " + pinned);
  }
  const std::string permitted = permissions_in_words(dataset).in(Wording::program);
  if (!permitted.empty()) items.push_back("Permitted: " + permitted);
  if (!dataset.witness.empty()) items.push_back("Its witness: " + dataset.witness);
  for (const LedgerSource& source : statement.sources) {
    if (source.dataset != dataset.name) continue;
    items.push_back("Read so far: " + reading_in_words(source).in(Wording::program));
  }
  page.list(items);
  const std::vector<Step> steps = steps_of(statement, dataset);
  if (steps.empty()) return page.paragraph("There is no entry yet.");
  page.figure(figure_of(steps, account, number));
  page.table({fmt::format("ledger_{}", number), "Entries of " + dataset.name, 9}, rows_of(steps));
}

}  // namespace

WebPage to_html(const LedgerStatement& statement, const PageOptions& options) {
  const OwnEnvironment own;
  HtmlPage page;
  page.title(options.about.title.empty() ? "Privacy ledger" : options.about.title);
  page.paragraph(
      "For the data's owner. A reserved entry counts as spent until the owner voids it; a void entry does not count. "
      "Entries stand in their own order, not in that of their times.");
  if (!statement.damage.empty()) {
    page.paragraph("The ledger is damaged; the sums cover only what can still be read:");
    page.list(statement.damage);
  }
  for (std::size_t i = 0; i < statement.accounts.size(); ++i) {
    write_account(page, statement, statement.accounts[i], i + 1);
  }
  if (statement.accounts.empty()) page.paragraph("The ledger is empty.");
  if (!statement.damage.empty()) return std::move(page).finished();
  page.section("Whether lines are missing");
  page.paragraph(
      "Each line of the ledger has a hash of itself and of all lines before it; all these hashes match. The ledger "
      "alone does not show whether lines at its end are missing. So keep the last hash elsewhere; fractile ledger "
      "verify --head compares it:");
  page.paragraph(statement.events.empty() ? "(none yet)" : statement.events.back().hash);
  return std::move(page).finished();
}

}  // namespace fractile

#include "release.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain.hpp"
#include "fractile/receipts.hpp"
#include "fractile/source.hpp"
#include "options.hpp"
#include "requests/counting.hpp"
#include "requests/release.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "watcher.hpp"

namespace fractile::cli {
namespace {

/// What is printed of a new release, and the files of a page.
WebPage rendered_release(const Answer& answer, const Shown& shown) {
  const bool is_table = shown.format == Format::table;
  if (!shown.compared) return {is_table ? to_table(*answer.release, answer.source) : to_csv(*answer.release)};
  const Receipt receipt = read_receipt(answer.json(), "the release");
  const std::vector<NamedComparison> comparisons = comparisons_of(receipt, *shown.compared);
  return {is_table ? to_table(*answer.release, answer.source) + "\n" + to_table(receipt, comparisons)
                   : to_csv(receipt, comparisons)};
}

/// The same of what a ledger holds already.
WebPage rendered_entry(const LedgerEntry& entry, const std::string& name, const Shown& shown) {
  const Receipt receipt = read_receipt(entry.receipt, name);
  std::vector<NamedComparison> comparisons;
  if (shown.compared) comparisons = comparisons_of(receipt, *shown.compared);
  if (shown.format == Format::csv) return {shown.compared ? to_csv(receipt, comparisons) : to_csv(receipt)};
  return {to_table(receipt) +
          fmt::format("\n{}, neighbors {}, released on {} (entry {})\n", entry.request.cost.to_string(),
                      to_string(entry.request.neighbors), entry.reserved_at, entry.id) +
          (shown.compared ? "\n" + to_table(receipt, comparisons) : "")};
}

WebPage rendered(const Answer& answer, const Shown& shown) {
  const std::string name = answer.stored ? fmt::format("the receipt of entry {}", answer.stored->id) : "the release";
  if (shown.format == Format::json) return {answer.json()};
  if (shown.format == Format::html) return page_of(answer.json(), name, shown);
  return answer.stored ? rendered_entry(*answer.stored, name, shown) : rendered_release(answer, shown);
}

/// Who asked for a release, and how it is to be shown.
class Person final : public Watcher {
 public:
  explicit Person(Shown shown) : shown_(std::move(shown)) {}

  void prepare(const Answer& answer) override {
    shown_.page.options.account = answer.account;
    page_ = rendered(answer, shown_);
  }
  void make_room(std::uint64_t receipt_size) override { shown_.page.make_room(receipt_size); }
  void on_interrupt(const Words& what, const Words& hint) override { cli::on_interrupt(what, hint); }
  void hold_interrupts() override { cli::hold_interrupts(); }
  bool is_interrupted() override { return cli::is_interrupted(); }

  void print_page(const Words& kept) const { shown_.page.print_page(page_, kept); }

 private:
  Shown shown_;
  WebPage page_;
};

}  // namespace

int run_release(const Typed& typed) {
  std::optional<ProfileFile> counts = counts_of(typed);
  const Typed asked = counts ? with_header(typed, counts->header()) : typed;
  const ReleaseRequest request = ReleaseRequest::of(asked, false);
  Person person(shown_as(typed, request.query, request.selection.keys));
  const auto open = [&](const OnOpened& on_opened) -> std::unique_ptr<Records> {
    if (counts) return counted_records(std::move(*counts), on_opened);
    if (request.postgres) {
      return std::make_unique<RecordsOf<PostgresQuery>>(PostgresQuery::open(*request.postgres, on_opened));
    }
    return std::make_unique<RecordsOf<Table>>(Table::open(request.table, on_opened));
  };
  const Answer answer = requests::answer(asked, request, open, person);
  person.print_page(answer.kept);
  return 0;
}

}  // namespace fractile::cli

// fractile release: publishes one column of one table.
#include "requests/release.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain.hpp"
#include "fractile/ranks.hpp"
#include "fractile/receipts.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"
#include "requests/counting.hpp"
#include "requests/groups.hpp"
#include "requests/text_file.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"
#include "watcher.hpp"

namespace fractile::cli {
namespace {

/// The text that is printed for a release, and the files of its page.
WebPage rendered(const Answer& answer, const Shown& shown) {
  const Release& release = *answer.release;
  if (shown.format == Format::json) return {to_json(release)};
  if (shown.format == Format::html) return page_of(release, shown);
  std::vector<NamedComparison> comparisons;
  if (shown.compared) comparisons = comparisons_of(release, *shown.compared);
  if (shown.format == Format::csv) return {shown.compared ? to_csv(release, comparisons) : to_csv(release)};
  std::string table = to_table(release);
  if (answer.stored) table += fmt::format("released on {} (entry {})\n", answer.stored->reserved_at, answer.stored->id);
  if (shown.compared) table += "\n" + to_table(release, comparisons);
  return {table};
}

/// Attends a release at the terminal, and shows it as `shown` says.
class ReleaseWatcher final : public Watcher {
 public:
  explicit ReleaseWatcher(Shown shown) : shown_(std::move(shown)) {}

  void prepare(Answer& answer) override {
    shown_.page.options.account = answer.account;
    const bool has_receipt = shown_.format == Format::json || shown_.format == Format::html;
    if (has_receipt) answer.release = with_receipt(std::move(*answer.release));
    page_ = rendered(answer, shown_);
  }
  void reserve_room(std::uint64_t receipt_size) override { shown_.page.make_room(receipt_size); }

  void print_page(const Words& kept) const { shown_.page.print_page(page_, kept); }

 private:
  Shown shown_;
  WebPage page_;
};

std::string rehearsed(const Rehearsal& rehearsal, const ReleaseRequest& request) {
  const std::string cost = request.query.budget.to_string();
  const std::string type = rehearsal.column_type.empty() ? "" : " (" + rehearsal.column_type + ")";
  std::string text = fmt::format("column     {}{}\n", shown_text(request.column.column), type);
  const Lattice& lattice = request.column.lattice;
  text += request.bounds ? fmt::format("values     multiples of {}, between bounds that a part of the cost finds\n",
                                       distance_text(lattice.kind(), lattice.step()))
                         : fmt::format("values     {} possible ones, {} to {}\n", lattice.size(), lattice.text(0),
                                       lattice.text(lattice.size() - 1));
  if (!request.column.selection.by.empty()) {
    text += fmt::format("groups     {}, by {}\n", request.column.selection.keys.size(),
                        shown_text(to_string(request.column.selection.by)));
  }
  text += fmt::format("cost       {} ({}), neighbors {}, at most {} record{} a person\n", cost,
                      to_string(request.query.budget.measure()), to_string(request.query.neighbors),
                      request.query.records_per_person, request.query.records_per_person == 1 ? "" : "s");
  if (rehearsal.stored) {
    text += fmt::format("held       entry {} has held this very release since {}: it would cost nothing\n",
                        rehearsal.stored->id, rehearsal.stored->reserved_at);
  }
  if (rehearsal.account) {
    text +=
        fmt::format("remaining  {} of {} in dataset {}, afterwards\n", rehearsal.account->balance.remaining.to_string(),
                    rehearsal.account->dataset.budget.to_string(), shown_text(rehearsal.account->dataset.name));
  } else {
    text += "ledger     none: no budget would be debited\n";
  }
  return text + "a dry run: nothing was charged, and no record was looked at\n";
}

}  // namespace

int run_release(const Typed& words) {
  const Typed typed = requests::with_texts_of_files(words);
  std::optional<ProfileFile> counts = counts_of(typed);
  const Typed asked = counts ? with_header(typed, counts->header()) : typed;
  const ReleaseRequest request = release_asked(asked);
  Source source = source_asked(asked, std::move(counts));
  const std::optional<Payment> payment = payment_asked(asked);
  Shown shown = shown_as(typed, request);
  if (typed.has("dry_run")) {
    Watcher watcher;
    print(rehearsed(rehearse(std::move(source), request, payment, watcher), request), "nothing was changed");
    return 0;
  }
  ReleaseWatcher watcher(std::move(shown));
  // The program is about to end, and giving the memory of many groups back takes as long as printing them.
  static const Answer* const answer = new Answer(publish(std::move(source), request, payment, watcher));
  watcher.print_page(answer->status);
  return 0;
}

}  // namespace fractile::cli

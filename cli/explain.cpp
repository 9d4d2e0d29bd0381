#include "explain.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "exact/lists.hpp"
#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "page_output.hpp"
#include "publication/datasets.hpp"
#include "report/flow/printed_parts.hpp"
#include "report/release/explained_guess.hpp"
#include "report/release/page_receipt.hpp"
#include "requests/about.hpp"
#include "requests/flow.hpp"
#include "requests/query.hpp"
#include "requests/text_file.hpp"
#include "requests/values.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace fractile::cli {
std::string receipt_text(const std::string& file) {
  const std::string name = file == "-" ? "standard input" : file;
  const char* const hint = "name a file that fractile release --receipt wrote";
  Progress progress("reading " + name);
  TextFile input = file == "-" ? read_standard_input(most_receipt_bytes) : read_text(file, most_receipt_bytes);
  if (!input.trouble.empty()) {
    throw Error(ErrorCode::data, "the receipt '" + name + "' cannot be read: " + input.trouble, hint);
  }
  if (input.text.empty()) throw Error(ErrorCode::data, "'" + name + "' is empty", hint);
  return std::move(input.text);
}

namespace {

enum class Explained { text, markdown, html, json, registry };

Explained format_of_page(const Typed& typed) {
  return choice<Explained>(typed, "format",
                           {{"text", Explained::text},
                            {"markdown", Explained::markdown},
                            {"html", Explained::html},
                            {"json", Explained::json},
                            {"registry", Explained::registry}},
                           Explained::text);
}

constexpr const char* name_its_ledger = "name the ledger that the release was paid from, or leave it out";

/// The dataset that was typed, or else the one that the receipt names, or else the ledger's only one.
std::string dataset_behind(const Typed& typed, const Ledger& ledger, const std::optional<Charge>& charge) {
  const Payment payment{typed.one("ledger"), typed.one("dataset")};
  std::string paid = charge ? charge->dataset : "";  // a receipt of an older program does not name it
  if (!payment.dataset.empty() || paid.empty()) {
    std::string dataset = publication_detail::dataset_of(ledger, payment).name;
    if (paid.empty() || dataset == paid) return dataset;
    usage({Field("dataset"), ": the receipt names the dataset '", paid, "', and not '", dataset, "'"},
          "leave it out, or explain another receipt");
  }
  const std::vector<LedgerDataset> datasets = ledger.datasets();
  if (std::ranges::find(datasets, paid, &LedgerDataset::name) != datasets.end()) return paid;
  usage({Field("ledger"), ": the ledger '", shown_ledger(payment.ledger), "' has no dataset '", paid,
         "', which the receipt names"},
        name_its_ledger);
}

/// The account that paid for these receipts, if a ledger is named. Throws `usage` unless the ledger holds all of them. `charge`: the one
/// that the first of them names.
std::optional<LedgerAccount> account_behind(const Typed& typed, const std::vector<std::string>& receipts,
                                            const std::optional<Charge>& charge) {
  if (!typed.has("ledger")) {
    if (typed.has("dataset"))
      usage({Field("dataset"), " goes with ", Field("ledger")}, "name the ledger, or leave it out");
    return {};
  }
  const Ledger ledger = Ledger::open_to_read(typed.one("ledger"));
  const std::string dataset = dataset_behind(typed, ledger, charge);
  std::set<std::string> missing(receipts.begin(), receipts.end());
  for (const LedgerEntry& entry : ledger.statement().entries) {
    if (entry.request.dataset == dataset) missing.erase(entry.receipt);
  }
  if (missing.empty()) return ledger.account(dataset);
  usage({Field("ledger"), ": no entry of the dataset '", dataset, "' holds this receipt"}, name_its_ledger);
}

/// The entry for the registry about a release or the tables of a publication.
template <class Published>
std::string record_of(const Typed& typed, const Published& published) {
  refuse_given(typed, {"public", "figures", "compare", "guess", "ledger", "dataset"},
               {" does not go with ", Field("format").text("registry")}, "leave it out");
  if (!typed.has("about")) {
    usage({"the registry requires who published the values, and for what use: ", Field("about"), " is missing"},
          "name a TOML file with lines such as title = \"Incomes 2025\"", "about");
  }
  return to_registry(published, about_in_file(typed.one("about")));
}

std::vector<NamedComparison> compared_in(const Release& release, const Shown& shown) {
  if (!shown.compared) return {};
  return in_field("compare", [&] { return comparisons_of(release, *shown.compared); });
}

}  // namespace

WebPage page_of(const Release& release, const Shown& shown) {
  return to_html(release, compared_in(release, shown), shown.page.options);
}

namespace {

constexpr const char* unchanged = "nothing was changed";

/// Warns if the page was altered or made by another version. What is printed then comes from the page's receipt, and not from what the page
/// shows.
void warn_of_altered(const std::string& page, const WebPage& made_again) {
  if (page.empty()) return;
  const std::vector<std::string> parts = altered_parts(page, made_again);
  if (parts.empty()) return;
  const std::string more =
      parts.size() == 1 ? "" : " and in " + std::to_string(parts.size() - 1) + " more of its parts";
  print_error(
      {"warning: the page does not show what its receipt says, in '", parts.front(), "'", more},
      "it was altered, saved in another form, or made by another version; what is printed here is from the receipt");
}

/// Prints a release, or the tables of a publication. `receipts` are those that a ledger must hold, and `charge` is that of the first one.
template <class Published, class MakePage, class InProse>
int print_explained(const Typed& typed, Explained format, PageOutput& page, const Published& published,
                    const std::vector<std::string>& receipts, const std::optional<Charge>& charge,
                    const MakePage& make_page, const InProse& in_prose) {
  if (format == Explained::registry) {
    print(record_of(typed, published), unchanged);
    return 0;
  }
  page.options.account = account_behind(typed, receipts, charge);
  if (format == Explained::html) {
    page.print_page(make_page(), unchanged);
  } else if (format == Explained::json) {
    print(published.receipt, unchanged);
  } else {
    print(in_prose(format == Explained::text ? Prose::text : Prose::markdown), unchanged);
  }
  return 0;
}

int explain_tables(const Typed& typed, PageOutput page, const PublishedTables& tables, Explained format,
                   const std::string& its_page) {
  warn_of_altered(its_page, to_html(tables, {}));
  refuse_given(typed, {"compare", "guess"}, " is for the receipt of a release", "leave it out");
  const std::vector<std::string> receipts =
      mapped(tables.levels, [](const PublishedLevel& level) { return level.release.receipt; });
  return print_explained(
      typed, format, page, tables, receipts, tables.levels.front().release.charge,
      [&] { return to_html(tables, page.options); }, [&](Prose prose) { return explain(tables, prose, page.options); });
}

}  // namespace

int run_explain(const Typed& typed) {
  if (typed.file.empty()) usage("no RECEIPT to explain", "name a file that fractile release --receipt wrote");
  const Explained format = format_of_page(typed);
  if (format == Explained::json) {
    refuse_given(typed, {"compare", "guess"},
                 {" does not go with ", Field("format").text("json"), ", which prints the receipt"}, "leave it out");
  }
  Shown shown{format == Explained::html ? Format::html : Format::table, comparison_of(typed)};
  if (format != Explained::registry) shown.page = PageOutput::of(typed, shown.format);
  PageOptions& options = shown.page.options;
  options.guess_above = guessed_limit(typed);
  const std::string name = typed.file == "-" ? "standard input" : typed.file;
  std::string text = receipt_text(typed.file);
  std::string its_page;
  if (text.starts_with("<!DOCTYPE html>")) {
    its_page = std::move(text);
    text = receipt_of_page(its_page);
    if (text.empty()) {
      if (is_cut_off_page(its_page)) {
        throw Error(ErrorCode::data,
                    "'" + name + "' is a page whose end is missing, and with it the receipt, if it had one",
                    "explain the whole page, or the file that fractile release --receipt wrote");
      }
      throw Error(ErrorCode::data, "'" + name + "' is a page without a receipt, as public pages are",
                  "explain the file that fractile release --receipt wrote");
    }
  }
  if (is_publication_receipt(text))
    return explain_tables(typed, std::move(shown.page), read_publication_receipt(text, name), format, its_page);
  const Release release = read_receipt(text, name);
  warn_of_altered(its_page, to_html(release, {}, {}));
  if (!options.guess_above.empty()) {
    report_detail::require_guess(options.guess_above, release.lattice.kind(), release.query, release.is_grouped());
  }
  return print_explained(
      typed, format, shown.page, release, {text}, release.charge, [&] { return page_of(release, shown); },
      [&](Prose prose) { return explain(release, prose, compared_in(release, shown), options); });
}

}  // namespace fractile::cli

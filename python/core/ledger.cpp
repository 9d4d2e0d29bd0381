// Binds the ledger: budgets, and what was spent.
#include "fractile/ledger.hpp"

#include <algorithm>
#include <utility>

#include "arguments.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "fractile/reports.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "pages.hpp"
#include "publication/datasets.hpp"
#include "report.hpp"
#include "requests/datasets.hpp"
#include "requests/typed.hpp"

namespace fractile::python {
namespace {

/// The ledger's statement; if a dataset is named, only its part.
LedgerStatement statement_of(const std::string& path, const std::string& dataset) {
  const Ledger ledger = Ledger::open_to_read(path);
  LedgerStatement statement = ledger.statement();
  if (!dataset.empty()) requests::keep_dataset(statement, publication_detail::dataset_of(ledger, {path, dataset}).name);
  return statement;
}

void add_dataset(const std::string& path, Arguments words) {
  Ledger::init(path, requests::dataset_to_add({{}, path, {}, std::move(words)}));
}

/// The paths of the witnesses. With `accept`, the ledger first charges again what they have seen.
std::vector<std::string> witnesses_of(const std::string& path, bool accept) {
  if (accept) Ledger::open(path).accept_witnesses();
  std::vector<std::string> paths;
  for (const LedgerWitness& witness : Ledger::open_to_read(path).witnesses()) {
    if (!witness.fault.empty()) {
      throw Error(ErrorCode::ledger, witness.fault,
                  "if a backup was put back and no later copy exists: ledger.witness(accept=True)");
    }
    paths.push_back(witness.path);
  }
  return paths;
}

Page page_of(const LedgerStatement& statement, const Texts& about) {
  return in_pair(to_html(statement, {about_of(about)}));
}

void bind_accounts(nb::module_& module) {
  nb::class_<LedgerAccount>(module, "Account", "A dataset of a ledger, with what was spent of its budget.")
      .def_prop_ro(
          "dataset", [](const LedgerAccount& account) { return account.dataset.name; }, "Its name.")
      .def_prop_ro(
          "unit", [](const LedgerAccount& account) { return account.dataset.unit; },
          "The unit of privacy, such as person.")
      .def_prop_ro(
          "budget", [](const LedgerAccount& account) { return account.dataset.budget.to_string(); },
          "The budget of all releases together.")
      .def_prop_ro(
          "spent", [](const LedgerAccount& account) { return account.balance.spent.to_string(); },
          "The cost of all entries that are reserved, drawn or committed.")
      .def_prop_ro(
          "reserved", [](const LedgerAccount& account) { return account.balance.reserved.to_string(); },
          "The part of `spent` that is reserved or drawn.")
      .def_prop_ro(
          "remaining", [](const LedgerAccount& account) { return account.balance.remaining.to_string(); },
          "What is left for further releases.")
      .def("__repr__", [](const LedgerAccount& account) {
        const LedgerBalance& balance = account.balance;
        return in_words("Account", {{"dataset", nb::cast(account.dataset.name)},
                                    {"budget", nb::cast(account.dataset.budget.to_string())},
                                    {"spent", nb::cast(balance.spent.to_string())},
                                    {"reserved", nb::cast(balance.reserved.to_string())},
                                    {"remaining", nb::cast(balance.remaining.to_string())}});
      });
}

void bind_entries(nb::module_& module) {
  nb::class_<LedgerEntry>(module, "Entry", "An entry: what a ledger holds about one release.")
      .def_ro("id", &LedgerEntry::id, "Its number, from 1 on.")
      .def_prop_ro(
          "dataset", [](const LedgerEntry& entry) { return entry.request.dataset; }, "The dataset whose budget paid.")
      .def_prop_ro(
          "query", [](const LedgerEntry& entry) { return entry.request.query; },
          "The query, in JSON; the same query has the same text.")
      .def_prop_ro(
          "cost", [](const LedgerEntry& entry) { return entry.request.cost.to_string(); }, "The cost of the release.")
      .def_prop_ro(
          "state", [](const LedgerEntry& entry) { return to_string(entry.state); },
          R"("reserved", "drawn", "committed" or "void".)")
      .def_ro("reserved_at", &LedgerEntry::reserved_at, "When it was charged, in UTC.")
      .def_ro("settled_at", &LedgerEntry::settled_at, "When it was committed or voided, in UTC; empty before.")
      .def_ro("receipt", &LedgerEntry::receipt, "The receipt of what was published; empty before.")
      .def_ro("reason", &LedgerEntry::reason, "Why it was voided.")
      .def("__repr__", [](const LedgerEntry& entry) {
        return in_words("Entry", {{"id", nb::cast(entry.id)},
                                  {"dataset", nb::cast(entry.request.dataset)},
                                  {"cost", nb::cast(entry.request.cost.to_string())},
                                  {"state", nb::cast(to_string(entry.state))},
                                  {"reserved_at", nb::cast(entry.reserved_at)}});
      });
}

void bind_statement(nb::module_& module) {
  nb::class_<LedgerStatement>(module, "Statement", "Everything that a ledger holds at one moment.")
      .def_ro("accounts", &LedgerStatement::accounts, "The datasets.")
      .def_ro("entries", &LedgerStatement::entries, "The entries, the first one first.")
      .def(
          "json",
          [](const LedgerStatement& s, bool all) {
            return to_json(s, all ? LedgerDetail::everything : LedgerDetail::balances);
          },
          nb::arg("everything") = false,
          "The JSON of `fractile ledger show`; with `everything`, that of `fractile ledger export`.")
      .def(
          "csv",
          [](const LedgerStatement& s, bool all) {
            return to_csv(s, all ? LedgerDetail::everything : LedgerDetail::balances);
          },
          nb::arg("everything") = false, "The same as CSV.")
      .def(
          "table", [](const LedgerStatement& s) { return to_table(s); }, "The table of `fractile ledger show`.")
      .def("page", &page_of, nb::arg("about"), "The page, and its figures and tables by the names of their files.")
      .def("__repr__", [](const LedgerStatement& s) {
        return in_words("Statement",
                        {{"accounts", nb::cast(s.accounts.size())}, {"entries", nb::cast(s.entries.size())}});
      });
}

}  // namespace

void bind_ledger(nb::module_& module) {
  bind_accounts(module);
  bind_entries(module);
  bind_statement(module);
  // Other threads go on while one waits for a file that is locked, or for a server.
  module.def("ledger_statement", &statement_of, nb::arg("path"), nb::arg("dataset") = "", nb::call_guard<Unlocked>());
  module.def("ledger_shown", &shown_ledger, nb::arg("path"));
  module.def("ledger_add", &add_dataset, nb::arg("path"), nb::arg("words"), nb::call_guard<Unlocked>());
  module.def(
      "ledger_verify",
      [](const std::string& path, const std::string& head) {
        const Ledger ledger = Ledger::open_to_read(path);
        const std::string last = ledger.verify(head);
        require_own_receipts(ledger.statement());
        return last;
      },
      nb::arg("path"), nb::arg("head") = "", nb::call_guard<Unlocked>());
  module.def("ledger_witness", &witnesses_of, nb::arg("path"), nb::arg("accept") = false, nb::call_guard<Unlocked>());
  module.def(
      "ledger_void",
      [](const std::string& path, std::int64_t entry, const std::string& reason) {
        Ledger::open(path).void_entry(entry, reason);
      },
      nb::arg("path"), nb::arg("entry"), nb::arg("reason"), nb::call_guard<Unlocked>());
}

}  // namespace fractile::python

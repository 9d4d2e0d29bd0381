// Receipts: read, verified, explained, shown.

#include <utility>

#include "fractile/durable.hpp"
#include "fractile/receipts.hpp"
#include "module.hpp"
#include "pages.hpp"

namespace fractile::python {
namespace {

using Pair = std::pair<std::string, std::string>;

std::vector<NamedComparison> compared(const Receipt& receipt, const std::optional<Pair>& compare) {
  if (!compare) return {};
  return comparisons_of(receipt, {compare->first, compare->second});
}

Page page_of(const std::string& text, const Texts& about, bool is_public, const std::optional<Pair>& compare,
             const LedgerAccount* account) {
  const Receipt receipt = read_receipt(text, "the receipt");
  PageOptions options{about_of(about), is_public, text};
  if (account != nullptr) options.account = *account;
  return in_pair(to_html(receipt, compared(receipt, compare), options));
}

nb::tuple in_tuple(const Estimate& estimate) {
  return nb::make_tuple(estimate.value, estimate.lower, estimate.upper, estimate.or_below, estimate.or_above);
}

/// (key, quantile, against, difference, ratio or None); an estimate is (value, lower, upper, or_below, or_above).
nb::list comparisons(const std::string& text, const std::string& first, const std::string& second) {
  nb::list list;
  for (const NamedComparison& one : comparisons_of(read_receipt(text, "the receipt"), {first, second})) {
    const nb::object ratio =
        one.comparison.ratio ? nb::object(in_tuple(*one.comparison.ratio)) : nb::object(nb::none());
    list.append(nb::make_tuple(one.key, one.quantile, one.against, in_tuple(one.comparison.difference), ratio));
  }
  return list;
}

std::string explained(const std::string& text, bool in_markdown, const std::optional<Pair>& compare) {
  const Receipt receipt = read_receipt(text, "the receipt");
  return explain(receipt, in_markdown ? Prose::markdown : Prose::text, compared(receipt, compare));
}

std::string csv_of(const std::string& text, const std::optional<Pair>& compare) {
  const Receipt receipt = read_receipt(text, "the receipt");
  return compare ? to_csv(receipt, compared(receipt, compare)) : to_csv(receipt);
}

std::string table_of(const std::string& text, const std::optional<Pair>& compare) {
  const Receipt receipt = read_receipt(text, "the receipt");
  return compare ? to_table(receipt, compared(receipt, compare)) : to_table(receipt);
}

void bind_receipt(nb::module_& module) {
  nb::class_<Receipt::Ends>(module, "Ends")
      .def_ro("lower", &Receipt::Ends::lower)
      .def_ro("upper", &Receipt::Ends::upper)
      .def_ro("or_below", &Receipt::Ends::or_below)
      .def_ro("or_above", &Receipt::Ends::or_above);
  nb::class_<Receipt::Published>(module, "Published")
      .def_ro("quantile", &Receipt::Published::quantile)
      .def_ro("value", &Receipt::Published::value)
      .def_ro("rank_error", &Receipt::Published::rank_error)
      .def_ro("interval", &Receipt::Published::interval)
      .def_ro("in_pairs", &Receipt::Published::in_pairs);
  nb::class_<Receipt::Spent>(module, "Spent")
      .def_ro("on", &Receipt::Spent::on)
      .def_ro("amount", &Receipt::Spent::amount);
  nb::class_<Receipt::Group>(module, "Group")
      .def_ro("key", &Receipt::Group::key)
      .def_ro("mechanism", &Receipt::Group::mechanism)
      .def_ro("reason", &Receipt::Group::reason)
      .def_ro("granularity", &Receipt::Group::granularity)
      .def_ro("heaping", &Receipt::Group::heaping)
      .def_ro("quantiles", &Receipt::Group::quantiles)
      .def_ro("spent", &Receipt::Group::spent);
  nb::class_<Receipt>(module, "Receipt", "A receipt that was read and verified.")
      .def_ro("program", &Receipt::program)
      .def_ro("groups", &Receipt::groups)
      .def_prop_ro("by", [](const Receipt& receipt) { return receipt.source.by; })
      .def_prop_ro("column", [](const Receipt& receipt) { return receipt.source.column; })
      .def_prop_ro("file", [](const Receipt& receipt) { return receipt.source.file; })
      .def_prop_ro("measure", [](const Receipt& receipt) { return to_string(receipt.budget.measure()); })
      .def_prop_ro("cost", [](const Receipt& receipt) { return receipt.budget.to_string(); })
      .def_ro("neighbors", &Receipt::neighbors)
      .def_ro("records_per_person", &Receipt::records_per_person)
      .def_ro("confidence", &Receipt::confidence)
      .def_ro("rows", &Receipt::rows)
      .def_ro("public_records", &Receipt::public_records)
      .def_ro("unsafe_seed", &Receipt::unsafe_seed)
      .def_ro("bounds_share", &Receipt::bounds_share)
      .def_ro("interval_level", &Receipt::interval_level)
      .def_ro("interval_of", &Receipt::interval_of)
      .def_ro("intervals_together", &Receipt::intervals_together)
      .def_prop_ro("kind", [](const Receipt& receipt) { return to_string(receipt.kind); })
      .def_ro("sha256", &Receipt::sha256);
}

}  // namespace

void bind_report(nb::module_& module) {
  bind_receipt(module);
  module.def("read_receipt", &read_receipt, nb::arg("text"), nb::arg("name"));
  module.def("receipt_of_page", &receipt_of_page, nb::arg("html"));
  module.def("explain", &explained, nb::arg("receipt"), nb::arg("markdown"), nb::arg("compare") = nb::none());
  module.def("receipt_csv", &csv_of, nb::arg("receipt"), nb::arg("compare") = nb::none());
  module.def("receipt_table", &table_of, nb::arg("receipt"), nb::arg("compare") = nb::none());
  module.def("receipt_page", &page_of, nb::arg("receipt"), nb::arg("about"), nb::arg("public"),
             nb::arg("compare").none(), nb::arg("account").none());
  module.def(
      "comparisons", &comparisons, nb::arg("receipt"), nb::arg("first"), nb::arg("second"),
      nb::sig(
          "def comparisons(receipt: str, first: str, second: str) -> list[tuple[str, str, str, tuple[typing.Any, ...], "
          "tuple[typing.Any, ...] | None]]"));
  module.def(
      "registry",
      [](const std::string& text, const Texts& about) {
        return to_registry(read_receipt(text, "the receipt"), about_of(about));
      },
      nb::arg("receipt"), nb::arg("about"));
  module.def(
      "write_durably", [](const std::string& path, const std::string& text) { write_durably(path, text); },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace fractile::python

#include "publication/datasets.hpp"

#include <algorithm>

#include "exact/lists.hpp"
#include "exact/shell_word.hpp"
#include "fractile/error.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"
#include "report/text/shown_text.hpp"

namespace fractile::publication_detail {

LedgerDataset dataset_of(const Ledger& ledger, const Payment& payment) {
  const std::string path = shown_ledger(payment.ledger);
  const std::vector<LedgerDataset> datasets = ledger.datasets();
  const std::vector<std::string> names = mapped(datasets, &LedgerDataset::name);
  const std::string choice = fmt::format("choose one of {}", fmt::join(names, ", "));
  if (names.empty()) {
    throw Error(ErrorCode::usage, fmt::format("the ledger '{}' has no dataset", path),
                fmt::format("add one: fractile ledger init {} --dataset NAME --epsilon E", shell_path(path)));
  }
  if (payment.dataset.empty() && names.size() == 1) return datasets.front();
  const Field field("dataset");
  if (payment.dataset.empty()) {
    throw Error(ErrorCode::usage, {field, " is missing: the ledger '", path, "' has several"}, choice);
  }
  const auto at = std::ranges::find(datasets, payment.dataset, &LedgerDataset::name);
  if (at != datasets.end()) return *at;
  const std::string nearest = nearest_word(payment.dataset, names);
  throw Error(ErrorCode::usage, {field, fmt::format(": the ledger '{}' has no dataset '{}'", path, payment.dataset)},
              nearest.empty() ? choice : fmt::format("did you mean {}?", nearest));
}

std::string name_of_source(const std::string& declared, const TableOptions& read,
                           const std::vector<OpenedFile>& opened) {
  if (declared.find('/') != std::string::npos) {
    throw Error(ErrorCode::usage, {Field("source"), ": '", declared, "' is a path, not a name"},
                "leave it out: a file is known by its path; or declare a name without a slash");
  }
  if (!declared.empty()) return declared;
  const auto is_unknown = [](const OpenedFile& file) { return file.path.empty(); };
  if (opened.empty() || std::ranges::any_of(opened, is_unknown)) return {};
  if (!read.file.empty()) return opened.front().path;
  return joined(opened, ",", &OpenedFile::path);
}

}  // namespace fractile::publication_detail

#include "explain.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fractile/report.hpp"
#include "query.hpp"
#include "terminal.hpp"
#include "text_file.hpp"
#include "values.hpp"

namespace fractile::cli {
namespace {

constexpr std::size_t largest = std::size_t{256} << 20;  // bytes, as read_receipt has it

}  // namespace

std::string receipt_text(const std::string& file) {
  const std::string name = file == "-" ? "standard input" : file;
  const char* const hint = "name a file that fractile release --receipt has written";
  Progress progress("reading " + name);
  TextFile input = file == "-" ? read_standard_input(largest) : read_text(file, largest);
  if (!input.trouble.empty()) {
    throw Error(ErrorCode::data, "the receipt '" + name + "' cannot be read: " + input.trouble, hint);
  }
  if (input.text.empty()) throw Error(ErrorCode::data, "'" + name + "' is empty", hint);
  return std::move(input.text);
}

int run_explain(const Typed& typed) {
  if (typed.file.empty()) usage("no RECEIPT to explain", "name a file that fractile release --receipt has written");
  const auto prose =
      choice<Prose>(typed, "--format", {{"text", Prose::text}, {"markdown", Prose::markdown}}, Prose::text);
  const std::string name = typed.file == "-" ? "standard input" : typed.file;
  const Receipt receipt = read_receipt(receipt_text(typed.file), name);
  std::vector<NamedComparison> comparisons;
  if (const std::optional<ComparisonRequest> request = comparison_of(typed)) {
    comparisons = in_option("--compare", [&] { return comparisons_of(receipt, *request); });
  }
  print(explain(receipt, prose, comparisons), "nothing was changed");
  return 0;
}

}  // namespace fractile::cli

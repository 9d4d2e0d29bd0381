// Any bytes that claim to be the engine's parse tree of a query are refused or judged: whether the query is row-wise, whether
// it is by person, and which tables and columns it reads.
#include <set>
#include <string>

#include "fractile/error.hpp"
#include "source/files/person_query.hpp"
#include "source/files/row_wise.hpp"
#include "source/files/row_work.hpp"
#include "source/files/sql_inputs.hpp"

using namespace fractile::source_detail;

namespace {

/// Whether `judge` does not refuse.
bool passes(auto judge) {
  try {
    judge();
    return true;
  } catch (const fractile::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const RowWiseNames names{{"input"},
                           [](const std::string&, const std::string&) { return false; },
                           [](const std::string&) { return std::set<std::string>{"scalar CONSISTENT"}; }};
  passes([&] {
    const SqlTree tree = SqlTree::of_json({reinterpret_cast<const char*>(data), size});
    passes([&] { named_columns(tree, "input"); });
    passes([&] { require_named_tables(tree, names.tables); });
    passes([&] { static_cast<void>(PersonQuery::of(tree)); });
    passes([&] {
      require_row_wise(tree, names);
      require_bounded_work(tree, names);
    });
  });
  return 0;
}

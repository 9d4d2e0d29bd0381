#include "ledger/store.hpp"

#include "fractile/error.hpp"
#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {

std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, std::chrono::milliseconds patience) {
  if (path.empty()) throw Error(ErrorCode::usage, "a ledger has no name", "name a file");
  return postgres::is_address(path) ? open_postgres(path, wanted, patience) : open_sqlite(path, wanted, patience);
}

}  // namespace fractile::ledger_detail

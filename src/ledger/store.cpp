#include "ledger/store.hpp"

#include "fractile/error.hpp"
#include "libraries/postgres.hpp"

namespace fractile::ledger_detail {

bool Waiting::goes_on(std::chrono::milliseconds waited, std::chrono::seconds& last_told) const {
  if (until == Until::patience && waited >= patience) return false;
  if (until != Until::done && stop && stop()) return false;
  constexpr std::chrono::seconds first_word(10);
  constexpr std::chrono::seconds pause(60);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited);
  const bool is_due = last_told == std::chrono::seconds(0) ? seconds >= first_word : seconds >= last_told + pause;
  if (until != Until::patience && is_due) {
    last_told = seconds;
    if (told) told(seconds);
  }
  return true;
}

std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, const Waiting& waiting) {
  if (path.empty()) throw Error(ErrorCode::usage, "a ledger has no name", "name a file");
  return postgres::is_address(path) ? open_postgres(path, wanted, waiting) : open_sqlite(path, wanted, waiting);
}

}  // namespace fractile::ledger_detail

#include "ledger/store.hpp"

#include "exact/shell_word.hpp"
#include "fractile/exact.hpp"
#include "fractile/ledger.hpp"
#include "libraries/fmt.hpp"
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

void refuse_damaged(const std::string& ledger, const std::string& what) {
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' is damaged: {}", ledger, what), restore_it);
}

void refuse_missing(const std::string& ledger, const char* name) {
  throw Error(ErrorCode::ledger, fmt::format("there is no ledger at '{}'", ledger),
              fmt::format("check the {}, or make one: fractile ledger init {} --dataset NAME --epsilon E", name,
                          shell_path(ledger)));
}

void refuse_existing(const std::string& ledger, const char* other) {
  throw Error(ErrorCode::usage, fmt::format("there is already something at '{}'", ledger),
              fmt::format("choose another {}; to add a dataset, name a ledger that exists", other));
}

void refuse_format(const std::string& ledger, std::int64_t format) {
  throw Error(ErrorCode::ledger,
              fmt::format("the ledger '{}' is of format {}, and this program knows formats up to {}", ledger, format,
                          Ledger::format),
              "use the newer fractile that wrote it");
}

void refuse_tables(const std::string& ledger, std::int64_t format) {
  throw Error(ErrorCode::ledger, fmt::format("the ledger '{}' does not have the tables of format {}", ledger, format),
              "something else changed it; restore it from a copy");
}

std::string new_nonce() {
  RandomBits random = RandomBits::system();
  const std::uint64_t first = random.next64();
  return fmt::format("{:016x}{:016x}", first, random.next64());
}

std::string lines_about(const std::string& kind) {
  if (kind == "settled") return "kind IN ('commit', 'void') AND entry";
  return fmt::format("kind = '{}' AND {}", kind, kind == "dataset" ? kind : "entry");
}

std::unique_ptr<Store> open_store(const std::string& path, Wanted wanted, const Waiting& waiting) {
  if (path.empty()) throw Error(ErrorCode::usage, "a ledger has no name", "name a file");
  return postgres::is_address(path) ? open_postgres(path, wanted, waiting) : open_sqlite(path, wanted, waiting);
}

}  // namespace fractile::ledger_detail

// Files that are written for good, profile files, and ledgers.
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "fractile/exact.hpp"
#include "fractile/ledger.hpp"
#include "fractile/publication.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "host/entry_groups.hpp"
#include "libraries/disk_room.hpp"
#include "report/text/durable.hpp"

namespace fractile::host_test {
namespace {

std::string written(const std::string& path) {
  require_writable(path);
  {
    const RoomForFile room(path, 1000);
    const DiskRoom beside(path.substr(0, path.rfind('/')), 1000);
  }
  write_durably(path, "a receipt");
  write_all_durably({{path + ".a", "a"}, {path + ".b", "b"}}, "table", Readers::all);
  const bool is_there = is_written(canonical_new_file(path + ".a"), "a");
  for (const char* ending : {"", ".a", ".b"}) std::filesystem::remove(path + ending);
  return content_sha256("a receipt") + (is_there ? " there" : " gone");
}

/// Two profile files of persons' records, merged and released.
std::string profiles_in_files(const std::string& path) {
  const Lattice lattice = Lattice::regular(0, 16, Rational(1, 4));
  const auto write = [&](const std::string& name, const std::vector<double>& values) {
    const CountedProfiles counted{ProfileHeader{lattice, "x"}, {frame(values).profile("x", lattice, NullPolicy::drop)}};
    write_durably(name, to_bytes(counted));
  };
  write(path + ".a", {1, 2, 3});
  write(path + ".b", {4, 5});
  const CountedProfiles merged = ProfileFile::merge({path + ".a", path + ".b"}, Persons::are_disjoint);
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  const ProfileFile file = ProfileFile::open(path + ".b");
  const CountedColumn counted = file.count({file.header().counted()}, bits).front();
  for (const char* ending : {".a", ".b"}) std::filesystem::remove(path + ending);
  return text(merged.profiles.front()) + text(counted.profiles().front()) + file.engine();
}

LedgerOptions in_2026() {
  LedgerOptions options;
  options.clock = [] { return std::chrono::system_clock::time_point(std::chrono::hours(24 * 365 * 56)); };
  return options;
}

/// What a ledger says of itself, without the tokens that it drew and without its path.
std::string said(const Ledger& ledger) {
  const LedgerStatement statement = ledger.statement();
  std::string all = statement.accounts.front().balance.spent.to_string() + " ";
  for (const LedgerEntry& entry : statement.entries) all += to_string(entry.state) + " ";
  for (const std::string& shown :
       {to_json(statement, LedgerDetail::everything), to_csv(statement, LedgerDetail::everything), to_table(statement),
        to_html(statement, {}).html}) {
    all += shown.empty() ? "nothing " : "shown ";
  }
  return all;
}

std::string kept_in_ledger(const std::string& path) {
  Ledger ledger = Ledger::create(path, in_2026());
  LedgerDataset dataset{"people", Budget::pure(Rational(3))};
  dataset.witness = path + ".witness";
  ledger.add_dataset(dataset);
  const LedgerRequest first{"people", "a query", Budget::pure(Rational(1))};
  const LedgerRequest second{"people", "another query", Budget::pure(Exponent::log(2))};
  ledger.require_fit(first);
  ledger.commit(ledger.reserve(first), "a receipt");
  const std::vector<LedgerReservation> reserved =
      ledger.reserve_beside({"people", {second.query}}, [&](const auto&) { return std::vector{second}; });
  std::string all = ledger.account_with(first).balance.remaining.to_string() + std::to_string(reserved.front().id);
  ledger.void_entry(reserved.front().id, "never published");
  all += ledger.find_committed("people", first.query)->receipt + ledger.balance("people").spent.to_string();
  all += std::to_string(ledger.witnesses().size()) + std::to_string(ledger.accept_witnesses().charged.size());
  ledger.verify();
  all += said(ledger) + std::to_string(ledger.salvaged().damage.size());
  for (const char* ending : {"", ".witness"}) std::filesystem::remove(path + ending);
  return all;
}

ReleaseRequest request() {
  return {{"x", tenths(), NullPolicy::drop, {}}, query_of(Mechanism::automatic, Budget::pure(Rational(1, 2)))};
}

void make_ledger(const std::string& path) { Ledger::create(path).add_dataset({"people", Budget::pure(Rational(1))}); }

/// With the system's bits: the text is what was spent.
std::string paid(const std::string& path, const std::vector<double>& values) {
  make_ledger(path);
  const Answer answer = publish(Source::frame(frame(values)), request(), Payment{path, {}, "people"});
  const Answer again = publish(Source::frame(frame(values)), request(), Payment{path, {}, "people"});
  const std::string spent = answer.account->balance.spent.to_string() + (again.stored ? ", answered" : ", anew");
  Ledger::open_to_read(path).verify();
  std::filesystem::remove(path);
  return spent;
}

std::string rehearsed(const std::string& path, const std::vector<double>& values) {
  make_ledger(path);
  Attendant nobody;
  const Rehearsal found = rehearse(Source::frame(frame(values)), request(), Payment{path, {}, "people"}, nobody);
  std::filesystem::remove(path);
  return found.column_type + found.account->balance.spent.to_string();
}

}  // namespace

std::vector<Entry> entries_of_files(const std::string& folder) {
  const auto in_folder = [folder](const std::function<std::string(const std::string&)>& work) {
    return [folder, work] { return work(folder + new_name()); };
  };
  const std::vector<double> values = numbers(300);
  return {{"files", in_folder(written)},
          {"profile files", in_folder(profiles_in_files)},
          {"ledger", in_folder(kept_in_ledger)},
          {"paid release", in_folder([values](const std::string& path) { return paid(path, values); })},
          {"rehearsal", in_folder([values](const std::string& path) { return rehearsed(path, values); })}};
}

}  // namespace fractile::host_test

// Any file that is opened as a ledger is a ledger or throws `ledger`, also a ledger some of whose bytes were changed. Where an
// index and its table disagree, a row may seem to be missing, which throws `usage`.
#include <fuzzer/FuzzedDataProvider.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"

using namespace fractile;

namespace {

const std::string& path() {
  static const std::string name =
      (std::filesystem::temp_directory_path() / ("fuzz-ledger-" + std::to_string(getpid()))).string();
  return name;
}

void remove_ledger() {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path() + suffix);
}

void write(const std::string& bytes) {
  remove_ledger();
  std::ofstream(path(), std::ios::binary) << bytes;
}

const std::string& whole() {
  static const std::string bytes = [] {
    remove_ledger();
    {
      Ledger ledger = Ledger::create(path());
      ledger.add_dataset({"people", Budget::pure(Rational(1))});
      ledger.add_dataset({"others", Budget::zcdp(Rational(1))});
      ledger.commit(ledger.reserve({"people", "q", Budget::pure(Rational(1, 2))}), "r");
      ledger.reserve({"others", "q", Budget::pure(Rational(1, 4))});
      ledger.void_entry(2, "why");
    }
    std::ifstream file(path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

void use() {
  try {
    Ledger ledger = Ledger::open(path(), {.patience = std::chrono::milliseconds(1)});
    for (const LedgerDataset& dataset : ledger.datasets()) ledger.find_committed(dataset.name, "q");
    ledger.statement();
    ledger.verify();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal || error.code() == ErrorCode::budget_refused) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  FuzzedDataProvider in(data, size);
  if (in.ConsumeBool()) {
    write(in.ConsumeRemainingBytesAsString());
  } else {
    std::string bytes = whole();
    while (in.remaining_bytes() > 0) {
      bytes[in.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] = in.ConsumeIntegral<char>();
    }
    write(bytes);
  }
  use();
  remove_ledger();
  return 0;
}

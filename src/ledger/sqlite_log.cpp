#include "ledger/sqlite_log.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

// https://www.sqlite.org/fileformat2.html#the_write_ahead_log defines the log. Numbers have their highest byte first.
constexpr std::size_t header_size = 32;
constexpr std::size_t frame_header_size = 24;
constexpr std::uint32_t magic = 0x377f0682;  // plus 1 when checksums add words with their highest byte first
constexpr std::uint32_t version = 3007000;

using Bytes = std::span<const unsigned char>;

std::uint32_t number_at(Bytes bytes, std::size_t at, bool highest_first = true) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = (number << 8U) | bytes[at + (highest_first ? i : 3 - i)];
  return number;
}

/// The log's checksum, over all bytes that were added.
struct Sum {
  bool highest_first;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(Bytes bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += number_at(bytes, at, highest_first) + second;
      second += number_at(bytes, at + 4, highest_first) + first;
    }
  }
  bool is_at(Bytes bytes, std::size_t at) const {
    return number_at(bytes, at) == first && number_at(bytes, at + 4) == second;
  }
};

[[noreturn]] void refuse_log(const std::string& ledger, const std::string& what) {
  throw Error(ErrorCode::ledger,
              fmt::format("the log '{0}-wal' of the ledger '{0}' is damaged: {1}, and what was charged after that "
                          "would be forgotten",
                          ledger, what),
              "nothing was changed; restore both files from a copy, and charge again what was released since");
}

bool fills(std::ifstream& file, std::vector<unsigned char>& bytes) {
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));  // NOLINT
}

/// The checksum after the header; `nullopt` when the bytes are not a log's header.
std::optional<Sum> sum_of(Bytes header) {
  const std::uint32_t kind = number_at(header, 0);
  const std::uint32_t page = number_at(header, 8);
  const bool is_page = page >= 512 && page <= 65536 && (page & (page - 1)) == 0;
  if ((kind & ~1U) != magic || number_at(header, 4) != version || !is_page) return {};
  Sum sum{(kind & 1U) != 0};
  sum.add(header.first(24));
  if (!sum.is_at(header, 24)) return {};
  return sum;
}

}  // namespace

void require_whole_log(const std::string& ledger) {
  std::ifstream file(ledger + "-wal", std::ios::binary);
  std::vector<unsigned char> header(header_size);
  if (!file || !fills(file, header)) return;  // a log without a header has no commits
  std::optional<Sum> sum = sum_of(header);
  std::vector<unsigned char> frame(sum ? frame_header_size + number_at(header, 8) : 1);
  std::size_t broken = 0;  // the number of the first broken frame, from 1; 0 for none
  for (std::size_t number = 1; fills(file, frame); ++number) {
    if (!sum) refuse_log(ledger, "its beginning is broken");
    const Bytes bytes(frame);
    const bool is_of_this_log =
        number_at(bytes, 8) == number_at(header, 16) && number_at(bytes, 12) == number_at(header, 20);
    if (broken > 0 && is_of_this_log) refuse_log(ledger, fmt::format("frame {} is broken", broken));
    if (broken > 0) continue;
    sum->add(bytes.first(8));
    sum->add(bytes.subspan(frame_header_size));
    if (!is_of_this_log || !sum->is_at(bytes, 16)) broken = number;
  }
}

}  // namespace fractile::ledger_detail

#include "source/text/unpacking.hpp"

#include <array>
#include <utility>

#include "libraries/fmt.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 18;  // bytes; fits a cache

std::string hint_to_pack_again(const Packing& packing, std::string_view unpack) {
  return fmt::format("compress it again: {} FILE | {} > again{}", unpack, packing.pack, packing.extension);
}

}  // namespace

Unpacking::Unpacking(ReadAt read_at, const Packing& packing, std::string display_name)
    : read_at_(std::move(read_at)),
      packing_(packing),
      display_name_(std::move(display_name)),
      unpacker_(packing.unpacker()),
      chunk_(chunk_size) {}

std::size_t Unpacking::read(std::span<char> text) {
  require(found_);
  std::span<char> rest = text;
  while (rest.size() == text.size()) {
    if (!inside_ && is_at_end()) return 0;
    if (!inside_) begin_part();
    if (packed_.empty()) fill();
    const bool is_file_over = packed_.empty();
    const Unpacked step = unpacker_->step(packed_, rest);
    if (rest.size() < text.size()) {
      found_ = step;  // reported after this text, so its length does not decide whether the failure is reported
    } else {
      require(step);
    }
    inside_ = step != Unpacked::ended;
    if (inside_ && is_file_over && rest.size() == text.size()) require(Unpacked::damaged);  // nothing is left to read
  }
  return text.size() - rest.size();
}

bool Unpacking::is_at_end() {
  for (;;) {
    if (packed_.empty()) fill();
    if (packed_.empty()) return true;
    const bool is_padding = !is_first_ && !packing_.padding.empty() && packed_.starts_with(packing_.padding);
    if (!is_padding) return false;
    packed_.remove_prefix(packing_.padding.size());
  }
}

void Unpacking::fill() {
  const std::size_t count = read_at_(offset_, chunk_);
  offset_ += count;
  packed_ = {chunk_.data(), count};
}

void Unpacking::begin_part() {
  std::array<char, Unpacker::longest_head> bytes{};
  const std::string_view head(bytes.data(), read_at_(offset_ - packed_.size(), bytes));
  if (!is_first_ && !packing_.begins(head)) {
    throw DamagedText(
        ErrorCode::data,
        fmt::format("{} has other bytes after its last {} {}", display_name_, packing_.name, packing_.part),
        hint_to_pack_again(packing_, packing_.unpack));
  }
  is_first_ = false;
  require(unpacker_->begin(head));
  inside_ = true;
}

void Unpacking::require(Unpacked step) const {
  const std::string& name = display_name_;
  switch (step) {
    case Unpacked::more:
    case Unpacked::ended:
      return;
    case Unpacked::too_wide:
      throw Error(ErrorCode::data,
                  fmt::format("{} is {} with a window of more than {} MiB, which is not read", name, packing_.name,
                              widest_window >> 20U),
                  hint_to_pack_again(packing_, packing_.unpack_wide));
    case Unpacked::with_dictionary:
      throw Error(ErrorCode::data, fmt::format("{} is {} with a dictionary, which is not read", name, packing_.name),
                  hint_to_pack_again(packing_, fmt::format("{} -D DICTIONARY", packing_.unpack)));
    case Unpacked::unread:
      throw Error(ErrorCode::data, fmt::format("{} is {} {}, which is not read", name, packing_.name, packing_.unread),
                  hint_to_pack_again(packing_, packing_.unpack));
    default:
      throw DamagedText(ErrorCode::data, fmt::format("{} is truncated or damaged {}", name, packing_.name),
                        "fetch or compress the file again");
  }
}

}  // namespace fractile::source_detail

#include "source/files/text_stream.hpp"

#include <array>
#include <span>

namespace fractile::source_detail {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 18;  // bytes; fits a cache

std::unique_ptr<Unpacking> unpacking_of(const InputFile& file) {
  const Packing* packing = file.packing();
  if (packing == nullptr) return nullptr;
  const auto read_at = [&file](std::size_t offset, std::span<char> bytes) { return file.read(offset, bytes); };
  return std::make_unique<Unpacking>(read_at, *packing, file.display_name());
}

}  // namespace

TextStream::TextStream(const InputFile& file)
    : file_(file), transcoder_(file.encoding()), unpacking_(unpacking_of(file)), chunk_(chunk_size) {}

TextStream::TextStream(TextStream&&) noexcept = default;
TextStream::~TextStream() = default;

std::string_view TextStream::next() {
  for (;;) {
    const std::string_view bytes = next_bytes();
    const std::string_view text = bytes.empty() ? transcoder_.rest() : transcoder_.of(bytes);
    if (!text.empty() || bytes.empty()) return text;
  }
}

std::size_t TextStream::taken() const { return unpacking_ ? unpacking_->taken() : offset_; }

std::string_view TextStream::next_bytes() {
  if (unpacking_) return {chunk_.data(), unpacking_->read(chunk_)};
  const std::size_t count = file_.read(offset_, chunk_);
  offset_ += count;
  return {chunk_.data(), count};
}

std::string text_head(const InputFile& file, std::size_t count) {
  TextStream text(file);
  std::string head;
  while (head.size() < count && head.find_first_of("\r\n") == std::string::npos) {
    const std::string_view bytes = text.next();
    if (bytes.empty()) break;
    head += bytes;
  }
  return head.substr(0, count);
}

void require_read_packing(const InputFile& file) {
  const std::unique_ptr<Unpacking> unpacking = unpacking_of(file);
  if (!unpacking) return;
  try {
    std::array<char, 1> first{};
    unpacking->read(first);
  } catch (const DamagedText&) {  // damage is reported when records are read
  }
}

}  // namespace fractile::source_detail

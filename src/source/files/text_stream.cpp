#include "source/files/text_stream.hpp"

#include <zlib.h>

#include <array>
#include <span>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

constexpr unsigned chunk_size = 1U << 18;  // bytes, that stay in a cache

constexpr std::size_t marked_bytes = 4;  // of a member: two of magic, the method, and flags
constexpr std::string_view deflated = "\x1f\x8b\x08";
constexpr unsigned read_flags = 0x04U | 0x08U;  // an extra field, a name: the engine passes over these alone

bool is_member(std::string_view bytes) { return bytes.starts_with(deflated); }

void require_read_flags(std::string_view member, const std::string& display_name) {
  if (member.size() < marked_bytes || (static_cast<unsigned char>(member[marked_bytes - 1]) & ~read_flags) == 0) return;
  throw Error(ErrorCode::data,
              display_name + " is gzip of a header with a comment, a checksum or a mark of text, which is not read",
              "compress it again: gunzip -c FILE | gzip > again.gz");
}

}  // namespace

/// Members one behind the other.
class TextStream::Gzip {
 public:
  explicit Gzip(const InputFile& file) : file_(file), packed_(chunk_size) {
    constexpr int largest_window_of_gzip = 15 + 16;
    if (inflateInit2(&stream_, largest_window_of_gzip) != Z_OK) throw Error(ErrorCode::internal, "zlib did not start");
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() { inflateEnd(&stream_); }

  std::size_t taken() const { return offset_; }
  /// How many bytes of text there are now; 0 at the end.
  std::size_t read(std::span<char> text) {
    stream_.next_out = reinterpret_cast<Bytef*>(text.data());
    stream_.avail_out = static_cast<uInt>(text.size());
    while (stream_.avail_out == text.size()) {
      if (stream_.avail_in == 0) fill();
      if (stream_.avail_in == 0 && !inside_) return 0;
      if (!inside_) begin_member();
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&stream_);
      } else if (status != Z_OK) {  // at the end of the file there is nothing to go on with
        throw Error(ErrorCode::data, file_.display_name() + " is truncated or damaged gzip",
                    "fetch or compress the file again");
      }
    }
    return text.size() - stream_.avail_out;
  }

 private:
  void fill() {
    const std::size_t count = file_.read(offset_, packed_);
    offset_ += count;
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(count);
  }

  void begin_member() {
    std::array<char, marked_bytes> bytes{};
    const std::string_view member(bytes.data(), file_.read(offset_ - stream_.avail_in, bytes));
    if (!is_first_ && !is_member(member)) {
      throw Error(ErrorCode::data, file_.display_name() + " has other bytes behind its last gzip member",
                  "compress it again: gunzip -c FILE | gzip > again.gz");
    }
    require_read_flags(member, file_.display_name());
    is_first_ = false;
    inside_ = true;
  }

  const InputFile& file_;
  std::vector<char> packed_;
  std::size_t offset_ = 0;  // of what has been filled
  z_stream stream_{};
  bool is_first_ = true;
  bool inside_ = false;  // of a member
};

TextStream::TextStream(const InputFile& file) : file_(file), transcoder_(file.encoding()), chunk_(chunk_size) {
  if (file.is_gzip()) gzip_ = std::make_unique<Gzip>(file);
}

TextStream::TextStream(TextStream&&) noexcept = default;
TextStream::~TextStream() = default;

std::string_view TextStream::next() {
  for (;;) {
    const std::string_view bytes = next_bytes();
    const std::string_view text = bytes.empty() ? transcoder_.rest() : transcoder_.of(bytes);
    if (!text.empty() || bytes.empty()) return text;
  }
}

std::size_t TextStream::taken() const { return gzip_ ? gzip_->taken() : offset_; }

std::string_view TextStream::next_bytes() {
  if (gzip_) return {chunk_.data(), gzip_->read(chunk_)};
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

void require_readable_gzip(const InputFile& file) {
  const std::string head = file.head(marked_bytes);
  if (is_member(head)) require_read_flags(head, file.display_name());
}

}  // namespace fractile::source_detail

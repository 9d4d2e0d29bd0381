#include "source/files/text_stream.hpp"

#include <zlib.h>

#include <type_traits>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

constexpr unsigned chunk_size = 1U << 18;  // bytes, that stay in a cache

struct CloseText {
  void operator()(gzFile text) const { gzclose(text); }
};

/// A member cut short shows as an error at the end.
void require_whole(gzFile text, int last_read, const std::string& display_name) {
  int status = Z_OK;
  gzerror(text, &status);
  if (last_read >= 0 && status == Z_OK) return;
  if (status == Z_ERRNO) throw Error(ErrorCode::data, display_name + " cannot be read", "check the disk it is on");
  throw Error(ErrorCode::data, display_name + " is truncated or damaged gzip", "fetch or compress the file again");
}

}  // namespace

struct TextStream::Gzip {
  std::unique_ptr<std::remove_pointer_t<gzFile>, CloseText> text;
};

TextStream::TextStream(const InputFile& file) : file_(file), chunk_(chunk_size) {
  if (!file.is_gzip()) return;
  gzip_ = std::make_unique<Gzip>(Gzip{{gzopen(file.path().c_str(), "rb"), CloseText()}});
  if (gzip_->text == nullptr)
    throw Error(ErrorCode::data, file.display_name() + " cannot be read", "check its permissions");
  gzbuffer(gzip_->text.get(), chunk_size);
}

TextStream::TextStream(TextStream&&) noexcept = default;
TextStream::~TextStream() = default;

std::string_view TextStream::next() {
  if (!gzip_) {
    const std::size_t count = file_.read(offset_, chunk_);
    offset_ += count;
    return {chunk_.data(), count};
  }
  const int count = gzread(gzip_->text.get(), chunk_.data(), chunk_size);
  if (count <= 0) require_whole(gzip_->text.get(), count, file_.display_name());
  return {chunk_.data(), static_cast<std::size_t>(count)};
}

}  // namespace fractile::source_detail

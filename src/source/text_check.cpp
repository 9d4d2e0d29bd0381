#include "source/text_check.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

constexpr unsigned chunk_size = 1U << 18;  // bytes, that stay in a cache
static_assert(chunk_size <= longest_line);

struct CloseText {
  void operator()(gzFile text) const { gzclose(text); }
};
using Text = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseText>;

/// Counts lines and their bytes.
class LineWatch {
 public:
  explicit LineWatch(const std::string& display_name) : display_name_(display_name) {}

  void see(std::string_view bytes) {
    for (;;) {
      const std::size_t end = bytes.find('\n');
      length_ += end == std::string_view::npos ? bytes.size() : end;
      if (length_ > longest_line) refuse();
      if (end == std::string_view::npos) return;
      ++number_;
      length_ = 0;
      bytes.remove_prefix(end + 1);
    }
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorCode::data,
                display_name_ + ": line " + std::to_string(number_) + " is longer than 2,000,000 bytes",
                "look for a missing line end or an unclosed quote");
  }
  const std::string& display_name_;
  std::uint64_t number_ = 1;
  std::size_t length_ = 0;
};

/// A member cut short shows as an error at the end.
void require_whole(gzFile text, int last_read, const std::string& display_name) {
  int status = Z_OK;
  gzerror(text, &status);
  if (last_read >= 0 && status == Z_OK) return;
  if (status == Z_ERRNO) throw Error(ErrorCode::data, display_name + " cannot be read", "check the disk it is on");
  throw Error(ErrorCode::data, display_name + " is truncated or damaged gzip", "fetch or compress the file again");
}

void check_gzip(const InputFile& file, bool is_delimited, const std::function<void()>& on_progress) {
  const Text text(gzopen(file.path().c_str(), "rb"));
  if (text == nullptr) throw Error(ErrorCode::data, file.display_name() + " cannot be read", "check its permissions");
  gzbuffer(text.get(), chunk_size);
  std::vector<char> chunk(chunk_size);
  LineWatch lines(file.display_name());
  int count = 0;
  while ((count = gzread(text.get(), chunk.data(), chunk_size)) > 0) {
    if (is_delimited) lines.see({chunk.data(), static_cast<std::size_t>(count)});
    on_progress();
  }
  require_whole(text.get(), count, file.display_name());
}

/// Calls see(std::string_view) for the file in chunks, until that returns true; whether it did.
bool any_chunk(const InputFile& file, auto see) {
  std::vector<char> chunk(chunk_size);
  std::size_t count = 0;
  for (std::size_t offset = 0; (count = file.read(offset, chunk)) > 0; offset += count) {
    if (see(std::string_view(chunk.data(), count))) return true;
  }
  return false;
}

/// Whether a line is too long, without counting lines: those within a chunk are not, so only its first line end and its last
/// one matter.
bool has_long_line(const InputFile& file, const std::function<void()>& on_progress) {
  std::size_t length = 0;  // of the line that the next chunk goes on with
  return any_chunk(file, [&](std::string_view chunk) {
    on_progress();
    const std::size_t first_end = std::min(chunk.find('\n'), chunk.size());
    length += first_end;
    if (length > longest_line) return true;
    if (first_end < chunk.size()) length = chunk.size() - 1 - chunk.rfind('\n');
    return false;
  });
}

void check_plain(const InputFile& file, const std::function<void()>& on_progress) {
  if (!has_long_line(file, on_progress)) return;
  LineWatch lines(file.display_name());
  any_chunk(file, [&](std::string_view chunk) {
    lines.see(chunk);
    return false;
  });
}

}  // namespace

void check_text(const InputFile& file, bool is_delimited, const std::function<void()>& on_progress) {
  const std::function<void()> progress = on_progress ? on_progress : [] {};
  if (file.is_gzip()) {
    check_gzip(file, is_delimited, progress);
  } else if (is_delimited) {
    check_plain(file, progress);
  }
}

}  // namespace fractile::source_detail

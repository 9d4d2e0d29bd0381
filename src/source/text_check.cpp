#include "source/text_check.hpp"

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

constexpr unsigned chunk_size = 1U << 20;

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

/// zlib reads both gzip and plain files; a member cut short shows as an error at the end.
void require_whole(gzFile text, int last_read, const std::string& display_name) {
  int status = Z_OK;
  gzerror(text, &status);
  if (last_read >= 0 && status == Z_OK) return;
  if (status == Z_ERRNO) throw Error(ErrorCode::data, display_name + " cannot be read", "check the disk it is on");
  throw Error(ErrorCode::data, display_name + " is truncated or damaged gzip", "fetch or compress the file again");
}

}  // namespace

void check_text(const InputFile& file, bool is_delimited, const std::function<void()>& on_progress) {
  const Text text(gzopen(file.path().c_str(), "rb"));
  if (text == nullptr) throw Error(ErrorCode::data, file.display_name() + " cannot be read", "check its permissions");
  gzbuffer(text.get(), chunk_size);
  std::vector<char> chunk(chunk_size);
  LineWatch lines(file.display_name());
  int count = 0;
  while ((count = gzread(text.get(), chunk.data(), chunk_size)) > 0) {
    if (is_delimited) lines.see({chunk.data(), static_cast<std::size_t>(count)});
    if (on_progress) on_progress();
  }
  require_whole(text.get(), count, file.display_name());
}

}  // namespace fractile::source_detail

#include "source/files/text_check.hpp"

#include <string_view>

#include "fractile/error.hpp"
#include "source/files/text_stream.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Watches whether every line that is not blank begins with a brace and ends with one.
class BraceWatch {
 public:
  void see(std::string_view bytes) {
    for (;;) {
      const std::size_t end = bytes.find('\n');
      see_part(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      end_line();
      bytes.remove_prefix(end + 1);
    }
  }
  bool finish() {
    end_line();
    return holds_;
  }
  bool holds() const { return holds_; }

 private:
  void see_part(std::string_view part) {
    const std::size_t last = part.find_last_not_of(blanks);
    if (last == std::string_view::npos) return;
    if (first_ == 0) first_ = part[part.find_first_not_of(blanks)];
    last_ = part[last];
  }
  void end_line() {
    if (first_ != 0 && (first_ != '{' || last_ != '}')) holds_ = false;
    first_ = 0;
  }

  char first_ = 0;  // of the line, blanks aside; 0 when nothing else came yet
  char last_ = 0;
  bool holds_ = true;
};

void report(const std::function<void()>& on_progress) {
  if (on_progress) on_progress();
}

}  // namespace

std::uint64_t check_delimited(const InputFile& file, const DelimitedShape& shape, LineEndsInCells line_ends,
                              const std::function<void()>& on_progress) {
  TextStream text(file);
  DelimitedCheck check(shape, line_ends, file.display_name());
  bool is_first = true;
  for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
    if (is_first && bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
    is_first = false;
    check.see(bytes);
    report(on_progress);
  }
  return check.finish();
}

JsonForm json_form_by_first_byte(const InputFile& file) {
  try {
    TextStream text(file);
    bool is_first = true;
    for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
      if (is_first && bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
      is_first = false;
      const std::size_t at = bytes.find_first_not_of(" \t\r\n");
      if (at != std::string_view::npos) return bytes[at] == '[' ? JsonForm::array : JsonForm::values;
    }
  } catch (const Error&) {  // damaged gzip: an error of the records, not of the form
  }
  return JsonForm::values;
}

bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress) {
  TextStream text(file);
  BraceWatch watch;
  for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
    if (watch.holds()) watch.see(bytes);
    if (!watch.holds() && !file.is_gzip()) return false;
    report(on_progress);
  }
  return watch.finish();
}

}  // namespace fractile::source_detail

#include "source/files/text_check.hpp"

#include <algorithm>

#include "fractile/error.hpp"
#include "source/files/text_stream.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Checks that every line that is not blank is one object: it begins with a brace that is closed by its last brace and not before.
class ObjectWatch {
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
  enum class Place { before, inside, behind };

  void see_part(std::string_view part) {
    if (!holds_) return;
    if (place_ == Place::before) {
      const std::size_t first = part.find_first_not_of(blanks);
      if (first == std::string_view::npos) return;
      if (part[first] != '{') return fail();
      part.remove_prefix(first);
      if (is_flat_object(part)) {
        place_ = Place::behind;
        return;
      }
    }
    for (const char byte : part) see_byte(byte);
  }
  /// Holds for most lines: without a brace between the first and the last one, these match each other, whatever is between them.
  static bool is_flat_object(std::string_view line) {
    const std::size_t last = line.find_last_not_of(blanks);
    return last > 0 && line[last] == '}' && line.find('}') == last && line.find('{', 1) == std::string_view::npos;
  }
  void see_byte(char byte) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (in_string_) {
      is_escaped_ = byte == '\\';
      in_string_ = byte != '"';
    } else if (blanks.find(byte) == std::string_view::npos) {
      see_outside_strings(byte);
    }
  }
  void see_outside_strings(char byte) {
    if (place_ == Place::behind) return fail();
    place_ = Place::inside;
    in_string_ = byte == '"';
    if (byte == '{') ++depth_;
    if (byte == '}' && --depth_ == 0) place_ = Place::behind;
  }
  void end_line() {
    if (place_ == Place::inside) fail();
    place_ = Place::before;
    depth_ = 0;
    in_string_ = is_escaped_ = false;
  }
  void fail() { holds_ = false; }

  Place place_ = Place::before;  // relative to the line's object
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
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

JsonHead json_head(const InputFile& file) {
  constexpr std::size_t longest_order_mark = 4;  // bytes
  JsonHead head{JsonForm::values, {}};
  try {
    TextStream text(file);
    bool is_first = true;
    for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
      if (is_first) head.bytes = bytes.substr(0, longest_order_mark);
      if (is_first && bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
      is_first = false;
      const std::size_t at = bytes.find_first_not_of(" \t\r\n");
      if (at == std::string_view::npos) continue;
      if (bytes[at] == '[') head.form = JsonForm::array;
      break;
    }
  } catch (const DamagedText&) {  // damage is reported when records are read, not here
  }
  return head;
}

bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress,
                      const std::function<void(std::size_t taken)>& on_text) {
  TextStream text(file);
  const bool is_packed = file.packing() != nullptr;
  ObjectWatch watch;
  for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
    if (watch.holds()) watch.see(bytes);
    if (!watch.holds() && !is_packed) return false;
    if (on_text) on_text(text.taken());
    report(on_progress);
  }
  return watch.finish();
}

JsonTexts::JsonTexts(const std::vector<InputFile>& files) : files_(files) {
  for (const InputFile& file : files_) bytes_ += file.size();
}

bool JsonTexts::check_lines(const std::function<void()>& on_progress) {
  bool lines = true;
  std::uint64_t before = 0;  // bytes of the files that were checked before
  for (const InputFile& file : files_) {
    bytes_taken_ = before;
    lines = check_json_lines(file, on_progress, [&](std::size_t taken) { bytes_taken_ = before + taken; }) && lines;
    before += file.size();
  }
  bytes_taken_ = bytes_;
  return lines;
}

double JsonTexts::share_checked() const {
  return bytes_ == 0 ? 1 : std::min(1.0, static_cast<double>(bytes_taken_) / static_cast<double>(bytes_));
}

}  // namespace fractile::source_detail

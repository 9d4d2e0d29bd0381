#include "source/files/text_check.hpp"

#include <algorithm>
#include <string_view>

#include "fractile/error.hpp"
#include "source/files/text_stream.hpp"

namespace fractile::source_detail {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Watches whether every line that is not blank is one object: begins with a brace that the last one closes, and no other.
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
  /// Of most lines: without a brace between the first and the last one, these go together, whatever stands between them.
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

  Place place_ = Place::before;  // of the line's object
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
  } catch (const DamagedText&) {  // an error of the records, not of the form
  }
  return head;
}

bool check_json_lines(const InputFile& file, const std::function<void()>& on_progress,
                      const std::function<void(std::string_view text, std::size_t taken)>& on_text) {
  TextStream text(file);
  const bool is_packed = file.packing() != nullptr;
  ObjectWatch watch;
  for (std::string_view bytes = text.next(); !bytes.empty(); bytes = text.next()) {
    if (watch.holds()) watch.see(bytes);
    if (!watch.holds() && !is_packed) return false;
    if (on_text) on_text(bytes, text.taken());
    report(on_progress);
  }
  return watch.finish();
}

JsonTexts::JsonTexts(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) {
    Text& text = texts_.emplace_back(file);
    bytes_ += file.size();
    const Packing* packing = file.packing();
    if (packing != nullptr && !packing->is_read_by_engine)
      text.unpacked.emplace("what " + file.display_name() + " holds");
  }
}

std::vector<std::string> JsonTexts::paths() const {
  std::vector<std::string> paths;
  paths.reserve(texts_.size());
  for (const Text& text : texts_) paths.push_back(text.unpacked ? text.unpacked->path() : text.file.path());
  return paths;
}

bool JsonTexts::check_lines(const std::function<void()>& on_progress) {
  const std::lock_guard lock(mutex_);
  bool lines = true;
  bytes_before_ = bytes_taken_ = 0;
  for (Text& text : texts_) {
    lines = check(text, on_progress) && lines;
    bytes_before_ += text.file.size();
    bytes_taken_ = bytes_before_;
  }
  return lines;
}

double JsonTexts::share_checked() const {
  return bytes_ == 0 ? 1 : std::min(1.0, static_cast<double>(bytes_taken_) / static_cast<double>(bytes_));
}

bool JsonTexts::check(Text& text, const std::function<void()>& on_progress) {
  if (text.has_lines) return *text.has_lines;
  if (text.unpacked) text.unpacked->clear();  // of what an earlier reading left that did not come to its end
  const bool lines = check_json_lines(text.file, on_progress, [&](std::string_view bytes, std::size_t taken) {
    bytes_taken_ = bytes_before_ + taken;
    if (text.unpacked) text.unpacked->append({bytes.data(), bytes.size()});
  });
  if (text.unpacked) text.has_lines = lines;
  return lines;
}

}  // namespace fractile::source_detail

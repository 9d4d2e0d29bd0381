#include "page_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "report/text/durable.hpp"
#include "requests/about.hpp"
#include "requests/sources.hpp"
#include "terminal.hpp"

namespace fractile::cli {
namespace {

[[noreturn]] void refuse_to_write(const char* field, const std::string& path, const std::string& why,
                                  const Words& hint) {
  throw Error(ErrorCode::data, {Field(field), ": cannot write to '", path, "': ", why}, hint);
}

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why, const Words& hint) {
  refuse_to_write("figures", path, why, hint);
}

/// Throws `data` if the folder holds any .svg or .csv file. Figures and tables are named by what they show, so their names are known only
/// with the report.
void require_room(const std::string& folder) {
  std::error_code failure;
  for (const auto& file : std::filesystem::directory_iterator(folder, failure)) {
    const std::string extension = file.path().extension().string();
    if (extension != ".svg" && extension != ".csv") continue;
    refuse_folder(folder,
                  fmt::format("it holds {}, and no file that is there is replaced", file.path().filename().string()),
                  "name a new folder, or move its .svg and .csv files away");
  }
  if (failure) refuse_folder(folder, failure.message(), "name another folder");
}

/// `may_make`: whether to make the folder if it is not there.
void prepare_folder(const std::string& folder, bool may_make) {
  const char* const hint = "name another folder";
  require_own_folder(folder);
  std::error_code failure;
  if (!may_make && !std::filesystem::exists(folder, failure)) return;
  std::filesystem::create_directories(folder, failure);
  if (failure) refuse_folder(folder, failure.message(), hint);
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse_folder(folder, std::strerror(errno), hint);
  require_room(folder);
}

}  // namespace

PageOutput PageOutput::of(const Typed& typed, Format format) {
  PageOutput output;
  if (format != Format::html) {
    refuse_given(typed, {"about", "public", "figures"}, {" goes with ", Field("format").text("html")},
                 "write it, or leave the option out");
  }
  if (typed.has("about")) {
    require_no_input(typed, "about");
    output.options.about = about_in_file(typed.one("about"));
  }
  output.options.is_public = typed.has("public");
  output.folder_ = typed.one("figures");
  if (!output.folder_.empty()) prepare_folder(output.folder_, !typed.has("dry_run"));
  return output;
}

void PageOutput::make_room(std::uint64_t receipt_size) {
  if (folder_.empty()) return;
  // The files show what the receipt says, and add axes and words.
  constexpr std::uint64_t beside = std::uint64_t{64} << 10;
  room_ = std::make_unique<DiskRoom>(folder_, beside + 2 * receipt_size);
  if (!room_->missing().empty()) refuse_folder(folder_, room_->missing(), "make room for it, or name another folder");
}

void PageOutput::write(const std::vector<PageFile>& files, const Words& hint) const {
  if (folder_.empty()) return;
  room_.reset();
  const std::vector<FileToWrite> to_write = mapped(files, [&](const PageFile& file) {
    return FileToWrite{(std::filesystem::path(folder_) / file.name).string(), file.text};
  });
  try {
    write_all_durably(to_write, "file", Readers::all);
  } catch (const Error& error) {
    throw Error(error.code(), {Field("figures"), ": ", error.what_words()}, hint);
  }
}

void PageOutput::print_page(const WebPage& page, const Words& hint) const {
  write(page.files, hint);
  print(page.html, hint);
}

}  // namespace fractile::cli

#include "requests/publications/tables_folder.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "report/text/durable.hpp"

namespace fractile::requests {
namespace {

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& why, const Words& hint) {
  throw Error(ErrorCode::data, {Field("output"), ": cannot write to '", folder, "': ", why}, hint);
}

}  // namespace

void TablesFolder::RemoveIfEmpty::operator()(const std::string* folder) const {
  std::error_code is_kept;  // as a folder with files is
  std::filesystem::remove(*folder, is_kept);
  delete folder;
}

TablesFolder::TablesFolder(std::string folder, const std::string& file, PageOptions page)
    : folder_(std::move(folder)), options_(std::move(page)) {
  if (folder_.empty()) return;
  stem_ = std::filesystem::path(file).stem().string();
  require_own_folder(folder_);
  std::error_code failure;
  const bool is_new = std::filesystem::create_directories(folder_, failure);
  if (is_new) made_.reset(new std::string(folder_));
  if (failure) refuse_folder(folder_, failure.message(), "name another folder");
}

void TablesFolder::make_room(std::uint64_t receipt_size) {
  if (!is_named()) return;
  require_writable(path(".csv"), "table");
  require_writable(path(".html"), "page");
  room_ = std::make_unique<DiskRoom>(folder_, 4 * receipt_size);  // a page may hold the receipt
  if (!room_->missing().empty()) refuse_folder(folder_, room_->missing(), "make room for it, or name another folder");
}

void TablesFolder::keep() { const std::unique_ptr<const std::string> stays(made_.release()); }

void TablesFolder::prepare(const PublishedTables& tables) {
  if (!is_named()) return;
  csv_ = to_csv(tables);
  page_ = to_html(tables, options_).html;
}

void TablesFolder::write(const Words& kept) {
  if (!is_named()) return;
  room_.reset();
  try {
    if (!is_written(path(".csv"), csv_)) write_durably(path(".csv"), csv_, "table");
    if (!is_written(path(".html"), page_)) write_durably(path(".html"), page_, "page");
  } catch (const Error& error) {
    throw Error(error.code(), error.what_words(), {error.hint_words(), "; ", kept});
  }
}

std::string TablesFolder::path(const char* ending) const {
  return (std::filesystem::path(folder_) / (stem_ + ending)).string();
}

}  // namespace fractile::requests

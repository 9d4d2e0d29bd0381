#include "publish.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fractile/disk_room.hpp"
#include "fractile/durable.hpp"
#include "fractile/error.hpp"
#include "fractile/published_tables.hpp"
#include "requests/keys.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/readings.hpp"
#include "requests/release.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"
#include "terminal.hpp"
#include "watcher.hpp"

namespace fractile::cli {
namespace {

[[noreturn]] void refuse_folder(const std::string& folder, const std::string& why, const Words& hint) {
  throw Error(ErrorCode::data, {Field("output"), ": cannot write to '", folder, "': ", why}, hint);
}

/// The folder of the tables. Its files have the name of the publication's file.
class TablesFolder {
 public:
  /// None without a name. Makes the folder.
  TablesFolder(std::string folder, const std::string& file) : folder_(std::move(folder)) {
    if (folder_.empty()) return;
    stem_ = std::filesystem::path(file).stem().string();
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    if (failure) refuse_folder(folder_, failure.message(), "name another folder");
  }

  bool is_named() const { return !folder_.empty(); }
  std::string receipt() const { return is_named() ? path(".json") : ""; }

  /// Before anything is charged: nothing is overwritten.
  void make_room(std::uint64_t receipt_size) {
    if (!is_named()) return;
    require_writable(path(".csv"));
    room_ = std::make_unique<DiskRoom>(folder_, 2 * receipt_size);
    if (!room_->missing().empty()) refuse_folder(folder_, room_->missing(), "make room for it, or name another folder");
  }

  /// The same tables may be there from an earlier run.
  void write(const std::string& csv) {
    room_.reset();
    if (!is_written(path(".csv"), csv)) write_durably(path(".csv"), csv);
  }

  std::string in_words() const { return path(".csv") + " and " + path(".json"); }

 private:
  std::string path(const char* ending) const { return (std::filesystem::path(folder_) / (stem_ + ending)).string(); }

  std::string folder_;
  std::string stem_ = {};
  std::unique_ptr<DiskRoom> room_ = nullptr;
};

/// Who publishes.
class Publisher final : public Watcher {
 public:
  Publisher(Format format, TablesFolder folder) : format_(format), folder_(std::move(folder)) {}

  void prepare_tables(const PublishedTables& tables) override {
    const Format format = folder_.is_named() ? Format::csv : format_;
    text_ = format == Format::json ? tables.receipt : format == Format::csv ? to_csv(tables) : to_table(tables);
  }
  void reserve_room(std::uint64_t receipt_size) override { folder_.make_room(receipt_size); }
  void on_interrupt(const Words& what, const Words& hint) override { cli::on_interrupt(what, hint); }
  void hold_interrupts() override { cli::hold_interrupts(); }
  bool is_interrupted() override { return cli::is_interrupted(); }

  void show(const Words& kept) {
    if (!folder_.is_named()) return print(text_, kept);
    folder_.write(text_);
    print("wrote " + folder_.in_words() + "\n", kept);
  }

 private:
  Format format_;
  TablesFolder folder_;
  std::string text_;
};

}  // namespace

int run_publish(const Typed& typed) {
  if (typed.has("example")) {
    print(std::string(requests::example_publication()));
    return 0;
  }
  if (typed.file.empty()) {
    usage("no FILE is named", {"name a file that describes the tables; ", Field("example"), " prints one"});
  }
  const Format format = format_of(typed, stdout_is_terminal() ? Format::table : Format::csv);
  const std::optional<Payment> payment = requests::payment_asked(typed);
  const auto on_public_file = [&](const std::string& path) {
    if (payment) requests::require_declared_keys(*payment, requests::keys_file(path).contents());
  };
  requests::PublicationFile file = requests::read_publication(typed.file, typed.one("duckdb"), on_public_file);
  requests::read_with_machine(typed, file.input.read);
  TablesFolder folder(typed.one("output"), typed.file);
  PublicationRequest request{std::move(file.publication), folder.receipt()};
  if (typed.has("unsafe_seed")) {
    request.unsafe_seed = requests::whole_number(typed, "unsafe_seed", {0, ~std::uint64_t{0}});
  }
  Publisher publisher(format, std::move(folder));
  const PublishedTables tables = publish(file.input.source(), request, payment, publisher);
  publisher.show(tables.kept);
  return 0;
}

}  // namespace fractile::cli

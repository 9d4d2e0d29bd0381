// fractile publish: publishes the tables of a publication.
#include <cstdint>
#include <string>
#include <utility>

#include "fractile/publication.hpp"
#include "report/text/shown_text.hpp"
#include "requests/publications/publication_file.hpp"
#include "requests/publications/publishing.hpp"
#include "requests/values.hpp"
#include "shown.hpp"
#include "terminal.hpp"
#include "verbs.hpp"
#include "watcher.hpp"

namespace fractile::cli {
namespace {

/// Attends a publication at the terminal, and shows its tables.
class Publisher final : public Watcher {
 public:
  Publisher(Format format, requests::TablesFolder folder) : format_(format), folder_(std::move(folder)) {}

  void prepare_tables(const PublishedTables& tables) override {
    if (folder_.is_named()) return folder_.prepare(tables);
    text_ = format_ == Format::json ? tables.receipt : format_ == Format::csv ? to_csv(tables) : to_table(tables);
  }
  void reserve_room(std::uint64_t receipt_size) override { folder_.make_room(receipt_size); }
  void charged() override { folder_.keep(); }

  void show(const Words& kept) {
    if (!folder_.is_named()) return print(text_, kept);
    folder_.write(kept);
    print("wrote " + shown_text(folder_.in_words()) + "\n", kept);
  }

 private:
  Format format_;
  requests::TablesFolder folder_;
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
  const Format format = format_of(typed, usual_format());
  requests::Publishing asked = requests::Publishing::of(typed, requests::publication_asked(typed));
  Publisher publisher(format, std::move(asked.folder));
  const PublishedTables tables = requests::with_words_of_file(
      [&] { return publish(asked.input.source(), asked.request, asked.payment, publisher); });
  publisher.show(tables.status);
  return 0;
}

}  // namespace fractile::cli

#include "fractile/source.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "libraries/postgres.hpp"
#include "source/entries/declared_server.hpp"
#include "source/entries/postgres_query.hpp"

namespace fractile {
namespace {

/// The options with which the source of a profile file was read.
TableOptions options_of(const ProfileFile& file) {
  const ProfileHeader& header = file.header();
  TableOptions options{.file = file.opened().name, .sql = header.sql, .format = "profile"};
  if (header.unreadable == Unreadable::missing)
    options.unreadable = Unreadable::missing;  // otherwise counting would have failed
  options.missing = header.missing;
  return options;
}

}  // namespace

std::vector<std::function<CountedColumn()>> Records::count_apart(const std::vector<ColumnToCount>& columns,
                                                                 RandomBits& bits,
                                                                 const std::function<void()>& on_progress) const {
  std::vector<std::function<CountedColumn()>> apart;
  for (CountedColumn& column : count(columns, bits, on_progress)) {
    apart.emplace_back([kept = std::make_shared<CountedColumn>(std::move(column))] { return std::move(*kept); });
  }
  return apart;
}

Source::Source(TableOptions options, Holder holder, Opening opening)
    : options_(std::move(options)), holder_(holder), opening_(std::move(opening)) {}

Source Source::opened_before(std::unique_ptr<Records> records, TableOptions options, Holder holder,
                             std::vector<OpenedFile> files) {
  const auto kept = std::make_shared<std::unique_ptr<Records>>(std::move(records));
  return {std::move(options), holder,
          [kept, files = std::move(files)](const OnOpened& on_opened, Unreadable /*unsaid*/) {
            if (!*kept) throw Error(ErrorCode::usage, "these records were released before, and can be read only once");
            if (on_opened) on_opened(files);
            return std::move(*kept);
          }};
}

Source Source::file(TableOptions options) {
  const auto open = [options](const OnOpened& on_opened, Unreadable unsaid) -> std::unique_ptr<Records> {
    TableOptions read = options;
    read.unreadable = options.unreadable.value_or(unsaid);
    return std::make_unique<Table>(Table::open(read, on_opened));
  };
  return {options, Holder::owner, open};
}

Source Source::frame(Frame frame, TableOptions options) {
  frame.use_threads(options.threads);
  frame.use_memory(options.memory);
  frame.use_missing(options.missing);
  return opened_before(std::make_unique<Frame>(std::move(frame)), std::move(options), Holder::asker);
}

Source Source::postgres(std::string address, TableOptions options) {
  const OwnEnvironment own;
  const auto open = [address, options](const OnOpened& on_opened, Unreadable /*unsaid*/) -> std::unique_ptr<Records> {
    return std::make_unique<PostgresQuery>(PostgresQuery::open(address, options, on_opened));
  };
  Source source(std::move(options), Holder::owner, open);
  source.address_ = std::move(address);
  return source;
}

Source Source::profile_file(ProfileFile file) {
  TableOptions options = options_of(file);
  std::vector<OpenedFile> files{file.opened()};
  const bool has_disjoint_persons = file.header().disjoint_persons;
  Source source = opened_before(std::make_unique<ProfileFile>(std::move(file)), std::move(options), Holder::owner,
                                std::move(files));
  source.has_disjoint_persons_ = has_disjoint_persons;
  return source;
}

Source Source::counted_elsewhere(std::unique_ptr<Records> records, TableOptions options) {
  return opened_before(std::move(records), std::move(options), Holder::asker);
}

std::string Source::name() const {
  if (!address_.empty()) return postgres::is_address(address_) ? postgres::shown_address(address_) : address_;
  if (options_.file.empty()) return "the query's result";
  const std::string first = options_.file == "-" ? "standard input" : options_.file;
  const std::size_t more = options_.more_files.size();
  if (more == 0) return first;
  return first + " and " + (more == 1 ? options_.more_files.front() : std::to_string(more) + " more files");
}

std::string source_detail::declared_server(const std::string& address) {
  return postgres::is_address(address) ? postgres::shown_session(address) : address;
}

std::unique_ptr<Records> Source::open(const OnOpened& on_opened, Unreadable unsaid) {
  const OwnEnvironment own;
  return opening_(on_opened, unsaid);
}

}  // namespace fractile

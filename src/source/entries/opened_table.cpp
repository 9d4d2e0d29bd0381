#include "source/entries/opened_table.hpp"

#include <algorithm>

#include "source/files/text_check.hpp"

namespace fractile::source_detail {
namespace {

void set_order(const Session& connection, Order order, std::uint32_t threads) {
  const std::uint32_t wanted = order == Order::any ? threads : 1;
  connection.run(wanted == 0 ? "RESET threads" : "SET threads = " + std::to_string(wanted));
  connection.run(order == Order::any ? "SET preserve_insertion_order = false" : "RESET preserve_insertion_order");
}

/// One thread for a small text, which is read before a second thread has begun.
std::uint32_t threads_for(const OpenedTable& source) {
  const auto is_small = [](const Input& input) {
    return input.relation->text() != nullptr && input.relation->text()->is_of_one_piece();
  };
  return std::ranges::all_of(source.inputs, is_small) ? 1 : source.threads;
}

}  // namespace

Session connect(const std::string& library, Order order, std::uint32_t threads, std::uint64_t memory) {
  Session connection = Session::open(library);
  if (memory > 0) connection.run("SET memory_limit = '" + std::to_string(memory / 2) + "B'");
  set_order(connection, order, threads);
  return connection;
}

namespace {

/// Whose share read is not reported.
Session unwatched(const OpenedTable& source, Order order, std::uint64_t memory) {
  std::optional<Session> first = source.first_connection.take();
  if (first) {
    set_order(*first, order, threads_for(source));
    return std::move(*first);
  }
  Session connection = connect(source.library, order, threads_for(source), memory);
  for (const Input& input : source.inputs) input.relation->add_to(connection);
  for (const std::string& statement : source.relation->setup()) connection.run(statement);
  return connection;
}

}  // namespace

bool is_delimited(const Input& input) { return input.relation->text() != nullptr; }

Session connect(const OpenedTable& source, Order order, std::uint64_t memory) {
  Session connection = unwatched(source, order, memory);
  *source.engine_share = 0;
  if (std::ranges::none_of(source.inputs, is_delimited)) connection.share_to(source.engine_share);
  return connection;
}

EngineOnDemand connecting(const OpenedTable& source, Order order, std::uint64_t memory) {
  return [&source, order, memory, made = std::make_shared<std::optional<Session>>()]() -> const Session& {
    if (!*made) made->emplace(connect(source, order, memory));
    return **made;
  };
}

void require_unchanged(const OpenedTable& source) {
  for (const Input& input : source.inputs) input.files.require_unchanged();
}

void check_texts(const OpenedTable& source, bool has_failed, const std::function<void()>& on_progress) {
  for (const Input& input : source.inputs) {
    const auto* const text = input.relation->text();
    if (text == nullptr || (text->was_read_whole() && !has_failed)) continue;
    for (const InputFile& file : input.files.files())
      check_delimited(file, *input.relation->shape(), source.line_ends, on_progress);
  }
}

Relation look_through(const OpenedTable& source, std::vector<Column> counted,
                      const std::function<void()>& on_progress) {
  *source.engine_share = 0;
  Relation relation = *source.relation;
  for (const Input& input : source.inputs) {
    if (!input.relation->json_form()) continue;
    const bool lines = input.relation->check_json_lines(on_progress);
    if (!source.has_query && lines) relation = input.relation->on_lines();
  }
  return relation.without(std::move(counted), source.missing);
}

}  // namespace fractile::source_detail

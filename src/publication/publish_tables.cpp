// Makes and publishes all tables of a publication together.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "publication/charge.hpp"
#include "publication/descriptions.hpp"
#include "publication/margins.hpp"
#include "publication/remaining_parts.hpp"
#include "publication/steps.hpp"
#include "publication/tables.hpp"
#include "quantiles/stages/statistics.hpp"
#include "report/text/durable.hpp"

namespace fractile {

using namespace publication_detail;

namespace {

/// A level, to be drawn as a release of its own.
struct LevelToDraw {
  PublicationPart part;
  LevelCells cells;
  std::size_t column;      ///< its place in Plan::columns
  ReleaseRequest request;  ///< at its part's cost, or at the cost that held levels leave for it
  SourceDescription description;
  std::string form = {};  ///< all that determines its law except its cost; only with a charge
};

/// `from_rows`: the records are read here, not taken from a profile file.
RecordSelection selection_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                             const LevelCells& cells, bool from_rows) {
  RecordSelection selection;
  selection.person = publication.person;
  selection.records_per_person = publication_detail::records_per_person(publication, table, level);
  selection.per_person = table.per_person;
  selection.weights = publication.weights;
  selection.whole_records = from_rows && !publication.person.empty() && !table.per_person;
  selection.by = publication_detail::columns_of(table, level);
  if (!level.empty()) selection.keys = GroupKeys::tuples(cells.cells);
  selection.others = others_of(table, level);
  return selection;
}

ColumnToCount column_of(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                        const LevelCells& cells, bool from_rows) {
  return {table.column, table.lattice, publication.null_policy,
          selection_of(publication, table, level, cells, from_rows)};
}

/// What is counted for a level: the table's finest cells, if the level adds them up. A level of persons' values is counted itself, from the
/// records of the finest cells.
ColumnToCount counted_for(const Publication& publication, const PublicationTable& table, const KeyLevel& level,
                          const LevelCells& cells, bool from_rows) {
  const KeyLevel& finest = table.levels.front();
  ColumnToCount counted = column_of(publication, table, finest, cells_of(publication, table, finest), from_rows);
  if (table.adds_up() || level == finest) return counted;
  const RecordSelection of_level = selection_of(publication, table, level, cells, from_rows);
  counted.selection.records_per_person = of_level.records_per_person;
  counted.selection.merged = MergedGroups{of_level.by, of_level.keys, {cells.of_finest.begin(), cells.of_finest.end()}};
  return counted;
}

/// All levels to draw, and the columns that are counted for them, each once.
struct Plan {
  std::vector<LevelToDraw> levels;
  std::vector<ColumnToCount> columns;
};

bool is_counted_alike(const ColumnToCount& a, const ColumnToCount& b) {
  return a.column == b.column && a.lattice == b.lattice && a.selection.by == b.selection.by &&
         a.selection.keys == b.selection.keys && a.selection.others == b.selection.others &&
         a.selection.per_person == b.selection.per_person && a.selection.merged == b.selection.merged;
}

Plan plan_of(const PublicationRequest& request, const Source& source) {
  Publication publication = request.publication;
  publication.sql_stability = source.options().sql_stability.value_or(1);
  const bool from_rows = source.options().format != "profile";
  Plan plan;
  for (PublicationPart& part : parts(publication)) {
    const PublicationTable& table = publication.tables[part.table];
    const KeyLevel& level = table.levels[part.level];
    LevelCells cells = cells_of(publication, table, level);
    ColumnToCount counted = counted_for(publication, table, level, cells, from_rows);
    const auto same =
        std::ranges::find_if(plan.columns, [&](const auto& each) { return is_counted_alike(each, counted); });
    const auto place = static_cast<std::size_t>(same - plan.columns.begin());
    if (same == plan.columns.end()) plan.columns.push_back(std::move(counted));
    ReleaseRequest asked{column_of(publication, table, level, cells, from_rows), part.query};
    if (part.counts_share.sign() > 0) asked.statistics = StatisticsRequest{table.below, table.mean, part.counts_share};
    plan.levels.push_back({std::move(part), std::move(cells), place, std::move(asked), {}});
  }
  return plan;
}

/// The largest number of finest cells that a cell of the table's margins adds up; 1 without margins.
std::size_t most_added_up(const Publication& publication, const PublicationTable& table) {
  std::size_t most = 1;
  for (std::size_t level = 1; level < table.levels.size(); ++level) {
    const LevelCells cells = cells_of(publication, table, table.levels[level]);
    std::vector<std::size_t> added_up(cells.cells.size());
    for (const std::size_t cell : cells.of_finest) most = std::max(most, ++added_up[cell]);
  }
  return most;
}

/// Throws `usage` if the table's margins cannot add up the level's counts.
void require_summable(const Publication& publication, const LevelToDraw& level, std::uint32_t sql_stability) {
  const ReleaseRequest& asked = level.request;
  if (!asked.statistics) return;
  const PublicationTable& table = publication.tables[level.part.table];
  const std::size_t added_up = table.adds_up() ? most_added_up(publication, table) : 1;
  if (added_up == 1) return;
  const Lattice& lattice = asked.column.lattice;
  QuantileQuery each = group_query(asked.over_counted(sql_stability));
  each.budget = each.budget.scaled(asked.statistics->share);
  StatisticsIntervals(StatisticsSampler(*asked.statistics, each, lattice).terms(), lattice, added_up);
}

/// What a charge must know about all levels: whose records count, and how they are read.
ReleaseRequest terms_of(const PublicationRequest& request, const Plan& plan) {
  ReleaseRequest terms = plan.levels.front().request;
  terms.query.budget = request.publication.budget;
  terms.query.records_per_person = request.publication.records_per_person;
  terms.receipt = request.receipt;
  terms.unsafe_seed = request.unsafe_seed;
  return terms;
}

class TablesRun {
 public:
  TablesRun(const PublicationRequest& request, Plan plan, const Records& records, const Source& source,
            std::optional<ReleaseCharge>& charge, Attendant& attendant)
      : request_(request),
        plan_(std::move(plan)),
        records_(records),
        reading_(source.name()),
        threads_(threads_of(source)),
        sql_stability_(source.options().sql_stability.value_or(1)),
        bits_(request.unsafe_seed ? RandomBits::unsafe_seeded(*request.unsafe_seed) : RandomBits::system()),
        charge_(charge),
        attendant_(attendant),
        held_(plan_.levels.size()),
        tables_{request.publication, {}} {}

  PublishedTables run() {
    const std::uint64_t file_size = largest_file();
    if (!charge_) {
      require_valid();
      attendant_.reserve_room(file_size);
      if (!request_.receipt.empty()) room_.emplace(request_.receipt, file_size);
      publish();
    } else {
      reserve(file_size);
      charge_->guard([&] { publish(); }, attendant_);
    }
    return std::move(tables_);
  }

 private:
  std::uint64_t receipt_size(const LevelToDraw& level) const {
    return largest_receipt(level.request, level.description, charge_ ? charge_->dataset() : std::string());
  }
  std::uint64_t receipts_size() const {
    return sum_over<std::uint64_t>(plan_.levels, [&](const LevelToDraw& each) { return receipt_size(each); });
  }

  /// An upper bound on the bytes of the publication's receipt: the receipts of its levels, and the text around them.
  std::uint64_t largest_file() const {
    constexpr std::uint64_t escaped = 6;  // the most bytes per byte: \u0000
    const Publication& publication = request_.publication;
    std::uint64_t size = 4'000 + escaped * publication.title.size() + receipts_size();
    for (const KeyColumn& column : publication.keys) {
      size += 100 + escaped * column.column.size();
      for (const std::string& key : column.keys) size += 20 + escaped * key.size();
      for (const std::string& label : column.labels) size += 20 + escaped * label.size();
    }
    for (const PublicationTable& table : publication.tables) {
      std::uint64_t names = escaped * table.name.size() + 200;
      for (const std::string& column : table.by) names += 30 + escaped * column.size();
      size += names * (1 + table.levels.size());
    }
    return size;
  }

  /// A ledger knows a level by its form alone: it would answer with one of two equal levels for both.
  void require_different_forms() const {
    std::map<std::string_view, std::size_t> tables;
    for (const LevelToDraw& each : plan_.levels) {
      const auto [first, is_new] = tables.try_emplace(each.form, each.part.table);
      if (is_new) continue;
      const std::vector<PublicationTable>& all = request_.publication.tables;
      throw Error(ErrorCode::usage,
                  {"tables '", all[first->second].name, "' and '", all[each.part.table].name,
                   "' have a level of the same values, and a ledger would answer with one of them for both"},
                  "leave one of them out");
    }
  }

  void reserve(std::uint64_t file_size) {
    require_different_forms();
    const std::vector<std::string> forms = mapped(plan_.levels, &LevelToDraw::form);
    const std::vector<PublicationPart> parts = mapped(plan_.levels, &LevelToDraw::part);
    bool is_used_up = false;
    const auto wanted = [&](const std::vector<std::optional<LedgerEntry>>& held) {
      held_ = held;
      const std::vector<std::optional<Budget>> kept = mapped(held, [](const std::optional<LedgerEntry>& each) {
        return each ? std::optional(each->request.cost) : std::nullopt;
      });
      is_used_up = true;
      const std::vector<Budget> costs = costs_beside(request_.publication, parts, kept);
      is_used_up = false;
      tables_.publication.budget = budget_beside(request_.publication, costs);
      std::vector<ChargedRelease> releases;
      for (std::size_t i = 0; i < held.size(); ++i) {
        LevelToDraw& level = plan_.levels[i];
        level.request.query.budget = costs[i];
        if (!held[i]) releases.push_back({level.form, costs[i], receipt_size(level)});
      }
      require_valid();
      return releases;
    };
    try {
      charge_->reserve({{}, forms, receipts_size(), mapped(parts, &PublicationPart::cost)}, wanted, file_size,
                       attendant_);
    } catch (const Error& error) {
      const std::string held = is_used_up ? charge_->held_in_words(forms, held_) : std::string();
      if (held.empty()) throw;
      throw Error(error.code(), {error.what_words(), " (", held, ")"}, error.hint_words(), error.field());
    }
  }

  /// Refuses, before anything is charged, all that release() would refuse. No level fails after the charge because of public parameters.
  void require_valid() const {
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      if (held_[i]) continue;
      in_table(request_.publication.tables[plan_.levels[i].part.table], [&] {
        plan_.levels[i].request.validate(sql_stability_);
        require_summable(request_.publication, plan_.levels[i], sql_stability_);
        if (charge_ || !request_.receipt.empty()) require_readable(receipt_size(plan_.levels[i]));
      });
    }
  }

  /// Counts, in one reading, the columns from which levels are drawn. Each function returns its column and is called once. The other
  /// columns have no function.
  std::vector<std::function<CountedColumn()>> counted() {
    std::vector<std::function<CountedColumn()>> counted(plan_.columns.size());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const std::size_t column = plan_.levels[i].column;
      if (!held_[i] && std::ranges::find(places, column) == places.end()) places.push_back(column);
    }
    if (places.empty()) return counted;
    const std::vector<ColumnToCount> asked = mapped(places, [&](std::size_t place) { return plan_.columns[place]; });
    attendant_.at("reading " + reading_);
    std::vector<std::function<CountedColumn()>> read =
        records_.count_apart(asked, bits_, [&] { tell_progress(records_, attendant_); });
    for (std::size_t i = 0; i < read.size(); ++i) counted[places[i]] = std::move(read[i]);
    return counted;
  }

  /// For each column, the last level that is drawn from it.
  std::vector<std::size_t> last_levels() const {
    std::vector<std::size_t> last(plan_.columns.size());
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      if (!held_[i]) last[plan_.levels[i].column] = i;
    }
    return last;
  }

  /// Draws and publishes. If there is a charge, it has been reserved.
  void publish() {
    const std::vector<std::function<CountedColumn()>> columns = counted();
    const std::vector<std::size_t> last = last_levels();
    std::map<std::size_t, CountedColumn> at_hand;  // the columns in use, until their last level is drawn
    attendant_.at("drawing");
    std::vector<Charge> charges = charge_ ? charge_->charges() : std::vector<Charge>();
    std::vector<std::string> receipts;
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const LevelToDraw& level = plan_.levels[i];
      if (held_[i]) {
        tables_.levels.push_back({level.part.table, level.part.level, ReleaseCharge::release_of(*held_[i]), held_[i]});
        continue;
      }
      if (!at_hand.contains(level.column)) {
        CountedColumn column = columns[level.column]();
        column.profiles().front().require_on(plan_.columns[level.column].lattice);  // the lattice that was charged for
        at_hand.emplace(level.column, std::move(column));
      }
      Release release = drawn(level, at_hand.at(level.column));
      if (last[level.column] == i) at_hand.erase(level.column);
      if (charge_) release.charge = charges.at(receipts.size());
      tables_.levels.push_back({level.part.table, level.part.level, with_receipt(std::move(release))});
      receipts.push_back(tables_.levels.back().release.receipt);
    }
    add_sums(tables_);
    if (charge_) tables_.account = charge_->account();
    tables_.receipt = receipt_of(tables_);
    attendant_.prepare_tables(tables_);
    if (charge_) {
      charge_->publish(std::move(receipts), tables_.receipt, attendant_);
    } else if (!request_.receipt.empty()) {
      room_.reset();
      write_durably(request_.receipt, tables_.receipt);
    }
    attendant_.at("");
    tell_of_held();
  }

  /// Reports the levels that the ledger held: their numbers are those of the records as they were then.
  void tell_of_held() const {
    std::vector<std::string> days;
    for (const std::optional<LedgerEntry>& each : held_) {
      if (each) days.push_back(each->reserved_at.substr(0, std::string_view("2026-01-31").size()));
    }
    if (days.empty()) return;
    const auto [first, last] = std::ranges::minmax(days);
    const std::string when = first == last ? "on " + first : fmt::format("from {} to {}", first, last);
    if (days.size() == held_.size()) {
      return attendant_.tell(
          fmt::format("these tables were released {}, as {} says; here they are again, and nothing was spent", when,
                      charge_->path()),
          {"the records were not read; ", Field("again"), " reads them, and pays for all tables"});
    }
    attendant_.tell(fmt::format("{} of {} levels were released {}, as {} says; they keep their numbers, and only the "
                                "others were drawn from the records as they are now",
                                days.size(), held_.size(), when, charge_->path()),
                    {Field("again"), " draws all levels anew, and pays for all of them"});
  }

  Release drawn(const LevelToDraw& level, const CountedColumn& counted) {
    const PublicationTable& table = request_.publication.tables[level.part.table];
    const bool is_counted = !table.adds_up() || (level.part.level == 0 && !table.levels.front().empty());
    ReleaseOptions options{level.request.query, {}, level.request.statistics};
    options.threads = threads_;
    Release release =
        is_counted
            ? fractile::release(counted, options, bits_)
            : fractile::release(counted.in_groups(level.request.column.selection.keys.all(), level.cells.of_finest),
                                options, bits_);
    release.source = level.description;
    attendant_.tick();
    return release;
  }

  const PublicationRequest& request_;
  Plan plan_;
  const Records& records_;
  std::string reading_;  // the name of the source
  std::size_t threads_;
  std::uint32_t sql_stability_;
  RandomBits bits_;
  std::optional<ReleaseCharge>& charge_;
  Attendant& attendant_;
  std::vector<std::optional<LedgerEntry>> held_;  // one per level
  std::optional<RoomForFile> room_ = {};          // for the receipt, if there is no charge
  PublishedTables tables_;
};

PublishedTables tables_drawn(Source source, const PublicationRequest& request, const std::optional<Payment>& payment,
                             Attendant& attendant) {
  Plan plan = plan_of(request, source);
  const ReleaseRequest terms = terms_of(request, plan);
  auto [charge, records] = open_source(source, terms, plan.columns, Unreadable::missing, payment, attendant);
  for (LevelToDraw& level : plan.levels) {
    level.description = publication_detail::described(source, level.request, true, *records);
    level.description.margin_of = margin_of(plan.columns[level.column].selection, level.request.column.selection);
    if (!charge) continue;
    const ReleaseCharge& paid = *charge;
    const auto text = [&](Form form) {
      return canonical_text(source, level.request, level.description, paid.source(), paid.tables(), Costs::any, form);
    };
    level.form = paid.held_text(text(Form::alike), text(Form::as_typed));
  }
  records->require_unchanged();
  PublishedTables tables = TablesRun(request, std::move(plan), *records, source, charge, attendant).run();
  tables.status = charge ? charge->kept()
                  : request.receipt.empty()
                      ? Words{"the tables were drawn; with ", Field("output"), " they would have been kept"}
                      : Words("the tables were drawn; the receipt " + request.receipt + " holds them");
  return tables;
}

}  // namespace

Spending PublishedTables::cost() const {
  Spending sum{publication.budget.measure()};
  for (const PublishedLevel& each : levels) sum.add(each.release.cost());
  return sum;
}

PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment,
                        Attendant& attendant) {
  const OwnEnvironment own;
  const detail::CheckpointsOfThread none(nullptr);  // the attendant says when this may end
  return or_without_memory([&] { return tables_drawn(std::move(source), request, payment, attendant); });
}

PublishedTables publish(Source source, const PublicationRequest& request, const std::optional<Payment>& payment) {
  const OwnEnvironment own;
  Attendant nobody;
  return publish(std::move(source), request, payment, nobody);
}

}  // namespace fractile

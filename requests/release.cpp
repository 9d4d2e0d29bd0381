#include "requests/release.hpp"

#include <filesystem>
#include <utility>

#include "fractile/durable.hpp"
#include "fractile/error.hpp"
#include "fractile/planning.hpp"
#include "fractile/receipts.hpp"
#include "requests/sources.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

/// An epsilon of 20, at which the odds may change half a billion times over, and a rho as large as an exponential
/// mechanism of that epsilon has: 20^2 / 8.
void warn_of_weak_budgets(const Budget& budget, Attendant& attendant) {
  const bool pure = budget.measure() != Measure::zcdp;
  if (pure ? budget.epsilon().to_double() <= 20 : budget.rho() <= Rational(50)) return;
  attendant.warn(pure ? "an epsilon above 20 promises next to nothing" : "a rho above 50 promises next to nothing",
                 "one person's record can change the odds of a release at will");
}

void warn_of_noise(const Release& release, Attendant& attendant) {
  const std::optional<NoiseInWords> noise = noise_in_words(release);
  if (noise) attendant.warn(noise->what, noise->hint);
}

std::optional<Unreadable> typed_unreadable(const Typed& typed) {
  if (!typed.has("unreadable")) return {};
  return typed.one("unreadable") == "missing" ? Unreadable::missing : Unreadable::error;
}

/// What is done with cells that are no numbers, where something is said of it: "missing" where nothing of a cell ends the release.
std::optional<Unreadable> unreadable_of(const Typed& typed, const ReleaseRequest& request) {
  if (typed.has("counts")) return typed_unreadable(typed);
  const bool is_row_wise = typed.has("sql") && !typed.has("sql_stability");
  if (is_row_wise || request.table.unreadable == Unreadable::missing) return Unreadable::missing;
  return typed_unreadable(typed);
}

SourceDescription described(const Typed& typed, const ReleaseRequest& request, const Records& records) {
  const TableOptions& table = request.table;
  return {typed.file,           table.sql,
          request.column,       request.null_policy,
          records.engine(),     request.selection.person,
          request.selection.by, table.tables,
          table.sql_stability,  records.are_persons_disjoint(),
          table.missing,        unreadable_of(typed, request)};
}

std::string canonical(const Typed& typed, const ReleaseRequest& request, const SourceDescription& source,
                      const ReleaseCharge& charge) {
  const TableOptions& table = request.table;
  ReleaseDetails details{table.format, table.delimiter, table.single_line_records, request.public_rows,
                         request.selection.keys};
  if (request.bounds) details.bounds_share = request.bounds->share;
  details.unreadable = typed_unreadable(typed);
  details.source = charge.source();
  details.tables = charge.tables();
  return canonical_query(request.query, request.lattice, source, details);
}

/// At most so many bytes has the receipt of what is asked for, whatever is drawn: an upper bound that takes no rows.
std::uint64_t largest_receipt(const ReleaseRequest& request, const SourceDescription& source,
                              const std::string& dataset) {
  constexpr std::uint64_t escaped = 6;  // bytes of a byte: \u0000
  std::uint64_t size = 8'000;           // all that stands in it once, but what was typed
  for (const std::string* typed :
       {&source.file, &source.sql, &source.column, &source.person, &source.by, &source.engine, &dataset}) {
    size += escaped * typed->size();
  }
  for (const NamedTable& table : source.tables) size += 60 + escaped * (table.name.size() + table.file.size());
  const Lattice& lattice = request.lattice;
  const std::uint64_t last = lattice.size() - 1;
  const std::uint64_t digits =
      std::max(lattice.text(0).size(), lattice.text(last).size()) + 40;  // and those of steps between
  if (!lattice.is_regular()) size += lattice.size() * (digits + 20);
  std::uint64_t each = 3'000;  // what ran, and what it spent
  for (const Rational& quantile : request.query.quantiles) each += 300 + quantile.to_string().size() + 5 * digits;
  if (request.query.intervals) each += request.query.quantiles.size() * 300;
  const auto& keys = request.selection.keys;
  for (const std::string& key : keys) size += escaped * key.size() + each;
  return keys.empty() ? size + each : size;
}

Release drawn(const ReleaseRequest& request, const Records& records, RandomBits& bits, Attendant& attendant) {
  const std::vector<RankProfile> profiles = records.profiles(request.column, request.lattice, request.null_policy,
                                                             request.selection, bits, [&] { attendant.tick(); });
  profiles.at(0).require_on(request.lattice);  // which was charged for; all of them are on one
  Release release = published(profiles, {request.query, request.bounds}, request.selection, bits);
  if (request.public_rows) release.public_rows = records.rows();
  return release;
}

Words where_kept(const ReleaseRequest& request, const std::optional<ReleaseCharge>& charge) {
  if (!request.receipt.empty()) return "the release was made; the receipt " + request.receipt + " holds it";
  if (charge) return charge->kept();
  return {"the release was made and counts as spent; with ", Field("receipt"), " it would have been kept"};
}

void require_receipts_place(const Typed& typed, const std::string& receipt) {
  const bool may_be_there = typed.has("ledger") && std::filesystem::is_regular_file(receipt);  // from an earlier run
  if (!receipt.empty() && !may_be_there) require_writable(receipt);
}

/// Of what is charged for already, if anything is. `room`: for the receipt, where there is no charge.
void publish(const Typed& typed, const ReleaseRequest& request, const Records& records, const SourceDescription& source,
             RandomBits& bits, std::optional<ReleaseCharge>& charge, std::optional<RoomForFile>& room, Answer& answer,
             Attendant& attendant) {
  if (charge) answer.account = charge->account();
  attendant.at("reading " + input_name(typed));
  Release release = drawn(request, records, bits, attendant);
  release.source = source;
  if (charge) release.charge = charge->charge();
  const bool is_kept = charge || !request.receipt.empty();
  answer.release = is_kept ? with_receipt(std::move(release)) : std::move(release);
  attendant.prepare(answer);
  if (charge) {
    charge->publish(answer.release->receipt, attendant);
  } else if (!request.receipt.empty()) {
    room.reset();
    write_durably(request.receipt, answer.release->receipt);
  }
  attendant.at("");
  warn_of_noise(*answer.release, attendant);
}

}  // namespace

ReleaseRequest ReleaseRequest::of(const Typed& typed, bool in_memory) {
  if (!typed.has("column")) {
    const Field field("column");
    usage({field, " is missing"}, {"name the column to publish, for example ", field.text("age")});
  }
  const QuantileQuery asked = query_of(typed, budget_of(typed));
  const QuantileQuery query = over_query(asked, sql_stability(typed).value_or(1));
  std::optional<BoundsToFind> bounds = bounds_to_find(typed, query);
  const Lattice lattice = bounds ? bounds->search.lattice() : lattice_of(typed);
  query.validate(lattice);
  ReleaseRequest request{typed.one("column"),
                         asked,
                         query,
                         std::move(bounds),
                         lattice,
                         selection_of(typed, query),
                         NullPolicy::drop,
                         typed.has("public_rows"),
                         {},
                         postgres_of(typed),
                         {},
                         typed.one("receipt")};
  request.null_policy = null_policy_of(typed);
  request.table = table_of(typed, in_memory);
  if (typed.has("unsafe_seed")) request.seed = whole_number(typed, "unsafe_seed", {0, ~std::uint64_t{0}});
  return request;
}

RandomBits ReleaseRequest::bits() const { return seed ? RandomBits::unsafe_seeded(*seed) : RandomBits::system(); }

Answer answer(const Typed& typed, const ReleaseRequest& request, const OpenRecords& open, Attendant& attendant) {
  RandomBits bits = request.bits();
  require_receipts_place(typed, request.receipt);
  const Holder holder = request.reads_files() || request.postgres ? Holder::owner : Holder::asker;
  std::optional<ReleaseCharge> charge = ReleaseCharge::of(typed, request.asked, holder, attendant);
  attendant.at("opening " + input_name(typed));  // standard input is read to its end here
  const auto on_opened = [&](const std::vector<OpenedFile>& files) {
    if (charge) charge->require_fit(typed, files);
  };
  if (!request.reads_files() && !request.postgres) on_opened({});
  const std::unique_ptr<Records> records = open(on_opened);
  attendant.at("");
  records->require_countable(request.column, request.lattice.kind());
  records->require_lattice(request.column, request.lattice);
  records->require_selection(request.selection, request.column);
  warn_of_weak_budgets(request.query.budget, attendant);
  Answer answer;
  const SourceDescription source = described(typed, request, *records);
  if (charge) {
    answer.stored = charge->stored(canonical(typed, request, source, *charge));
    if (answer.stored) {
      answer.release = charge->release_of(*answer.stored);
      answer.account = charge->account();
      answer.kept = "nothing was spent";
      attendant.prepare(answer);
      charge->repeat(*answer.stored, attendant);
      return answer;
    }
  }
  records->require_unchanged();
  const std::uint64_t largest = largest_receipt(request, source, charge ? charge->charge().dataset : std::string());
  std::optional<RoomForFile> room;
  if (charge) {
    charge->reserve(largest, attendant);
  } else {
    attendant.make_room(largest);
    if (!request.receipt.empty()) room.emplace(request.receipt, largest);
  }
  const auto work = [&] { publish(typed, request, *records, source, bits, charge, room, answer, attendant); };
  charge ? charge->guard(work, attendant) : work();
  answer.kept = where_kept(request, charge);
  return answer;
}

}  // namespace fractile::requests

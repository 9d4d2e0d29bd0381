#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "publication/charge.hpp"
#include "publication/descriptions.hpp"
#include "publication/steps.hpp"
#include "report/release/explained_parts.hpp"
#include "report/text/durable.hpp"

namespace fractile {

using publication_detail::ReleaseCharge;

namespace {

void warn_of_noise(const Release& release, Attendant& attendant) {
  for (const auto& noise :
       {report_detail::doubtful_bounds_in_words(release), noise_in_words(release), empty_groups_in_words(release)}) {
    if (noise) attendant.warn(noise->what, noise->hint);
  }
}

/// The most bytes that the receipt may have. Throws `usage` if it is to be kept and might be too large to be read back.
std::uint64_t room_for_receipt(const ReleaseRequest& request, const SourceDescription& description,
                               const std::optional<ReleaseCharge>& charge) {
  const std::uint64_t largest =
      publication_detail::largest_receipt(request, description, charge ? charge->dataset() : std::string());
  if (charge || !request.receipt.empty()) publication_detail::require_readable(largest);
  return largest;
}

Words where_kept(const ReleaseRequest& request, const std::optional<ReleaseCharge>& charge) {
  if (!request.receipt.empty()) return "the release was made; the receipt " + request.receipt + " holds it";
  if (charge) return charge->kept();
  return {"the release was made and counts as spent; with ", Field("receipt"), " it would have been kept"};
}

/// The request, with a query that states for how many records per person the promise is made.
ReleaseRequest for_persons(ReleaseRequest request) {
  std::uint32_t& promised = request.query.records_per_person;
  promised = std::max(promised, request.column.selection.records_per_person);
  return request;
}

/// One release under way, from its charge on.
class ReleaseRun {
 public:
  ReleaseRun(const ReleaseRequest& request, const Records& records, const Source& source, RandomBits& bits,
             std::optional<ReleaseCharge>& charge, Attendant& attendant)
      : request_(request),
        records_(records),
        reading_(source.name()),
        threads_(publication_detail::threads_of(source)),
        bits_(bits),
        charge_(charge),
        attendant_(attendant) {}

  /// `query`: what canonical_text() returns; used only if there is a charge.
  void run(const SourceDescription& description, std::string query, Answer& answer) {
    const std::uint64_t largest = room_for_receipt(request_, description, charge_);
    if (!charge_) {
      attendant_.reserve_room(largest);
      if (!request_.receipt.empty()) room_.emplace(request_.receipt, largest);
      return publish(description, answer);
    }
    charge_->reserve({std::move(query), request_.query.budget, largest}, attendant_);
    charge_->guard([&] { publish(description, answer); }, attendant_);
  }

 private:
  /// Draws and publishes. If there is a charge, it has been reserved.
  void publish(const SourceDescription& description, Answer& answer) {
    if (charge_) answer.account = charge_->account();
    attendant_.at("reading " + reading_);
    Release release = drawn();
    release.source = description;
    if (charge_) release.charge = charge_->charges().at(0);
    const bool is_kept = charge_ || !request_.receipt.empty();
    answer.release = is_kept ? with_receipt(std::move(release)) : std::move(release);
    attendant_.prepare(answer);
    if (charge_) {
      charge_->publish({answer.release->receipt}, answer.release->receipt, attendant_);
    } else if (!request_.receipt.empty()) {
      room_.reset();
      write_durably(request_.receipt, answer.release->receipt);
    }
    attendant_.at("");
    warn_of_noise(*answer.release, attendant_);
  }

  Release drawn() {
    const std::vector<CountedColumn> counted =
        records_.count({request_.column}, bits_, [&] { tell_progress(records_, attendant_); });
    counted.at(0).profiles().front().require_on(request_.column.lattice);  // the lattice that was charged for
    ReleaseOptions options{request_.query, request_.bounds, request_.statistics};
    options.threads = threads_;
    return release(counted.front(), options, bits_);
  }

  const ReleaseRequest& request_;
  const Records& records_;
  std::string reading_;  // the name of the source
  std::size_t threads_;
  RandomBits& bits_;
  std::optional<ReleaseCharge>& charge_;
  std::optional<RoomForFile> room_ = {};  // for the receipt, if there is no charge
  Attendant& attendant_;
};

/// A request, its opened source and its charge, after everything was refused that can be refused before a record is read.
struct Opened {
  ReleaseRequest request;
  publication_detail::OpenedSource from = {};
  SourceDescription description = {};
  std::string query = {};                  ///< what canonical_text() returns, if there is a charge
  std::optional<LedgerEntry> stored = {};  ///< the entry that holds this very release
};

Opened opened(Source& source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
              Attendant& attendant) {
  Opened opened{for_persons(asked)};
  const ReleaseRequest& request = opened.request;
  request.validate(source.options().sql_stability.value_or(1));
  const bool is_paid = payment.has_value();
  opened.from = publication_detail::open_source(source, request, {request.column}, publication_detail::unsaid(is_paid),
                                                payment, attendant);
  opened.description = publication_detail::described(source, request, is_paid, *opened.from.records);
  const std::optional<ReleaseCharge>& charge = opened.from.charge;
  if (!charge) return opened;
  const auto text = [&](publication_detail::Form form) {
    return publication_detail::canonical_text(source, request, opened.description, charge->source(), charge->tables(),
                                              publication_detail::Costs::equal, form);
  };
  opened.query = charge->held_text(text(publication_detail::Form::alike), text(publication_detail::Form::as_typed));
  opened.stored = charge->stored(opened.query);
  return opened;
}

Answer answer_to(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                 Attendant& attendant) {
  RandomBits bits = asked.unsafe_seed ? RandomBits::unsafe_seeded(*asked.unsafe_seed) : RandomBits::system();
  auto [request, from, description, query, stored] = opened(source, asked, payment, attendant);
  std::optional<ReleaseCharge>& charge = from.charge;
  Answer answer;
  answer.stored = std::move(stored);
  if (answer.stored) {
    answer.release = charge->release_of(*answer.stored);
    answer.account = charge->account();
    answer.status = "nothing was spent";
    attendant.prepare(answer);
    charge->repeat(*answer.stored, attendant);
    return answer;
  }
  from.records->require_unchanged();
  ReleaseRun(request, *from.records, source, bits, charge, attendant).run(description, std::move(query), answer);
  answer.status = where_kept(request, charge);
  return answer;
}

/// "" for a key of JSON, whose type is in the records.
std::string type_of(const Records& records, const std::string& name) {
  std::vector<TableColumn> columns;
  try {
    columns = records.columns();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
  }
  const auto found = std::ranges::find(columns, name, &TableColumn::name);
  return found == columns.end() ? std::string() : found->type;
}

Rehearsal rehearsed(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                    Attendant& attendant) {
  const Opened opened = fractile::opened(source, asked, payment, attendant);
  const std::optional<ReleaseCharge>& charge = opened.from.charge;
  Rehearsal rehearsal{type_of(*opened.from.records, opened.request.column.column), opened.stored};
  if (opened.stored) {  // by the ledger
    rehearsal.account = charge->account();
    return rehearsal;
  }
  const std::uint64_t largest = room_for_receipt(opened.request, opened.description, charge);
  if (charge) rehearsal.account = charge->account_with({opened.query, opened.request.query.budget, largest});
  return rehearsal;
}

}  // namespace

Answer publish(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
               Attendant& attendant) {
  const OwnEnvironment own;
  const detail::CheckpointsOfThread none(nullptr);  // the attendant says when this may end
  return publication_detail::or_without_memory([&] { return answer_to(std::move(source), asked, payment, attendant); });
}

Rehearsal rehearse(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
                   Attendant& attendant) {
  const OwnEnvironment own;
  return publication_detail::or_without_memory([&] { return rehearsed(std::move(source), asked, payment, attendant); });
}

Answer publish(Source source, const ReleaseRequest& request, const std::optional<Payment>& payment) {
  const OwnEnvironment own;
  Attendant nobody;
  return publish(std::move(source), request, payment, nobody);
}

}  // namespace fractile

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "fractile/durable.hpp"
#include "fractile/publication.hpp"
#include "fractile/random.hpp"
#include "fractile/receipts.hpp"
#include "publication/charge.hpp"
#include "publication/descriptions.hpp"
#include "publication/steps.hpp"

namespace fractile {

using publication_detail::ReleaseCharge;

namespace {

void warn_of_noise(const Release& release, Attendant& attendant) {
  const std::optional<NoiseInWords> noise = noise_in_words(release);
  if (noise) attendant.warn(noise->what, noise->hint);
}

Words where_kept(const ReleaseRequest& request, const std::optional<ReleaseCharge>& charge) {
  if (!request.receipt.empty()) return "the release was made; the receipt " + request.receipt + " holds it";
  if (charge) return charge->kept();
  return {"the release was made and counts as spent; with ", Field("receipt"), " it would have been kept"};
}

/// The request whose query says of how many records a promise is made.
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

  /// `query`: of canonical_text(), where there is a charge.
  void run(const SourceDescription& description, std::string query, Answer& answer) {
    const std::uint64_t largest =
        publication_detail::largest_receipt(request_, description, charge_ ? charge_->dataset() : std::string());
    if (!charge_) {
      attendant_.reserve_room(largest);
      if (!request_.receipt.empty()) room_.emplace(request_.receipt, largest);
      return publish(description, answer);
    }
    charge_->reserve({std::move(query), request_.query.budget, largest}, attendant_);
    charge_->guard([&] { publish(description, answer); }, attendant_);
  }

 private:
  /// What is charged for already, if anything is.
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
    const std::vector<CountedColumn> counted = records_.count({request_.column}, bits_, [&] { attendant_.tick(); });
    counted.at(0).profiles().front().require_on(request_.column.lattice);  // which was charged for
    ReleaseOptions options{request_.query, request_.bounds, request_.statistics};
    options.threads = threads_;
    return release(counted.front(), options, bits_);
  }

  const ReleaseRequest& request_;
  const Records& records_;
  std::string reading_;  // what is read
  std::size_t threads_;
  RandomBits& bits_;
  std::optional<ReleaseCharge>& charge_;
  std::optional<RoomForFile> room_ = {};  // for the receipt, where there is no charge
  Attendant& attendant_;
};

}  // namespace

Answer publish(Source source, const ReleaseRequest& asked, const std::optional<Payment>& payment,
               Attendant& attendant) {
  const ReleaseRequest request = for_persons(asked);
  request.validate(source.options().sql_stability.value_or(1));
  RandomBits bits = request.unsafe_seed ? RandomBits::unsafe_seeded(*request.unsafe_seed) : RandomBits::system();
  publication_detail::require_receipts_place(request.receipt, payment.has_value());
  std::optional<ReleaseCharge> charge;
  if (payment) charge.emplace(ReleaseCharge::of(*payment, source, request, attendant));
  attendant.at("opening " + source.name());  // standard input is read to its end here
  const auto on_opened = [&](const std::vector<OpenedFile>& files) {
    if (charge) charge->require_fit(source, files);
  };
  const std::unique_ptr<Records> records = source.open(on_opened, publication_detail::unsaid(payment.has_value()));
  attendant.at("");
  if (charge) charge->require_persons(source, *records);
  records->require_countable({request.column});
  publication_detail::warn_of_weak_budgets(request.query.budget, attendant);
  Answer answer;
  const SourceDescription description = publication_detail::described(source, request, payment.has_value(), *records);
  std::string query;
  if (charge) {
    query = publication_detail::canonical_text(source, request, description, charge->source(), charge->tables());
    answer.stored = charge->stored(query);
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
  ReleaseRun(request, *records, source, bits, charge, attendant).run(description, std::move(query), answer);
  answer.kept = where_kept(request, charge);
  return answer;
}

Answer publish(Source source, const ReleaseRequest& request, const std::optional<Payment>& payment) {
  Attendant nobody;
  return publish(std::move(source), request, payment, nobody);
}

}  // namespace fractile

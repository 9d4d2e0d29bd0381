#include "report/flow/plain_channel.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "report/flow/plain_release.hpp"

namespace fractile::report_detail {
namespace {

using Kind = flow::PostProcessor::Kind;
using Places = std::vector<std::size_t>;
/// What the post-processor keeps of the answers so far. After the last answer, it becomes what is observed.
using State = std::vector<Rational>;
using Law = std::map<State, Rational>;

Rational number(std::size_t value) { return value; }

std::string name_of(const State& members) {
  if (members.size() == 1) return members.front().to_string();
  std::string name;
  for (const Rational& member : members) name += (name.empty() ? "(" : ",") + member.to_string();
  return name + ")";
}

/// Applies the post-processor answer by answer.
class PlainPost {
 public:
  explicit PlainPost(const flow::Pipeline& pipeline)
      : pipeline_(pipeline), secret_is_histogram_(pipeline.secret.kind == flow::Secret::Kind::histogram) {}

  State first_state() const {
    switch (pipeline_.post.kind) {
      case Kind::count:
      case Kind::sum:
        return {0};
      case Kind::mode:
        return secret_is_histogram_ ? State{-1, 0} : State(pipeline_.shown().size());
      case Kind::shuffle:
        return State(pipeline_.shown().size());
      case Kind::bits:
        return State(places());
      default:
        return {};
    }
  }

  /// The state after one more answer, the `index`-th.
  State after(State state, std::size_t index, std::size_t answer) const {
    const flow::PostProcessor& post = pipeline_.post;
    switch (post.kind) {
      case Kind::count:
        if (std::ranges::find(post.counted, answer) != post.counted.end()) state.front() += 1;
        return state;
      case Kind::sum:
        state.front() += pipeline_.shown()[answer];
        return state;
      case Kind::mode:
        if (!secret_is_histogram_) state[answer] += 1;
        if (secret_is_histogram_ && number(answer) > state.front()) state = {number(answer), number(index)};
        return state;
      case Kind::shuffle:
        state[answer] += 1;
        return state;
      case Kind::bits: {
        const std::string digits = pipeline_.shown()[answer].to_string();
        for (std::size_t i = 0; i < digits.size(); ++i) {
          if (digits[i] == '1') state[state.size() - digits.size() + i] += 1;
        }
        return state;
      }
      case Kind::round:
        state.push_back((pipeline_.shown()[answer] / post.unit + Rational(1, 2)).floor() * post.unit);
        return state;
      default:
        state.push_back(number(answer));
        return state;
    }
  }

  State observed_at(const State& last) const {
    switch (pipeline_.post.kind) {
      case Kind::mode: {
        if (secret_is_histogram_) return {last.back()};
        const auto highest = std::ranges::max_element(last);
        return {number(static_cast<std::size_t>(highest - last.begin()))};
      }
      case Kind::table: {
        std::size_t index = 0;
        for (const Rational& answer : last) index = index * pipeline_.shown().size() + answer.to_uint64();
        return {number(pipeline_.post.image[index])};
      }
      default:
        return last;
    }
  }

 private:
  const flow::Pipeline& pipeline_;
  bool secret_is_histogram_;

  /// The number of digits of the longest answer.
  std::size_t places() const {
    std::size_t most = 0;
    for (const Rational& answer : pipeline_.shown()) most = std::max(most, answer.to_string().size());
    return most;
  }
};

class PlainChannel {
 public:
  PlainChannel(const flow::Pipeline& pipeline, const Rational& odds, std::optional<PlainRelease> release)
      : pipeline_(pipeline),
        post_(pipeline),
        secret_is_histogram_(pipeline.secret.kind == flow::Secret::Kind::histogram),
        release_(std::move(release)) {
    if (release_) return;
    const std::vector<flow::Perturber>& each = pipeline.perturber.each();
    for (const flow::Perturber& one : each) noises_.push_back(one.at(flow::Odds(odds)));
    if (each.empty()) noises_.push_back(pipeline.perturber.at(flow::Odds(odds)));
  }

  std::optional<std::vector<std::vector<std::int64_t>>> exponents() {
    list_secrets();
    std::vector<std::vector<std::int64_t>> all;
    if (work_ > most_work) return {};
    for (const Places& secret : secrets_) {
      std::optional<std::vector<std::int64_t>> here = release_->exponents(table_of(members_of(secret)));
      if (!here) return {};
      all.push_back(*std::move(here));
    }
    return all;
  }

  std::optional<flow::Channel> multiplied() {
    list_secrets();
    std::vector<Law> rows;
    std::map<State, std::size_t> observed;
    for (const Places& secret : secrets_) {
      rows.push_back(law_of(secret));
      if (work_ > most_work) return {};
      for (const auto& [state, p] : rows.back()) observed.emplace(state, 0);
    }
    std::vector<std::string> observations;
    for (auto& [state, column] : observed) {
      column = observations.size();
      observations.push_back(observation_name(state));
    }
    flow::Matrix matrix(rows.size(), observed.size());
    for (std::size_t x = 0; x < rows.size(); ++x) {
      for (const auto& [state, p] : rows[x]) matrix(x, observed.at(state)) = p;
    }
    return flow::Channel(std::move(names_), std::move(observations), std::move(matrix));
  }

 private:
  static constexpr std::size_t most_work = 1'000'000;  // products

  void add_secret(Places secret) {
    State members;
    for (const std::size_t place : secret)
      members.push_back(secret_is_histogram_ ? number(place) : pipeline_.values[place]);
    names_.push_back(name_of(members));
    secrets_.push_back(std::move(secret));
    work_ += secrets_.back().size();
  }

  /// Whether this participant and the one before have the same perturber, judged by their channels at several odds.
  bool is_like_the_one_before(std::size_t participant) const {
    if (participant == 0 || noises_.size() <= 1) return participant > 0;
    const flow::Perturber& one = pipeline_.perturber.each()[participant];
    const flow::Perturber& before = pipeline_.perturber.each()[participant - 1];
    return std::ranges::all_of(std::vector<Rational>{2, 3, 5}, [&](const Rational& base) {
      const Rational odds = base.pow(pipeline_.perturber.root_degree());
      return one.at(flow::Odds(odds)) == before.at(flow::Odds(odds));
    });
  }

  /// Adds all tuples in order. If it makes no difference who has which value (`is_sorted`), adds only the tuples whose values do not
  /// decrease among neighbors with the same perturber.
  void add_tuples(Places& begun, bool is_sorted) {
    if (work_ > most_work) return;
    if (begun.size() == pipeline_.participants) return add_secret(begun);
    const bool goes_on = is_sorted && is_like_the_one_before(begun.size());
    for (std::size_t place = goes_on ? begun.back() : 0; place < pipeline_.values.size(); ++place) {
      begun.push_back(place);
      add_tuples(begun, is_sorted);
      begun.pop_back();
    }
  }

  /// Adds all histograms, those with the highest first bar first.
  void add_bars(Places& begun, std::size_t left) {
    if (work_ > most_work) return;
    if (begun.size() + 1 == pipeline_.values.size()) {
      begun.push_back(left);
      add_secret(begun);
      begun.pop_back();
      return;
    }
    for (std::size_t bar = left + 1; bar-- > 0;) {
      begun.push_back(bar);
      add_bars(begun, left - bar);
      begun.pop_back();
    }
  }

  void list_secrets() {
    Places begun;
    const Kind kind = pipeline_.post.kind;
    switch (pipeline_.secret.kind) {
      case flow::Secret::Kind::everyone:
        return add_tuples(begun, release_ || kind == Kind::count || kind == Kind::sum || kind == Kind::mode ||
                                     kind == Kind::shuffle || kind == Kind::bits);
      case flow::Secret::Kind::target:
        for (std::size_t place = 0; place < pipeline_.values.size(); ++place) add_secret({place});
        return;
      case flow::Secret::Kind::histogram:
        return add_bars(begun, pipeline_.participants);
    }
  }

  /// The values of all participants, with the target's last; or the bars of a histogram.
  Places members_of(const Places& secret) const {
    if (pipeline_.secret.kind != flow::Secret::Kind::target) return secret;
    Places members = pipeline_.secret.order;
    if (members.empty()) {
      for (std::size_t place = 0; place < pipeline_.secret.known.size(); ++place) {
        members.insert(members.end(), pipeline_.secret.known[place], place);
      }
    }
    members.push_back(secret.front());
    return members;
  }

  std::string observation_name(const State& observed) const {
    const Kind kind = pipeline_.post.kind;
    const bool is_by_place = kind == Kind::mode || (kind == Kind::identity && !secret_is_histogram_);
    if (!is_by_place) return name_of(observed);
    const std::vector<Rational>& shown =
        kind == Kind::mode && secret_is_histogram_ ? pipeline_.values : pipeline_.shown();
    State members;
    for (const Rational& place : observed) members.push_back(shown[place.to_uint64()]);
    return name_of(members);
  }

  /// How many participants have each value.
  Places table_of(const Places& members) const {
    Places table(pipeline_.values.size());
    for (const std::size_t place : members) ++table[place];
    return table;
  }

  Law law_of_release(const Places& members) {
    const Places table = table_of(members);
    work_ += release_->work(members.size(), table.size());
    Law observed;
    if (work_ > most_work) return observed;
    for (const auto& [output, p] : release_->law(table)) {
      State state = post_.first_state();
      for (std::size_t i = 0; i < output.size(); ++i) state = post_.after(std::move(state), i, output[i]);
      observed[post_.observed_at(state)] += p;
    }
    return observed;
  }

  Law law_of(const Places& secret) {
    const Places members = members_of(secret);
    if (release_) return law_of_release(members);
    Law law{{post_.first_state(), 1}};
    for (std::size_t i = 0; i < members.size() && work_ <= most_work; ++i) {
      const flow::Channel& noise = noises_.size() == 1 ? noises_.front() : noises_[i];
      Law next;
      for (const auto& [state, p] : law) {
        for (std::size_t answer = 0; answer < noise.observations().size(); ++answer) {
          next[post_.after(state, i, answer)] += p * noise(members[i], answer);
          ++work_;
        }
      }
      law = std::move(next);
    }
    Law observed;
    for (const auto& [state, p] : law) observed[post_.observed_at(state)] += p;
    return observed;
  }

  const flow::Pipeline& pipeline_;
  PlainPost post_;
  bool secret_is_histogram_;
  std::optional<PlainRelease> release_;
  std::vector<flow::Channel> noises_;
  std::vector<Places> secrets_;
  std::vector<std::string> names_;
  std::size_t work_ = 0;
};

}  // namespace

std::optional<flow::Channel> plain_channel(const flow::Pipeline& pipeline, const Rational& odds) {
  const flow::CentralMechanism* const release = pipeline.perturber.release();
  std::optional<PlainRelease> plain;
  if (release != nullptr && !(plain = PlainRelease::at(*release, odds))) return {};
  return PlainChannel(pipeline, odds, std::move(plain)).multiplied();
}

std::optional<std::vector<std::vector<std::int64_t>>> plain_exponents(const flow::Pipeline& pipeline) {
  const flow::CentralMechanism* const release = pipeline.perturber.release();
  if (release == nullptr) return {};
  std::optional<PlainRelease> plain = PlainRelease::at(*release, 1);
  if (!plain || plain->degree() != pipeline.perturber.root_degree()) return {};
  return PlainChannel(pipeline, 1, std::move(plain)).exponents();
}

std::vector<Rational> plain_output(const flow::Pipeline& pipeline, const std::vector<std::size_t>& answers) {
  const PlainPost post(pipeline);
  State state = post.first_state();
  for (std::size_t i = 0; i < answers.size(); ++i) state = post.after(std::move(state), i, answers[i]);
  return post.observed_at(state);
}

}  // namespace fractile::report_detail

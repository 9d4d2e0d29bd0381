#include "flow/pipeline/tallies.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "exact/checkpoint.hpp"
#include "flow/pipeline/size_limit.hpp"

namespace fractile::flow {
namespace {

using Kind = PostProcessor::Kind;

std::string digits_of(const Rational& answer) {
  std::string digits = answer.to_string();
  if (digits.find_first_not_of("01") != std::string::npos) {
    throw Error(ErrorCode::usage, "post: bits are counted only in answers of the digits 0 and 1, and one is " + digits,
                "name a unary encoding as the perturber, or write answers such as [0, 1, 10, 11]", "post");
  }
  return digits;
}

}  // namespace

bool tallies(const PostProcessor& post) { return post.kind == Kind::shuffle || post.kind == Kind::bits; }

std::vector<Tuple> single_answers(std::size_t answers) {
  std::vector<Tuple> result(answers, Tuple(answers));
  for (std::size_t answer = 0; answer < answers; ++answer) result[answer][answer] = 1;
  return result;
}

std::vector<Tuple> tallied(const Pipeline& pipeline) {
  const std::vector<Rational>& answers = pipeline.shown();
  if (pipeline.post.kind == Kind::shuffle) return single_answers(answers.size());
  std::vector<Tuple> result;
  std::size_t places = 0;
  for (const Rational& answer : answers) places = std::max(places, digits_of(answer).size());
  for (const Rational& answer : answers) {
    const std::string digits = digits_of(answer);
    result.emplace_back(places);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (digits[i] == '1') result.back()[places - digits.size() + i] = 1;
    }
  }
  return result;
}

std::vector<Tuple> reachable_tallies(const std::vector<Tuple>& steps, std::size_t participants) {
  if (steps.size() > 1) require_few(Rational(participants) + 1);  // two different steps make at least this many totals
  std::set<Tuple> reached{Tuple(steps.front().size())};
  for (std::size_t i = 0; i < participants; ++i) {
    std::set<Tuple> next;
    for (const Tuple& tally : reached) {
      checkpoint();
      for (const Tuple& step : steps) {
        Tuple sum = tally;
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += step[k];
        next.insert(std::move(sum));
      }
      require_few(static_cast<std::int64_t>(next.size()));
    }
    reached = std::move(next);
  }
  return {reached.begin(), reached.end()};
}

}  // namespace fractile::flow

#include <algorithm>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/own_environment.hpp"
#include "flow/channel/names.hpp"
#include "flow/channel/papers.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"
#include "libraries/fmt.hpp"

namespace fractile::flow {
namespace {

/// "(0,1)" and "2" become "(0,1,2)".
std::string tuple(const std::string& a, const std::string& b) {
  const auto members = [](const std::string& name) {
    const bool is_tuple = name.size() >= 2 && name.front() == '(' && name.back() == ')';
    return is_tuple ? name.substr(1, name.size() - 2) : name;
  };
  return fmt::format("({},{})", members(a), members(b));
}

std::vector<std::string> tuples(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> names;
  names.reserve(a.size() * b.size());
  for (const std::string& first : a) {
    for (const std::string& second : b) names.push_back(tuple(first, second));
  }
  return names;
}

}  // namespace

Channel::Channel(std::vector<std::string> secrets, std::vector<std::string> observations, Matrix probabilities)
    : secrets_(std::move(secrets)), observations_(std::move(observations)), matrix_(std::move(probabilities)) {
  if (matrix_.rows() == 0 || matrix_.rows() != secrets_.size() || matrix_.columns() != observations_.size()) {
    throw Error(ErrorCode::usage, "a channel needs one row per secret and one column per observation");
  }
  for (std::size_t x = 0; x < matrix_.rows(); ++x) {
    checkpoint();
    Rational sum;
    for (const Rational& p : matrix_.row(x)) {
      if (p.sign() < 0) throw Error(ErrorCode::usage, "row " + secrets_[x] + " of a channel has a negative entry");
      sum += p;
    }
    if (sum != 1) {
      throw Error(ErrorCode::usage,
                  "row " + secrets_[x] + " of a channel adds up to " + sum.to_string() + ", not to 1");
    }
  }
}

Channel::Channel(const Matrix& probabilities)
    : Channel(numbered(probabilities.rows()), numbered(probabilities.columns()), probabilities) {}

Channel operator*(const Channel& a, const Channel& b) { return {a.secrets_, b.observations_, a.matrix_ * b.matrix_}; }

Channel kronecker(const Channel& a, const Channel& b) {
  Matrix matrix = kronecker(a.matrix(), b.matrix());  // refuses too many entries before they are named
  return {tuples(a.secrets(), b.secrets()), tuples(a.observations(), b.observations()), std::move(matrix)};
}

Channel kronecker_power(const Channel& channel, std::size_t participants) {
  if (participants == 0) throw Error(ErrorCode::usage, "a power of a channel needs at least one participant");
  const Rational entries(channel.secrets().size() * channel.observations().size());
  constexpr std::size_t most_powers = 28;  // of two entries or more
  if (entries > 1 && (participants > most_powers ||
                      entries.pow(static_cast<std::int64_t>(participants)) > Rational(Matrix::most_entries))) {
    throw Error(ErrorCode::usage, "a power of a channel has more than 2^28 entries", "take fewer participants");
  }
  Channel power = channel;
  for (std::size_t i = 1; i < participants; ++i) power = kronecker(power, channel);
  return power;
}

Channel deterministic(const std::vector<std::size_t>& image, std::size_t outputs) {
  if (outputs > image.size()) throw Error(ErrorCode::usage, "an output is never shown");
  Matrix matrix(image.size(), outputs);
  std::vector<bool> shown(outputs);
  for (std::size_t input = 0; input < image.size(); ++input) {
    if (image[input] >= outputs) throw Error(ErrorCode::usage, "a function names an output that does not exist");
    matrix(input, image[input]) = 1;
    shown[image[input]] = true;
  }
  if (std::ranges::count(shown, false) != 0) throw Error(ErrorCode::usage, "an output is never shown");
  return Channel(matrix);
}

Channel left_inverse(const Channel& channel) {
  const std::size_t inputs = channel.secrets().size();
  const std::size_t outputs = channel.observations().size();
  Matrix inverse(outputs, inputs);
  for (std::size_t y = 0; y < outputs; ++y) {
    checkpoint();
    std::size_t first = inputs;
    for (std::size_t x = inputs; x-- > 0;) {
      if (channel(x, y) == 1) {
        first = x;
      } else if (channel(x, y).sign() != 0) {
        throw Error(ErrorCode::usage, "a left inverse needs a deterministic channel");
      }
    }
    if (first == inputs) throw Error(ErrorCode::usage, "an output is never shown");
    inverse(y, first) = 1;
  }
  return {channel.observations(), channel.secrets(), std::move(inverse)};
}

std::optional<Exponent> smallest_epsilon(const Channel& channel, const Matrix& distances) {
  const OwnEnvironment own;
  const std::size_t secrets = channel.secrets().size();
  if (distances.rows() != secrets || distances.columns() != secrets) {
    throw Error(ErrorCode::usage, "a metric needs one row and one column per secret");
  }
  Exponent most;
  for (std::size_t x = 0; x < secrets; ++x) {
    checkpoint();
    for (std::size_t other = 0; other < secrets; ++other) {
      const Rational& distance = distances(x, other);
      if (distance.sign() < 0 || (distance.sign() == 0) != (x == other)) {
        throw Error(ErrorCode::usage, "a metric is zero on the diagonal and positive elsewhere");
      }
      if (x == other) continue;
      for (std::size_t y = 0; y < channel.observations().size(); ++y) {
        const Rational& p = channel(x, y);
        const Rational& q = channel(other, y);
        if (p <= q) continue;
        if (q.sign() == 0) return {};
        most = std::max(most, Exponent::log(p / q, Rational(1) / distance));
      }
    }
  }
  return most;
}

Matrix discrete_metric(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) result(i, j) = i == j ? 0 : 1;
  }
  return result;
}

Matrix line_metric(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) result(i, j) = static_cast<std::int64_t>(i > j ? i - j : j - i);
  }
  return result;
}

bool theorem_one_condition(const Matrix& witness, const std::vector<std::size_t>& image) {
  if (witness.rows() != image.size() || witness.columns() != image.size()) {
    throw Error(ErrorCode::usage, "the witness and the post-processor have different sizes");
  }
  const Channel post = deterministic(image, image.empty() ? 0 : *std::ranges::max_element(image) + 1);
  const Matrix pushed = witness * post.matrix();
  return post.matrix() * (left_inverse(post).matrix() * pushed) == pushed;
}

}  // namespace fractile::flow

// Channels: what a release reveals to an analyst, what it is worth to them, and whether one channel is always worth more than
// another. Everything is exact: rationals in, rationals out. Source: kronecker-utility 2023, whose sections are named below.
// Proofs: docs/proofs/refinement.md
// Thread-safety: threads may share matrices, channels and certificates that none changes; functions may run at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile::flow {

/// A matrix of at most 2^28 rationals.
class Matrix {
 public:
  static constexpr std::size_t most_entries = std::size_t{1} << 28;

  Matrix() = default;
  /// All entries are 0. Throws `usage` when they are too many.
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), entries_(count(rows, columns)) {}
  /// Throws `usage` when the rows are not equally long.
  static Matrix of(const std::vector<std::vector<Rational>>& rows);
  static Matrix identity(std::size_t size);

  std::size_t rows() const { return columns_ == 0 ? 0 : entries_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  Rational& operator()(std::size_t row, std::size_t column) { return entries_[row * columns_ + column]; }
  const Rational& operator()(std::size_t row, std::size_t column) const { return entries_[row * columns_ + column]; }
  std::span<const Rational> row(std::size_t row) const { return {entries_.data() + row * columns_, columns_}; }
  /// Throws `usage` unless a has as many columns as b has rows.
  friend Matrix operator*(const Matrix& a, const Matrix& b);
  friend bool operator==(const Matrix& a, const Matrix& b) = default;

 private:
  static std::size_t count(std::size_t rows, std::size_t columns);

  std::size_t columns_ = 0;
  std::vector<Rational> entries_;
};

/// All products of an entry of a and an entry of b: (a.rows b.rows) x (a.columns b.columns) (Definition 4.3). Throws `usage` when they are
/// too many for a matrix, here and below.
Matrix kronecker(const Matrix& a, const Matrix& b);

/// Row x is the distribution of what is observed when the secret is x (section 2.1.1).
class Channel {
 public:
  /// Throws `usage` unless there is one row per secret, one column per observation, no entry is negative and all rows add up
  /// to 1. Two secrets may have one name, and so may two observations.
  Channel(std::vector<std::string> secrets, std::vector<std::string> observations, Matrix probabilities);
  /// Secrets and observations are called 0, 1, 2, ...
  explicit Channel(const Matrix& probabilities);

  const std::vector<std::string>& secrets() const { return secrets_; }
  const std::vector<std::string>& observations() const { return observations_; }
  const Matrix& matrix() const { return matrix_; }
  const Rational& operator()(std::size_t secret, std::size_t observation) const { return matrix_(secret, observation); }
  /// a followed by b, whose secrets are the observations of a (section 2.1). Throws `usage` unless a has as many observations as b
  /// has secrets.
  friend Channel operator*(const Channel& a, const Channel& b);
  friend bool operator==(const Channel& a, const Channel& b) = default;

 private:
  std::vector<std::string> secrets_;
  std::vector<std::string> observations_;
  Matrix matrix_;
};

/// The channel of two independent participants; secrets and observations are tuples (Definition 4.3).
Channel kronecker(const Channel& a, const Channel& b);
/// The channel of `participants` independent participants, each of whom has this channel. Throws `usage` for none.
Channel kronecker_power(const Channel& channel, std::size_t participants);

/// The channel of a function: input i shows image[i], in 0 .. outputs - 1 (Definition 3.6). Throws `usage` when an
/// output is never shown.
Channel deterministic(const std::vector<std::size_t>& image, std::size_t outputs);

/// The least epsilon with C(x, y) <= exp(epsilon d(x, x')) C(x', y) everywhere; nothing when there is none. `distances` is
/// square, zero only on the diagonal. Throws `usage` otherwise.
std::optional<Exponent> smallest_epsilon(const Channel& channel, const Matrix& distances);
/// Distance 1 between any two different secrets.
Matrix discrete_metric(std::size_t size);
/// |i - j|.
Matrix line_metric(std::size_t size);

/// The analyst's beliefs before the release.
class Prior {
 public:
  /// Throws `usage` unless the probabilities are non-negative and add up to 1.
  explicit Prior(std::vector<Rational> probabilities);
  static Prior uniform(std::size_t secrets);

  std::size_t size() const { return probabilities_.size(); }
  const Rational& operator[](std::size_t secret) const { return probabilities_[secret]; }
  const std::vector<Rational>& probabilities() const { return probabilities_; }

 private:
  std::vector<Rational> probabilities_;
};

/// What an action costs the analyst under a secret: one row per secret, one column per action (Definition 2.1).
class Loss {
 public:
  /// Throws `usage` when an entry is negative, there is no action, or the names are not as many as the columns.
  Loss(Matrix losses, std::vector<std::string> actions);
  /// Actions are called 0, 1, 2, ...
  explicit Loss(const Matrix& losses);

  const Matrix& matrix() const { return matrix_; }
  const std::vector<std::string>& actions() const { return actions_; }
  /// All losses times a factor >= 0.
  Loss scaled(const Rational& factor) const;

 private:
  Matrix matrix_;
  std::vector<std::string> actions_;
};

/// 0 for guessing the secret, 1 otherwise (equation 3).
Loss bayes_risk(std::size_t secrets);
/// |w - x| for secret x and guess w, both among `values` (equation 4).
Loss linear_error(const std::vector<Rational>& values);
/// (w - x)^2 (equation 5).
Loss squared_error(const std::vector<Rational>& values);

/// The expected loss without a release: that of the best action under the prior (section 2.1.1, which calls it the prior
/// uncertainty).
Rational expected_loss(const Prior& prior, const Loss& loss);
/// The expected loss of an analyst who takes the best action after each observation (Definition 2.2, the posterior
/// uncertainty). Throws `usage` when prior, channel and loss have different numbers of secrets, here and below.
Rational expected_loss(const Prior& prior, const Channel& channel, const Loss& loss);
/// A best action after each observation, the first of several.
std::vector<std::size_t> optimal_actions(const Prior& prior, const Channel& channel, const Loss& loss);

/// Proves refinement: `to` is `from` followed by this stochastic matrix, so `from` is worth at least as much as `to` to every
/// analyst.
struct Witness {
  Matrix matrix;
};
/// An analyst to whom `to` is worth more: their expected loss is smaller with it.
struct Counterexample {
  Prior prior;
  Loss loss;
  Rational loss_from;
  Rational loss_to;
};
/// Neither a witness nor a counter-example was found.
struct Undecided {
  std::string reason;
};

/// A verdict that was checked by verify() in exact arithmetic before it was given.
struct Refinement {
  std::variant<Witness, Counterexample, Undecided> verdict;
  std::string reason;  ///< in words

  bool refines() const { return std::holds_alternative<Witness>(verdict); }
  bool refuted() const { return std::holds_alternative<Counterexample>(verdict); }
};

/// Is `from` refined by `to`: is `from` worth at least as much to every analyst (Definition 2.3, Theorem 2.4)? Decided by exact
/// elimination when the columns of `from` are independent; otherwise a linear program in floating point proposes a certificate, and
/// exact arithmetic checks it. When no proposal passes, the verdict is "undecided". Throws `usage` when the numbers of secrets
/// differ.
/// Proof: docs/proofs/refinement.md
Refinement refines(const Channel& from, const Channel& to);

/// Is the certificate right? Multiplies, adds and compares; shares no code with refines(). A counterexample about another number of secrets
/// throws `usage`, as expected_loss() does.
bool verify(const Channel& from, const Channel& to, const Witness& witness);
bool verify(const Channel& from, const Channel& to, const Counterexample& counterexample);

/// Proves refinement for one loss and every prior. For each way to act on the observations of `to`, there is a randomized action
/// for every observation of `from`, and under no secret is its expected loss larger. Ways to act are numbered with the last
/// observation's action changing fastest.
struct Remaps {
  std::vector<Matrix> randomized;  ///< one row per observation of `from`, one column per action
};

/// Is `from` worth at least as much as `to` to every analyst with this loss?
struct LossRefinement {
  std::variant<Remaps, Counterexample, Undecided> verdict;

  bool refines() const { return std::holds_alternative<Remaps>(verdict); }
  bool refuted() const { return std::holds_alternative<Counterexample>(verdict); }
};

/// Is the expected loss with `from` at most that with `to`, whatever the prior (Definition 3.3, of two mechanisms)? Solves one
/// exact linear program for each way to act on the observations of `to`. When all of them would take more than seconds, only some
/// are solved; these can refute, and otherwise the verdict is undecided.
/// Throws `usage` when the numbers of secrets differ.
/// Proof: docs/proofs/refinement.md, "One loss, any prior"
LossRefinement refines_for(const Loss& loss, const Channel& from, const Channel& to);

/// Is the certificate right? Shares no code with refines_for(); a Counterexample is checked by the function above. False when the loss and
/// the channels are about different numbers of secrets.
bool verify(const Loss& loss, const Channel& from, const Channel& to, const Remaps& remaps);

}  // namespace fractile::flow

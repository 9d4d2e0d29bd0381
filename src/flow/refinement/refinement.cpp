#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/checkpoint.hpp"
#include "exact/lists.hpp"
#include "exact/own_environment.hpp"
#include "flow/algebra/integer_matrix.hpp"
#include "flow/algebra/rational_program.hpp"
#include "flow/algebra/ring.hpp"
#include "flow/refinement/analytic_centre.hpp"
#include "flow/refinement/elastic_program.hpp"
#include "flow/refinement/reduction.hpp"
#include "flow/refinement/single_bet.hpp"
#include "flow/refinement/two_actions.hpp"
#include "flow/refinement/two_secrets.hpp"
#include "fractile/error.hpp"
#include "fractile/flow.hpp"

namespace fractile::flow {
namespace {

/// The decision for one pair of channels. A verdict is given only with a certificate that verify() accepts.
class Decision {
 public:
  Decision(const Channel& from, const Channel& to)
      : from_(from), to_(to), reduction_(reduce(from, to)), pivots_(pivots_of(reduction_.from)) {}

  Refinement decide() {
    const Solution solution = solve(crossing(), reduction_.to.part(pivots_.rows, all_of(outputs())));
    if (std::optional<Refinement> refuted = refuted_by_inconsistency(solution)) return *refuted;
    if (pivots_.rank() < observations()) return decided_by_program();
    if (std::optional<Refinement> refuted = refuted_by_negative_entry(solution)) return *refuted;
    Matrix witness(observations(), outputs());
    for (std::size_t y = 0; y < observations(); ++y) {
      for (std::size_t z = 0; z < outputs(); ++z) witness(pivots_.columns[y], z) = solution.entry(y, z);
    }
    return confirmed(witness, "the only candidate for a witness is stochastic");
  }

 private:
  std::size_t observations() const { return reduction_.from.columns(); }
  std::size_t outputs() const { return reduction_.to.columns(); }
  IntegerMatrix crossing() const { return reduction_.from.part(pivots_.rows, pivots_.columns); }

  /// Whether a witness leads from one reduced channel to the other. This is so exactly when it leads from one original channel to
  /// the other.
  bool holds(const Matrix& witness) const {
    return verify(reduced(reduction_.from, reduction_.scales), reduced(reduction_.to, reduction_.scales), {witness});
  }

  Refinement confirmed(const Matrix& witness, std::string reason) const {
    constexpr std::size_t most_written = 1'000'000;
    const auto require = [](bool is_right) {
      if (!is_right) throw Error(ErrorCode::internal, "a witness does not hold");
    };
    if (reduction_.from_columns.size() * reduction_.to_columns.size() > most_written) {
      require(holds(witness));
      return {Witness{}, std::move(reason) + "; it has more than a million entries, and is not written out"};
    }
    Witness written{expanded(witness, reduction_)};
    require(verify(from_, to_, written));
    return {std::move(written), std::move(reason)};
  }

  /// A candidate from losses of two actions, one row per reduced row; other secrets have the loss `otherwise` for both. verify()
  /// decides whether it holds.
  Counterexample example(const Matrix& losses, const Rational& otherwise) const {
    Matrix all(from_.matrix().rows(), losses.columns());
    for (std::size_t x = 0; x < all.rows(); ++x) {
      for (std::size_t w = 0; w < all.columns(); ++w) all(x, w) = otherwise;
    }
    for (std::size_t i = 0; i < losses.rows(); ++i) {
      for (std::size_t w = 0; w < all.columns(); ++w) all(reduction_.rows[i], w) = losses(i, w);
    }
    Counterexample result{Prior::uniform(all.rows()), Loss(all), {}, {}};
    result.loss_from = expected_loss(result.prior, from_, result.loss);
    result.loss_to = expected_loss(result.prior, to_, result.loss);
    return result;
  }

  Refinement refuted(const Counterexample& counterexample, std::string reason) const {
    if (!verify(from_, to_, counterexample)) throw Error(ErrorCode::internal, "a counter-example does not hold");
    return {counterexample, std::move(reason)};
  }

  /// Refutes by l with l A = 0 and l B != 0, if rows of B are not the combinations of others that the rows of A are.
  std::optional<Refinement> refuted_by_inconsistency(const Solution& solution) const;
  /// Refutes by l with l A = e_y, if the solution has a negative entry in row y.
  std::optional<Refinement> refuted_by_negative_entry(const Solution& solution) const;
  std::optional<std::size_t> inconsistent_row(const Solution& solution) const;

  std::optional<Refinement> refuted_by_two_secrets() const;
  std::optional<Refinement> refuted_by_single_bet() const;
  Refinement decided_by_program() const;
  std::optional<Matrix> suggested_witness(const Suggestion& suggestion) const;
  std::optional<Matrix> witness_inside(const RoughRows& from, const RoughRows& to) const;
  std::optional<Counterexample> example_of(const std::vector<Rational>& prices) const;
  Refinement decided_in_rationals() const;

  const Channel& from_;
  const Channel& to_;
  Reduction reduction_;
  Pivots pivots_;
};

std::optional<std::size_t> Decision::inconsistent_row(const Solution& solution) const {
  const IntegerMatrix a = reduction_.from.part(all_of(reduction_.from.rows()), pivots_.columns);
  IntegerMatrix reached(a.rows(), outputs());
  fmpz_mat_mul(reached.get(), a.get(), solution.numerators.get());
  IntegerMatrix wanted(a.rows(), outputs());
  fmpz_mat_scalar_mul_fmpz(wanted.get(), reduction_.to.get(), solution.denominator.get());
  for (std::size_t x = 0; x < a.rows(); ++x) {
    checkpoint();
    for (std::size_t z = 0; z < outputs(); ++z) {
      if (fmpz_equal(reached.at(x, z), wanted.at(x, z)) == 0) return x;
    }
  }
  return {};
}

std::optional<Refinement> Decision::refuted_by_inconsistency(const Solution& solution) const {
  const std::optional<std::size_t> row = inconsistent_row(solution);
  if (!row) return {};
  const Solution mix = solve(crossing().transposed(), reduction_.from.part({*row}, pivots_.columns).transposed());
  std::vector<Rational> functional(reduction_.rows.size());
  for (std::size_t i = 0; i < pivots_.rank(); ++i) {
    functional[pivots_.rows[i]] = -mix.entry(i, 0) * reduction_.scales[pivots_.rows[i]];
  }
  functional[*row] = reduction_.scales[*row];
  return refuted(
      example(losses_by(functional), Rational(1, 2)),
      "no matrix at all leads from one to the other: a combination of the secrets' rows vanishes in the first "
      "and not in the second");
}

std::optional<Refinement> Decision::refuted_by_negative_entry(const Solution& solution) const {
  const fmpz* least = nullptr;
  std::size_t found = 0;
  for (std::size_t y = 0; y < observations(); ++y) {
    checkpoint();
    for (std::size_t z = 0; z < outputs(); ++z) {
      const fmpz* entry = solution.numerators.at(y, z);
      if (fmpz_sgn(entry) < 0 && (least == nullptr || fmpz_cmp(entry, least) < 0)) {
        least = entry;
        found = y;
      }
    }
  }
  if (least == nullptr) return {};
  IntegerMatrix unit(observations(), 1);
  fmpz_one(unit.at(found, 0));
  const Solution mix = solve(crossing().transposed(), unit);
  std::vector<Rational> functional(reduction_.rows.size());
  for (std::size_t i = 0; i < pivots_.rank(); ++i) {
    functional[pivots_.rows[i]] = mix.entry(i, 0) * reduction_.scales[pivots_.rows[i]];
  }
  const Matrix losses = bet_losses(functional);
  return refuted(example(losses, losses(0, 1)),
                 "the only matrix that leads from one to the other has a negative entry");
}

/// Whole-number multiples of the channels' rows, whose sums are short.
Matrix whole_rows(const IntegerMatrix& rows) {
  Matrix result(rows.rows(), rows.columns());
  for (std::size_t x = 0; x < rows.rows(); ++x) {
    for (std::size_t y = 0; y < rows.columns(); ++y) result(x, y) = rational_of(rows.at(x, y));
  }
  return result;
}

/// Refutes by an analyst who wants to distinguish two secrets. This decides all channels with two secrets, and most channels with
/// very unlikely observations, which floating point does not see.
std::optional<Refinement> Decision::refuted_by_two_secrets() const {
  const std::optional<TwoSecrets> found = told_apart(whole_rows(reduction_.from), whole_rows(reduction_.to));
  if (!found) return {};
  const Rational weight = found->weight * reduction_.scales[found->other] / reduction_.scales[found->one];
  const Rational most = std::max(Rational(1), weight);
  Matrix losses(reduction_.rows.size(), 2);
  losses(found->one, 0) = Rational(1) / most;
  losses(found->other, 1) = weight / most;
  return refuted(example(losses, 0), "for some prior, the second tells two secrets apart better than the first");
}

/// Refutes by an analyst who is offered a bet that is worth taking after one observation of the second channel.
std::optional<Refinement> Decision::refuted_by_single_bet() const {
  const auto bet = single_bet(columns_of(reduced(reduction_.from, reduction_.scales).matrix()),
                              columns_of(reduced(reduction_.to, reduction_.scales).matrix()));
  if (!bet) return {};
  Counterexample candidate = example(bet_losses(bet->costs), 0);
  if (!verify(from_, to_, candidate)) return {};
  return Refinement{std::move(candidate), "the second shows" + bet->how_seldom() +
                                              " what no mixture of the first one's observations is like"};
}

/// X on the suggested support, solved exactly. Rows are multiples of the channels' rows.
std::optional<Matrix> Decision::suggested_witness(const Suggestion& suggestion) const {
  const std::size_t equations = pivots_.rank() * outputs() + observations();
  const IntegerMatrix a = reduction_.from.part(pivots_.rows, all_of(observations()));
  IntegerMatrix system(equations, suggestion.support.size());
  IntegerMatrix right(equations, 1);
  for (std::size_t k = 0; k < suggestion.support.size(); ++k) {
    const auto& [y, z] = suggestion.support[k];
    for (std::size_t i = 0; i < a.rows(); ++i) fmpz_set(system.at(i * outputs() + z, k), a.at(i, y));
    fmpz_one(system.at(a.rows() * outputs() + y, k));
  }
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t z = 0; z < outputs(); ++z) {
      fmpz_set(right.at(i * outputs() + z, 0), reduction_.to.at(pivots_.rows[i], z));
    }
  }
  for (std::size_t y = 0; y < observations(); ++y) fmpz_one(right.at(a.rows() * outputs() + y, 0));

  const Pivots chosen = pivots_of(system);
  const Solution solution = solve(system.part(chosen.rows, chosen.columns), right.part(chosen.rows, {0}));
  Matrix witness(observations(), outputs());
  for (std::size_t k = 0; k < chosen.rank(); ++k) {
    const auto& [y, z] = suggestion.support[chosen.columns[k]];
    witness(y, z) = solution.entry(k, 0);
  }
  if (!holds(witness)) return {};
  return witness;
}

/// As many columns as rows that are far from dependent, by elimination with the largest entry first.
std::vector<std::size_t> leading_columns(std::vector<std::vector<double>> rows) {
  std::vector<std::size_t> columns;
  while (!rows.empty()) {
    std::size_t row = 0;
    std::size_t column = 0;
    for (std::size_t x = 0; x < rows.size(); ++x) {
      for (std::size_t y = 0; y < rows[x].size(); ++y) {
        if (std::abs(rows[x][y]) > std::abs(rows[row][column])) {
          row = x;
          column = y;
        }
      }
    }
    if (!(std::abs(rows[row][column]) > 1e-12)) return {};
    const std::vector<double> pivot = rows[row];
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row));
    for (std::vector<double>& other : rows) {
      const double factor = other[column] / pivot[column];
      for (std::size_t y = 0; y < other.size(); ++y) other[y] -= factor * pivot[y];
    }
    columns.push_back(column);
  }
  return columns;
}

/// The contribution of each column when columns are taken in these shares.
RoughRows parts_of(const RoughRows& rows, const std::vector<double>& shares) {
  std::vector<double> masses(shares.size());
  for (const std::vector<double>& row : rows) {
    for (std::size_t y = 0; y < row.size(); ++y) masses[y] += row[y];
  }
  RoughRows parts = rows;
  for (std::vector<double>& row : parts) {
    for (std::size_t y = 0; y < row.size(); ++y) row[y] *= shares[y] / masses[y];
  }
  return parts;
}

/// A solution of A x = b near the numbers `near`; only the numbers `moved` change, as many as there are equations.
std::vector<Rational> moved_to(const IntegerMatrix& a, const IntegerMatrix& b, std::size_t column,
                               const std::vector<double>& near, const std::vector<std::size_t>& moved) {
  std::vector<Rational> result;
  Integer unit(1);  // common unit of all numbers
  for (const double value : near) {
    result.push_back(Rational::from_double(value));
    fmpz_lcm(unit.get(), unit.get(), fmpq_denref(flint_of(result.back())));
  }
  for (const std::size_t y : moved) result[y] = 0;
  IntegerMatrix missing(a.rows(), 1);
  for (std::size_t x = 0; x < a.rows(); ++x) fmpz_mul(missing.at(x, 0), b.at(x, column), unit.get());
  Integer numerator;
  for (std::size_t y = 0; y < result.size(); ++y) {
    if (result[y].sign() == 0) continue;
    fmpz_divexact(numerator.get(), unit.get(), fmpq_denref(flint_of(result[y])));
    fmpz_mul(numerator.get(), numerator.get(), fmpq_numref(flint_of(result[y])));
    for (std::size_t x = 0; x < a.rows(); ++x) fmpz_submul(missing.at(x, 0), a.at(x, y), numerator.get());
  }
  const Solution moves = solve(a.part(all_of(a.rows()), moved), missing);
  const Rational whole = rational_of(unit.get());
  for (std::size_t k = 0; k < moved.size(); ++k) result[moved[k]] = moves.entry(k, 0) / whole;
  return result;
}

/// An X that is far from all bounds in floating point, changed column by column until A X = B exactly: docs/proofs/refinement.md,
/// "From inside".
std::optional<Matrix> Decision::witness_inside(const RoughRows& from, const RoughRows& to) const {
  constexpr std::size_t most_rows = 20;
  constexpr std::size_t most = 250'000;
  if (pivots_.rank() > most_rows || observations() * outputs() > most) return {};
  const IntegerMatrix a = reduction_.from.part(pivots_.rows, all_of(observations()));
  const IntegerMatrix b = reduction_.to.part(pivots_.rows, all_of(outputs()));
  const std::optional<Inside> inside = suggest_inside(from, to);
  if (!inside) return {};
  Matrix witness(observations(), outputs());
  for (std::size_t z = 0; z < outputs(); ++z) {
    checkpoint();
    if (z == inside->rest) continue;
    const std::vector<double> near = mapped(inside->entries, [&](const std::vector<double>& row) { return row[z]; });
    const std::vector<std::size_t> moved = leading_columns(parts_of(from, inside->shares[z]));
    if (moved.empty()) return {};
    const std::vector<Rational> column = moved_to(a, b, z, near, moved);
    for (std::size_t y = 0; y < observations(); ++y) witness(y, z) = column[y];
  }
  const Matrix taken = witness * Matrix::of(std::vector<std::vector<Rational>>(outputs(), {1}));
  for (std::size_t y = 0; y < observations(); ++y) {
    witness(y, inside->rest) = Rational(1) - taken(y, 0);
    if (std::ranges::any_of(witness.row(y), [](const Rational& entry) { return entry.sign() < 0; })) return {};
  }
  return witness;
}

/// The prices of the equations of A X = B, row after row, as losses: action z is the one to take after observation z of the second
/// channel.
std::optional<Counterexample> Decision::example_of(const std::vector<Rational>& prices) const {
  const Rational most = std::max(Rational(1), largest_of(prices));
  std::vector<std::vector<Rational>> actions;  // different actions
  for (std::size_t z = 0; z < outputs(); ++z) {
    checkpoint();
    std::vector<Rational> costs(reduction_.rows.size());
    for (std::size_t i = 0; i < pivots_.rank(); ++i) {
      costs[pivots_.rows[i]] = Rational(1) - prices[i * outputs() + z] / most;
    }
    if (std::ranges::find(actions, costs) == actions.end()) actions.push_back(std::move(costs));
  }
  Matrix losses(reduction_.rows.size(), actions.size());
  for (std::size_t x = 0; x < losses.rows(); ++x) {
    for (std::size_t w = 0; w < actions.size(); ++w) losses(x, w) = actions[w][x];
  }
  Counterexample candidate = example(losses, 0);
  if (!verify(from_, to_, candidate)) return {};
  return candidate;
}

/// Prices within -1 .. 1, rounded to multiples of 2^-40.
std::vector<Rational> rounded(const std::vector<std::vector<double>>& prices) {
  std::vector<Rational> result;
  for (const std::vector<double>& row : prices) {
    for (const double price : row) {
      result.push_back(Rational::dyadic(std::llround(std::ldexp(std::clamp(price, -1.0, 1.0), 40)), -40));
    }
  }
  return result;
}

/// Decides by the simplex method in rationals what floating point could not decide.
Refinement Decision::decided_in_rationals() const {
  constexpr std::size_t most = 300'000;
  const std::size_t equations = pivots_.rank() * outputs() + observations();
  const std::size_t variables = observations() * outputs();
  if (equations * (variables + equations) > most) {
    return {Undecided{"none of a linear program's suggestions holds in exact arithmetic"}, "no verdict"};
  }
  std::vector<std::vector<Rational>> program(equations, std::vector<Rational>(variables));
  std::vector<Rational> right(equations, 1);
  for (std::size_t i = 0; i < pivots_.rank(); ++i) {
    const std::size_t x = pivots_.rows[i];
    for (std::size_t z = 0; z < outputs(); ++z) {
      const std::size_t row = i * outputs() + z;
      for (std::size_t y = 0; y < observations(); ++y) {
        program[row][y * outputs() + z] = rational_of(reduction_.from.at(x, y));
      }
      right[row] = rational_of(reduction_.to.at(x, z));
    }
  }
  for (std::size_t y = 0; y < observations(); ++y) {
    for (std::size_t z = 0; z < outputs(); ++z) program[pivots_.rank() * outputs() + y][y * outputs() + z] = 1;
  }
  const Feasibility found = solve_program(std::move(program), right);
  if (found.is_feasible) {
    Matrix witness(observations(), outputs());
    for (std::size_t k = 0; k < variables; ++k) witness(k / outputs(), k % outputs()) = found.solution[k];
    return confirmed(witness, "the simplex method in rationals found a witness");
  }
  std::vector<Rational> prices;  // for the channels' rows, not for their multiples
  for (const std::size_t row : pivots_.rows) {
    for (std::size_t z = 0; z < outputs(); ++z) prices.push_back(found.prices[prices.size()] * reduction_.scales[row]);
  }
  const std::optional<Counterexample> counterexample = example_of(prices);
  if (!counterexample) throw Error(ErrorCode::internal, "prices of a linear program do not refute it");
  return refuted(*counterexample, "the simplex method in rationals found an analyst who prefers the second");
}

Refinement Decision::decided_by_program() const {
  constexpr std::size_t few = 1'000;
  constexpr std::size_t most = 40'000;
  constexpr const char* from_inside =
      "a program suggested a witness far from all bounds, and it holds after a small move";
  if (std::optional<Refinement> refuted = refuted_by_two_secrets()) return *std::move(refuted);
  if (std::optional<Refinement> refuted = refuted_by_single_bet()) return *std::move(refuted);
  std::vector<Rational> scales;
  for (const std::size_t row : pivots_.rows) scales.push_back(reduction_.scales[row]);
  const RoughRows from = rough(reduction_.from.part(pivots_.rows, all_of(observations())), scales);
  const RoughRows to = rough(reduction_.to.part(pivots_.rows, all_of(outputs())), scales);
  // For large channels, the steps of a simplex method take longer than this.
  const bool is_large = observations() * outputs() > few;
  if (is_large) {
    if (const std::optional<Matrix> witness = witness_inside(from, to)) return confirmed(*witness, from_inside);
  }
  if (observations() * outputs() > most || pivots_.rank() * outputs() > most) {
    return {Undecided{"the columns of the first channel are dependent, and the linear program is too large"},
            "no verdict"};
  }
  const Suggestion suggestion = suggest(from, to);
  if (const std::optional<Matrix> witness = suggested_witness(suggestion)) {
    return confirmed(*witness, "a linear program suggested a witness, and it holds");
  }
  if (const std::optional<Counterexample> found = example_of(rounded(suggestion.prices))) {
    return refuted(*found, "a linear program suggested an analyst who prefers the second");
  }
  if (!is_large) {
    if (const std::optional<Matrix> witness = witness_inside(from, to)) return confirmed(*witness, from_inside);
  }
  return decided_in_rationals();
}

/// W = s I + (1 - s) 1 q, if `to` is `from` with probability s and otherwise drawn from q for every secret:
/// docs/proofs/refinement.md, "Mixtures". Nothing when it is not such a mixture.
std::optional<Matrix> mixture(const Matrix& from, const Matrix& to) {
  if (from.columns() != to.columns()) return {};
  std::optional<Rational> share;
  std::vector<Rational> rest;
  for (std::size_t y = 0; y < from.columns(); ++y) {
    for (std::size_t x = 1; x < from.rows(); ++x) {
      const Rational before = from(x, y) - from(0, y);
      const Rational after = to(x, y) - to(0, y);
      if (!share && before.sign() != 0) share = after / before;
      if (share ? after != *share * before : after.sign() != 0) return {};
    }
  }
  if (!share) share = 0;  // neither channel reveals anything
  if (share->sign() < 0 || *share > 1) return {};
  Matrix witness(from.columns(), from.columns());
  for (std::size_t z = 0; z < from.columns(); ++z) {
    const Rational otherwise = to(0, z) - *share * from(0, z);
    if (otherwise.sign() < 0) return {};
    for (std::size_t y = 0; y < from.columns(); ++y) witness(y, z) = otherwise + (y == z ? *share : Rational(0));
  }
  return witness;
}

const char* reason_of_mixture(const Matrix& from, const Matrix& to) {
  if (from == to) return "both channels are the same";
  for (std::size_t x = 1; x < to.rows(); ++x) {
    if (!std::ranges::equal(to.row(x), to.row(0))) {
      return "the second is the first with some probability, and otherwise reveals nothing";
    }
  }
  return "the second reveals nothing";
}

}  // namespace

Refinement refines(const Channel& from, const Channel& to) {
  const OwnEnvironment own;
  if (from.secrets().size() != to.secrets().size()) {
    throw Error(ErrorCode::usage, "channels about different numbers of secrets cannot be compared");
  }
  if (std::optional<Matrix> witness = mixture(from.matrix(), to.matrix())) {
    Witness mixed{*std::move(witness)};
    if (!verify(from, to, mixed)) throw Error(ErrorCode::internal, "a mixture does not hold");
    return {std::move(mixed), reason_of_mixture(from.matrix(), to.matrix())};
  }
  return Decision(from, to).decide();
}

}  // namespace fractile::flow

#include "flow/refinement/analytic_centre.hpp"

#include <algorithm>
#include <cmath>

#include "exact/checkpoint.hpp"
#include "exact/workers.hpp"

namespace fractile::flow {
namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

/// Columns as the beliefs after them, and their masses, over all rows.
struct Beliefs {
  Rows directions;  // each adds up to 1
  Row masses;

  bool are_seen() const {
    constexpr double least = 1e-250;
    return std::ranges::min(masses) >= least;
  }
};

Beliefs beliefs_of(const RoughRows& rows) {
  Beliefs result;
  for (std::size_t y = 0; y < rows.front().size(); ++y) {
    Row direction;
    double mass = 0;
    for (const Row& row : rows) {
      direction.push_back(row[y]);
      mass += row[y];
    }
    for (double& part : direction) part /= mass;
    result.directions.push_back(std::move(direction));
    result.masses.push_back(mass);
  }
  return result;
}

/// Replaces the lower triangle of a positive definite matrix by L, where L L^T is the matrix. Returns false when the matrix is not
/// positive definite, or nearly not.
bool factorize(Rows& matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    checkpoint();
    Row& row = matrix[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * matrix[j][k];
      if (j < i) {
        row[j] = sum / matrix[j][j];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

/// v with L v = right.
Row solved_forwards(const Rows& lower, Row right) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= lower[i][k] * right[k];
    right[i] /= lower[i][i];
  }
  return right;
}

/// v with L^T v = right.
Row solved_backwards(const Rows& lower, Row right) {
  for (std::size_t i = right.size(); i-- > 0;) {
    right[i] /= lower[i][i];
    for (std::size_t k = 0; k < i; ++k) right[k] -= lower[i][k] * right[i];
  }
  return right;
}

// W_yz = X_yz m_y / n_z, where m and n are the masses of A's and B's columns, says from which columns of A a column of B is
// composed. Its entries have ordinary sizes even if the columns are unlikely. Newton's method for the minimum of -sum w log W
// subject to
// row y: sum_z W_yz n_z / m_y = 1 column z: sum_y W_yz f_yz = (1, 0, 0, ..), where f_yz is the constant 1 and then the beliefs
// after y relative to those after z. The weights w_yz = min(m_y / n_z, 1) are upper bounds of W_yz.
class Centering {
 public:
  Centering(const Beliefs& from, const Beliefs& to)
      : from_(from),
        to_(to),
        rows_(from.masses.size()),
        columns_(to.masses.size()),
        secrets_(from.directions[0].size()) {
    shares_.assign(columns_, Row(rows_));
    for (std::size_t z = 0; z < columns_; ++z) {
      for (std::size_t y = 0; y < rows_; ++y) shares_[z][y] = weight(y, z);
    }
    for (std::size_t z = 0; z < columns_; ++z) sizes_.push_back(sizes_of(z));
  }

  /// Whether all equations come to hold, up to rounding.
  bool converges() {
    constexpr int most_steps = 30;
    constexpr double small = 1e-6;  // the rounding errors of many columns together reach 1/5 of this
    for (int i = 0; i < most_steps; ++i) {
      checkpoint();
      if (largest_error() < small) return true;
      if (!step()) return false;
    }
    return false;
  }

  double share(std::size_t y, std::size_t z) const { return shares_[z][y]; }
  /// n_z / m_y
  double ratio(std::size_t y, std::size_t z) const { return to_.masses[z] / from_.masses[y]; }

 private:
  double weight(std::size_t y, std::size_t z) const {
    return std::min(1.0, 1 / ratio(y, z)) / static_cast<double>(rows_);
  }

  double relative(std::size_t y, std::size_t z, std::size_t secret) const {
    return from_.directions[y][secret] / to_.directions[z][secret] - 1;
  }

  /// The average sizes of f's entries, by which they are divided.
  Row sizes_of(std::size_t z) const {
    Row sizes{1};
    for (std::size_t k = 0; k + 1 < secrets_; ++k) {
      double squares = 0;
      double all = 0;
      for (std::size_t y = 0; y < rows_; ++y) {
        squares += weight(y, z) * relative(y, z, k) * relative(y, z, k);
        all += weight(y, z);
      }
      sizes.push_back(std::sqrt(squares / all));
    }
    return sizes;
  }

  /// f_yz
  void place(std::size_t y, std::size_t z, Row& at) const {
    at[0] = 1;
    for (std::size_t k = 1; k < secrets_; ++k) at[k] = relative(y, z, k - 1) / sizes_[z][k];
  }

  double row_sum(std::size_t y) const {
    double sum = 0;
    for (std::size_t z = 0; z < columns_; ++z) sum += shares_[z][y] * ratio(y, z);
    return sum;
  }
  Row column_sum(std::size_t z) const {
    Row sum(secrets_);
    Row at(secrets_);
    for (std::size_t y = 0; y < rows_; ++y) {
      place(y, z, at);
      for (std::size_t k = 0; k < secrets_; ++k) sum[k] += shares_[z][y] * at[k];
    }
    return sum;
  }

  double largest_error() const {
    double most = 0;
    for (std::size_t y = 0; y < rows_; ++y) most = std::max(most, std::abs(row_sum(y) - 1));
    for (std::size_t z = 0; z < columns_; ++z) {
      const Row sum = column_sum(z);
      for (std::size_t k = 0; k < secrets_; ++k) most = std::max(most, std::abs(sum[k] - (k == 0 ? 1 : 0)));
    }
    return most;
  }

  /// For one column: the factor L of the matrix of its equations, and L^-1 times their coupling to the rows, by equation and row.
  struct Column {
    Rows factor;
    Rows ties;
    Row right;
  };
  Column column(std::size_t z) const;
  bool step();
  /// Computes the factor of the rows' matrix after the columns' equations are eliminated.
  bool eliminated(const std::vector<Column>& columns, Rows& left) const;
  double curvature(std::size_t y, std::size_t z) const {
    const double share = shares_[z][y];
    return share * share / weight(y, z);
  }

  const Beliefs& from_;
  const Beliefs& to_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t secrets_;
  Rows shares_;  // by column
  Rows sizes_;   // likewise
};

Centering::Column Centering::column(std::size_t z) const {
  Column result{Rows(secrets_, Row(secrets_)), Rows(secrets_, Row(rows_)), column_sum(z)};
  for (std::size_t k = 0; k < secrets_; ++k) result.right[k] = 2 * result.right[k] - (k == 0 ? 1 : 0);
  Row at(secrets_);
  for (std::size_t y = 0; y < rows_; ++y) {
    const double here = curvature(y, z);
    place(y, z, at);
    for (std::size_t i = 0; i < secrets_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) result.factor[i][j] += here * at[i] * at[j];
      result.ties[i][y] = here * at[i] * std::sqrt(ratio(y, z));
    }
  }
  if (!factorize(result.factor)) return {};
  for (std::size_t i = 0; i < secrets_; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = result.factor[i][k];
      for (std::size_t y = 0; y < rows_; ++y) result.ties[i][y] -= factor * result.ties[k][y];
    }
    for (double& tie : result.ties[i]) tie /= result.factor[i][i];
  }
  result.right = solved_forwards(result.factor, std::move(result.right));
  return result;
}

bool Centering::eliminated(const std::vector<Column>& columns, Rows& left) const {
  constexpr std::size_t together = 16;  // rows that one pass over the columns serves
  share_among_threads(threads_of_machine(), (rows_ + together - 1) / together, [&](std::size_t block) {
    const std::size_t first = block * together;
    const std::size_t end = std::min(rows_, first + together);
    for (const Column& column : columns) {
      for (const Row& tie : column.ties) {
        for (std::size_t y = first; y < end; ++y) {
          const double here = tie[y];
          for (std::size_t other = 0; other <= y; ++other) left[y][other] -= here * tie[other];
        }
      }
    }
  });
  constexpr double smallest = 1e-13;  // relative
  for (std::size_t y = 0; y < rows_; ++y) left[y][y] *= 1 + smallest;
  return factorize(left);
}

bool Centering::step() {
  std::vector<Column> columns(columns_);
  share_among_threads(threads_of_machine(), columns_, [&](std::size_t z) { columns[z] = column(z); });
  if (std::ranges::any_of(columns, [](const Column& one) { return one.ties.empty(); })) return false;

  // Rows are in units of sqrt(m_y), columns in those of sqrt(n_z).
  Rows left(rows_);
  Row right(rows_);
  for (std::size_t y = 0; y < rows_; ++y) {
    left[y].assign(y + 1, 0);
    for (std::size_t z = 0; z < columns_; ++z) left[y][y] += curvature(y, z) * ratio(y, z);
    right[y] = (2 * row_sum(y) - 1) * std::sqrt(from_.masses[y]);
  }
  for (std::size_t z = 0; z < columns_; ++z) {
    const double unit = std::sqrt(to_.masses[z]);
    for (std::size_t i = 0; i < secrets_; ++i) {
      const double factor = columns[z].right[i] * unit;
      for (std::size_t y = 0; y < rows_; ++y) right[y] -= columns[z].ties[i][y] * factor;
    }
  }
  if (!eliminated(columns, left)) return false;
  const Row of_rows = solved_backwards(left, solved_forwards(left, std::move(right)));

  Rows change(columns_, Row(rows_));  // relative
  Row lowest(columns_);
  share_among_threads(threads_of_machine(), columns_, [&](std::size_t z) {
    const double unit = std::sqrt(to_.masses[z]);
    Row of_column = columns[z].right;
    for (std::size_t i = 0; i < secrets_; ++i) {
      double tied = 0;
      for (std::size_t y = 0; y < rows_; ++y) tied += columns[z].ties[i][y] * of_rows[y];
      of_column[i] -= tied / unit;
    }
    of_column = solved_backwards(columns[z].factor, std::move(of_column));
    Row at(secrets_);
    for (std::size_t y = 0; y < rows_; ++y) {
      place(y, z, at);
      double slope = of_rows[y] / std::sqrt(from_.masses[y]);
      for (std::size_t k = 0; k < secrets_; ++k) slope += at[k] * of_column[k];
      change[z][y] = 1 - shares_[z][y] / weight(y, z) * slope;
    }
    lowest[z] = std::ranges::min(change[z]);
  });
  const double least = std::ranges::min(lowest);
  if (!std::isfinite(least)) return false;
  constexpr double most_of_the_way = 0.9;
  const double length = least < -most_of_the_way ? -most_of_the_way / least : 1;
  constexpr double shortest = 1e-6;  // a shorter step to a bound means that there is no room
  if (length < shortest) return false;
  for (std::size_t z = 0; z < columns_; ++z) {
    for (std::size_t y = 0; y < rows_; ++y) shares_[z][y] *= 1 + length * change[z][y];
  }
  return true;
}

}  // namespace

std::optional<Inside> suggest_inside(const RoughRows& from, const RoughRows& to) {
  constexpr double negligible = 1e-20;
  const Beliefs a = beliefs_of(from);
  const Beliefs b = beliefs_of(to);
  if (!a.are_seen() || !b.are_seen()) return {};
  Centering centering(a, b);
  if (!centering.converges()) return {};
  const std::size_t observations = a.masses.size();
  const std::size_t outputs = b.masses.size();
  Inside inside{Rows(observations, Row(outputs)), Rows(outputs, Row(observations)),
                static_cast<std::size_t>(std::ranges::max_element(b.masses) - b.masses.begin())};
  for (std::size_t y = 0; y < observations; ++y) {
    for (std::size_t z = 0; z < outputs; ++z) {
      const double share = centering.share(y, z);
      const double entry = share * centering.ratio(y, z);
      inside.shares[z][y] = share;
      if (share > negligible || entry > negligible) inside.entries[y][z] = entry;
    }
  }
  return inside;
}

}  // namespace fractile::flow

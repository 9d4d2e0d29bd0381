// How good the planner's split of a budget is: the largest relative error of any level, beside the least that a search finds.
//   publication_split [RELEASES]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fractile/planning.hpp"
#include "fractile/publication.hpp"
#include "libraries/fmt.hpp"

namespace {

using fractile::Budget;
using fractile::Publication;
using fractile::PublicationPart;
using fractile::PublicationTable;
using fractile::Rational;

constexpr int rounds = 8;

struct Table {
  std::vector<Rational> quantiles;
  std::size_t cells;   ///< of the finest level; further levels are a quarter of them, and everyone
  std::uint64_t rows;  ///< of each of these cells
  std::int64_t possible = 100'000;
  bool counts = false;
};

std::vector<Rational> evenly(std::int64_t quantiles) {
  std::vector<Rational> all;
  for (std::int64_t i = 1; i <= quantiles; ++i) all.emplace_back(i, quantiles + 1);
  return all;
}

/// Those of the British tables of earnings.
std::vector<Rational> of_earnings() {
  std::vector<Rational> all;
  for (const std::int64_t percent : {10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90}) all.emplace_back(percent, 100);
  return all;
}

Publication publication_of(const Budget& budget, const std::vector<Table>& tables) {
  Publication publication{"", budget};
  for (const Table& each : tables) {
    const std::string name = "t" + std::to_string(publication.tables.size());
    const std::size_t groups = std::max<std::size_t>(each.cells / 4, 1);
    fractile::KeyColumn first{name + " a", {}};
    fractile::KeyColumn second{name + " b", {}};
    for (std::size_t i = 0; i < groups; ++i) first.keys.push_back("k" + std::to_string(i));
    for (std::size_t i = 0; i < each.cells / groups; ++i) second.keys.push_back("k" + std::to_string(i));
    PublicationTable table{name, name, fractile::Lattice::regular(0, each.possible, 1), each.quantiles};
    table.by = {first.column, second.column};
    table.levels = {{0, 1}, {0}, {}};
    table.expected_rows.assign(groups * second.keys.size(), each.rows);
    table.count = each.counts;
    publication.keys.push_back(std::move(first));
    publication.keys.push_back(std::move(second));
    publication.tables.push_back(std::move(table));
  }
  return publication;
}

/// What nine releases in ten of a level's cell stay within, as a share of its records: the mean of those from 85 to 95 in 100, which does not
/// jump where errors are whole numbers.
double error_of(const Publication& publication, const PublicationPart& part, double share, std::uint64_t releases) {
  const PublicationTable& table = publication.tables[part.table];
  const std::uint64_t rows = cells_of(publication, table, table.levels[part.level]).expected_rows.front();
  fractile::QuantileQuery query = part.query;
  query.budget = publication.budget.scaled(Rational::from_double(share) * (Rational(1) - part.counts_share));
  const fractile::TypicalError errors =
      typical_error(query, table.lattice, fractile::Shape::normal, std::min<std::uint64_t>(rows, 20'000), releases);
  double sum = 0;
  for (std::size_t i = releases * 85 / 100; i < releases * 95 / 100; ++i) sum += errors.largest[i];
  return sum / static_cast<double>(releases * 95 / 100 - releases * 85 / 100) / static_cast<double>(rows);
}

double compared(const std::string& name, const Budget& budget, const std::vector<Table>& tables,
                std::uint64_t releases) {
  const Publication publication = publication_of(budget, tables);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<PublicationPart> all = parts(publication);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::vector<double> shares;
  for (const PublicationPart& part : all) shares.push_back(part.share.to_double());
  double ours = 0;
  double least = 1;
  for (int round = 0; round <= rounds; ++round) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < all.size(); ++i) errors.push_back(error_of(publication, all[i], shares[i], releases));
    const double largest = *std::ranges::max_element(errors);
    if (round == 0) ours = largest;
    least = std::min(least, largest);
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += shares[i] *= std::sqrt(errors[i] / largest);
    for (double& share : shares) share /= sum;
  }
  fmt::print("{:34} {:5.2f} % of a cell, least found {:5.2f} %, ratio {:.3f}, split in {:.2f} s\n", name, 100 * ours,
             100 * least, ours / least, took.count());
  return ours / least;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t releases = count > 1 ? std::strtoull(words[1], nullptr, 10) : 2'000;
  const std::vector<Rational> median = evenly(1);
  const std::vector<Rational> quartiles = evenly(3);
  const std::vector<Rational> deciles = evenly(9);
  const Budget one = Budget::pure(Rational(1));
  double worst = 0;
  const auto add = [&](const std::string& name, const Budget& budget, const std::vector<Table>& tables) {
    worst = std::max(worst, compared(name, budget, tables, releases));
  };
  add("quartiles, deciles", one, {{quartiles, 16, 500}, {deciles, 4, 5'000}});
  add("median, deciles; small budget", Budget::pure(Rational(1, 4)), {{median, 24, 400}, {deciles, 8, 2'000}});
  add("median, vigintiles", one, {{median, 40, 200}, {evenly(19), 8, 8'000}});
  add("earnings, quartiles of hours", one, {{of_earnings(), 24, 1'000}, {quartiles, 24, 1'000, 100}});
  add("three tables", one, {{median, 8, 3'000}, {quartiles, 40, 600}, {deciles, 8, 3'000}});
  add("with counts", one, {{deciles, 16, 2'000, 100'000, true}, {median, 16, 2'000}});
  add("percentiles, median", Budget::pure(Rational(2)), {{evenly(99), 4, 20'000}, {median, 40, 300}});
  add("rho: quartiles, deciles", Budget::zcdp(Rational(1, 20)), {{quartiles, 16, 500}, {deciles, 4, 5'000}});
  add("rho: median, vigintiles", Budget::zcdp(Rational(1, 8)), {{median, 40, 200}, {evenly(19), 8, 4'000}});
  add("rho: three tables", Budget::zcdp(Rational(1, 50)),
      {{median, 8, 5'000}, {of_earnings(), 24, 2'000}, {quartiles, 8, 9'000, 1'000}});
  fmt::print("largest ratio {:.3f}\n", worst);
  return 0;
}

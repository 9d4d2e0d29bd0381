#include "quantile_cases.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

namespace fractile::bench {
namespace {

std::vector<double> make_records(std::uint64_t n) {
  std::mt19937_64 random(n);
  std::vector<double> records(n);
  for (double& record : records) {
    const std::uint64_t middle = ((random() >> 34) + (random() >> 34)) / 2;  // of 2^30
    record = std::ldexp(static_cast<double>(middle), -20);
  }
  return records;
}

RankProfile make_profile(std::uint64_t n, int bits) {
  ProfileBuilder builder(lattice_of(bits));
  builder.add(records_of(n));
  return builder.finish();
}

std::vector<Rational> inner_borders(std::int64_t parts) {
  std::vector<Rational> borders;
  for (std::int64_t i = 1; i < parts; ++i) borders.emplace_back(i, parts);
  return borders;
}

std::int64_t parts_of(const std::string& ask) {
  if (ask == "median") return 2;
  if (ask == "quartiles") return 4;
  if (ask == "percentiles") return 100;
  return std::stoll(ask.substr(1)) + 1;
}

}  // namespace

const std::vector<double>& records_of(std::uint64_t n) {
  static std::map<std::uint64_t, std::vector<double>> made;
  auto& records = made[n];
  if (records.empty()) records = make_records(n);
  return records;
}

Lattice lattice_of(int bits) {
  const Rational step = Rational::dyadic(1, 10 - bits);
  return Lattice::regular(0, Rational(1024) - step, step);
}

const RankProfile& profile_of(std::uint64_t n, int bits) {
  static std::map<std::pair<std::uint64_t, int>, std::unique_ptr<RankProfile>> made;
  auto& profile = made[{n, bits}];
  if (!profile) profile = std::make_unique<RankProfile>(make_profile(n, bits));
  return *profile;
}

QuantileQuery query_of(const std::string& ask) {
  QuantileQuery query{inner_borders(parts_of(ask)), Budget::pure(Rational(1))};
  query.mechanism = ask == "median" ? Mechanism::exponential : Mechanism::approximate;
  return query;
}

std::vector<std::size_t> ranks_of(const QuantileQuery& query, std::uint64_t n) {
  std::vector<std::size_t> ranks;
  for (const Rational& quantile : query.quantiles) {
    ranks.push_back((quantile * Rational(n - 1)).floor().to_uint64());
  }
  return ranks;
}

}  // namespace fractile::bench

// The rival that goes through all histograms, in doubles. No certificate.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "contenders.hpp"
#include "flow_utility_cases.hpp"

namespace fractile::bench {
namespace {

using Table = std::vector<std::vector<double>>;

/// P(a bar of height x seems y high) at epsilon 1.
Table noise_of(const flow::Pipeline& pipeline) {
  const flow::Channel channel = pipeline.perturber.at(flow::Odds(Rational::from_double(2.718281828459045)));
  const std::size_t heights = channel.secrets().size();
  Table noise(heights, std::vector<double>(heights));
  for (std::size_t x = 0; x < heights; ++x) {
    for (std::size_t y = 0; y < heights; ++y) noise[x][y] = channel(x, y).to_double();
  }
  return noise;
}

class Lister {
 public:
  Lister(Table noise, std::size_t bars)
      : noise_(std::move(noise)), below_(noise_), bars_(bars), won_(bars, std::vector<double>(bars)) {
    for (std::vector<double>& row : below_) {
      std::partial_sum(row.begin(), row.end(), row.begin());
      row.insert(row.begin(), 0);  // below_[x][y]: seems lower than y
    }
  }

  double loss() {
    list(0, noise_.size() - 1);
    double right = 0;
    for (const std::vector<double>& of_shown : won_) right += *std::ranges::max_element(of_shown);
    return 1 - right / histograms_;
  }

 private:
  void list(std::size_t bar, std::size_t people) {
    if (bar + 1 == bars_.size()) {
      bars_[bar] = people;
      add();
      return;
    }
    for (bars_[bar] = 0; bars_[bar] <= people; ++bars_[bar]) list(bar + 1, people - bars_[bar]);
  }

  /// The first of the highest bars wins, in truth and as shown.
  void add() {
    ++histograms_;
    const auto mode = static_cast<std::size_t>(std::ranges::max_element(bars_) - bars_.begin());
    for (std::size_t shown = 0; shown < bars_.size(); ++shown) {
      for (std::size_t y = 0; y < noise_.size(); ++y) {
        double wins = noise_[bars_[shown]][y];
        for (std::size_t other = 0; other < bars_.size(); ++other) {
          if (other != shown) wins *= below_[bars_[other]][other < shown ? y : y + 1];
        }
        won_[shown][mode] += wins;
      }
    }
  }

  Table noise_;
  Table below_;
  std::vector<std::size_t> bars_;
  Table won_;
  double histograms_ = 0;
};

void measure(benchmark::State& state, const flow::Pipeline& pipeline) {
  const Table noise = noise_of(pipeline);
  double loss = 0;
  for (auto _ : state) loss = Lister(noise, pipeline.values.size()).loss();
  state.counters["loss"] = loss;
}

}  // namespace

void register_listed_argmax() {
  for (const UtilityCase& each : argmax_cases_to_list()) {
    benchmark::RegisterBenchmark(("utility/" + each.name + "/listed").c_str(), measure, each.pipeline)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fractile::bench

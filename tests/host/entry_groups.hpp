// The entries, by what they call, and what they are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fractile/flow.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/ranks.hpp"
#include "fractile/release.hpp"
#include "fractile/source.hpp"
#include "host/entries.hpp"

namespace fractile::host_test {

constexpr std::uint64_t seed = 53;

std::vector<Entry> entries_of_numbers();
std::vector<Entry> entries_of_flow();
std::vector<Entry> entries_of_records();
std::vector<Entry> entries_of_releases();
std::vector<Entry> entries_of_publications();
/// Of files and ledgers in this folder, each of its own.
std::vector<Entry> entries_of_files(const std::string& folder);

/// Numbers that other environments take for others: subnormal ones, the largest, halves, and next to halves.
std::vector<double> numbers(std::size_t count);
Lattice tenths();
/// The numbers as the column x.
Frame frame(const std::vector<double>& values);
/// The columns x (numbers), p (texts of persons) and k (the keys "a" and "b"), as Arrow hands them over.
Frame people();
RankProfile normal_table(std::uint64_t rows);

QuantileQuery query_of(Mechanism mechanism, const Budget& budget);
/// How many participants answer 1.
flow::Pipeline counting(std::size_t participants);

std::string text(const RankProfile& profile);
std::string text(const flow::Matrix& matrix);
std::string text(const flow::RealBounds& bounds);

/// A name that no other call gets. All are equally long.
std::string new_name();

}  // namespace fractile::host_test

#include "requests/pipelines/channel_file.hpp"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "requests/csv_text.hpp"
#include "requests/text_file.hpp"

namespace fractile::requests {
namespace {

using Line = std::vector<std::string>;

constexpr std::size_t largest_channel_file = std::size_t{64} << 20;  // bytes

[[noreturn]] void refuse(const std::string& where, const Words& what) {
  throw Error(ErrorCode::data, {where, ": ", what},
              "a channel is CSV as fractile flow channel prints it at an epsilon where all entries are fractions: "
              "secret,first,second and rows a,1/3,2/3");
}

std::vector<Line> lines_of(const std::string& name, const std::string& text) {
  std::vector<Line> lines;
  for (CsvRecords rest(text); !rest.are_done();) {
    std::optional<Line> line = rest.next();
    const std::string where = fmt::format("{}:{}", name, lines.size() + 1);
    if (!line) refuse(where, "a quote is not closed, or not around a cell");
    if (!lines.empty() && line->size() != lines.front().size()) {
      refuse(where, fmt::format("{} {}, but the first line has {}", line->size(), line->size() == 1 ? "cell" : "cells",
                                lines.front().size()));
    }
    lines.push_back(*std::move(line));
  }
  if (lines.size() < 2 || lines.front().size() < 2) refuse(name, "no secrets, or no observations");
  return lines;
}

}  // namespace

flow::Channel read_channel(const std::string& name) {
  const TextFile file = read_text(name, largest_channel_file);
  if (!file.trouble.empty()) refuse("cannot open " + name, file.trouble);
  std::vector<Line> lines = lines_of(name, file.text);
  lines.front().erase(lines.front().begin());
  if (std::set<std::string>(lines.front().begin(), lines.front().end()).size() != lines.front().size()) {
    refuse(name + ":1", "an observation appears twice");
  }
  std::vector<std::string> secrets;
  std::set<std::string> known;
  std::vector<std::vector<Rational>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", name, i + 1);
    if (!known.insert(lines[i].front()).second) refuse(where, "a secret appears twice");
    secrets.push_back(lines[i].front());
    rows.emplace_back();
    for (std::size_t y = 1; y < lines[i].size(); ++y) {
      try {
        rows.back().push_back(Rational::parse(lines[i][y]));
      } catch (const Error&) {
        refuse(where, fmt::format("cell {} is not a number", y + 1));
      }
    }
  }
  try {
    return {std::move(secrets), std::move(lines.front()), flow::Matrix::of(rows)};
  } catch (const Error& error) {
    refuse(name, error.what_words());
  }
}

}  // namespace fractile::requests

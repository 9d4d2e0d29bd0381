// The machine's settings, such as its time zone and language, decide nothing about a value.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "source/entries/table_test_support.hpp"
#include "source/files/row_wise.hpp"

namespace fractile::source_detail {
namespace {

/// A value of each type, near a change of clocks where that matters.
std::string sample(std::string type) {
  static const std::map<std::string, std::string> samples{
      {"VARCHAR", "'2024-03-10 02:30:00'"},
      {"TIMESTAMP", "TIMESTAMP '2024-03-10 02:30:00'"},
      {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ '2024-03-10 07:30:00+00'"},
      {"DATE", "DATE '2024-03-10'"},
      {"TIME", "TIME '02:30:00'"},
      {"TIME WITH TIME ZONE", "TIMETZ '02:30:00+01'"},
      {"INTERVAL", "INTERVAL '1 day 3 hours'"},
      {"BOOLEAN", "true"},
      {"BLOB", "BLOB 'ab'"},
      {"JSON", "JSON '{\"a\": 1.5}'"}};
  if (const auto found = samples.find(type); found != samples.end()) return found->second;
  if (type == "\"NULL\"" || type == "ANY" || type == "T") return "TIMESTAMPTZ '2024-03-10 07:30:00+00'";
  return "CAST(3 AS " + type + ")";
}

/// One call of each signature of the functions that pass, and casts.
std::vector<std::string> calls(const Session& connection) {
  std::vector<std::string> all{"CAST(seen AS DATE)",
                               "CAST(seen AS TIME)",
                               "CAST(seen AS TIMESTAMP)",
                               "CAST(seen AS VARCHAR)",
                               "CAST(TIMESTAMP '2024-03-10 02:30:00' AS TIMESTAMPTZ)",
                               "CAST('2024-03-10 02:30:00' AS TIMESTAMPTZ)",
                               "seen > DATE '2024-03-10'",
                               "extract(hour FROM seen)",
                               "CAST('1.5' AS DOUBLE)",
                               "CAST(1234567.5 AS VARCHAR)"};
  ResultStream rows = connection.query(
      "SELECT DISTINCT function_name, array_to_string(parameter_types, '|') AS types FROM duckdb_functions() "
      "WHERE function_type IN ('scalar', 'macro') ORDER BY 1, 2",
      {CellType::text, CellType::text});
  while (const auto chunk = rows.next()) {
    for (std::size_t row = 0; row < chunk->rows(); ++row) {
      const std::string name(chunk->column(0).text(row));
      if (!std::ranges::binary_search(row_wise_functions(), std::string_view(name))) continue;
      std::string types(chunk->column(1).is_null(row) ? "" : chunk->column(1).text(row));
      std::string arguments;
      for (std::size_t end = 0; !types.empty(); types.erase(0, end + (end < types.size() ? 1 : 0))) {
        end = std::min(types.find('|'), types.size());
        arguments += (arguments.empty() ? "" : ", ") + sample(types.substr(0, end));
      }
      all.push_back(quote_identifier(name) + "(" + arguments + ")");
    }
  }
  return all;
}

/// The results of all calls, one after the other; a call that the engine refuses gives "no".
std::string answers() {
  const Session connection = Session::open({});
  std::string all;
  for (const std::string& call : calls(connection)) {
    all += call + " = ";
    try {
      ResultStream rows = connection.query(
          "SELECT CAST(TRY(" + call + ") AS VARCHAR) FROM (SELECT TIMESTAMPTZ '2024-03-10 07:30:00+00' AS seen)",
          {CellType::text});
      const auto chunk = rows.next();
      all += chunk && !chunk->column(0).is_null(0) ? std::string(chunk->column(0).text(0)) : "NULL";
    } catch (const EngineFailure&) {
      all += "no";
    }
    all += '\n';
  }
  return all;
}

using Machine = source_test::EngineTest;

// Run by the test below, in separate processes: an engine asks for the zone once.
TEST_F(Machine, DISABLED_Answers) {
  std::setlocale(LC_ALL, "");
  const std::string all = answers();
  if (const char* file = std::getenv("FRACTILE_ANSWERS")) std::ofstream(file) << all;
}

TEST_F(Machine, DecidesNothing) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string first;
  for (const std::string settings :
       {"TZ=UTC LC_ALL=C", "TZ=Asia/Tokyo LC_ALL=C", "TZ=America/New_York LC_ALL=de_DE.UTF-8"}) {
    const std::string file = folder.path("answers");
    const std::string command = settings + " FRACTILE_ANSWERS=" + file + " " + program +
                                " --gtest_also_run_disabled_tests --gtest_filter=Machine.DISABLED_Answers > " +
                                folder.path("log");
    ASSERT_EQ(std::system(command.c_str()), 0) << settings;
    std::ifstream stream(file);
    const std::string all((std::istreambuf_iterator<char>(stream)), {});
    std::filesystem::remove(file);
    EXPECT_NE(all.find("CAST(seen AS VARCHAR) = 2024-03-10 07:30:00+00\n"), std::string::npos) << settings;
    EXPECT_NE(all.find("extract(hour FROM seen) = 7\n"), std::string::npos) << settings;
    EXPECT_GT(std::ranges::count(all, '\n'), 400) << settings;
    if (first.empty()) first = all;
    std::istringstream one(first);
    std::istringstream other(all);
    for (std::string a, b; std::getline(one, a) && std::getline(other, b);) EXPECT_EQ(a, b) << settings;
    EXPECT_EQ(first.size(), all.size()) << settings;
  }
}

}  // namespace
}  // namespace fractile::source_detail

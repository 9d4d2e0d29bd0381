#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "libraries/fmt.hpp"
#include "requests/typed.hpp"

namespace fractile::requests {
namespace {

constexpr std::size_t longest_row = 300;  // characters of a table's row; tools/check_prose.py has the same limit

const char* name_of(OptionClass option_class) {
  switch (option_class) {
    case OptionClass::asker:
      return "asker";
    case OptionClass::owner:
      return "owner";
    case OptionClass::output:
      return "output";
    case OptionClass::machine:
      return "machine";
  }
  return "";
}

/// The table with a row for each verb and class, or several rows where one would be too long.
std::string table_of_classes() {
  std::string table = "| verb | class | options |\n| --- | --- | --- |\n";
  for (const VerbSpec* const verb : verbs_with_options()) {
    for (const OptionClass wanted :
         {OptionClass::asker, OptionClass::owner, OptionClass::output, OptionClass::machine}) {
      const std::string begin = fmt::format("| `{}` | {} | ", verb->name, name_of(wanted));
      std::string row = begin;
      for (const OptionSpec& option : verb->options) {
        if (option.option_class != wanted) continue;
        const std::string name = fmt::format("`{}`", option.name);
        if (row.size() + name.size() + 4 > longest_row) {
          table += row + " |\n";
          row = begin;
        }
        row += (row == begin ? "" : ", ") + name;
      }
      if (row != begin) table += row + " |\n";
    }
  }
  return table;
}

/// Once, the help of `explain` had two parts of one heading.
TEST(Options, OfOneHeadingStandTogether) {
  for (const VerbSpec* const verb : verbs_with_options()) {
    std::vector<std::string> headings;
    for (const OptionSpec& option : verb->options) {
      if (headings.empty() || headings.back() != option.group) headings.emplace_back(option.group);
    }
    std::ranges::sort(headings);
    EXPECT_EQ(std::ranges::adjacent_find(headings), headings.end()) << verb->name;
  }
}

TEST(OptionClasses, StandInTheThreatModel) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../docs/threat-model.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string table = table_of_classes();
  EXPECT_NE(page.find("\n\n" + table + "\n"), std::string::npos)
      << "docs/threat-model.md must hold this table, and nothing more in it:\n"
      << table;
}

TEST(OptionClasses, DoNotDependOnTheVerbThatReadsRecords) {
  std::map<std::string, OptionClass> known;
  for (const VerbSpec* const verb : {&release_verb(), &count_verb(), &merge_verb(), &columns_verb(), &plan_verb()}) {
    for (const OptionSpec& option : verb->options) {
      const auto [at, is_new] = known.emplace(option.name, option.option_class);
      EXPECT_TRUE(is_new || at->second == option.option_class) << option.name;
    }
  }
}

}  // namespace
}  // namespace fractile::requests

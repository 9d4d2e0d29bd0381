// Locales that write numbers otherwise.
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>

#include "host/entries.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::host_test {
namespace {

/// 1.234,5
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(HostLocale, ResultsAreTheSame) {
  const testing::Folder folder;
  for (const Entry& entry : entries(Size::small, folder.file(""))) {
    const std::string usual = entry.call();
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
    std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
    const std::string result = entry.call();
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
    EXPECT_TRUE(result == usual) << entry.name;
  }
}

}  // namespace
}  // namespace fractile::host_test

#include "source/files/countable.hpp"

#include <gtest/gtest.h>

#include "source/entries/table_test_support.hpp"

namespace fractile::source_detail {
namespace {

using source_test::error_of;

TEST(Countable, WrongTypeIsNamed) {
  const Column born{"born", "c3", "DATE"};
  const Error error = error_of([&] { require_countable(born, ValueKind::number, "people.parquet"); });
  EXPECT_EQ(std::string(error.what()), "people.parquet: column 'born' is DATE, not a number");
  EXPECT_NO_THROW(require_countable(born, ValueKind::date, "people.parquet"));
}

}  // namespace
}  // namespace fractile::source_detail

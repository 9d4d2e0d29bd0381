#include "libraries/postgres.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fractile/error.hpp"
#include "support/errors.hpp"

namespace fractile::postgres {
namespace {

class PostgresAddress : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      libpq();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(PostgresAddress, IsShownWithoutPasswords) {
  const auto shown = [](const std::string& text) { return Address::parse(text).shown(); };
  EXPECT_EQ(shown("postgresql://ann:pw@db.example:5433/team"), "postgres://ann@db.example:5433/team");
  EXPECT_EQ(shown("postgres://db.example/team?password=pw&sslmode=require"), "postgres://db.example/team");
  EXPECT_EQ(shown("postgres://ann%40x:p%40w@[::1]/a%20b"), "postgres://ann%40x@::1/a%20b");
  EXPECT_EQ(shown("postgres://%2Fvar%2Frun/team"), "postgres://%2Fvar%2Frun/team");
  EXPECT_EQ(shown("postgres:///?service=wages"), "postgres://?service=wages");
  EXPECT_EQ(shown("postgres://db.example/team?options=-csearch_path%3Down&hostaddr=10.0.0.1&sslmode=require"),
            "postgres://db.example/team?hostaddr=10.0.0.1&options=-csearch_path%3Down");
}

// PGOPTIONS gave a declared query another search_path, and so other tables.
TEST_F(PostgresAddress, OfASessionHasTheOptionsOfTheEnvironment) {
  const char* const before = std::getenv("PGOPTIONS");
  const std::string kept = before == nullptr ? "" : before;
  setenv("PGOPTIONS", "-c search_path=evil", 1);
  EXPECT_EQ(shown_session("postgres://u:pw@h/d"), "postgres://u@h/d?options=-c%20search_path%3Devil");
  EXPECT_EQ(shown_session("postgres://h/d?hostaddr=10.0.0.1"),
            "postgres://h/d?hostaddr=10.0.0.1&options=-c%20search_path%3Devil");
  EXPECT_EQ(shown_session("postgres://h/d?options=-ca%3Db"), "postgres://h/d?options=-ca%3Db");
  setenv("PGOPTIONS", "", 1);
  EXPECT_EQ(shown_session("postgres://u@h/d"), "postgres://u@h/d");
  before == nullptr ? unsetenv("PGOPTIONS") : setenv("PGOPTIONS", kept.c_str(), 1);
}

/// Parts of a password that was not percent-encoded would be taken for a host, a port or a database, and be shown.
TEST_F(PostgresAddress, ThatMayHoldPartsOfAPasswordElsewhereIsRefused) {
  for (const std::string text : {"postgres://u:pa@ss@h/d", "postgres://u:pa/ss@h/d", "postgres://u:p%zz@h/d",
                                 "postgres://h:pass/d", "postgres://u@h/d?pass=word"}) {
    const Error error = testing::error_of([&] { Address::parse(text); });
    const std::string told = std::string(error.what()) + error.hint();
    EXPECT_EQ(told.find("pa@"), std::string::npos);
    EXPECT_EQ(told.find("ss@"), std::string::npos);
    EXPECT_EQ(told.find("p%zz"), std::string::npos);
    EXPECT_EQ(shown_address(text), "postgres://...");
  }
}

TEST_F(PostgresAddress, MessagesAreWithoutSecrets) {
  const Address address = Address::parse("postgres://u:open%20sesame@h/d");
  EXPECT_EQ(address.without_secrets("said open sesame,\nopen sesame\n"), "said ***, ***");
}

TEST_F(PostgresAddress, OfNobodyIsLost) {
  try {
    Connection(Address::parse("postgres://u@127.0.0.1:1/d"), "test", std::chrono::seconds(1));
    ADD_FAILURE();
  } catch (const Failure& failure) {
    EXPECT_TRUE(failure.lost);
  }
}

}  // namespace
}  // namespace fractile::postgres

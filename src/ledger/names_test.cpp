#include "ledger/names.hpp"

#include <gtest/gtest.h>

#include "support/ledger_files.hpp"

namespace fractile {
namespace {

TEST(LedgerNames, ThatLookLikeOthersAreRefused) {
  using ledger_detail::require_name;
  for (const char* name :
       {"people", "a b", "\xC3\xA4rzte", "\xE5\xA7\x93\xE5\x90\x8D", "\xF0\x9F\x99\x82", "\xEA\xB0\x80"}) {
    require_name(name);
  }
  require_name(std::string(200, 'x'));
  const auto refused = [](const std::string& name, const std::string& part) {
    SCOPED_TRACE(name);
    testing::expect_failure(ErrorCode::usage, part, [&] { require_name(name); });
  };
  refused(" people", "begins or ends with a blank");
  refused("people ", "begins or ends with a blank");
  refused(" ", "begins or ends with a blank");
  refused(std::string(201, 'x'), "more than 200 characters");
  for (const char* name : {"pe\xE2\x80\x8Bople", "people\xE2\x80\xAE",
                           "a\xC2\xA0"
                           "b",
                           "people\xC2\x85", "\xEF\xBB\xBFpeople", "a\xE3\x80\x80z", "x\xC2\xAD"}) {
    refused(name, "an invisible character");
  }
  refused("a\xCC\x88rzte", "written as two characters");
  refused("\xE1\x84\x80\xE1\x85\xA1", "written as two characters");
}

}  // namespace
}  // namespace fractile

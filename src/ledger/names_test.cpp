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
  for (const char* name : {"x\xE3\x85\xA4", "x\xEF\xB8\x8F", "\xE2\xA0\x80x", "x\xEF\xBE\xA0"})
    refused(name, "an invisible character");
  refused("a\xCC\x88rzte", "written as two characters");
  refused("\xE1\x84\x80\xE1\x85\xA1", "written as two characters");
}

/// Such names are refused, so that no two different names are equal after normalization.
TEST(LedgerNames, ThatAreNotTheirOwnNormalFormAreRefused) {
  using ledger_detail::require_name;
  const auto refused = [](const std::string& name, const std::string& part) {
    SCOPED_TRACE(name);
    testing::expect_failure(ErrorCode::usage, part, [&] { require_name(name); });
  };
  const char* const has_another = "that Unicode's normal form replaces with another";
  // The signs of Angstrom, Kelvin and Ohm, the Greek question mark, oxia, compatibility ideographs, a Hebrew letter with its point.
  for (const char* name : {"\xE2\x84\xAB", "4 \xE2\x84\xAA", "\xE2\x84\xA6", "\xCD\xBE", "\xE1\xBD\xB1", "\xEF\xA4\x80",
                           "\xF0\xAF\xA0\x80", "\xEF\xAC\x9D"}) {
    refused(name, has_another);
  }
  refused("\xE0\xA4\x95\xE0\xA5\x98", has_another);                   // a Devanagari letter that NFC writes as two
  refused("\xE0\xA6\x95\xE0\xA7\x87\xE0\xA6\xBE", "two characters");  // two vowel signs of Bengali that compose
  refused("\xE0\xA4\xA8\xE0\xA4\xBC", "two characters");              // a letter of Devanagari and its dot
  refused("\xE3\x81\x8B\xE3\x82\x99", "two characters");              // ka and the mark that makes it ga
  refused("\xD8\xA7\xD9\x93", "two characters");                      // alef and madda
  refused("\xD8\xA8\xD9\x91\xD9\x8E", "two characters");              // shadda before fatha, which NFC puts first
  refused("\xEA\xB0\x80\xE1\x86\xA8", "two characters");              // a Korean syllable and a final consonant
  for (const char* name : {"\xC3\x85", "K", "\xCE\xA9", "\xE3\x81\x8C", "\xD8\xA2", "\xD8\xA8\xD9\x8E\xD9\x91",
                           "\xE0\xB8\xAD\xE0\xB8\xA2\xE0\xB8\xB9\xE0\xB9\x88",  // Thai, two marks on a letter
                           "\xE0\xA4\x9C\xE0\xA4\xBC",  // Devanagari, a dot that does not compose
                           "\xE0\xAE\xA8\xE0\xAE\xBE\xE0\xAE\x9F\xE0\xAF\x81"}) {  // Tamil
    require_name(name);
  }
  for (const char* name : {"\xFF", "a\xC3", "\xC1\x81", "\xE0\x81\x81", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    refused(name, "is not UTF-8 text");
  }
}

TEST(LedgerNames, BesideOneThatMayBeWrittenOtherwise) {
  using ledger_detail::require_unlike;
  const std::string old = "a\xCC\x88rzte";  // an older program accepted this name
  testing::expect_failure(ErrorCode::usage, "can be written in several ways",
                          [&] { require_unlike("\xC3\xA4rzte", old); });
  testing::expect_failure(ErrorCode::usage, "can be written in several ways",
                          [] { require_unlike("K", "\xE2\x84\xAA"); });
  require_unlike("people 2025-01", old);
  require_unlike("\xC3\xA4rzte", "\xC3\xA4rztinnen");
}

}  // namespace
}  // namespace fractile

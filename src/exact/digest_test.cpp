#include "exact/digest.hpp"

#include <gtest/gtest.h>

namespace fractile {
namespace {

TEST(Digest, IsThatOfFips180) {  // FIPS 180-2, appendix B.1; and the empty text
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace fractile

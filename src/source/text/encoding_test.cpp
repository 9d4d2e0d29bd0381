#include "source/text/encoding.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fractile/error.hpp"
#include "support/errors.hpp"

namespace fractile::source_detail {
namespace {

/// The bytes transcoded to UTF-8, so many at a time.
std::string transcoded(TextEncoding encoding, const std::string& bytes, std::size_t size) {
  Transcoder transcoder(encoding);
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += size)
    text += transcoder.of(std::string_view(bytes).substr(at, size));
  text += transcoder.rest();
  return text;
}

TEST(Transcoding, IsTheSameWhereverTextIsCut) {
  struct Case {
    TextEncoding encoding;
    std::string bytes;
    std::string text;
  };
  using namespace std::string_literals;
  const Case cases[] = {
      {TextEncoding::utf_8, "Z\xC3\xBCrich", "Zürich"},
      {TextEncoding::latin_1, "Z\xFCrich \x80", "Zürich \xC2\x80"},
      {TextEncoding::windows_1252, "Z\xFCrich 5 \x80\x81", "Zürich 5 €\xC2\x81"},
      {TextEncoding::utf_16, "\xFF\xFEZ\0\xFC\0\xAC\x20\x3D\xD8\x00\xDE"s, "Zü€😀"},
      {TextEncoding::utf_16, "\xFE\xFF\0Z\0\xFC\x20\xAC\xD8\x3D\xDE\x00"s, "Zü€😀"},
      {TextEncoding::utf_16, "a\0"s, "a"},
      {TextEncoding::utf_16_be, "\0a\xDE\x00\0b\xD8\x3D\0c\xD8\x3D"s,
       "a\xEF\xBF\xBD"
       "b\xEF\xBF\xBD"
       "c\xEF\xBF\xBD"},
      {TextEncoding::utf_16_le, "a\0b"s, "a\xEF\xBF\xBD"},
  };
  for (const Case& each : cases) {
    for (std::size_t size = 1; size <= each.bytes.size(); ++size) {
      EXPECT_EQ(transcoded(each.encoding, each.bytes, size), each.text) << size;
    }
  }
}

TEST(Transcoding, KnowsEncodingsByTheirUsualNames) {
  EXPECT_EQ(encoding_named(""), TextEncoding::utf_8);
  EXPECT_EQ(encoding_named("ISO-8859-1"), TextEncoding::latin_1);
  EXPECT_EQ(encoding_named("Windows-1252"), TextEncoding::windows_1252);
  EXPECT_EQ(encoding_named("utf_16le"), TextEncoding::utf_16_le);
  const Error error = testing::error_of([&] { encoding_named("ebcdic"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_STREQ(error.what(), "unknown encoding 'ebcdic'");
}

}  // namespace
}  // namespace fractile::source_detail

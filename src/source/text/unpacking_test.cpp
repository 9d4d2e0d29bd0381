#include "source/text/unpacking.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "source/entries/table_test_support.hpp"
#include "source/files/text_stream.hpp"
#include "source/text/packing_test_support.hpp"
#include "support/errors.hpp"

namespace fractile::source_detail {
namespace {

using namespace std::string_literals;
using source_test::all_packings;
using source_test::error_of;
using source_test::packed_by;
using source_test::TemporaryFolder;

class UnpackingTest : public ::testing::Test {
 protected:
  /// The text of a file of these bytes.
  std::string text_of(const std::string& bytes) const {
    const InputFile file = InputFile::open(folder.write("t", bytes));
    TextStream stream(file);
    std::string text;
    for (std::string_view next = stream.next(); !next.empty(); next = stream.next()) text += next;
    EXPECT_EQ(stream.taken(), bytes.size());
    return text;
  }
  /// The error while it is read.
  std::string said_of(const std::string& bytes) const {
    return said(error_of([&] { (void)text_of(bytes); }));
  }
  /// The error before it is read; empty if there is none.
  std::string said_at_once(const std::string& bytes) const {
    const std::optional<Error> error =
        testing::error_if_any([&] { require_read_packing(InputFile::open(folder.write("t", bytes))); });
    return error ? said(*error) : "";
  }
  /// The error's words about the file, without its name.
  std::string said(const Error& error) const {
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_FALSE(error.hint().empty());
    const std::string name = folder.path("t") + " ";
    EXPECT_TRUE(std::string(error.what()).starts_with(name)) << error.what();
    return std::string(error.what()).substr(name.size());
  }

  TemporaryFolder folder;
};

/// Many lines that do not pack well.
std::string long_text() {
  std::string text = "age\n";
  std::uint64_t state = 7;
  while (text.size() < 1'500'000) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    text += std::to_string(state >> 20U) + "\n";
  }
  return text;
}

TEST_F(UnpackingTest, GivesTheTextOfAllParts) {
  const std::string text = long_text();
  for (const std::string& packing : all_packings) {
    const std::string part = packed_by(packing, text);
    const std::string empty = packed_by(packing, "");
    EXPECT_EQ(packing_of(part)->name, packing);
    EXPECT_TRUE(text_of(part) == text) << packing;
    EXPECT_TRUE(text_of(empty + part + empty + packed_by(packing, "x") + part + empty) == text + "x" + text) << packing;
    EXPECT_EQ(text_of(empty), "");
    EXPECT_TRUE(text_of(packed_by(packing, std::string(30'000'000, '7'))) == std::string(30'000'000, '7')) << packing;
  }
}

/// The length of the text before the damage does not decide whether that text is read: the damage is reported after it.
TEST_F(UnpackingTest, WhatStandsBeforeTheDamageIsReadFirst) {
  const std::string packed = packed_by("gzip", "age\n1\n");
  const InputFile file = InputFile::open(folder.write("x", packed.substr(0, packed.size() - 8) + "damaged!"));
  Unpacking unpacking([&](std::size_t at, std::span<char> bytes) { return file.read(at, bytes); }, *packing_of(packed),
                      "x");
  std::array<char, 100> text{};
  EXPECT_EQ(std::string_view(text.data(), unpacking.read(text)), "age\n1\n");
  EXPECT_THROW(unpacking.read(text), DamagedText);
  EXPECT_THROW(unpacking.read(text), DamagedText);
}

TEST_F(UnpackingTest, CutFilesAreRefusedAtEveryCut) {
  for (const std::string& packing : all_packings) {
    const std::string part = packed_by(packing, "age\n1\n22\n333\n");
    const std::string parts = part + packed_by(packing, "4444\n55555\n");
    for (std::size_t size = 1; size < parts.size(); ++size) {
      const std::string cut = parts.substr(0, size);
      if (packing_of(cut) == nullptr) {
        EXPECT_LT(size, longest_mark);
      } else if (size == part.size()) {
        EXPECT_EQ(text_of(cut), "age\n1\n22\n333\n");
      } else {
        const std::string damaged = "is truncated or damaged " + packing;
        const bool is_mark_cut = size > part.size() && size < part.size() + longest_mark;
        const std::string words = said_of(cut);
        EXPECT_TRUE(words == damaged || (is_mark_cut && words.starts_with("has other bytes after its last " + packing)))
            << packing << " " << size << ": " << words;
        EXPECT_EQ(said_at_once(cut), "");
      }
    }
  }
}

TEST_F(UnpackingTest, NoFlippedBitGivesAnotherText) {
  const std::string text = "age\n1\n22\n333\n4444\n4444\n4444\n55555\n";
  for (const std::string& packing : all_packings) {
    const std::string packed = packed_by(packing, text);
    for (std::size_t bit = 0; bit < 8 * packed.size(); ++bit) {
      std::string flipped = packed;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      if (packing_of(flipped) == nullptr) continue;
      std::optional<std::string> read;
      try {
        read = text_of(flipped);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::data);
      }
      EXPECT_EQ(read.value_or(text), text) << packing << ", bit " << bit;
    }
  }
}

TEST_F(UnpackingTest, OtherBytesBehindAreRefused) {
  for (const std::string& packing : all_packings) {
    const std::string part = packed_by(packing, "age\n1\n");
    const std::string words = "has other bytes after its last " + packing + " " + std::string(packing_of(part)->part);
    for (const std::string& tail : {"more"s, "\n"s, std::string(3, '\0'), "\x1f\x8b\x07"s}) {
      EXPECT_EQ(said_of(part + tail), words);
      EXPECT_EQ(said_at_once(part + tail), "");
    }
    for (const std::string& other : all_packings) {
      if (other != packing) {
        EXPECT_EQ(said_of(part + packed_by(other, "1\n")), words);
      }
    }
    if (packing != "xz") {
      EXPECT_EQ(said_of(part + std::string(512, '\0')), words);
    }
  }
}

TEST_F(UnpackingTest, XzMayBePadded) {
  const std::string part = packed_by("xz", "age\n1\n");
  const std::string long_part = packed_by("xz", long_text());
  EXPECT_EQ(text_of(part + std::string(512, '\0')), "age\n1\n");
  EXPECT_EQ(text_of(part + std::string(4, '\0') + part + std::string(1'000'000, '\0')), "age\n1\nage\n1\n");
  EXPECT_TRUE(text_of(long_part + std::string(600'000, '\0') + part) == long_text() + "age\n1\n");
  EXPECT_EQ(said_of(part + std::string(510, '\0')), "has other bytes after its last xz stream");
  EXPECT_EQ(packing_of(std::string(4, '\0') + part), nullptr);
}

TEST_F(UnpackingTest, ZstdMayHaveFramesToSkip) {
  const std::string skipped = "\x50\x2A\x4D\x18\x05\0\0\0skip!"s;
  const std::string part = packed_by("zstd", "age\n1\n");
  EXPECT_EQ(text_of(skipped + part + skipped + part + "\x5F\x2A\x4D\x18\0\0\0\0"s), "age\n1\nage\n1\n");
  EXPECT_EQ(said_of(part + skipped.substr(0, 10)), "is truncated or damaged zstd");
}

/// The text of one part that comes and goes a byte at a time; nothing where it does not come to its end.
std::optional<std::string> by_bytes(std::string_view part) {
  const std::unique_ptr<Unpacker> unpacker = packing_of(part)->unpacker();
  Unpacked step = unpacker->begin(part.substr(0, Unpacker::longest_head));
  std::string text;
  while (step == Unpacked::more) {
    std::string_view next = part.substr(0, 1);
    char byte = 0;
    std::span<char> room(&byte, 1);
    step = unpacker->step(next, room);
    const std::size_t taken = std::min<std::size_t>(part.size(), 1) - next.size();
    part.remove_prefix(taken);
    if (room.empty()) text += byte;
    if (taken == 0 && !room.empty()) break;
  }
  return step == Unpacked::ended && part.empty() ? std::optional(text) : std::nullopt;
}

TEST_F(UnpackingTest, ComesInPiecesOfAnySize) {
  const std::string text = "age\n1\n22\n333\n4444\n4444\n4444\n55555\n";
  for (const std::string& packing : all_packings) EXPECT_EQ(by_bytes(packed_by(packing, text)), text);
}

// The library ends such a frame without a word when it comes in pieces.
TEST_F(UnpackingTest, ZstdHoldsAsMuchAsItSays) {
  const std::string head = "\x28\xB5\x2F\xFD\x60"s;  // of a frame that says its size, less 256, in two bytes
  const std::string block = "\0\x08\0"s + std::string(256, '7');
  const std::string end = "\x05\0\0"s;  // an empty block, the last one
  EXPECT_EQ(by_bytes(head + "\0\0"s + block + end), std::string(256, '7'));
  EXPECT_EQ(by_bytes(head + "\x05\0"s + block + end), std::nullopt);
  EXPECT_EQ(said_of(head + "\x05\0"s + block + end), "is truncated or damaged zstd");
}

TEST_F(UnpackingTest, WhatHasNoChecksumIsRead) {
  const std::string zstd = source_test::zstd_frame("age\n1\n", false);
  const std::string xz = source_test::xz_stream("age\n1\n", LZMA_CHECK_NONE);
  EXPECT_EQ(text_of(zstd), "age\n1\n");
  EXPECT_EQ(text_of(xz), "age\n1\n");
  EXPECT_EQ(text_of(source_test::xz_stream("age\n1\n", LZMA_CHECK_SHA256)), "age\n1\n");
  EXPECT_EQ(said_of(zstd.substr(0, zstd.size() - 1)), "is truncated or damaged zstd");
  EXPECT_EQ(said_of(xz.substr(0, xz.size() - 1)), "is truncated or damaged xz");
}

/// The xz file with a new checksum of this part of a header, just behind it.
std::string with_header_sum(std::string xz, std::size_t from, std::size_t size) {
  const std::uint32_t sum = lzma_crc32(reinterpret_cast<const std::uint8_t*>(xz.data()) + from, size, 0);
  for (std::size_t k = 0; k < 4; ++k) xz[from + size + k] = static_cast<char>(sum >> (8 * k));
  return xz;
}

constexpr std::size_t xz_block = 12;  // where the first one's header begins

/// The number of bytes of that header that its checksum covers.
std::size_t size_of_block_header(const std::string& xz) {
  constexpr std::size_t unit = 4;
  return unit * static_cast<unsigned char>(xz[xz_block]);
}

/// The place of its filter, LZMA2; the code of the window is two bytes behind it.
std::size_t xz_filter(const std::string& xz) { return xz.find("\x21\x01", xz_block + 2); }

TEST_F(UnpackingTest, WindowsHaveALimit) {
  constexpr std::size_t window = 5;  // where its byte stands in a zstd frame
  std::string zstd = packed_by("zstd", "age\n1\n");
  zstd[window] = static_cast<char>(0x88);  // 2^27 bytes
  EXPECT_EQ(text_of(zstd), "age\n1\n");
  std::string xz = packed_by("xz", "age\n1\n");
  const std::size_t header = size_of_block_header(xz);
  const std::size_t dictionary = xz_filter(xz) + 2;
  xz[dictionary] = 30;  // 2^27 bytes
  EXPECT_EQ(text_of(with_header_sum(xz, xz_block, header)), "age\n1\n");
  // The library does not look at the window of a frame that it has whole, and room for its text.
  const std::string stored = "\x28\xB5\x2F\xFD\x40\x90\0\0\x01\x08\0"s + std::string(256, '7');
  EXPECT_EQ(said_of(stored), "is zstd with a window of more than 128 MiB, which is not read");
  EXPECT_EQ(said_of(packed_by("zstd", "age\n") + stored), said_of(stored));
  for (const unsigned wider : {0x89U, 0x90U, 0xA8U}) {
    zstd[window] = static_cast<char>(wider);
    EXPECT_EQ(said_of(zstd), "is zstd with a window of more than 128 MiB, which is not read");
    EXPECT_EQ(said_at_once(zstd), said_of(zstd));
  }
  for (const int wider : {31, 32, 40}) {
    xz[dictionary] = static_cast<char>(wider);
    const std::string bytes = with_header_sum(xz, xz_block, header);
    EXPECT_EQ(said_of(bytes), "is xz with a window of more than 128 MiB, which is not read");
    EXPECT_EQ(said_at_once(bytes), said_of(bytes));
    EXPECT_EQ(said_of(packed_by("xz", "age\n1\n") + bytes), said_of(bytes));
  }
}

TEST_F(UnpackingTest, WhatIsNotReadIsNamedAtOnce) {
  constexpr std::size_t descriptor = 4;  // of a zstd frame
  std::string zstd = packed_by("zstd", "age\n1\n");
  std::string with_dictionary = zstd.substr(0, 6) + "\x07" + zstd.substr(6);
  with_dictionary[descriptor] = static_cast<char>(with_dictionary[descriptor] | 1);
  EXPECT_EQ(said_at_once(with_dictionary), "is zstd with a dictionary, which is not read");
  zstd[descriptor] = static_cast<char>(zstd[descriptor] | 8);
  EXPECT_EQ(said_at_once(zstd), "is zstd of a later version, which is not read");
  std::string sum = packed_by("xz", "age\n1\n");
  sum[7] = 2;  // the kind of checksum
  EXPECT_EQ(said_at_once(with_header_sum(sum, 6, 2)),
            "is xz of a filter or a checksum that is not known, which is not read");
  std::string filter = packed_by("xz", "age\n1\n");
  filter[xz_filter(filter)] = 0x3F;
  EXPECT_EQ(said_at_once(with_header_sum(filter, xz_block, size_of_block_header(filter))),
            "is xz of a filter or a checksum that is not known, which is not read");
}

TEST(Packing, IsKnownByFirstBytes) {
  for (const std::string& text : {""s, "age\n"s, "BZh\n1\n"s, "BZh9\n1\n"s, "BZh9,BZh91AY\n"s, "BZh0"s, "(age)\n"s,
                                  "P*M\x19"s, "\x1f"s, "\0\0\0\0"s}) {
    EXPECT_EQ(packing_of(text), nullptr) << text;
  }
  EXPECT_EQ(packing_of("\x1f\x8b")->name, "gzip");
  EXPECT_EQ(packing_of("BZh91AY&SY and more")->name, "bzip2");
  EXPECT_EQ(packing_of("BZh5\x17rE8P\x90")->name, "bzip2");
  EXPECT_EQ(packing_of("BZh91AY")->name, "bzip2");  // of a file that ends there
  for (const std::string& packing : all_packings) {
    const Packing* known = packing_of(packed_by(packing, "x"));
    EXPECT_EQ(packing_named(known->extension), known);
  }
  EXPECT_EQ(packing_named(".csv"), nullptr);
}

}  // namespace
}  // namespace fractile::source_detail

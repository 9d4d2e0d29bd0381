// For tests: text packed in each supported way.
#pragma once

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <string_view>
#include <vector>

namespace fractile::source_test {

inline const std::vector<std::string> all_packings{"gzip", "zstd", "bzip2", "xz"};

/// A gzip member; `header`: its further fields.
inline std::string gzip_member(const std::string& text, gz_header header = {}) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  EXPECT_EQ(deflateSetHeader(&stream, &header), Z_OK);
  std::string packed(text.size() + 1'000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A zstd frame that has its window size and not the size of the text, as when text is packed while it arrives.
inline std::string zstd_frame(const std::string& text, bool has_checksum = true) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  EXPECT_EQ(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksum ? 1 : 0)), 0U);
  std::string packed(ZSTD_compressBound(text.size()) + 100, '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  EXPECT_EQ(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)), 0U);
  EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  return packed;
}

/// A bzip2 stream with blocks of 100 kB.
inline std::string bzip2_stream(std::string text) {
  std::string packed(text.size() + text.size() / 50 + 1'000, '\0');
  auto size = static_cast<unsigned>(packed.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, text.data(), static_cast<unsigned>(text.size()), 1, 0, 0),
            BZ_OK);
  packed.resize(size);
  return packed;
}

inline std::string xz_stream(const std::string& text, lzma_check check = LZMA_CHECK_CRC64) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, check, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

/// One part, packed in this way.
inline std::string packed_by(std::string_view packing, const std::string& text) {
  if (packing == "zstd") return zstd_frame(text);
  if (packing == "bzip2") return bzip2_stream(text);
  return packing == "xz" ? xz_stream(text) : gzip_member(text);
}

}  // namespace fractile::source_test

#include "source/text/packing.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <new>
#include <utility>

#include "fractile/error.hpp"

namespace fractile::source_detail {
namespace {

using namespace std::string_view_literals;  // some of these literals contain a zero byte

/// The number of bytes that are passed to a library at once; libraries count in 32 bits.
template <class Bytes>
unsigned handed(const Bytes& bytes) {
  return static_cast<unsigned>(std::min<std::size_t>(bytes.size(), std::numeric_limits<unsigned>::max()));
}

/// Lets a library's stream consume the front of `packed` and fill the front of `text`; both are set to what is left of them.
/// Returns the result of run(stream).
template <class Stream, class Run>
auto run_between(Stream& stream, std::string_view& packed, std::span<char>& text, const Run& run) {
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char*>(packed.data()));
  stream.avail_in = handed(packed);
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(text.data());
  stream.avail_out = handed(text);
  const std::size_t in = stream.avail_in;
  const std::size_t out = stream.avail_out;
  const auto status = run(&stream);
  packed.remove_prefix(in - stream.avail_in);
  text = text.subspan(out - stream.avail_out);
  return status;
}

/// The meaning of a library's status; the bytes are damaged if it is none of the known ones. Throws std::bad_alloc when memory is lacking.
template <class Status>
Unpacked meaning_of(Status status, Status lacks_memory, std::initializer_list<std::pair<Status, Unpacked>> known) {
  if (status == lacks_memory) throw std::bad_alloc();
  const auto* const at = std::ranges::find(known, status, &std::pair<Status, Unpacked>::first);
  return at == known.end() ? Unpacked::damaged : at->second;
}

[[noreturn]] void fail_to_start(std::string_view library) {
  throw Error(ErrorCode::internal, std::string(library) + " did not start");
}

// --- gzip: RFC 1952 ------------------------------------------------------------------------------------------------

constexpr std::string_view gzip_mark = "\x1f\x8b";
constexpr std::string_view gzip_member = "\x1f\x8b\x08";

bool begins_gzip_member(std::string_view bytes) { return bytes.starts_with(gzip_member); }

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker() {
    constexpr int largest_window_of_gzip = 15 + 16;
    const int status = inflateInit2(&stream_, largest_window_of_gzip);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK) fail_to_start("zlib");
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  Unpacked begin(std::string_view head) override {
    constexpr std::size_t flags = 3;                // offset of the flags
    constexpr unsigned read_flags = 0x04U | 0x08U;  // an extra field, a name: the engine skips only these
    inflateReset(&stream_);
    const bool has_flags = begins_gzip_member(head) && head.size() > flags;
    return has_flags && (static_cast<unsigned char>(head[flags]) & ~read_flags) != 0 ? Unpacked::unread
                                                                                     : Unpacked::more;
  }
  Unpacked step(std::string_view& packed, std::span<char>& text) override {
    const int status = run_between(stream_, packed, text, [](z_stream* stream) { return inflate(stream, Z_NO_FLUSH); });
    return meaning_of(status, Z_MEM_ERROR,
                      {{Z_OK, Unpacked::more}, {Z_BUF_ERROR, Unpacked::more}, {Z_STREAM_END, Unpacked::ended}});
  }

 private:
  z_stream stream_{};
};

// --- zstd: RFC 8878 ------------------------------------------------------------------------------------------------

/// A frame of text, or a skippable frame, with which some programs begin.
bool begins_zstd_frame(std::string_view bytes) {
  if (bytes.starts_with("\x28\xB5\x2F\xFD"sv)) return true;
  constexpr unsigned char first_skipped = 0x50;
  constexpr unsigned char last_skipped = 0x5F;
  const auto first = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  return first >= first_skipped && first <= last_skipped && bytes.substr(1).starts_with("\x2A\x4D\x18"sv);
}

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker() : context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    if (!context_) throw std::bad_alloc();
    int bits = 0;
    while ((std::size_t{1} << bits) < widest_window) ++bits;
    if (ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, bits)) != 0) fail_to_start("zstd");
  }

  Unpacked begin(std::string_view head) override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    said_ = ZSTD_getFrameContentSize(head.data(), head.size());
    made_ = 0;
    return window_of(head) > widest_window ? Unpacked::too_wide : Unpacked::more;
  }
  Unpacked step(std::string_view& packed, std::span<char>& text) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{text.data(), text.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
    packed.remove_prefix(in.pos);
    text = text.subspan(out.pos);
    made_ += out.pos;
    if (status == 0) return has_said_size() && made_ != said_ ? Unpacked::damaged : Unpacked::ended;
    if (ZSTD_isError(status) == 0) return Unpacked::more;
    return meaning_of(ZSTD_getErrorCode(status), ZSTD_error_memory_allocation,
                      {{ZSTD_error_frameParameter_windowTooLarge, Unpacked::too_wide},
                       {ZSTD_error_dictionary_wrong, Unpacked::with_dictionary},
                       {ZSTD_error_frameParameter_unsupported, Unpacked::unread}});
  }

 private:
  /// The window by RFC 8878, 3.1.1.1.2; 0 if the frame has no window descriptor. The library ignores the window if a frame and its
  /// text fit the buffers of one call.
  static std::uint64_t window_of(std::string_view head) {
    constexpr std::size_t descriptor = 4;
    constexpr std::size_t window = 5;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
    if (head.size() <= window || !head.starts_with("\x28\xB5\x2F\xFD"sv) || (byte(descriptor) & 0x20U) != 0) return 0;
    const std::uint64_t base = std::uint64_t{1} << (10U + (byte(window) >> 3U));
    return base + base / 8 * (byte(window) & 7U);
  }
  /// Whether the frame states its size. The library does not check the size if the frame's last block is empty.
  bool has_said_size() const { return said_ != ZSTD_CONTENTSIZE_UNKNOWN && said_ != ZSTD_CONTENTSIZE_ERROR; }

  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  unsigned long long said_ = ZSTD_CONTENTSIZE_UNKNOWN;  // bytes of text, according to the frame's header
  unsigned long long made_ = 0;
};

// --- bzip2 ---------------------------------------------------------------------------------------------------------

/// Recognizes the mark and what follows it: the mark of a block, or that of the end. A file that ends within these bytes is
/// recognized, too.
bool begins_bzip2_stream(std::string_view bytes) {
  constexpr std::string_view mark = "BZh";
  if (!bytes.starts_with(mark) || bytes.size() == mark.size()) return false;
  const char size = bytes[mark.size()];
  constexpr std::size_t length = 6;
  const std::string_view next = bytes.substr(mark.size() + 1, length);
  return size >= '1' && size <= '9' && ("1AY&SY"sv.starts_with(next) || "\x17rE8P\x90"sv.starts_with(next));
}

class Bzip2Unpacker final : public Unpacker {
 public:
  Bzip2Unpacker() = default;
  ~Bzip2Unpacker() override { end(); }

  Unpacked begin(std::string_view /*head*/) override {
    end();
    const int status = BZ2_bzDecompressInit(&stream_, 0, 0);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK) fail_to_start("bzip2");
    has_begun_ = true;
    return Unpacked::more;
  }
  Unpacked step(std::string_view& packed, std::span<char>& text) override {
    return meaning_of(run_between(stream_, packed, text, &BZ2_bzDecompress), BZ_MEM_ERROR,
                      {{BZ_OK, Unpacked::more}, {BZ_STREAM_END, Unpacked::ended}});
  }

 private:
  void end() {
    if (has_begun_) BZ2_bzDecompressEnd(&stream_);
    has_begun_ = false;
    stream_ = {};
  }

  bz_stream stream_{};
  bool has_begun_ = false;
};

// --- xz ------------------------------------------------------------------------------------------------------------

bool begins_xz_stream(std::string_view bytes) {
  return bytes.starts_with(
      "\xFD"
      "7zXZ\0"sv);
}

class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker() = default;
  ~XzUnpacker() override { lzma_end(&stream_); }

  Unpacked begin(std::string_view /*head*/) override {
    constexpr std::uint64_t beside_the_window = std::uint64_t{1} << 20;
    const lzma_ret status =
        lzma_stream_decoder(&stream_, widest_window + beside_the_window, LZMA_TELL_UNSUPPORTED_CHECK);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status != LZMA_OK) fail_to_start("liblzma");
    return Unpacked::more;
  }
  Unpacked step(std::string_view& packed, std::span<char>& text) override {
    const lzma_ret status =
        run_between(stream_, packed, text, [](lzma_stream* stream) { return lzma_code(stream, LZMA_RUN); });
    return meaning_of(status, LZMA_MEM_ERROR,
                      {{LZMA_OK, Unpacked::more},
                       {LZMA_BUF_ERROR, Unpacked::more},
                       {LZMA_STREAM_END, Unpacked::ended},
                       {LZMA_MEMLIMIT_ERROR, Unpacked::too_wide},
                       {LZMA_OPTIONS_ERROR, Unpacked::unread},
                       {LZMA_UNSUPPORTED_CHECK, Unpacked::unread}});
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

template <class OfPacking>
std::unique_ptr<Unpacker> new_unpacker() {
  return std::make_unique<OfPacking>();
}

constexpr std::array packings{
    Packing{"gzip", ".gz", "member", &begins_gzip_member, &new_unpacker<GzipUnpacker>, "gunzip -c", "gunzip -c", "gzip",
            "of a header with a comment, a checksum or a mark of text", "", true},
    Packing{"zstd", ".zst", "frame", &begins_zstd_frame, &new_unpacker<ZstdUnpacker>, "zstd -dc", "zstd -dc -M2048MB",
            "zstd", "of a later version", "", false},
    Packing{"bzip2", ".bz2", "stream", &begins_bzip2_stream, &new_unpacker<Bzip2Unpacker>, "bzip2 -dc", "bzip2 -dc",
            "bzip2", "", "", false},
    Packing{"xz", ".xz", "stream", &begins_xz_stream, &new_unpacker<XzUnpacker>, "xz -dc", "xz -dc", "xz",
            "of a filter or a checksum that is not known", "\0\0\0\0"sv, false}};

}  // namespace

const Packing* packing_of(std::string_view head) {
  if (head.starts_with(gzip_mark)) return packings.data();  // for any method
  head = head.substr(0, longest_mark);
  const auto* const found =
      std::ranges::find_if(packings, [&](const Packing& packing) { return packing.begins(head); });
  return found == packings.end() ? nullptr : found;
}

const Packing* packing_named(std::string_view extension) {
  const auto* const found = std::ranges::find(packings, extension, &Packing::extension);
  return found == packings.end() ? nullptr : found;
}

}  // namespace fractile::source_detail

// Random bits: the system's, buffered, wiped after use and on fork; or a reproducible stream that says it is unsafe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace fractile {

/// A stream of independent uniform bits.
/// Thread-safety: not for two threads at once; give each its own.
class RandomBits {
 public:
  /// The operating system's cryptographic generator through OpenSSL (RAND_priv_bytes), 4 KiB at a time. Bits are wiped
  /// as they are used; after a fork the child starts from fresh ones. Throws `internal` when the system has none.
  static RandomBits system();
  /// A reproducible ChaCha20 stream: anyone who knows the seed can undo the privacy. For tests and demonstrations only.
  static RandomBits unsafe_seeded(std::uint64_t seed);
  /// Bits from `fill`, which must fill the whole span or throw: for tests that place bits or make the supply fail.
  static RandomBits from_source(std::function<void(std::span<std::byte>)> fill);

  RandomBits(RandomBits&&) noexcept;
  RandomBits& operator=(RandomBits&&) noexcept;
  ~RandomBits();

  /// A separate stream, independent of what this one still has: it has the system's bits, or is keyed by the next 256 bits of a
  /// reproducible stream, and is then equally unsafe. Nothing for bits from a function, which may not be called by two threads at
  /// once.
  std::optional<RandomBits> split();
  /// 64 independent uniform bits.
  std::uint64_t next64();
  /// The seed, when the stream is reproducible.
  std::optional<std::uint64_t> unsafe_seed() const;

 private:
  struct Pool;
  explicit RandomBits(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool_;
};

}  // namespace fractile

// The hash that identifies receipts and profile files, and the keyed hash that chooses records.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fractile {

/// SHA-256 of bytes that come piece by piece. Throws `internal` when the cryptographic library fails.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view text);
  /// The 32 bytes of the hash of everything added so far; more may be added.
  std::string bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 in lower-case hexadecimal digits. Throws `internal` when the cryptographic library fails.
std::string sha256(std::string_view text);

/// HMAC-SHA-256 (RFC 2104) under one key of at most 64 bytes, prepared once.
/// Thread-safety: threads may share it.
class Hmac {
 public:
  using Tag = std::array<unsigned char, 32>;

  /// Throws `internal` when the cryptographic library fails, here and below.
  explicit Hmac(std::span<const std::byte> key);
  Hmac(Hmac&&) noexcept;
  ~Hmac();

  Tag of(std::string_view message) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Lower-case hexadecimal digits.
std::string hexadecimal(std::string_view bytes);

}  // namespace fractile

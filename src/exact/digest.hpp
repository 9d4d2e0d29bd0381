// The hash by which receipts and profile files are known.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace fractile {

/// SHA-256 of what comes piece by piece. Error(internal) when the cryptographic library fails.
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void add(std::string_view text);
  /// 32 bytes, of all that was added so far; more may be added.
  std::string bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 in lower-case hexadecimal digits. Error(internal) when the cryptographic library fails.
std::string sha256(std::string_view text);

}  // namespace fractile

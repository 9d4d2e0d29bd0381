#include "ledger/digest.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>

#include "fractile/error.hpp"

namespace fractile {

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::internal, "a hash could not be computed", "nothing was released");
  }
  std::string digits;
  for (unsigned int i = 0; i < size; ++i) digits += fmt::format("{:02x}", bytes[i]);
  return digits;
}

}  // namespace fractile

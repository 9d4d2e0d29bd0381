#include "exact/digest.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>

#include "fractile/error.hpp"

namespace fractile {
namespace {

void require(bool worked) {
  if (!worked) throw Error(ErrorCode::internal, "a hash could not be computed", "nothing was released");
}

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Context new_context() {
  Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  require(context != nullptr);
  return context;
}

}  // namespace

struct Sha256::State {
  Context context = new_context();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view text) {
  require(EVP_DigestUpdate(state_->context.get(), text.data(), text.size()) == 1);
}

std::string Sha256::bytes() const {
  const Context so_far = new_context();
  require(EVP_MD_CTX_copy_ex(so_far.get(), state_->context.get()) == 1);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(so_far.get(), bytes.data(), &size) == 1);
  return {bytes.begin(), bytes.begin() + size};
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  std::string digits;
  for (const char byte : hash.bytes()) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

}  // namespace fractile

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

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hexadecimal(hash.bytes());
}

namespace {

constexpr std::size_t block_size = 64;  // bytes, of SHA-256

/// A hash that has seen the key, padded to a block and masked.
Context begun_with(std::span<const std::byte> key, unsigned char mask) {
  std::array<unsigned char, block_size> block{};
  block.fill(mask);
  for (std::size_t i = 0; i < key.size(); ++i) block.at(i) ^= static_cast<unsigned char>(key[i]);
  Context context = new_context();
  require(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  require(EVP_DigestUpdate(context.get(), block.data(), block.size()) == 1);
  return context;
}

}  // namespace

struct Hmac::State {
  explicit State(std::span<const std::byte> key) : inner(begun_with(key, 0x36)), outer(begun_with(key, 0x5c)) {}

  void finish(const Context& begun, const void* bytes, std::size_t size, Tag& tag) const {
    require(EVP_MD_CTX_copy_ex(running.get(), begun.get()) == 1);
    require(EVP_DigestUpdate(running.get(), bytes, size) == 1);
    require(EVP_DigestFinal_ex(running.get(), tag.data(), nullptr) == 1);
  }

  Context inner;
  Context outer;
  Context running = new_context();
};

Hmac::Hmac(std::span<const std::byte> key) {
  if (key.size() > block_size) throw Error(ErrorCode::internal, "a key of a keyed hash has at most 64 bytes");
  state_ = std::make_unique<State>(key);
}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

Hmac::Tag Hmac::of(std::string_view message) {
  Tag tag{};
  state_->finish(state_->inner, message.data(), message.size(), tag);
  state_->finish(state_->outer, tag.data(), tag.size(), tag);
  return tag;
}

}  // namespace fractile

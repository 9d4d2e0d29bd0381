#include "exact/digest.hpp"

// The keyed hash calls SHA256_Init and its siblings directly. EVP allocates for each copy of a state, twice per record of a person,
// and sampling takes half as long again.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"

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

constexpr std::size_t block_size = 64;  // SHA-256's block, in bytes

/// A hash that has seen the key, padded to a block and masked.
SHA256_CTX begun_with(std::span<const std::byte> key, unsigned char mask) {
  std::array<unsigned char, block_size> block{};
  block.fill(mask);
  for (std::size_t i = 0; i < key.size(); ++i) block.at(i) ^= static_cast<unsigned char>(key[i]);
  SHA256_CTX begun{};
  require(SHA256_Init(&begun) == 1);
  require(SHA256_Update(&begun, block.data(), block.size()) == 1);
  return begun;
}

void finish(SHA256_CTX begun, const void* bytes, std::size_t size, Hmac::Tag& tag) {
  require(SHA256_Update(&begun, bytes, size) == 1);
  require(SHA256_Final(tag.data(), &begun) == 1);
}

}  // namespace

struct Hmac::State {
  explicit State(std::span<const std::byte> key) : inner(begun_with(key, 0x36)), outer(begun_with(key, 0x5c)) {}
  SHA256_CTX inner;
  SHA256_CTX outer;
};

Hmac::Hmac(std::span<const std::byte> key) {
  if (key.size() > block_size) throw Error(ErrorCode::internal, "a key of a keyed hash has at most 64 bytes");
  state_ = std::make_unique<State>(key);
}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

Hmac::Tag Hmac::of(std::string_view message) const {
  Tag tag{};
  finish(state_->inner, message.data(), message.size(), tag);
  finish(state_->outer, tag.data(), tag.size(), tag);
  return tag;
}

}  // namespace fractile

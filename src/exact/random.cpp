#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "exact/uncopied.hpp"
#include "fractile/error.hpp"
#include "fractile/exact.hpp"

namespace fractile {
namespace {

constexpr std::size_t page_size = 4096;

/// One page of memory: the unused bits, and how far they have been used. The kernel empties it in a forked child, and a page of
/// zeros reads as "empty", so a child can neither repeat nor know its parent's bits.
struct Page {
  std::uint64_t full;  // whether `words` holds bits
  std::uint64_t next;  // index of the next unused word
  std::array<std::uint64_t, page_size / 8 - 2> words;
};
static_assert(sizeof(Page) == page_size);

/// The number of forks, counted in the child, for kernels that cannot wipe a page on fork.
std::atomic<std::uint64_t> fork_count{0};

void count_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1); });
  if (registered != 0) throw Error(ErrorCode::internal, "cannot watch for forks");
}

void system_bytes(std::span<std::byte> out) {
  if (RAND_priv_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size())) != 1) {
    throw Error(ErrorCode::internal, "the system's random generator failed", "nothing was released; try again later");
  }
}

using Key = std::array<std::uint64_t, 4>;

/// A ChaCha20 key stream.
std::function<void(std::span<std::byte>)> stream_of(const Key& words) {
  const std::shared_ptr<EVP_CIPHER_CTX> context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  std::array<unsigned char, 32> key{};
  std::array<unsigned char, 16> nonce{};
  static_assert(sizeof words == sizeof key);
  std::memcpy(key.data(), words.data(), sizeof key);
  if (context == nullptr || EVP_EncryptInit_ex(context.get(), EVP_chacha20(), nullptr, key.data(), nonce.data()) != 1) {
    throw Error(ErrorCode::internal, "cannot start the seeded stream");
  }
  return [context](std::span<std::byte> out) {
    std::ranges::fill(out, std::byte{0});
    auto* const data = reinterpret_cast<unsigned char*>(out.data());
    int written = 0;
    if (EVP_EncryptUpdate(context.get(), data, &written, data, static_cast<int>(out.size())) != 1) {
      throw Error(ErrorCode::internal, "the seeded stream failed");
    }
  };
}

}  // namespace

namespace {

/// Pages of several streams, which the system gives and takes back together.
class Pages : Uncopied {
 public:
  explicit Pages(std::size_t count) : size_(count * page_size) {
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, size_, MADV_DONTDUMP);
    if (madvise(memory_, size_, MADV_WIPEONFORK) != 0) count_forks();
  }
  ~Pages() { munmap(memory_, size_); }

  Page* operator[](std::size_t i) const { return static_cast<Page*>(memory_) + i; }

 private:
  std::size_t size_;
  void* memory_;
};

}  // namespace

struct RandomBits::Pool : Uncopied {
  explicit Pool(std::function<void(std::span<std::byte>)> source)
      : Pool(std::move(source), std::make_shared<const Pages>(1), 0) {}
  Pool(std::function<void(std::span<std::byte>)> source, std::shared_ptr<const Pages> of, std::size_t number)
      : fill(std::move(source)), pages(std::move(of)), page((*pages)[number]), forks(fork_count.load()) {}
  ~Pool() { OPENSSL_cleanse(page, page_size); }

  std::uint64_t next() {
    if (page->full == 0 || forks != fork_count.load(std::memory_order_relaxed)) refill();
    std::uint64_t& word = page->words[page->next];
    const std::uint64_t result = word;
    *static_cast<volatile std::uint64_t*>(&word) = 0;
    if (++page->next == page->words.size()) page->full = 0;
    return result;
  }

  void refill() {
    forks = fork_count.load();
    page->full = 0;
    fill(std::as_writable_bytes(std::span(page->words)));
    page->next = 0;
    page->full = 1;
  }

  std::function<void(std::span<std::byte>)> fill;
  std::shared_ptr<const Pages> pages;
  Page* page;  // one of them
  std::uint64_t forks;
  std::optional<std::uint64_t> seed;
  bool is_system = false;
};

RandomBits::RandomBits(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
RandomBits::RandomBits(RandomBits&&) noexcept = default;
RandomBits& RandomBits::operator=(RandomBits&&) noexcept = default;
RandomBits::~RandomBits() = default;

RandomBits RandomBits::system() {
  auto pool = std::make_unique<Pool>(system_bytes);
  pool->is_system = true;
  return RandomBits(std::move(pool));
}

RandomBits RandomBits::unsafe_seeded(std::uint64_t seed) {
  auto pool = std::make_unique<Pool>(stream_of({seed, 0, 0, 0}));
  pool->seed = seed;
  return RandomBits(std::move(pool));
}

RandomBits RandomBits::from_source(std::function<void(std::span<std::byte>)> fill) {
  if (!fill) throw Error(ErrorCode::usage, "bits need a function that fills a span");
  return RandomBits(std::make_unique<Pool>(std::move(fill)));
}

std::vector<RandomBits> RandomBits::split(std::size_t streams) {
  std::vector<RandomBits> split;
  if (streams == 0 || !(pool_->is_system || pool_->seed)) return split;
  split.reserve(streams);
  const auto pages = std::make_shared<const Pages>(streams);
  for (std::size_t i = 0; i < streams; ++i) {
    Key key{};
    if (pool_->seed) std::ranges::generate(key, [&] { return next64(); });
    const auto fill = pool_->seed ? stream_of(key) : std::function<void(std::span<std::byte>)>(system_bytes);
    auto pool = std::make_unique<Pool>(fill, pages, i);
    pool->seed = pool_->seed;
    pool->is_system = pool_->is_system;
    split.push_back(RandomBits(std::move(pool)));
  }
  return split;
}

std::optional<RandomBits> RandomBits::split() {
  std::vector<RandomBits> one = split(1);
  return one.empty() ? std::nullopt : std::optional(std::move(one.front()));
}

std::uint64_t RandomBits::next64() { return pool_->next(); }

std::optional<std::uint64_t> RandomBits::unsafe_seed() const { return pool_->seed; }

}  // namespace fractile

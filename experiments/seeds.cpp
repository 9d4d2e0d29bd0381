#include "experiments/seeds.hpp"

namespace fractile::experiments {
namespace {

/// The finalizer of splitmix64: a bijection that mixes well.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

Seed Seed::with(std::string_view name) const { return with(hash_of(name)); }

Seed Seed::with(std::uint64_t number) const { return Seed(mixed(value_ ^ mixed(number))); }

}  // namespace fractile::experiments

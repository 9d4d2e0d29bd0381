#include "source/counting/keyed_sample.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "fractile/error.hpp"

namespace fractile {

namespace {

/// Lowest byte first.
void put_number(char* at, std::uint64_t number, int bytes) {
  for (int k = 0; k < bytes; ++k) at[k] = static_cast<char>(number >> (8 * k));
}

}  // namespace

std::string sampled_group(const GroupKey& key) {
  if (key.size() < 2) return key.empty() ? std::string() : key[0];
  std::string bytes;
  for (const std::string& text : key.texts()) {
    std::array<char, 4> size{};
    put_number(size.data(), text.size(), size.size());
    bytes.append(size.data(), size.size());
    bytes += text;
  }
  return bytes;
}

SamplingKey SamplingKey::draw(RandomBits& bits) {
  constexpr std::size_t word = 8;
  SamplingKey key;
  for (std::size_t i = 0; i < size; i += word) {
    const std::uint64_t drawn = bits.next64();
    for (std::size_t k = 0; k < word; ++k) key.bytes_.at(i + k) = static_cast<std::byte>(drawn >> (8 * k));
  }
  return key;
}

SamplingKey SamplingKey::of_bytes(std::string_view bytes) {
  if (bytes.size() != size) {
    throw Error(ErrorCode::usage, "a sampling key has 32 bytes", "draw one from the system: secrets.token_bytes(32)");
  }
  SamplingKey key;
  std::memcpy(key.bytes_.data(), bytes.data(), size);
  return key;
}

std::string SamplingKey::id() const {
  const Hmac::Tag tag = Hmac(bytes_).of("key");
  return hexadecimal(std::string(tag.begin(), tag.begin() + tag.size() / 2));
}

SamplingKey::Rank SamplingKey::rank(std::string_view person, const SampledRecord& record) const {
  return source_detail::Ranking(*this).of(person, record);
}

namespace source_detail {
namespace {

constexpr std::size_t fixed_size = 20;

}  // namespace

SamplingKey::Rank Ranking::of(std::string_view person, const SampledRecord& record) {
  message_.resize(fixed_size + record.group.size() + person.size());
  char* const at = message_.data();
  put_number(at, record.position, 8);
  put_number(at + 8, record.ordinal, 8);
  put_number(at + 16, record.group.size(), 4);
  std::ranges::copy(record.group, at + fixed_size);
  std::ranges::copy(person, at + fixed_size + record.group.size());
  return hash_.of(message_);
}

/// Two records of one rank have never been observed; if there were any, their contents would decide.
bool KeyedSample::is_before(const Ranked& a, const Ranked& b) const {
  if (const int order = std::memcmp(a.rank.data(), b.rank.data(), a.rank.size()); order != 0) return order < 0;
  const auto contents = [&](const Ranked& ranked) {
    return std::tuple(group_of(ranked.record), ranked.record.position, ranked.ordinal);
  };
  return contents(a) < contents(b);
}

void KeyedSample::keep_smallest(std::string_view person, std::vector<KeyedRecord>& records) {
  std::ranges::sort(records, [](const KeyedRecord& a, const KeyedRecord& b) {
    return std::tie(a.key, a.position, a.units) < std::tie(b.key, b.position, b.units);
  });
  const auto are_alike = [](const KeyedRecord& a, const KeyedRecord& b) {
    return a.key == b.key && a.position == b.position;
  };
  ranked_.clear();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool is_again = i > 0 && are_alike(records[i], records[i - 1]);
    const std::uint64_t ordinal = is_again ? ranked_.back().ordinal + 1 : 0;
    const SampledRecord sampled{records[i].position, group_of(records[i]), ordinal};
    ranked_.push_back({ranking_.of(person, sampled), records[i], ordinal});
  }
  const auto first_out = ranked_.begin() + static_cast<std::ptrdiff_t>(most_);
  std::ranges::nth_element(ranked_, first_out, [this](const Ranked& a, const Ranked& b) { return is_before(a, b); });
  records.clear();
  for (auto kept = ranked_.begin(); kept != first_out; ++kept) records.push_back(kept->record);
}

}  // namespace source_detail
}  // namespace fractile

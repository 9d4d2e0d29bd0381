#include "publication/steps.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "exact/lists.hpp"
#include "exact/workers.hpp"
#include "libraries/fmt.hpp"
#include "ranks/seen_texts.hpp"
#include "report/release/plan_words.hpp"
#include "report/text/durable.hpp"

namespace fractile::publication_detail {

namespace {

/// Throws if a receipt cannot be written. If a ledger pays, the receipt may be there from an earlier run.
void require_receipts_place(const std::string& receipt, bool is_paid) {
  std::error_code unknown;
  const bool may_be_there = is_paid && std::filesystem::is_regular_file(receipt, unknown);  // from an earlier run
  if (!receipt.empty() && !may_be_there) require_writable(receipt);
}

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/// The key without blanks, with ASCII letters in lower case: other letters differ between languages.
std::string folded(const std::string& key) {
  std::string text;
  text.reserve(key.size());
  for (const char c : key) {
    if (c != ' ' && c != '\t') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

/// Whether two UTF-8 texts differ by one letter that is added, missing or replaced, or by two ASCII letters that changed places. Digits are
/// not letters: numbered things differ by one digit on purpose.
bool differ_by_a_letter(std::string_view a, std::string_view b) {
  constexpr std::size_t shortest = 6;  // bytes
  if (std::min(a.size(), b.size()) < shortest) return false;
  const auto from = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  a.remove_prefix(from);
  b.remove_prefix(from);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (!std::ranges::all_of(a, is_letter) || !std::ranges::all_of(b, is_letter)) return false;
  const auto letters = [](std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  };
  const bool one_letter_differs = letters(a) <= 1 && letters(b) <= 1;
  const bool two_letters_are_swapped = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return one_letter_differs || two_letters_are_swapped;
}

struct LikeKeys {
  std::size_t pairs = 0;
  std::string first;
  std::string second;

  void add(const std::string& a, const std::string& b) {
    if (pairs++ > 0) return;
    first = a;
    second = b;
  }
};

LikeKeys like_keys(const std::vector<std::string>& keys) {
  LikeKeys like;
  const std::vector<std::string> texts = mapped(keys, folded);
  SeenTexts seen(texts, texts.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (const std::optional<std::size_t> earlier = seen.add(k)) like.add(keys[*earlier], keys[k]);
  }
  constexpr std::size_t most_compared = 2000;  // every pair is compared
  if (keys.size() > most_compared) return like;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = i + 1; j < keys.size(); ++j) {
      if (differ_by_a_letter(keys[i], keys[j]) && texts[i] != texts[j]) like.add(keys[i], keys[j]);
    }
  }
  return like;
}

}  // namespace

void warn_of_like_keys(const std::vector<std::string>& keys, Attendant& attendant) {
  const LikeKeys like = like_keys(keys);
  if (like.pairs == 0) return;
  const std::string more = like.pairs == 1 ? "" : fmt::format(", the first of {} such pairs", like.pairs);
  attendant.warn(
      {"the keys '", like.first, "' and '", like.second, "' differ only by one letter, by case or by blanks", more},
      "if one is a typing error, its group has no records, and nothing shows that: compare the list with what the "
      "table may hold");
}

OpenedSource open_source(Source& source, const ReleaseRequest& terms, const std::vector<ColumnToCount>& columns,
                         Unreadable unsaid, const std::optional<Payment>& payment, Attendant& attendant) {
  OpenedSource opened;
  std::optional<ReleaseCharge>& charge = opened.charge;
  require_receipts_place(terms.receipt, payment.has_value());
  if (payment) charge.emplace(ReleaseCharge::of(*payment, source, terms, columns, attendant));
  attendant.at("opening " + source.name());  // standard input is read to its end here
  const auto on_opened = [&](const std::vector<OpenedFile>& files) {
    if (charge) charge->require_fit(source, files);
  };
  opened.records = source.open(on_opened, unsaid);
  attendant.at("");
  if (charge) charge->require_persons(source, *opened.records);
  opened.records->require_countable(columns);
  if (const auto words = report_detail::weak_budget(terms.query.budget)) attendant.warn(words->what, words->hint);
  std::set<std::string> warned;
  for (const ColumnToCount& column : columns) {
    const RecordSelection& selection = column.selection;
    for (std::size_t i = 0; i < selection.by.size(); ++i) {
      if (warned.insert(selection.by[i]).second) warn_of_like_keys(selection.keys.list(i), attendant);
    }
  }
  return opened;
}

std::size_t threads_of(const Source& source) {
  const std::uint32_t threads = source.options().threads;
  return threads == 0 ? threads_of_machine() : threads;
}

}  // namespace fractile::publication_detail

namespace fractile {

void tell_progress(const Records& records, Attendant& attendant) {
  if (const std::optional<double> share = records.share_read()) attendant.has_read(*share);
  attendant.tick();
}

}  // namespace fractile

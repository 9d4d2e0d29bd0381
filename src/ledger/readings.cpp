#include "ledger/readings.hpp"

#include <algorithm>
#include <set>

#include "fractile/error.hpp"
#include "ledger/chain.hpp"
#include "libraries/fmt.hpp"

namespace fractile::ledger_detail {
namespace {

constexpr const char* persons = "records_per_person";

/// A list without the blanks around its items: "NA,-9" for "NA, -9". Older programs kept a list as it was typed.
std::string without_blanks(const std::string& list) {
  std::string text;
  for (const char letter : list) {
    if (letter == ' ' && (text.empty() || text.back() == ',')) continue;
    while (letter == ',' && text.ends_with(' ')) text.pop_back();
    text += letter;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// The value of an option in a reading; `nullopt` when the option has its default.
std::optional<std::string> value_in(const LedgerReading& reading, const std::string& name) {
  const auto found = reading.find(name);
  if (found == reading.end()) return {};
  return name == "missing" ? without_blanks(found->second) : found->second;
}

constexpr const char* yes = "yes";  // the value of an option that takes none

/// The items of a list with a comma between them. `comma`: with what the items begin with, if they hold commas themselves.
std::vector<std::string> items_of(const std::string& list, const std::string& comma) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(comma, begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

/// An option in words, for example "with --delimiter ';'", "with --single-line-records" or "without --delimiter". Several missing texts
/// are worded as a list, since a file and Python take no commas within a text.
Words held(const std::string& name, const std::optional<std::string>& value) {
  const Field field(name);
  if (!value) return {"without ", field};
  if (*value == yes) return {"with ", field};
  const bool is_list = name == "missing" && value->find(',') != std::string::npos;
  return {"with ", is_list ? field.texts(items_of(*value, ",")) : field.text(*value)};
}

/// Whether two values of an option say the same.
bool is_same(const std::string& name, const std::optional<std::string>& a, const std::optional<std::string>& b) {
  return name == "missing" && a && b ? is_same_list(*a, *b) : a == b;
}

/// The first name for which two readings have different values, among names for which `matters` is true; "" when there is none.
template <class Matters>
std::string difference(const LedgerReading& a, const LedgerReading& b, Matters matters) {
  for (const LedgerReading* each : {&a, &b}) {
    for (const auto& [name, value] : *each) {
      if (matters(name) && !is_same(name, value_in(a, name), value_in(b, name))) return name;
    }
  }
  return {};
}

[[noreturn]] void refuse_reading(const std::string& name, const LedgerRequest& request, const Words& wanted,
                                 const Words& hint) {
  const Words read{"the release reads ", source_in_words(request.source), " ",
                   held(name, value_in(reading_of(request), name))};
  throw Error(ErrorCode::usage, {read, ", and ", wanted}, hint, name);
}

/// Says what to type in `ledger init` for a dataset that is read differently.
Words declaring(const std::string& name, const std::optional<std::string>& value) {
  if (!value) return {"a new dataset of fractile ledger init can be read ", held(name, value)};
  return {"fractile ledger init declares it for a new dataset: ", held(name, value)};
}

/// Throws `usage` unless the request reads its source as the dataset declares.
void require_declared_reading(const LedgerDataset& dataset, const LedgerRequest& request) {
  const LedgerReading asked = reading_of(request);
  const LedgerReading declared = reading_of(dataset);
  const bool is_known = !request.source.empty();
  const std::string undeclared =
      difference(asked, declared, [&](const std::string& name) { return !is_known || declared.contains(name); });
  if (!undeclared.empty()) {
    const std::optional<std::string> value = value_in(declared, undeclared);
    const Words wanted{fmt::format("dataset '{}' is read ", dataset.name), held(undeclared, value),
                       value ? "" : ", since nothing is known about what this release reads"};
    refuse_reading(undeclared, request, wanted,
                   {"read it ", held(undeclared, value), "; ", declaring(undeclared, value_in(asked, undeclared))});
  }
}

/// Throws `usage` unless the request reads its source as an entry fixed it, for this source or for one that has a file of it.
void require_fixed_reading(const LedgerDataset& dataset, const LedgerSource& fixed, const LedgerRequest& request) {
  const LedgerReading asked = reading_of(request);
  const std::string other = difference(asked, fixed.reading, [](const std::string&) { return true; });
  if (!other.empty()) {
    const std::optional<std::string> value = value_in(fixed.reading, other);
    refuse_reading(other, request,
                   {fmt::format("entry {} of dataset '{}', which fixed how {} is read, ", fixed.entry, dataset.name,
                                fixed.source == request.source ? "that" : source_in_words(fixed.source)),
                    held(other, value)},
                   {"read it ", held(other, value), ", as that entry did; ", declaring(other, value_in(asked, other))});
  }
  if (request.records_per_person >= fixed.records_per_person) return;
  if (has_any_number_of_records(dataset, request)) return;
  const Field records(persons);
  throw Error(ErrorCode::usage,
              fmt::format("the release is for persons with at most {} record{}, but entry {} of dataset '{}', which "
                          "fixed how {} is read, is for persons with {}",
                          request.records_per_person, request.records_per_person == 1 ? "" : "s", fixed.entry,
                          dataset.name, source_in_words(fixed.source), fixed.records_per_person),
              {"write ", records.number(fixed.records_per_person), ", or more; ",
               "fractile ledger init declares it for a new dataset: with ", records.number(request.records_per_person)},
              persons);
}

LedgerReading with_person(LedgerReading reading, const std::string& person) {
  reading.erase(persons);
  if (!person.empty()) reading["person"] = person;
  return reading;
}

}  // namespace

/// A path begins with a slash; anything else is a name that an asker declares.
std::string source_in_words(const std::string& source) {
  if (source.empty()) return "a source without a name";
  return source.starts_with('/') ? fmt::format("the file '{}'", source) : fmt::format("the source '{}'", source);
}

std::vector<std::string> files_of(const std::string& source) { return items_of(source, ",/"); }

bool is_same_list(const std::string& a, const std::string& b) {
  const std::vector<std::string> items = items_of(without_blanks(a), ",");
  const std::vector<std::string> others = items_of(without_blanks(b), ",");
  return std::set(items.begin(), items.end()) == std::set(others.begin(), others.end());
}

std::string reading_text(const LedgerReading& reading) {
  std::string text;
  for (const auto& [name, value] : reading) text += field_text(name) + field_text(value);
  return text;
}

std::optional<LedgerReading> read_reading(const std::string& text) {
  const auto fields = fields_in(text);
  if (!fields || fields->size() % 2 != 0) return {};
  LedgerReading reading;
  for (std::size_t i = 0; i < fields->size(); i += 2) reading.emplace((*fields)[i], (*fields)[i + 1]);
  return reading;
}

LedgerReading reading_of(const LedgerRequest& request) { return with_person(request.reading, request.person); }

LedgerReading reading_of(const LedgerDataset& dataset) { return with_person(dataset.reading, dataset.person); }

bool has_any_number_of_records(const LedgerDataset& dataset, const LedgerRequest& request) {
  return request.one_value_a_person && !dataset.person.empty() && dataset.person == request.person;
}

void require_reading(const LedgerDataset& dataset, const std::vector<LedgerSource>& fixed,
                     const LedgerRequest& request) {
  require_declared_reading(dataset, request);
  for (const LedgerSource& each : fixed) require_fixed_reading(dataset, each, request);
}

}  // namespace fractile::ledger_detail

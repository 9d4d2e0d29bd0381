// Records for the public registry of deployments of differential privacy, in the form of its schema: schemas/deployments-schema.yaml of
// github.com/opendp/deployments-registry-data, with the members basic, dp_variant, privacy_loss, deployment_model, implementation and
// administrative. The members and words follow a transcription of that schema at commit 057e5d81cf60. tests/cli/pages_test.py holds this
// transcription and checks records against it. The schema has no type for the optional number_of_privacy_units. So the number of people,
// when it is public, stands in privacy_unit_details, which is text.
#include <algorithm>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/receipts.hpp"
#include "libraries/fmt.hpp"
#include "report/release/counted_words.hpp"
#include "report/release/declarations.hpp"
#include "report/release/registry_record.hpp"
#include "report/release/statistics_rows.hpp"
#include "report/text/decimals.hpp"
#include "report/text/shown_text.hpp"

namespace fractile {
namespace report_detail {
namespace {

/// A YAML scalar in double quotes for any text: it consists of printable characters and escapes only.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : shown_text(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class Yaml {
 public:
  void object(int depth, const char* key) { text_ += fmt::format("{}{}:\n", indent(depth), key); }
  void member(int depth, const char* key, const std::string& words) { raw(depth, key, quoted(words)); }
  void raw(int depth, const char* key, const std::string& scalar) {
    text_ += fmt::format("{}{}: {}\n", indent(depth), key, scalar);
  }
  void line(int depth, const std::string& text) { text_ += indent(depth) + text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  static std::string indent(int depth) { return std::string(static_cast<std::size_t>(2 * depth), ' '); }
  std::string text_;
};

/// The title in a form that an address may contain: "incomes-2025".
std::string slug_of(const std::string& title) {
  std::string slug;
  for (const char c : title) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain || is_upper) {
      slug += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug.empty() ? "release" : slug;
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 4 && i != 7 && (text[i] < '0' || text[i] > '9')) return false;
  }
  return text.substr(5, 2) >= "01" && text.substr(5, 2) <= "12" && text.substr(8) >= "01" && text.substr(8) <= "31";
}

void require_complete(const About& about) {
  struct Required {
    const char* name;
    const std::string& text;
    const char* example;
  };
  const Field about_field("about");
  std::string missing;
  std::string examples;
  for (const auto& [name, text, example] : {
           Required{"title", about.title, "Wages by region"},
           Required{"curator", about.curator, "Office of Statistics"},
           Required{"curator_type", about.curator_type, "Government"},
           Required{"use", about.use, "Planning"},
           Required{"region", about.region, "Norway"},
           Required{"date", about.date, "2026-05-01"},
       }) {
    if (!text.empty()) continue;
    missing += (missing.empty() ? "" : ", ") + std::string(name);
    examples += (examples.empty() ? "" : "; ") + std::string(name) + ", such as \"" + example + "\"";
  }
  if (!missing.empty()) {
    throw Error(ErrorCode::usage, {about_field, " lacks ", missing, ", which the registry requires"},
                "add " + examples);
  }
  if (about.curator_type != "Government" && about.curator_type != "Industry" && about.curator_type != "Nonprofit") {
    throw Error(ErrorCode::usage, {about_field, ": the registry knows no curator_type '", about.curator_type, "'"},
                "write Government, Industry or Nonprofit");
  }
  if (!is_date(about.date)) {
    throw Error(ErrorCode::usage, {about_field, ": the date '", about.date, "' is not one that the registry takes"},
                "write year, month and day, such as \"2026-05-01\"");
  }
  for (const char* sector : {"", "Technology", "Healthcare", "Education", "Government", "Energy", "Finance"}) {
    if (about.sector == sector) return;
  }
  throw Error(ErrorCode::usage, {about_field, ": the registry knows no sector '", about.sector, "'"},
              "write Technology, Healthcare, Education, Government, Energy or Finance, or leave it out");
}

/// The number with all its decimals, or rounded up to ten decimals.
std::string number_above(const Rational& value) {
  if (value.is_decimal()) return value.to_decimal();
  return rounded_up(value, 10).to_decimal();
}

std::string number_above(const Exponent& epsilon) {
  if (!epsilon.is_log()) return number_above(epsilon.coefficient());
  return number_above(EpsilonSum(epsilon).upper());
}

std::string variant_of(Measure measure) {
  switch (measure) {
    case Measure::pure:
      return "Pure DP";
    case Measure::zcdp:
      return "Zero-concentrated DP";
    case Measure::approximate:
      return "Approximate DP";
  }
  return {};
}

std::string unit_of(const Release& release) {
  const bool adds = release.query.neighbors == Neighbors::add_remove;
  const std::uint32_t records = records_per_person(release);
  // One record more changes a person's value or row, and does not add one.
  const bool are_of_persons = release.source.per_person || release.source.one_row_a_person;
  const std::string neighbours = adds ? fmt::format("Tables are adjacent when one is the other with {} more",
                                                    are_of_persons ? "one person's records" : "one record")
                                      : fmt::format("Tables are adjacent when they differ in what {}",
                                                    are_of_persons ? "one person's records say" : "one record says");
  const std::string for_whom =
      release.source.sql_stability
          ? fmt::format("a person whose records change at most {} of the query's result", counted(records, "row"))
      : !release.source.person.empty() ? "a person, however many records they have"
      : records == 1                   ? "a person with up to one record"
                                       : fmt::format("a person with up to {} records", records);
  const std::string bound =
      release.source.sql_stability      ? "the curator declares that no person's records change more rows"
      : release.source.one_row_a_person ? "the query makes one row of each person's records"
      : release.source.per_person && !release.is_grouped() ? "each person counts with one value, whatever their records"
      : release.source.per_person
          ? fmt::format("each person counts with one value in a group, in at most {}, chosen at random",
                        counted(records, "group"))
      : release.source.person.empty() ? "the curator declares that no person has more"
                                      : fmt::format("of each person's records at most {} count{}, chosen at random",
                                                    records, records == 1 ? "s" : "");
  const bool knows_people = release.public_rows && release.query.records_per_person == 1 &&
                            release.source.person.empty() && release.source.sql.empty();
  const std::string weights =
      release.source.weights ? " Records have weights; " + weighted_neighbors_in_words(*release.source.weights) + "."
                             : "";
  return fmt::format("{}. The parameters hold for {}: {}.{}{}", neighbours, for_whom, bound, weights,
                     !knows_people ? ""
                     : *release.public_rows == 1
                         ? " There is 1 person, in one row."
                         : fmt::format(" There are {} people, one a row.", *release.public_rows));
}

std::string unprotected_of(const Release& release) {
  std::string text =
      fmt::format("The {}, {} that were asked for and the parameters.",
                  release.bounds ? "distance between possible values"
                                 : fmt::format("possible values ({})", lattice_in_words(release.lattice)),
                  release.query.quantiles.empty() ? "the statistics" : "the quantiles");
  if (release.is_grouped()) text += " The list of groups.";
  if (release.public_rows) text += fmt::format(" The number of rows, {}.", *release.public_rows);
  text += fmt::format(" That the release succeeded, which it would not have with one of these in the table: {}.",
                      fmt::join(failures_of(release), "; "));
  return text;
}

std::string domain_of(const Release& release) {
  const SourceDescription& source = release.source;
  const bool is_any_text = source.unreadable == Unreadable::missing && !source.sql_stability;
  if (source.null_policy == NullPolicy::drop && (is_any_text || counts_anything(source))) {
    return fmt::format(
        "Tables whose records hold anything or nothing in the column{}; those that hold {} are left out.",
        and_where_they_count(release.lattice), left_out_in_words(source, release.lattice.kind()));
  }
  return fmt::format("Tables whose records have a {} in the column{}{}.", value_in_words(release.lattice.kind()),
                     release.source.null_policy == NullPolicy::drop ? ", or nothing" : "",
                     and_where_they_count(release.lattice));
}

void write_basic(Yaml& yaml, const RegistryRecord& record, const About& about) {
  yaml.object(1, "basic");
  yaml.member(2, "name", about.title);
  yaml.object(2, "data_curators");
  yaml.line(3, "- data_curator_name: " + quoted(about.curator));
  yaml.member(4, "data_curator_type", about.curator_type);
  yaml.member(2, "description", about.description.empty() ? record.description : about.description);
  yaml.member(2, "intended_use", about.use);
  yaml.member(2, "data_product_type", "Summary statistics");
  yaml.member(2, "data_product_region", about.region);
  if (!about.sector.empty()) yaml.member(2, "data_product_sector", about.sector);
  yaml.member(2, "publication_date", about.date);
}

void write_promise(Yaml& yaml, const RegistryRecord& record) {
  const Budget& cost = record.cost;
  yaml.object(1, "dp_variant");
  yaml.member(2, "variant_name", variant_of(cost.measure()));
  yaml.member(2, "data_domain", record.domain);
  yaml.member(2, "unprotected_quantities", record.unprotected);
  yaml.object(1, "privacy_loss");
  yaml.member(2, "privacy_unit", "Person");
  yaml.member(2, "privacy_unit_details", record.unit);
  yaml.object(2, "privacy_parameters");
  if (cost.measure() == Measure::zcdp) {
    yaml.raw(3, "rho", number_above(cost.rho()));
  } else {
    yaml.raw(3, "epsilon", number_above(cost.epsilon()));
  }
  if (cost.measure() == Measure::approximate) yaml.raw(3, "delta", number_above(cost.delta()));
  yaml.member(2, "privacy_parameters_details", "Exactly " + cost.to_string() + "; numbers are rounded up.");
}

void write_model(Yaml& yaml, const RegistryRecord& record) {
  yaml.object(1, "deployment_model");
  yaml.member(2, "model_name", "Central");
  yaml.member(2, "trust_assumptions",
              fmt::format("The curator holds the table and runs the program; no one watches it at work. Readers of the "
                          "values may know everything else. Declared by the curator, and not checked: {}",
                          fmt::join(record.declarations, " ")));
  yaml.member(2, "release_type", "One release");
  yaml.member(2, "data_source_type", "Static");
  yaml.member(2, "access_type", "Non-interactive");
}

/// The steps that compute from what was drawn, and no longer from the data.
std::vector<std::string> post_processing_of(const Release& release) {
  std::vector<std::string> steps;
  const auto any = [&](const auto& is_so) { return std::ranges::any_of(release.groups, is_so); };
  if (any([](const Release::Group& group) { return group.used.mechanism == Mechanism::tree; }))
    steps.emplace_back("values are read from noisy counts, which are first fitted to each other");
  if (release.statistics && (!release.statistics->request.below.empty() || release.statistics->request.mean))
    steps.emplace_back("shares and means follow from noisy counts and sums");
  if (release.query.quantiles.empty()) return steps;
  if (any([](const Release::Group& group) { return group.used.mechanism == Mechanism::independent; }))
    steps.emplace_back("values are sorted");
  if (any([&](const Release::Group& group) { return group.used.selected < release.query.quantiles.size(); }))
    steps.emplace_back("quantiles between those that were drawn are interpolated linearly");
  if (any([](const Release::Group& group) { return group.used.granularity.has_value(); }))
    steps.emplace_back("values are rounded to the granularity that was found");
  if (release.query.intervals) steps.emplace_back("ends of intervals follow from noisy counts");
  return steps;
}

void write_implementation(Yaml& yaml, const RegistryRecord& record) {
  yaml.object(1, "implementation");
  yaml.member(2, "preprocessing_and_hyperparameter_tuning", record.preprocessing);
  yaml.member(
      2, "mechanisms",
      fmt::format(
          "{}, mechanism{} {}. Outputs have exactly the probabilities of the proof: random choices use integers, "
          "rationals and certified enclosures, so that floating-point rounding decides nothing.",
          record.program, record.mechanisms.size() == 1 ? "" : "s", fmt::join(record.mechanisms, ", ")));
  yaml.member(2, "composition", record.composition);
  yaml.member(2, "post_processing",
              record.post_processing.empty()
                  ? "None: the values are published as they were drawn."
                  : fmt::format("From what was drawn, without the data: {}.", fmt::join(record.post_processing, "; ")));
  yaml.member(2, "additional_information", "SHA-256 of the receipt: " + sha256_of(record.receipt));
}

/// All that drew: the mechanisms of all groups, and noise on counts if statistics were published.
std::vector<std::string> mechanisms_of_all(const Release& release) {
  std::vector<std::string> mechanisms;
  if (!release.query.quantiles.empty()) {
    for (const Release::Group& group : release.groups) {
      const std::string name = to_string(group.used.mechanism);
      if (std::ranges::find(mechanisms, name) == mechanisms.end()) mechanisms.push_back(name);
    }
  }
  if (release.statistics) mechanisms.emplace_back(noise_on_counts);
  return mechanisms;
}

}  // namespace

RegistryRecord registry_record(const Release& release) {
  const std::size_t quantiles = release.query.quantiles.size();
  return {fmt::format("{} of {}{}.", quantiles == 0 ? "Counts" : counted(quantiles, "quantile"),
                      values_in_words(release.source, release.source.column),
                      !release.is_grouped() ? "" : " by " + to_string(release.source.by)),
          release.cost(),
          domain_of(release),
          unprotected_of(release),
          unit_of(release),
          declarations_of(release, [](const std::string& words) { return words; }),
          !release.bounds
              ? "Possible values and options were chosen without looking at the data, as the curator declares."
              : "A part of the budget found the range of the values; all else was chosen without looking at "
                "the data, as the curator declares.",
          release.program,
          mechanisms_of_all(release),
          !release.is_grouped()
              ? "The stated cost is that of all numbers together; every draw was charged before it was made."
              : "Groups share no records: the stated cost is that of all of them together.",
          post_processing_of(release),
          release.receipt,
          !release.unsafe_seed};
}

std::string in_yaml(const RegistryRecord& record, const About& about) {
  require_complete(about);
  if (!record.is_private) {
    throw Error(ErrorCode::usage, "the release is NOT PRIVATE: its random bits came from a seed",
                {"make a release without ", Field("unsafe_seed")});
  }
  Yaml yaml;
  yaml.member(0, "url_slug", slug_of(about.title));
  yaml.object(0, "deployment");
  write_basic(yaml, record, about);
  write_promise(yaml, record);
  write_model(yaml, record);
  write_implementation(yaml, record);
  yaml.object(1, "administrative");
  yaml.member(2, "status", "Draft");
  yaml.object(2, "registry_authors");
  yaml.line(3, "- " + quoted(about.author.empty() ? about.curator : about.author));
  yaml.raw(2, "tier", "3");
  return yaml.text();
}

}  // namespace report_detail

std::string to_registry(const Release& release, const About& about) {
  return report_detail::in_yaml(report_detail::registry_record(with_receipt(release)), about);
}

}  // namespace fractile

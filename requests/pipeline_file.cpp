#include "requests/pipeline_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "exact/lists.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "requests/toml_file.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

using flow::Analyst;
using flow::Matrix;
using flow::Perturber;
using flow::PostProcessor;
using flow::Secret;

constexpr std::int64_t most_participants = 1'000'000;
constexpr std::int64_t most_released_records = 100;
constexpr std::size_t most_perturbed = 256;  // values of one perturber; polynomials of all pairs are kept in memory
constexpr std::size_t most_values = 4096;    // the length of a list; each named value is searched for in it

constexpr const char* pipeline_help = "see fractile flow --help";

Matrix matrix_of(const Item& item) {
  return Matrix::of(item.rows([](const Item& entry) { return entry.number(); }));
}

// --- A pipeline ------------------------------------------------------------------------------------------------------

std::size_t index_of(const Item& item, const std::vector<Rational>& values) {
  const Rational value = item.number();
  const auto at = std::ranges::find(values, value);
  if (at == values.end()) item.refuse(value.to_string() + " is not one of the values", "choose among pipeline.values");
  return static_cast<std::size_t>(at - values.begin());
}

std::vector<std::size_t> indices_of(const Item& list, const std::vector<Rational>& values) {
  return mapped(list.items(), [&](const Item& item) { return index_of(item, values); });
}

std::vector<Rational> values_of(const Item& list) {
  if (list.length() > most_values) {
    list.refuse(fmt::format("{} values, but at most {} can be listed", list.length(), most_values),
                "take fewer, for example multiples of 10");
  }
  std::vector<Rational> values;
  for (const Item& item : list.items()) {
    Rational value = item.number();
    if (std::ranges::find(values, value) != values.end()) {
      item.refuse("the value " + value.to_string() + " appears twice", "write every value once");
    }
    values.push_back(std::move(value));
  }
  if (values.size() < 2) list.refuse("there must be at least two values", "write for example [0, 1]");
  return values;
}

/// The file's name must show its format, because no option here can state the format.
std::vector<CodeCount> code_counts_of(const Item& item, const std::string& path, const std::string& library) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const std::vector<std::string> known{".csv",    ".tsv", ".parquet", ".pq",  ".json", ".jsonl",
                                       ".ndjson", ".gz",  ".zst",     ".bz2", ".xz"};
  if (std::ranges::find(known, extension) == known.end()) {
    item.refuse(path + " is not a table of codes and counts",
                "write the name of a csv, tsv, parquet or json file with columns code and count");
  }
  return read_code_counts({.file = path, .library = library});
}

/// Reads from a file of codes and counts how many people have each of the values.
std::vector<std::uint64_t> histogram_of_file(const Item& item, const std::vector<Rational>& values,
                                             const std::string& library) {
  std::vector<std::uint64_t> histogram(values.size());
  const std::string path = item.path();
  for (const CodeCount& row : code_counts_of(item, path, library)) {
    const auto at = std::ranges::find(values, row.code);
    if (at == values.end()) {
      item.refuse(fmt::format("{} counts the code {}, which is not one of the values", path, row.code.to_string()),
                  "write pipeline.values as the codes of the file");
    }
    histogram[static_cast<std::size_t>(at - values.begin())] = row.count;
  }
  return histogram;
}

std::vector<std::uint64_t> histogram_of(const Item& item, const std::vector<Rational>& values,
                                        const std::string& library) {
  if (item.is_word()) return histogram_of_file(item, values, library);
  std::vector<std::uint64_t> histogram;
  for (const Item& count : item.items()) histogram.push_back(count.whole_number(0, most_participants));
  if (histogram.size() != values.size()) {
    item.refuse(fmt::format("{}, but there {} {}", counted(histogram.size(), "count", "counts"),
                            values.size() == 1 ? "is" : "are", counted(values.size(), "value", "values")),
                "write a count for every value, in their order");
  }
  return histogram;
}

/// Reads the values of all others: one by one, or as the number of people with each value.
Secret target_of(const Item& known, std::size_t participants, const std::vector<Rational>& values,
                 const std::string& library) {
  if (known.is_table()) {
    known.require_keys({"histogram"});
    const Item histogram = known.need("histogram", R"(known = { histogram = "codes.csv" })");
    const std::vector<std::uint64_t> counts = histogram_of(histogram, values, library);
    return histogram.checked([&] { return Secret::target_among(counts, participants); });
  }
  Secret secret = Secret::target_knowing(indices_of(known, values));
  if (secret.others() + 1 == participants) return secret;
  known.refuse(fmt::format("{} of the others' values {} known, but there {}", secret.others(),
                           secret.others() == 1 ? "is" : "are",
                           participants == 2 ? "is 1 other" : fmt::format("are {} others", participants - 1)),
               "write the value of everyone but the target");
}

Secret secret_of(const Item& pipeline, std::size_t participants, const std::vector<Rational>& values,
                 const std::string& library) {
  Secret secret;
  if (const std::optional<Item> item = pipeline.find("secret")) {
    secret.kind = item->choice<Secret::Kind>({{"everyone", Secret::Kind::everyone},
                                              {"target", Secret::Kind::target},
                                              {"histogram", Secret::Kind::histogram}});
  }
  const std::optional<Item> known = pipeline.find("known");
  if (secret.kind != Secret::Kind::target) {
    if (known) known->refuse("known goes with secret = \"target\"", "leave it out, or write secret = \"target\"");
    return secret;
  }
  if (known) return target_of(*known, participants, values, library);
  if (participants > 1) pipeline.need("known", "known = [0, 1], the values of the other participants");
  return secret;
}

bool is_number(const std::string& entry) {
  try {
    Rational::parse(entry);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Reads a matrix of numbers or of fractions in odds. `size` is the number of values that are perturbed.
Perturber matrix_perturber(const Item& item, std::size_t size) {
  const std::vector<std::vector<std::string>> entries = item.rows([](const Item& entry) { return entry.entry(); });
  if (entries.size() != size) {
    item.refuse(fmt::format("a matrix of {}, but {} possible values are perturbed",
                            counted(entries.size(), "row", "rows"), size),
                "write a row for each of them");
  }
  if (entries.front().size() > most_perturbed) {
    item.refuse(fmt::format("{} answers, but there can be at most {}", entries.front().size(), most_perturbed),
                "take fewer");
  }
  const bool is_computed = std::ranges::any_of(
      entries, [](const std::vector<std::string>& row) { return !std::ranges::all_of(row, is_number); });
  return item.checked(
      [&] { return is_computed ? Perturber::in_odds(entries) : Perturber::fixed(flow::Channel(matrix_of(item))); });
}

/// The participants, and their values.
struct People {
  std::size_t participants;
  std::vector<Rational> values;
};

/// The table that describes a release, when the perturber is one.
std::optional<Item> release_of(const Item& pipeline) {
  const std::optional<Item> perturber = pipeline.find("perturber");
  return perturber && perturber->is_table() && perturber->find("release") ? perturber : std::nullopt;
}

People people_of(const Item& item) {
  const std::optional<Item> release = release_of(item);
  if (!release) {
    return {item.need("participants", "participants = 2").whole_number(1, most_participants),
            values_of(item.need("values", "values = [0, 1, 2]"))};
  }
  for (const auto& [key, instead] : {std::pair{"participants", "records"}, std::pair{"values", "lattice"}}) {
    item.refuse_member(key, fmt::format("a release's {} already says it", instead), "leave it out");
  }
  const Item lattice = release->need("lattice", "lattice = [0, 1, 2, 3]");
  People people{release->need("records", "records = 3").whole_number(1, most_released_records), values_of(lattice)};
  if (!std::ranges::is_sorted(people.values)) {
    lattice.refuse("the candidates do not increase", "write the smallest first");
  }
  return people;
}

Perturber release_perturber(const Item& item, std::size_t values) {
  item.require_keys({"release", "quantile", "quantiles", "records", "lattice", "neighbors"});
  flow::CentralMechanism release;
  release.kind = item.need("release", "release = \"exponential\"")
                     .choice<flow::CentralMechanism::Kind>({{"approximate", flow::CentralMechanism::Kind::approximate},
                                                            {"exponential", flow::CentralMechanism::Kind::exponential},
                                                            {"gumbel-max", flow::CentralMechanism::Kind::gumbel_max}});
  const std::optional<Item> quantiles = item.find("quantiles");
  const std::optional<Item> quantile = item.find("quantile");
  if (quantiles && quantile) quantile->refuse("there are already quantiles", "write one of the two");
  release.quantiles =
      quantiles ? quantiles->numbers() : std::vector{item.need("quantile", "quantile = \"1/2\"").number()};
  if (const std::optional<Item> neighbors = item.find("neighbors")) {
    release.neighbors =
        neighbors->choice<Neighbors>({{"add-remove", Neighbors::add_remove}, {"change-one", Neighbors::change_one}});
  }
  return item.checked([&] { return Perturber::release(std::move(release), values); });
}

/// A perturber, and its answers for a file that does not list them. If `answers` is empty, the answers are the values.
struct NamedPerturber {
  Perturber perturber;
  std::vector<Rational> answers = {};
};

std::vector<Rational> numbered_answers(std::size_t count) {
  return tabulated(count, [&](std::size_t i) { return Rational(static_cast<std::int64_t>(i)); });
}

NamedPerturber perturber_of_word(const Item& word, std::size_t size) {
  using Make = Perturber (*)(std::size_t);
  enum class Answers { values, numbers, digits };
  struct Named {
    Make make;
    Answers answers;
  };
  const auto named = word.choice<Named>({{"geometric", {Perturber::geometric, Answers::values}},
                                         {"hadamard", {Perturber::hadamard, Answers::numbers}},
                                         {"optimized-unary", {Perturber::optimized_unary, Answers::digits}},
                                         {"randomized-response", {Perturber::randomized_response, Answers::values}},
                                         {"symmetric-unary", {Perturber::symmetric_unary, Answers::digits}}});
  NamedPerturber result{word.checked([&] { return named.make(size); })};
  if (named.answers == Answers::numbers) result.answers = numbered_answers(result.perturber.answers());
  if (named.answers == Answers::digits) result.answers = flow::unary_answers(size);
  return result;
}

NamedPerturber named_perturber(const Item& named, std::size_t size);

/// A perturber with its own epsilon: either fixed, such as "ln 3", or a multiple of the epsilon that is asked for, such as "1/2 epsilon".
NamedPerturber at_own_epsilon(const Item& table, std::size_t size) {
  const Item own = table.need("perturber", "perturber = \"geometric\"");
  if (own.is_table()) {
    own.refuse_member("of", "the number of participants is given beside this perturber",
                      "write it there: { of = 10, perturber = ... }");
  }
  NamedPerturber result = named_perturber(own, size);
  const std::optional<Item> epsilon = table.find("epsilon");
  if (!epsilon) return result;
  const std::string text = epsilon->entry();
  constexpr std::string_view word = "epsilon";
  result.perturber = epsilon->checked([&] {
    if (text.ends_with(word)) {
      std::string times = text.substr(0, text.size() - word.size());
      while (times.ends_with(' ') || times.ends_with('*')) times.pop_back();
      return result.perturber.with_epsilon_times(times.empty() ? Rational(1) : Rational::parse(times));
    }
    const Exponent fixed = Exponent::parse(text);
    if (!fixed.has_rational_exponential()) {
      epsilon->refuse("exp(" + text + ") is not rational",
                      R"(write a logarithm, "ln 3", or a multiple, "1/2 epsilon")");
    }
    return Perturber::fixed(result.perturber.at(flow::Odds(fixed.exponential())));
  });
  return result;
}

/// A perturber that is given by its name, as a matrix, as geometric noise with a wider range, by the size of subsets, or with its own
/// epsilon.
NamedPerturber named_perturber(const Item& named, std::size_t size) {
  if (!named.is_table()) return perturber_of_word(named, size);
  named.require_keys({"epsilon", "geometric", "matrix", "of", "perturber", "release", "subset"});
  if (named.find("release")) named.refuse("a release is of all participants together", "write it without the list");
  std::vector<std::string> kinds;
  for (const char* const kind : {"geometric", "matrix", "perturber", "subset"}) {
    const std::optional<Item> found = named.find(kind);
    if (found && !kinds.empty()) found->refuse("there is already a " + kinds.front(), "write one of the two");
    if (found) kinds.emplace_back(kind);
  }
  if (named.find("perturber") || named.find("epsilon")) return at_own_epsilon(named, size);
  if (const std::optional<Item> reach = named.find("geometric")) {
    return {Perturber::wide_geometric(size, reach->whole_number(0, most_perturbed))};
  }
  if (const std::optional<Item> subset = named.find("subset")) {
    const std::size_t values = size;
    const std::size_t chosen = subset->whole_number(1, most_perturbed);
    return subset->checked([&] {
      return NamedPerturber{Perturber::subset_selection(values, chosen), flow::subset_answers(values, chosen)};
    });
  }
  return {matrix_perturber(named.need("matrix", R"(matrix = [["3/4", "1/4"], ["1/4", "3/4"]])"), size)};
}

/// Reads a list with the perturbers of all participants in order; an entry with `of` stands for that many participants in a row.
NamedPerturber listed_perturbers(const Item& list, std::size_t size) {
  std::vector<Perturber> each;
  std::vector<Rational> answers;
  for (const Item& one : list.items()) {
    const NamedPerturber named = named_perturber(one, size);
    const std::optional<Item> of = one.is_table() ? one.find("of") : std::nullopt;
    const std::size_t people = of ? of->whole_number(1, most_participants) : 1;
    if (each.empty()) answers = named.answers;
    each.insert(each.end(), people, named.perturber);
    if (each.size() > static_cast<std::size_t>(most_participants))
      list.refuse("it is for more than a million participants", "take fewer");
  }
  return {list.checked([&] { return Perturber::by_participant(std::move(each)); }), std::move(answers)};
}

NamedPerturber perturber_of(const Item& pipeline, std::size_t size) {
  if (size > most_perturbed) {
    pipeline.refuse(fmt::format("{} values are perturbed, but at most {} can be", size, most_perturbed),
                    "take fewer values, or with a histogram fewer participants");
  }
  const std::optional<Item> named = pipeline.find("perturber");
  const std::optional<Item> matrix = pipeline.find("matrix");
  if (named && matrix) matrix->refuse("there is already a perturber", "write one of the two");
  if (matrix) return {matrix_perturber(*matrix, size)};
  if (!named) pipeline.need("perturber", "perturber = \"geometric\"");
  if (release_of(pipeline)) return {release_perturber(*named, size)};
  if (named->is_list()) return listed_perturbers(*named, size);
  if (named->is_table()) {
    named->refuse_member("of", "the number of participants is given only in a list of perturbers",
                         "write [{ of = 10, perturber = \"geometric\" }, ...]");
  }
  return named_perturber(*named, size);
}

/// The possible perturbed values. These are the values, unless the file says otherwise; where geometric noise goes beyond the values, the
/// values are continued in equal steps.
std::vector<Rational> answers_of(const Item& pipeline, const std::vector<Rational>& values,
                                 const NamedPerturber& named) {
  if (const std::optional<Item> answers = pipeline.find("answers")) return values_of(*answers);
  if (!named.answers.empty()) return named.answers;
  const Perturber& perturber = named.perturber;
  const std::size_t count = perturber.answers();
  if (count == values.size() || !perturber.is_geometric()) {
    if (count != values.size()) pipeline.need("answers", fmt::format("answers = [...], {} of them", count));
    return {};
  }
  const Rational step = values[1] - values[0];
  Rational answer = values[0] - step * static_cast<std::int64_t>((count - values.size()) / 2);
  std::vector<Rational> answers;
  for (std::size_t i = 0; i < count; ++i, answer += step) answers.push_back(answer);
  return answers;
}

/// Reads the outputs. Each of 0, 1, 2, ... up to the largest output must occur.
std::vector<std::size_t> outputs_of(const Item& table) {
  std::vector<std::size_t> outputs;
  for (const Item& output : table.items()) outputs.push_back(output.whole_number(0, most_participants));
  const std::set<std::size_t> shown(outputs.begin(), outputs.end());
  if (!shown.empty() && *shown.rbegin() != shown.size() - 1) {
    table.refuse(fmt::format("{} different outputs, and one is {}", shown.size(), *shown.rbegin()),
                 "number the outputs 0, 1, 2, ... without a gap");
  }
  return outputs;
}

PostProcessor rounding(const Item& post, const Item& unit) {
  for (const char* const other : {"query", "of", "table"}) {
    post.refuse_member(other, "values are already rounded", "leave it out");
  }
  PostProcessor result;
  result.kind = PostProcessor::Kind::round;
  result.unit = unit.number();
  if (result.unit.sign() <= 0) unit.refuse("not above 0", "write for example { round = 2 }");
  return result;
}

/// One of these queries, by its name or in a table with the values that it counts.
PostProcessor query_of(const Item& item, const std::string& key, const std::vector<Rational>& values,
                       const std::map<std::string, PostProcessor::Kind>& queries) {
  const std::string example = key + R"( = { query = "count", of = [0] }, or )" + key + R"( = "sum")";
  PostProcessor query;
  const std::optional<Item> counted = item.is_table() ? item.find("of") : std::nullopt;
  query.kind = item.is_table() ? item.need("query", example).choice(queries) : item.choice(queries);
  if (query.kind != PostProcessor::Kind::count) {
    if (counted) counted->refuse("of goes with query = \"count\"", "leave it out");
    return query;
  }
  if (!counted) item.refuse("of is missing: the values to count", "write for example " + example);
  query.counted = indices_of(*counted, values);
  if (query.counted.empty()) counted->refuse("nothing is counted", "write for example of = [0]");
  return query;
}

PostProcessor post_of(const Item& item, const std::vector<Rational>& values) {
  if (item.is_table()) {
    item.require_keys({"query", "of", "table", "round"});
    if (const std::optional<Item> unit = item.find("round")) return rounding(item, *unit);
    if (const std::optional<Item> table = item.find("table")) {
      if (item.find("query")) table->refuse("there is already a query", "write one of the two");
      if (const std::optional<Item> counted = item.find("of")) {
        counted->refuse("of goes with query = \"count\"", "leave it out");
      }
      PostProcessor post;
      post.kind = PostProcessor::Kind::table;
      post.image = outputs_of(*table);
      return post;
    }
  }
  return query_of(item, "post", values,
                  {{"bits", PostProcessor::Kind::bits},
                   {"count", PostProcessor::Kind::count},
                   {"identity", PostProcessor::Kind::identity},
                   {"mode", PostProcessor::Kind::mode},
                   {"shuffle", PostProcessor::Kind::shuffle},
                   {"sum", PostProcessor::Kind::sum}});
}

/// What an analyst guesses about the true values.
PostProcessor about_of(const Item& item, const std::vector<Rational>& values) {
  if (item.is_table()) item.require_keys({"query", "of"});
  return query_of(
      item, "about", values,
      {{"count", PostProcessor::Kind::count}, {"mode", PostProcessor::Kind::mode}, {"sum", PostProcessor::Kind::sum}});
}

/// Validates the pipeline. The library's errors begin with the name of the member that is wrong, "post: ..."; this adds the member's place
/// in the file.
void validate(const flow::Pipeline& pipeline, const Item& item) {
  try {
    pipeline.validate();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    const std::string& name = error.field();
    const std::string what = error.what();
    const std::string before = name + ": ";
    const std::optional<Item> member = item.find(name == "perturbers" ? "perturber" : name);
    if (member) member->refuse(what.starts_with(before) ? what.substr(before.size()) : what, error.hint_words());
    item.refuse(error.what_words(), error.hint_words());
  }
}

flow::Pipeline pipeline_of(const Item& item, const std::string& library) {
  item.require_keys({"participants", "values", "perturber", "matrix", "answers", "post", "secret", "known"});
  People people = people_of(item);
  Secret secret = secret_of(item, people.participants, people.values, library);
  const bool perturbs_bars = secret.kind == Secret::Kind::histogram;
  NamedPerturber named = perturber_of(item, perturbs_bars ? people.participants + 1 : people.values.size());
  std::vector<Rational> answers;
  if (perturbs_bars) {
    item.refuse_member("answers", "a histogram's bars are perturbed, and not values", "leave it out");
  } else {
    answers = answers_of(item, people.values, named);
  }
  PostProcessor post = post_of(item.need("post", "post = \"sum\""), answers.empty() ? people.values : answers);
  flow::Pipeline pipeline{people.participants, std::move(people.values), std::move(named.perturber),
                          std::move(post),     std::move(secret),        std::move(answers)};
  validate(pipeline, item);
  return pipeline;
}

/// Remarks on matrices that are written in odds: such a matrix need not cost the epsilon at which it is used.
std::vector<std::string> remarks_on(const flow::Pipeline& pipeline) {
  constexpr std::size_t most = 64;
  std::vector<Perturber> each = pipeline.perturber.each();
  if (pipeline.perturber.is_shared()) each = {pipeline.perturber};
  std::set<std::string> remarks;
  for (std::size_t i = 0; i < std::min(each.size(), most); ++i) {
    const Perturber& one = each[i];
    if (!one.depends_on_epsilon() || one.is_refinement_preserving() || one.values() > most) continue;
    for (const std::int64_t base : {2, 3}) {
      const Rational odds = Rational(base).pow(one.root_degree());
      const Exponent called = Exponent::log(odds);
      const flow::Channel channel = one.at(flow::Odds(odds));
      const std::optional<Exponent> any = flow::smallest_epsilon(channel, flow::discrete_metric(one.values()));
      const std::optional<Exponent> step = flow::smallest_epsilon(channel, flow::line_metric(one.values()));
      if ((any && *any == called) || (step && *step == called)) continue;
      remarks.insert(
          fmt::format("the matrix does not cost the epsilon that it is given: at epsilon = {}, an answer costs {}",
                      called.to_string(), any ? any->to_string() : "more than any epsilon"));
      break;
    }
  }
  return {remarks.begin(), remarks.end()};
}

// --- An analyst ------------------------------------------------------------------------------------------------------

/// The frequency of each value among the others.
flow::Prior frequencies_of(const Secret& secret, std::size_t values) {
  const auto others = static_cast<std::int64_t>(secret.others());
  std::vector<Rational> frequencies(values);
  for (std::size_t value = 0; value < secret.known.size(); ++value) {
    frequencies[value] = Rational(static_cast<std::int64_t>(secret.known[value]), others);
  }
  return flow::Prior(std::move(frequencies));
}

std::optional<flow::Prior> prior_of(const Item& item, const flow::Pipeline& pipeline) {
  if (item.is_list()) {
    return item.checked([&] { return flow::Prior(item.numbers()); });
  }
  if (item.is_table()) {
    item.require_keys({"participants"});
    const Item one = item.need("participants", R"(prior = { participants = ["1/2", "1/4", "1/4"] })");
    return one.checked([&] { return flow::independent_participants(pipeline, flow::Prior(one.numbers())); });
  }
  if (!item.is_word()) {
    item.refuse("neither uniform, uniform-full, uniform-uncounted, frequencies, participants nor a list",
                R"(write prior = "uniform", or ["1/2", "1/4", "1/4"])");
  }
  enum class Named { uniform, full, uncounted, frequencies };
  const auto named = item.choice<Named>({{"uniform", Named::uniform},
                                         {"uniform-full", Named::full},
                                         {"uniform-uncounted", Named::uncounted},
                                         {"frequencies", Named::frequencies}});
  if (named == Named::uniform) return {};
  if (named == Named::full) return item.checked([&] { return flow::uniform_over_full_histograms(pipeline); });
  if (named == Named::uncounted) return item.checked([&] { return flow::uniform_over_uncounted(pipeline); });
  if (pipeline.secret.others() == 0) {
    item.refuse("nobody's value is known",
                R"(frequencies are those of a target's others: secret = "target", known = [...])");
  }
  return frequencies_of(pipeline.secret, pipeline.values.size());
}

Analyst::Goal goal_of(const Item& item) {
  if (item.is_list()) return Analyst::Goal::matrix;
  return item.choice<Analyst::Goal>({{"argmax-accuracy", Analyst::Goal::argmax_accuracy},
                                     {"bayes-risk", Analyst::Goal::bayes_risk},
                                     {"linear-error", Analyst::Goal::linear_error},
                                     {"squared-error", Analyst::Goal::squared_error}});
}

Analyst analyst_of(const Item& item, const flow::Pipeline& pipeline) {
  item.require_keys({"prior", "loss", "about", "scale"});
  const std::optional<Item> prior = item.find("prior");
  const Item loss = item.need("loss", "loss = \"bayes-risk\"");
  Analyst analyst;
  if (prior) analyst.prior = prior_of(*prior, pipeline);
  analyst.goal = goal_of(loss);
  if (analyst.goal == Analyst::Goal::matrix) analyst.losses = matrix_of(loss);
  if (const std::optional<Item> about = item.find("about")) {
    analyst.about = about_of(*about, pipeline.values);
    about->checked([&] { flow::loss_of(analyst, pipeline); });
  }
  if (const std::optional<Item> scale = item.find("scale")) {
    analyst.scale = scale->number();
    if (analyst.scale.sign() < 0) scale->refuse("a scale below 0", "write 0 or a larger number");
  }
  if (analyst.prior) prior->checked([&] { flow::prior_of(analyst, pipeline); });
  // The matrix of losses can be very large if there are many secrets. If the goal fits every pipeline, the matrix is made only where it is
  // needed.
  const bool fits = analyst.about || analyst.goal == Analyst::Goal::bayes_risk ||
                    (analyst.goal == Analyst::Goal::argmax_accuracy && pipeline.secret.kind == Secret::Kind::histogram);
  if (!fits) loss.checked([&] { flow::loss_of(analyst, pipeline); });
  return analyst;
}

// --- The file --------------------------------------------------------------------------------------------------------

constexpr std::size_t largest_pipeline_file = std::size_t{64} << 20;  // bytes: the size of the losses of 4,000 secrets

PipelineFile pipeline_in(const TomlFile& text, const std::string& library) {
  const Item file = text.root();
  file.require_keys({"pipeline", "analyst"});
  PipelineFile result{
      text.name(), pipeline_of(file.need("pipeline", "[pipeline] and below it participants = 2"), library), {}, {}};
  result.remarks = remarks_on(result.pipeline);
  if (const std::optional<Item> analyst = file.find("analyst")) {
    result.analyst = analyst_of(*analyst, result.pipeline);
  }
  return result;
}

}  // namespace

PipelineFile read_pipeline(const std::string& name, const std::string& library) {
  return pipeline_in(TomlFile::read(name, largest_pipeline_file, pipeline_help, Quoting::allowed), library);
}

PipelineFile pipeline_in(const std::string& text, const std::string& name, const std::string& library) {
  return pipeline_in(TomlFile(name, text, pipeline_help, Quoting::allowed), library);
}

const flow::Analyst& analyst_of(const PipelineFile& file) {
  if (!file.analyst) {
    throw Error(ErrorCode::data, file.name + ": there is no analyst",
                "write [analyst] and below it for example loss = \"bayes-risk\"");
  }
  return *file.analyst;
}

}  // namespace fractile::requests

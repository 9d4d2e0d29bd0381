// What a release prints is true. A sentence is a claim if it holds a number, "at most", "whatever" or the like, and stands in a receipt's
// explanation, on a page, in a plan or under a table. Each claim has a line in one table, with the predicate that it states and the page
// that proves it. The tests make releases of tables whose records are known, with random combinations of options, and check all claims that
// these releases make. A sentence without a line fails, and so does a sentence that is wrong more often than it says. There are 20 releases
// of each combination, and 200 with FRACTILE_TEST_EFFORT=10.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <regex>
#include <set>

#include "fractile/error.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "report/release/claims_test_support.hpp"
#include "report/release/release_figure.hpp"
#include "support/releases.hpp"
#include "support/statistics.hpp"
#include "support/temporary_folder.hpp"

namespace fractile::claims {
namespace {

// --- What is printed, sentence by sentence -----------------------------------------------------------------------------

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The text without the parts from each `start` to the `end` after it.
std::string without(std::string text, const std::string& start, const std::string& end) {
  for (std::size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
    const std::size_t until = text.find(end, at);
    text.erase(at, until == std::string::npos ? until : until + end.size() - at);
  }
  return text;
}

/// The text without separators of thousands.
std::string without_separators(const std::string& text) {
  static const std::regex separator("([0-9]),(?=[0-9]{3}(?![0-9]))");
  return std::regex_replace(text, separator, "$1");
}

void add_sentences(std::vector<std::string>& sentences, const std::string& text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool ends = at == text.size() || (text[at] == '.' && at + 2 < text.size() && text[at + 1] == ' ' &&
                                            std::isupper(static_cast<unsigned char>(text[at + 2])) != 0);
    if (!ends) continue;
    sentences.push_back(text.substr(begin, at == text.size() ? at - begin : at + 1 - begin));
    begin = at + 2;
  }
}

/// The sentences of paragraphs, lists, captions and the long texts of figures. Cells of tables, scripts of figures and titles are left out.
std::vector<std::string> sentences_of_page(std::string html) {
  html = without(html, "<style>", "</style>");
  html = without(html, "<details", "</details>");
  html = without(html, "<td", "</td>");
  html = without(html, "<th", "</th>");
  for (const char* heading : {"h1", "h2", "title"})
    html = without(html, std::string("<") + heading, std::string("</") + heading + ">");
  std::vector<std::string> sentences;
  std::string block;
  const auto end_block = [&] {
    for (const auto& [entity, character] :
         {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
      block = replaced(std::move(block), entity, character);
    if (block.size() > 20) add_sentences(sentences, without_separators(block));
    block.clear();
  };
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') end_block();
    if (c == '<' || c == '>') {
      in_tag = c == '<';
    } else if (!in_tag) {
      block += c == '\n' ? ' ' : c;
    }
  }
  return sentences;
}

/// The lines under a table.
std::vector<std::string> lines_under(const std::string& table) {
  std::vector<std::string> lines;
  std::size_t at = table.find("\n\n") + 2;
  while (at < table.size()) {
    const std::size_t end = table.find('\n', at);
    lines.push_back(table.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_a_claim(const std::string& sentence) {
  static const std::regex words(
      ".*([0-9]|\\bat most\\b|\\bwhatever\\b|\\bevery\\b|\\bEvery\\b|\\bat least\\b|\\bno more "
      "than\\b|\\bnobody\\b).*");
  return std::regex_match(sentence, words);
}

struct Claimed {
  const Claim* claim;
  std::vector<std::string> words;
};

const std::vector<std::regex>& compiled_claims() {
  static const std::vector<std::regex> compiled = [] {
    std::vector<std::regex> regexes;
    for (const Claim& claim : claims()) regexes.emplace_back(claim.sentence);
    return regexes;
  }();
  return compiled;
}

/// The claims among sentences. Fails for a sentence that seems to be a claim and is not in the table.
std::vector<Claimed> claimed_in(const std::vector<std::string>& sentences) {
  std::vector<Claimed> claimed;
  for (const std::string& sentence : sentences) {
    bool known = false;
    for (std::size_t i = 0; i < claims().size() && !known; ++i) {
      std::smatch found;
      if (!std::regex_match(sentence, found, compiled_claims()[i])) continue;
      known = true;
      claimed.push_back({&claims()[i], {found.begin(), found.end()}});
    }
    EXPECT_TRUE(known || !is_a_claim(sentence)) << "no predicate for: " << sentence;
  }
  return claimed;
}

// --- Runs ----------------------------------------------------------------------------------------------------------------

/// The probability of at least `fails` failures in `runs` runs, each of which fails with probability p.
double tail(std::uint64_t runs, std::uint64_t fails, double p) {
  if (fails == 0) return 1;
  if (p <= 0) return 0;
  double sum = 0;
  const auto n = static_cast<double>(runs);
  for (std::uint64_t i = fails; i <= runs; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                    (n - k) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

/// Counts the world's records in a file, together with records that have no value or are declared to be missing. All that count do so
/// however often they are counted.
CountedColumn counted_in_file(const World& world) {
  const testing::Folder folder;
  const std::string path = folder.file("t.csv");
  std::ofstream text(path);
  text << "id,x,g,w\n";
  for (const Row& row : world.rows) {
    text << fmt::format("p{},{},key{},{}\n", row.person, row.value, row.group, row.weight);
  }
  std::vector<std::string> not_there = world.source.missing;
  not_there.emplace_back();
  for (std::size_t i = 0; i < 40 * not_there.size(); ++i) {
    const std::string& nothing = not_there[i % not_there.size()];
    text << "p0," << nothing << ",key0,1\n";
    if (!world.source.person.empty()) text << nothing << ",1,key0,1\n";
    if (world.weights) text << "p0,1,key0," << nothing << "\n";
  }
  text.close();
  RecordSelection selection;
  selection.person = world.source.person;
  selection.records_per_person = world.most();
  selection.per_person = world.source.per_person;
  selection.weights = world.weights;
  RandomBits bits = RandomBits::unsafe_seeded(1);
  Source source = Source::file({.file = path, .missing = world.source.missing});
  return source.open()->count({{"x", world.lattice, NullPolicy::drop, selection}}, bits).front();
}

CountedColumn counted(const World& world, const Drawn& drawn) {
  if (world.of_file) return *world.of_file;
  const std::uint32_t most = world.most();
  if (world.groups == 0) return {profile_of(world, drawn.counting, 0), most};
  std::vector<GroupKey> keys;
  std::vector<RankProfile> profiles;
  for (std::size_t g = 0; g < world.groups; ++g) {
    std::vector<std::string> texts(std::max<std::size_t>(1, world.source.by.size()), "all");
    texts.front() = "key" + std::string(1, static_cast<char>('a' + g));
    keys.emplace_back(std::move(texts));
    profiles.push_back(profile_of(world, drawn.counting, g));
  }
  return {keys, profiles, most};
}

Release released(const World& world, const Drawn& drawn, RandomBits& bits) {
  CountedColumn column = counted(world, drawn);
  if (world.weights && !world.of_file) column = std::move(column).weighted(*world.weights);
  Release made = release(column, world.options, bits);
  made.unsafe_seed.reset();  // people make releases without a seed
  if (world.public_rows) made.public_rows = drawn.rows.size();
  made.source = world.source;
  if (world.weights) made.source.weights = WeightsDescription{*world.weights, world.most()};
  return made;
}

/// The plan of a world's release, if there can be one.
std::optional<ReleasePlan> planned(const World& world, bool with_noise) {
  if (world.options.bounds || world.options.query.quantiles.empty()) return {};
  // The noise of a plan is compared with a total of weights, which must be known.
  if (world.weights && (!world.weights->mean || !world.options.query.expected_rows)) return {};
  const QuantileQuery& query = world.options.query;
  return plan_release(world.weights ? over_weights(query, *world.weights) : query, world.lattice,
                      {.rows = 200, .releases = 20, .with_noise = with_noise, .statistics = world.options.statistics});
}

/// What a release prints. It is read once for each way in which a release may have run, since values change no sentence.
struct Printed {
  Release receipt;
  std::string page;
  std::vector<Claimed> claimed;
  std::vector<Claimed> of_plan;
  std::string plan_page;
};

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + " ";
  return text;
}

Printed printed(const Release& release, const std::optional<ReleasePlan>& plan) {
  Printed result{read_receipt(to_json(release), "r"), {}, {}, {}, {}};
  std::vector<NamedComparison> comparisons;
  const std::vector<Rational>& quantiles = release.query.quantiles;
  if (release.query.intervals && quantiles.size() > 1) {
    comparisons = comparisons_of(result.receipt, {quantiles.front().to_string(), quantiles.back().to_string()});
  }
  const PageOptions options{.account = account()};
  const std::vector<std::string> sentences = sentences_of_page(to_html(result.receipt, comparisons, options).html);
  result.page = joined(sentences);
  result.claimed = claimed_in(sentences);
  for (Claimed& each : claimed_in(lines_under(to_table(release)))) result.claimed.push_back(std::move(each));
  if (!plan) return result;
  const std::vector<std::string> of_plan =
      sentences_of_page(to_html(PlanReport{.plan = *plan, .weights = release.source.weights}, {}).html);
  result.plan_page = joined(of_plan);
  result.of_plan = claimed_in(of_plan);
  return result;
}

/// The receipt with the values of another release.
Release with_values_of(Release receipt, const Release& release) {
  for (std::size_t g = 0; g < release.groups.size(); ++g) {
    receipt.groups[g].indices = release.groups[g].indices;
    receipt.groups[g].intervals = release.groups[g].intervals;
    receipt.groups[g].intervals_in_pairs = release.groups[g].intervals_in_pairs;
    receipt.groups[g].statistics = release.groups[g].statistics;
  }
  return receipt;
}

void check(const World& world, std::uint64_t runs, std::uint64_t seed, const std::string& name) {
  Generator generator(seed);
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  const std::optional<ReleasePlan> plan = planned(world, false);
  std::vector<std::pair<std::vector<MechanismUsed>, Printed>> known;
  struct Tally {
    std::uint64_t runs = 0;
    std::uint64_t fails = 0;
    double allowed = 0;
    std::string sentence = {};
  };
  std::map<std::pair<const Claim*, std::size_t>, Tally> tallies;
  const Drawn fixed = draw(world, generator);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Drawn drawn = world.sampled || world.of_persons() ? draw(world, generator) : fixed;
    const Release release = released(world, drawn, bits);
    std::vector<MechanismUsed> used;
    for (const Release::Group& group : release.groups) used.push_back(group.used);
    auto at = std::ranges::find(known, used, &std::pair<std::vector<MechanismUsed>, Printed>::first);
    if (at == known.end() || world.options.bounds) {  // found bounds stand in sentences
      known.emplace_back(used, printed(release, plan));
      at = known.end() - 1;
    }
    const Release receipt = with_values_of(at->second.receipt, release);
    const auto look = [&](const std::vector<Claimed>& claimed, const std::string& page) {
      for (const auto& [claim, words] : claimed) {
        const Fails fails = claim->fails({world, drawn, receipt, plan, page, words});
        for (std::size_t i = 0; i < fails.size(); ++i) {
          Tally& tally = tallies[{claim, i}];
          tally.sentence = words[0];
          ++tally.runs;
          tally.fails += fails[i] ? 1U : 0U;
          const std::optional<IntervalRequest>& intervals = receipt.query.intervals;
          const Rational& level = intervals        ? intervals->level
                                  : receipt.errors ? receipt.errors->confidence
                                                   : receipt.statistics->level;
          tally.allowed = claim->surely ? 0 : (Rational(1) - level).to_double();
        }
      }
    };
    look(at->second.claimed, at->second.page);
    look(at->second.of_plan, at->second.plan_page);
  }
  for (const auto& [which, tally] : tallies) {
    EXPECT_GT(tail(tally.runs, tally.fails, tally.allowed), 1e-6)
        << name << ": " << tally.fails << " of " << tally.runs << " times it is false of thing " << which.second << ": "
        << tally.sentence;
  }
}

// --- Worlds --------------------------------------------------------------------------------------------------------------

const SourceDescription plain{"t.csv", "", "x", NullPolicy::drop, "E"};
const std::vector<Rational> quartiles_asked{Rational(1, 4), Rational(1, 2), Rational(3, 4)};

std::vector<Row> rows_of(const std::vector<std::pair<double, std::size_t>>& values) {
  std::vector<Row> rows;
  for (const auto& [value, count] : values) {
    for (std::size_t i = 0; i < count; ++i) rows.push_back({value, rows.size(), rows.size() % 2});
  }
  return rows;
}

World world_of(const Lattice& lattice, const QuantileQuery& query, std::vector<Row> rows) {
  return {lattice, query, plain, std::move(rows)};
}

QuantileQuery with_intervals(QuantileQuery query, IntervalSubject of, std::uint64_t rows,
                             const Rational& level = Rational(19, 20)) {
  query.expected_rows = rows;
  query.intervals = IntervalRequest{level, of, false};
  return query;
}

std::uint64_t runs() { return testing::effort(20, 1); }

const QuantileQuery median{{Rational(1, 2)}, Budget::pure(Rational(1))};
const QuantileQuery asked{quartiles_asked, Budget::pure(Rational(1))};

// For 2,000 records of 44 on the multiples of 10, the release said that 40 was "off by no more than 6 records, whatever the data". The
// table's interval was "[40, 40]".
TEST(Claims, OfValuesBetweenThePossibleOnes) {
  const Lattice tens = Lattice::regular(0, 120, 10);
  check(world_of(tens, median, rows_of({{44, 2000}})), runs(), 1, "a value between");
  check(world_of(tens, with_intervals(median, IntervalSubject::table, 2000), rows_of({{44, 2000}})), runs(), 2,
        "the table's interval");
  World of_people = world_of(Lattice::regular(0, 100, 1), with_intervals(median, IntervalSubject::population, 1000),
                             rows_of({{50.375, 1500}}));
  of_people.sampled = 1000;
  check(of_people, runs(), 3, "the population's interval");
  World shares = world_of(tens, median, rows_of({{44, 500}, {52, 500}}));
  shares.public_rows = true;
  shares.source.null_policy = NullPolicy::error;
  check(shares, runs(), 4, "bars of shares");
}

// For 1,000 records of 50 and the candidates 0 and 100, the release said "3 records" off.
TEST(Claims, OfListedCandidates) {
  const Lattice ends = Lattice::explicit_points({Rational(0), Rational(100)});
  check(world_of(ends, median, rows_of({{50, 1000}})), runs(), 11, "a list");
  QuantileQuery known = asked;
  known.expected_rows = 1000;
  check(world_of(ends, known, rows_of({{50, 1000}})), runs(), 12, "a list and expected rows");
  check(world_of(Lattice::explicit_points({Rational(0), Rational(40), Rational(60), Rational(100)}),
                 with_intervals(asked, IntervalSubject::table, 600), rows_of({{50, 400}, {60, 100}, {0, 100}})),
        runs(), 13, "a list and intervals");
}

/// One person has many rows of 90, and each of the others has one row of 10.
World of_unequal_persons(const QuantileQuery& query) {
  World world = world_of(Lattice::regular(0, 100, 1), query, rows_of({{10, 300}}));
  for (int i = 0; i < 2700; ++i) world.rows.push_back({90, 1'000'000, 0});
  world.source.person = "id";
  return world;
}

// The interval of the table's median was [10, 10], although nine in ten of its records are 90.
TEST(Claims, OfPersonsWithManyRecords) {
  check(of_unequal_persons(median), runs(), 21, "persons");
  check(of_unequal_persons(with_intervals(median, IntervalSubject::table, 300)), runs(), 22, "persons and intervals");
  World drawn = of_unequal_persons(with_intervals(median, IntervalSubject::population, 250));
  drawn.sampled = 250;
  check(drawn, runs(), 23, "persons and a population");
}

// Weights beyond the ends of their grid, and between its points: by the weights of the table, the median is 90; as they count, it is 10.
TEST(Claims, OfWeightsThatCountAsOthers) {
  World world = world_of(Lattice::regular(0, 100, 1), with_intervals(asked, IntervalSubject::table, 700),
                         rows_of({{10, 500}, {90, 200}}));
  world.weights = RecordWeights{"w", Rational(1, 2), Rational(2), Rational(1, 2)};
  world.weights->mean = Rational(1);
  for (Row& row : world.rows) row.weight = row.value == 10 ? 1.125 : 9;
  world.options.statistics = StatisticsRequest{{Rational(50)}, true, Rational(1, 3)};
  check(world, 2 * runs(), 81, "weights");
  world.of_file = counted_in_file(world);
  check(world, 2 * runs(), 82, "weights in a file");
  world.weights->stability = 3;
  world.options.query.intervals.reset();
  world.of_file = counted_in_file(world);
  check(world, 2 * runs(), 83, "weights that others change");
}

TEST(Claims, OfOneValueAPerson) {
  std::uint64_t more_in_groups = testing::effort(3, 1);  // ways that are tried in groups, too
  for (const PerPerson how : all_per_person) {
    World world = of_unequal_persons(with_intervals(median, IntervalSubject::table, 300));
    for (Row& row : world.rows) row.person %= 100;
    world.source.per_person = how;
    world.options.statistics = StatisticsRequest{{Rational(15)}, true, Rational(1, 3)};
    world.of_file = counted_in_file(world);
    check(world, runs(), 91, to_string(how));
    if (more_in_groups == 0) continue;
    --more_in_groups;
    world.of_file.reset();
    world.groups = 2;
    world.source.by = "g";
    check(world, runs(), 92, to_string(how) + " in groups");
    world.options.query.records_per_person = 2;
    check(world, runs(), 93, to_string(how) + " in two groups");
  }
}

// Records of -9 and 999 would move the median from 50 to an end.
TEST(Claims, OfWhatCountsAsMissing) {
  World world = world_of(Lattice::regular(0, 100, 1), with_intervals(asked, IntervalSubject::table, 200),
                         rows_of({{50, 150}, {60, 50}}));
  world.source.missing = {"-9", "999", "NA"};
  world.options.statistics = StatisticsRequest{{Rational(50)}, true, Rational(1, 3)};
  world.of_file = counted_in_file(world);
  check(world, 2 * runs(), 95, "missing");
}

TEST(Claims, OfCountsSharesAndMeans) {
  World world = world_of(Lattice::regular(0, 120, 10), asked, rows_of({{44, 60}, {52, 40}, {119, 100}}));
  world.options.statistics = StatisticsRequest{{Rational(50), Rational(120)}, true, Rational(1, 2)};
  check(world, 5 * runs(), 71, "counts");
  world.groups = 2;
  world.source.by = "g";
  world.options.query.neighbors = Neighbors::change_one;
  check(world, 5 * runs(), 72, "counts of groups");
  World empty = world_of(Lattice::regular(0, 120, 10), asked, rows_of({{44, 3}}));
  empty.options.statistics = StatisticsRequest{{Rational(50)}, true, Rational(1, 5)};
  check(empty, 5 * runs(), 73, "hardly any records");
  World persons = of_unequal_persons(asked);
  persons.options.statistics = StatisticsRequest{{Rational(50)}, true, Rational(1, 5)};
  check(persons, runs(), 74, "counts of persons' records");
}

/// Values between the possible ones and beyond them, without quantiles: counts, shares and the mean of a level of a publication.
World of_counts_alone() {
  World world = world_of(Lattice::regular(0, 100, 1), {{}, Budget::pure(Rational(40))},
                         rows_of({{2.6, 100}, {2.7, 100}, {12, 100}, {400, 100}}));
  world.options.statistics = StatisticsRequest{{Rational(3)}, true, Rational(1)};
  return world;
}

// The summary left out where records count: 2.6 counts as 3, which is not below 3, and 400 as 100.
TEST(Claims, OfCountsWithoutQuantiles) { check(of_counts_alone(), 5 * runs(), 75, "counts alone"); }

// 19 of 20 people lie at or below the quantile 19/20. All of 13 people drawn without replacement do so with probability .35, and all of 13
// independent draws with probability .51.
TEST(Claims, OfSmallPopulations) {
  for (const bool with_replacement : {false, true}) {
    QuantileQuery query = with_intervals({{Rational(19, 20)}, Budget::pure(Rational(60))}, IntervalSubject::population,
                                         13, Rational(1, 10));
    World world = world_of(Lattice::regular(0, 1000, 1), query, rows_of({{100, 19}, {900, 1}}));
    world.sampled = 13;
    world.with_replacement = with_replacement;
    check(world, 5 * runs(), 31, "a small population");
  }
}

TEST(Claims, OfFoundBounds) {
  for (const Rational& share : {Rational(1, 10), Rational(1, 2)}) {
    for (const std::int64_t epsilon : {1, 8}) {
      QuantileQuery query = asked;
      query.budget = Budget::pure(Rational(epsilon));
      const BoundsSearch search = BoundsSearch::widest(Rational(1), query);
      World world = world_of(search.lattice(), query, rows_of({{3.25, 200}, {44.5, 300}, {900, 100}}));
      world.options.bounds = BoundsToFind{search, share};
      check(world, std::max<std::uint64_t>(runs() / 4, 1), 41 + static_cast<std::uint64_t>(epsilon), "found bounds");
      world.groups = 2;
      world.source.by = "g";
      check(world, std::max<std::uint64_t>(runs() / 4, 1), 51, "found bounds of groups");
    }
  }
  // Bins hold records as they lay before bounds were found: here some lie below these.
  const BoundsSearch search = BoundsSearch::widest(Rational(1), asked);
  World world = world_of(search.lattice(), asked, rows_of({{3.25, 60}, {700, 500}}));
  world.options.query.budget = Budget::pure(Rational(8));
  world.options.bounds = BoundsToFind{search, Rational(1, 2)};
  world.options.statistics = StatisticsRequest{{Rational(30), Rational(5000)}, false, Rational(1, 10)};
  check(world, std::max<std::uint64_t>(runs() / 4, 1), 53, "counts beside found bounds");
}

TEST(Claims, OfPublicRowsAndOfDeclarations) {
  for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::change_one}) {
    World world = world_of(Lattice::regular(0, 100, 1), asked, rows_of({{30, 40}, {50.5, 40}}));
    world.options.query.neighbors = neighbors;
    world.public_rows = true;
    check(world, runs() / 4 + 1, 61, "public rows");
    world.public_rows = false;
    world.source.sql = "SELECT x FROM input";
    world.source.sql_stability = 2;
    check(world, runs() / 4 + 1, 62, "a declared query");
  }
}

/// Draws random combinations of options, except those that are refused.
class AnyWorld {
 public:
  explicit AnyWorld(std::uint64_t seed) : generator_(seed) {}

  World next() {
    while (true) {
      World world = any();
      try {
        const QuantileQuery over =
            world.weights ? over_weights(world.options.query, *world.weights) : world.options.query;
        const QuantileQuery of_group = world.groups > 0 ? group_query(over) : over;
        over.validate(world.lattice);
        of_group.validate(world.lattice);
        if (world.options.statistics) world.options.statistics->validate(world.lattice, of_group);
        return world;
      } catch (const Error&) {
      }
    }
  }

 private:
  std::size_t below(std::size_t limit) { return generator_() % limit; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(below(values.size())));
  }

  Lattice lattice() {
    switch (below(7)) {
      case 0:
        return Lattice::regular(0, 120, 10);
      case 1:
        return Lattice::regular(-20, 100, Rational(1, 2));
      case 2:
        return Lattice::regular(0, 5'000, Rational(1, 100));
      case 3:
        return Lattice::explicit_points({Rational(0), Rational(18), Rational(40), Rational(65)});
      case 4:
        return Lattice::regular(0, 7 * 40, 7, ValueKind::date);
      case 5:
        return Lattice::regular(0, 86'400'000'000 * 30, 3'600'000'000, ValueKind::timestamp);
      default:
        return Lattice::regular(0, 100, 1);
    }
  }

  QuantileQuery query() {
    const Budget budget =
        one_of({Budget::pure(Rational(1, 2)), Budget::pure(Exponent::parse("ln 3")), Budget::pure(Rational(4)),
                Budget::zcdp(Rational(1, 2)), Budget::approximate(Rational(2), Rational(1, 1'000'000))});
    QuantileQuery query{quartiles_asked, budget};
    if (below(3) == 0) query.quantiles = {Rational(1, 2)};
    if (below(4) == 0) query.quantiles = synthetic_rows(30);
    query.neighbors = one_of({Neighbors::add_remove, Neighbors::change_one});
    query.records_per_person = one_of({1U, 1U, 2U});
    query.mechanism = one_of({Mechanism::automatic, Mechanism::automatic, Mechanism::automatic, Mechanism::approximate,
                              Mechanism::joint_tree, Mechanism::independent, Mechanism::tree});
    if (budget.measure() == Measure::approximate) query.mechanism = Mechanism::independent;
    query.interpolate = below(4) > 0;
    if (below(2) == 0) query.expected_rows = one_of<std::uint64_t>({100, 400, 3000});
    if (below(3) == 0 && query.quantiles.size() <= 3) {
      query = with_intervals(query, one_of({IntervalSubject::table, IntervalSubject::population}), 300,
                             one_of({Rational(1, 2), Rational(9, 10)}));
      query.intervals->is_simultaneous = below(2) == 0;
    }
    return query;
  }

  StatisticsRequest statistics(const Lattice& lattice) {
    StatisticsRequest request{{}, below(2) == 0, one_of({Rational(1, 10), Rational(1, 3)})};
    if (below(3) > 0) request.below = {lattice.at(lattice.size() / 3), lattice.at(lattice.size() - 1)};
    return request;
  }

  /// Values around the lattice's range, on its points and between them, with heaps and without.
  double value(const Lattice& lattice, std::size_t shape, double middle) {
    const double lower = lattice.lower().to_double();
    const double width = lattice.upper().to_double() - lower;
    const double even = static_cast<double>(below(1 << 20)) / (1 << 20);
    double value = lower + width * even;
    if (shape == 1) value = middle;
    if (shape == 2) value = lower + width * (1.2 * even * even - 0.1);
    if (shape == 3 && lattice.is_regular()) value = counted_at(lattice, value);
    return lattice.kind() == ValueKind::number ? std::floor(value * 8) / 8 : std::floor(value);
  }

  /// Weights on the grid, between its points and beyond its ends.
  void weigh(World& world) {
    world.weights = one_of({RecordWeights{"w", Rational(0), Rational(3), Rational(1)},
                            RecordWeights{"w", Rational(1, 2), Rational(4), Rational(1, 2)}});
    if (below(2) == 0) world.weights->stability = 2 * world.most();
    if (below(2) == 0) world.weights->mean = Rational(2);
    const std::size_t finest = one_of<std::size_t>({1, 8});
    for (Row& row : world.rows) row.weight = static_cast<double>(below(6 * finest)) / static_cast<double>(finest);
  }

  World any() {
    World world = world_of(lattice(), query(), {});
    const std::size_t shape = below(4);
    const double middle = value(world.lattice, 0, 0);
    const std::uint64_t most = world.most();
    world.groups = below(4) == 0 ? 2 : 0;
    if (below(3) == 0) world.source.person = "id";
    const std::size_t persons = one_of<std::size_t>({20, 150, 300});
    for (std::size_t person = 0; person < persons; ++person) {
      const std::size_t records = world.of_persons() ? 1 + below(4) : 1 + below(most);
      for (std::size_t i = 0; i < records; ++i) {
        world.rows.push_back({value(world.lattice, below(3) == 0 ? 1 : shape, middle), person, below(2)});
      }
    }
    if (world.of_persons() && below(2) == 0) {
      if (world.groups == 0) world.options.query.records_per_person = 1;  // one value
      const bool are_numbers = world.lattice.kind() == ValueKind::number;
      world.source.per_person =
          are_numbers ? one_of({PerPerson::sum, PerPerson::count, PerPerson::mean, PerPerson::any, PerPerson::all})
                      : one_of({PerPerson::min, PerPerson::max, PerPerson::median});
    } else if (below(3) == 0) {
      weigh(world);
    }
    const bool counts_alike = world.groups == 0 && (!world.of_persons() || world.source.per_person);
    const auto& asked_of = world.options.query.intervals;
    const bool is_drawn = asked_of && asked_of->subject == IntervalSubject::population;
    if (counts_alike && !is_drawn && world.lattice.kind() == ValueKind::number && below(2) == 0) {
      if (below(2) == 0) world.source.missing = {"NA", "-9999"};
      world.of_file = counted_in_file(world);
    }
    if (world.groups > 0) world.source.by = world.of_persons() ? KeyColumns{"g", "h"} : KeyColumns("g");
    if (below(3) == 0) world.options.statistics = statistics(world.lattice);
    const auto& intervals = world.options.query.intervals;
    if (intervals && intervals->subject == IntervalSubject::population) {
      world.sampled = persons * 4 / 5;
      // For groups of sampled records, only independent draws are covered by the promise.
      world.with_replacement = below(2) == 0 || (world.of_persons() && world.groups > 0);
    }
    if (below(4) == 0 && !world.of_persons() && world.groups == 0) {
      world.public_rows = true;
      world.source.null_policy = one_of<NullPolicy>({NullPolicy::drop, NullPolicy::error});
    }
    return world;
  }

  Generator generator_;
};

TEST(Claims, OfRandomCombinationsOfOptions) {
  AnyWorld worlds(7);
  const std::uint64_t count = testing::effort(25, 40);
  for (std::uint64_t i = 0; i < count; ++i) check(worlds.next(), runs(), 100 + i, "combination " + std::to_string(i));
}

/// Every line of the table is used.
TEST(Claims, EachIsMade) {
  std::set<const Claim*> made;
  const auto look_at = [&](const World& world, std::uint64_t seed) {
    Generator generator(seed);
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    const std::optional<ReleasePlan> plan = planned(world, true);
    const Printed print = printed(released(world, draw(world, generator), bits), plan);
    for (const Claimed& each : print.claimed) made.insert(each.claim);
    for (const Claimed& each : print.of_plan) made.insert(each.claim);
  };
  AnyWorld worlds(8);
  for (std::uint64_t i = 0; i < 60; ++i) look_at(worlds.next(), i);
  World query = world_of(Lattice::regular(0, 100, 1), asked, rows_of({{30, 40}}));
  query.source.sql = "SELECT x FROM input";
  query.source.sql_stability = 2;
  look_at(query, 1);
  World found = world_of(BoundsSearch::widest(Rational(1), asked).lattice(), asked, rows_of({{44, 100}}));
  found.options.bounds = BoundsToFind{BoundsSearch::widest(Rational(1), asked), Rational(1, 10)};
  look_at(found, 2);
  found.options.query.expected_rows = 20;
  look_at(found, 2);
  World bars = world_of(Lattice::regular(0, 120, 10), median, rows_of({{44, 500}}));
  bars.public_rows = true;
  bars.source.null_policy = NullPolicy::error;
  look_at(bars, 3);
  QuantileQuery noisy = asked;
  noisy.budget = Budget::pure(Rational(1, 100));
  noisy.expected_rows = 20;
  look_at(world_of(Lattice::regular(0, 1000, 1), noisy, rows_of({{44, 20}})), 4);
  QuantileQuery weak = asked;
  weak.budget = Budget::pure(Rational(21));
  look_at(world_of(Lattice::regular(0, 100, 1), weak, rows_of({{44, 20}})), 5);
  QuantileQuery many = asked;
  many.budget = Budget::pure(Rational(4));
  many.quantiles = synthetic_rows(40);
  many.expected_rows = 5000;
  look_at(world_of(Lattice::regular(0, 300, Rational(1, 1000)), many, rows_of({{44, 2500}, {60, 2500}})), 5);
  World counted = world_of(Lattice::regular(0, 120, 10), asked, rows_of({{44, 60}}));
  counted.options.statistics = StatisticsRequest{{Rational(50)}, true, Rational(1, 5)};
  look_at(counted, 6);
  counted.public_rows = true;
  // In half of these, the count is above the number of rows.
  for (std::uint64_t seed = 100; seed < 120; ++seed) look_at(counted, seed);
  World values = of_unequal_persons(asked);
  values.source.per_person = PerPerson::mean;
  values.source.by = "g";
  values.groups = 2;
  values.options.statistics = StatisticsRequest{{}, false, Rational(1, 9)};
  look_at(values, 7);
  look_at(of_counts_alone(), 8);
  for (const Claim& claim : claims()) EXPECT_TRUE(made.contains(&claim)) << claim.sentence;
}

TEST(Claims, TailsAreThoseOfTheBinomialLaw) {
  EXPECT_NEAR(tail(2, 1, 0.5), 0.75, 1e-12);
  EXPECT_NEAR(tail(20, 20, 0.05), std::pow(0.05, 20), 1e-30);
  EXPECT_EQ(tail(5, 1, 0), 0);
  EXPECT_EQ(tail(5, 0, 0), 1);
}

}  // namespace
}  // namespace fractile::claims

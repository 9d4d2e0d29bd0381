#include "host/entries.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "fractile/accounting.hpp"
#include "fractile/audit.hpp"
#include "fractile/frames.hpp"
#include "fractile/leakage.hpp"
#include "fractile/ledger.hpp"
#include "fractile/pages.hpp"
#include "fractile/perturbing.hpp"
#include "fractile/plan_report.hpp"
#include "fractile/planning.hpp"
#include "fractile/profile_files.hpp"
#include "fractile/publication.hpp"
#include "fractile/published_tables.hpp"
#include "fractile/random.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/selection.hpp"
#include "fractile/sources.hpp"
#include "fractile/stability.hpp"
#include "fractile/windows.hpp"

namespace fractile::host_test {
namespace {

constexpr std::uint64_t seed = 53;

/// Numbers that other environments take for others: subnormal ones, the largest, halves, and next to halves.
std::vector<double> numbers(std::size_t count) {
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> odd = {-1e-310,     1e-310, smallest, -smallest, 1e308, -1e308, largest, -largest, 0.15,
                                   0.049999999, 0.05,   0.45,     1e-3,      0.95,  -0.05,  0.85,    0.55,     2.5};
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_odd = i % 3 == 0;
    result.push_back(is_odd ? odd[(i / 3) % odd.size()] : static_cast<double>((i * 7919) % 1000) / 64);
  }
  return result;
}

Frame frame(const std::vector<double>& values) {
  const auto kept = std::make_shared<const std::vector<double>>(values);
  return Frame::of({reinterpret_cast<const std::byte*>(kept->data()), "g", kept->size(), sizeof(double), kept}, "x");
}

std::string text(const RankProfile& profile) {
  std::string all;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    all += std::to_string(profile.position(k)) + ":" + std::to_string(profile.count(k)) + " ";
  }
  return all;
}

Lattice tenths() { return Lattice::regular(-10, 10, Rational(1, 10)); }

/// Around 0, where subnormal numbers lie before and after a candidate.
Lattice points() {
  return Lattice::explicit_points({-1, Rational::parse("-1e-309"), 0, Rational::parse("1e-309"), Rational(1, 4), 100});
}

std::string exact_numbers(const std::vector<double>& doubles) {
  std::string all;
  for (const double value : doubles) all += Rational::from_double(value).to_string() + " ";
  Rational moved(1, 3);
  const Rational taken = std::move(moved);
  all += Rational::parse("0.15").pow(300).to_decimal() + taken.to_string();
  const Rational halved = Rational::dyadic(3, -1074);
  all += Rational::from_double(halved.to_double()) == halved ? "same" : "other";
  return all + Exponent::log(3, 40).exponential().to_string() + " " +
         delta_of_zcdp(Rational(1, 3), Rational(2)).to_string();
}

std::string counted(const Frame& columns, const Lattice& lattice) {
  return text(columns.profile("x", lattice, NullPolicy::drop));
}

RankProfile normal_table(std::uint64_t rows) {
  return reference_table(Lattice::regular(0, 1000, 1), Shape::normal, rows);
}

std::string drawn(const QuantileQuery& query, const Lattice& lattice, std::uint64_t rows) {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  ReleaseOptions options = query;
  options.threads = 2;
  return to_json(release(CountedColumn(reference_table(lattice, Shape::normal, rows), 1), options, bits));
}

std::vector<Rational> quarters() { return {Rational(1, 4), Rational(1, 2), Rational(3, 4)}; }

QuantileQuery query_of(Mechanism mechanism, const Budget& budget) {
  QuantileQuery query{mechanism == Mechanism::exponential ? std::vector{Rational(1, 2)} : quarters(), budget};
  query.mechanism = mechanism;
  return query;
}

std::string selected() {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  std::vector<std::uint64_t> scores;
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t i = 0; i < 200; ++i) {
    scores.push_back((i * 37) % 101);
    lengths.push_back(1 + i % 5);
  }
  std::string all;
  for (int i = 0; i < 10; ++i) {
    all += std::to_string(select_softmax(scores, lengths, Rational(1, 10), bits, Optimize::minimize)) + " " +
           std::to_string(select_permute_and_flip(scores, Rational(1, 10), bits, Optimize::minimize)) + " " +
           std::to_string(select_gumbel(scores, lengths, Rational(1, 10), bits, Optimize::minimize)) + " ";
  }
  return all;
}

flow::Pipeline counting(std::size_t participants) {
  flow::PostProcessor post;
  post.kind = flow::PostProcessor::Kind::count;
  post.counted = {1};
  return {participants, {0, 1, 2}, flow::Perturber::geometric(3), post, {}};
}

std::string refined() {
  const flow::Pipeline pipeline = counting(2);
  const flow::Channel low = channel_at(pipeline, 2).channel;
  const flow::Channel high = channel_at(pipeline, 3).channel;
  const flow::Refinement refinement = refines(high, low);
  std::string all = refinement.reason + (refinement.refines() ? " yes" : " no");
  const flow::PipelineRefinement checked = check_refinement(pipeline, 3, 2);
  return all + checked.refinement.reason + flow::check_stability(pipeline, 2, 3).reason;
}

std::string windows(std::size_t known) {
  flow::Pipeline pipeline = counting(3 * known + 1);
  pipeline.secret = flow::Secret::target_among({known, known, known}, pipeline.participants);
  const flow::Windows found = flow::find_windows(pipeline, {}, 2, Rational(5, 2));
  std::string all = to_string(found.method) + std::to_string(found.windows.size());
  for (const flow::LossPoint& point : flow::loss_curve(pipeline, {}, {Rational(1), Rational(2), Rational(5, 2)})) {
    all += point.loss.lower.to_string() + " ";
  }
  return all;
}

std::string planned() {
  PlanOptions options;
  options.releases = 20;
  options.with_noise = false;
  const ReleasePlan plan =
      plan_release(query_of(Mechanism::automatic, Budget::pure(Rational(1, 2))), Lattice::regular(0, 100, 1), options);
  std::string all;
  for (const double mean : plan.typical.mean) all += Rational::from_double(mean).to_string() + " ";
  const PlanReport report{plan};
  return all + to_json(report) + to_table(report) + to_html(report, {}).html;
}

/// Counted apart, kept, read again and added up.
std::string merged(const std::vector<double>& values) {
  const auto kept = [&](std::size_t from, std::size_t count) {
    const std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(from),
                                   values.begin() + static_cast<std::ptrdiff_t>(from + count));
    return to_bytes({ProfileHeader{tenths(), "x"}, {frame(part).profile("x", tenths(), NullPolicy::drop)}});
  };
  const auto read = [](const std::string& bytes) { return profiles_of_bytes(bytes, "profile").profiles.front(); };
  return text(RankProfile::merge(read(kept(0, values.size() / 2)), read(kept(values.size() / 2, values.size() / 2))));
}

std::string audited() {
  const AuditReport report = audit({"exponential", 2, 3, Budget::pure(Rational(1))});
  return report.attained + report.first + report.second + (report.holds ? " holds" : " fails");
}

std::string leaked() {
  const flow::Leakage found = flow::leakage({counting(3)}, Exponent(Rational(1)));
  return found.before.lower.to_string() + " " + found.after.lower.to_string() + " " + found.capacity.upper.to_string();
}

ReleaseRequest request() {
  return {{"x", tenths(), NullPolicy::drop, {}}, query_of(Mechanism::automatic, Budget::pure(Rational(1, 2)))};
}

std::string published(Source source) {
  ReleaseRequest asked = request();
  asked.unsafe_seed = seed;
  const Answer answer = publish(std::move(source), asked);
  return to_json(*answer.release) + to_html(*answer.release, {}, {}).html;
}

Publication small_publication() {
  Publication publication{"Pay", Budget::pure(Rational(1))};
  PublicationTable table{"pay", "x", tenths(), quarters()};
  table.levels = {{}};
  publication.tables = {table};
  return publication;
}

std::string published_tables(Source source) {
  PublicationRequest asked{small_publication()};
  asked.unsafe_seed = seed;
  return receipt_of(publish(std::move(source), asked));
}

/// Paid for, with the system's bits: the text is what was spent.
std::string paid(const std::string& folder, const std::vector<double>& values) {
  static std::atomic<int> number = 0;
  const std::string path = folder + "/" + std::to_string(number++) + ".ledger";
  LedgerDataset dataset{"people", Budget::pure(Rational(1))};
  Ledger::create(path).add_dataset(dataset);
  const Answer answer = publish(Source::frame(frame(values)), request(), Payment{path, {}, "people"});
  const std::string spent = answer.account->balance.spent.to_string();
  Ledger::open_to_read(path).verify();
  std::filesystem::remove(path);
  return spent;
}

}  // namespace

std::vector<Entry> entries(Size size, const std::string& folder) {
  const bool is_large = size == Size::large;
  const std::size_t rows = is_large ? 400'000 : 300;
  const std::vector<double> values =
      numbers(rows);  // here, where no environment is set: the compiler may make them by x87
  const std::vector<double> few = numbers(54);
  std::vector<Entry> all = {
      {"numbers", [=] { return exact_numbers(few); }},
      {"frame", [=] { return counted(frame(values), tenths()); }},
      {"frame, points", [=] { return counted(frame(values), points()); }},
      {"frame, many candidates",
       [=] { return counted(frame(values), Lattice::regular(-10, 10, Rational(1, 1'000'000))); }},
      {"positions one by one",
       [=] {
         std::string all_of_them;
         for (const double value : few) {
           all_of_them +=
               std::to_string(tenths().position_of(value)) + " " + std::to_string(points().position_of(value)) + " ";
         }
         return all_of_them;
       }},
      {"exponential",
       [=] {
         return drawn(query_of(Mechanism::exponential, Budget::pure(Rational(1, 2))), Lattice::regular(0, 1000, 1),
                      rows);
       }},
      {"joint",
       [=] { return drawn(query_of(Mechanism::joint, Budget::pure(Rational(1))), Lattice::regular(0, 1000, 1), 300); }},
      {"zcdp",
       [=] {
         return drawn(query_of(Mechanism::automatic, Budget::zcdp(Rational(1, 10))), Lattice::regular(0, 1000, 1),
                      rows);
       }},
      {"selections", selected},
      {"plan", planned},
      {"merge", [=] { return merged(few); }},
      {"audit", audited},
      {"leakage", leaked},
      {"refinement", refined},
      {"windows", [=] { return windows(is_large ? 12 : 2); }},
      {"publish", [=] { return published(Source::frame(frame(values))); }},
      {"publish tables", [=] { return published_tables(Source::frame(frame(values))); }},
      {"receipt",
       [] {
         RandomBits bits = RandomBits::unsafe_seeded(seed);
         const Release released = with_receipt(release(
             CountedColumn(normal_table(300), 1), query_of(Mechanism::exponential, Budget::pure(Rational(1))), bits));
         return to_json(read_receipt(released.receipt, "receipt")) + explain(released, Prose::text);
       }},
  };
  if (!folder.empty()) all.push_back({"ledger", [=] { return paid(folder, values); }});
  return all;
}

std::vector<Entry> entries_of_engine(const std::string& folder) {
  if (std::getenv("FRACTILE_DUCKDB") == nullptr) return {};
  const std::string path = folder + "/numbers.csv";
  std::ofstream file(path);
  file << "x,k\n";
  for (int i = 0; i < 20'000; ++i) {
    for (const char* number : {"0.15", "-1e-310", "1e308", "0.049999999999999999", "0.45"}) {
      file << number << (i % 2 == 0 ? ",a\n" : ",b\n");
    }
  }
  file.close();
  const auto count = [path](const Lattice& lattice) {
    return text(Table::open({.file = path}).profile("x", lattice, NullPolicy::drop));
  };
  return {
      {"file", [=] { return count(tenths()) + count(points()); }},
      {"file, published", [=] { return published(Source::file({.file = path})); }},
      {"file, groups",
       [=] {
         RandomBits bits = RandomBits::unsafe_seeded(seed);
         const RecordSelection groups{.by = "k", .keys = {"a", "b"}};
         std::string all;
         for (const CountedColumn& column :
              Table::open({.file = path}).count({{"x", tenths(), NullPolicy::drop, groups}}, bits)) {
           for (const RankProfile& profile : column.profiles()) all += text(profile);
         }
         return all;
       }},
  };
}

}  // namespace fractile::host_test

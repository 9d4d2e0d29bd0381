#include "host/entries.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>

#include "fractile/exact.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/planning.hpp"
#include "fractile/publication.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "host/entry_groups.hpp"

namespace fractile::host_test {
namespace {

/// Around 0, where subnormal numbers lie before and after a candidate.
Lattice points() {
  return Lattice::explicit_points({-1, Rational::parse("-1e-309"), 0, Rational::parse("1e-309"), Rational(1, 4), 100});
}

std::string positions_of(const std::vector<double>& values) {
  std::string all;
  for (const double value : values) {
    all += std::to_string(tenths().position_of(value)) + " " + std::to_string(points().position_of(value)) + " ";
  }
  return all;
}

std::string counted(const Frame& columns, const Lattice& lattice) {
  return text(columns.profile("x", lattice, NullPolicy::drop));
}

std::string drawn(const QuantileQuery& query, std::uint64_t rows) {
  RandomBits bits = RandomBits::unsafe_seeded(seed);
  ReleaseOptions options = query;
  options.threads = 2;
  return to_json(release(CountedColumn(normal_table(rows), 1), options, bits));
}

std::string windows(std::size_t known) {
  flow::Pipeline pipeline = counting(3 * known + 1);
  pipeline.secret = flow::Secret::target_among({known, known, known}, pipeline.participants);
  const flow::Windows found = flow::find_windows(pipeline, {}, flow::OddsRange(2, Rational(5, 2)));
  std::string all = to_string(found.method) + std::to_string(found.windows.size());
  for (const flow::LossPoint& point : flow::loss_curve(pipeline, {}, {Rational(1), Rational(2), Rational(5, 2)})) {
    all += point.loss.lower.to_string() + " ";
  }
  return all;
}

std::string published(Source source) {
  ReleaseRequest asked{{"x", tenths(), NullPolicy::drop, {}},
                       query_of(Mechanism::automatic, Budget::pure(Rational(1, 2)))};
  asked.unsafe_seed = seed;
  const Answer answer = publish(std::move(source), asked);
  return to_json(*answer.release) + to_html(*answer.release, {}, {}).html;
}

std::string published_tables(Source source) {
  PublicationTable table{"pay", "x", tenths(), {Rational(1, 4), Rational(1, 2), Rational(3, 4)}};
  table.levels = {{}};
  PublicationRequest asked{{"Pay", Budget::pure(Rational(1))}};
  asked.publication.tables = {table};
  asked.unsafe_seed = seed;
  return receipt_of(publish(std::move(source), asked));
}

/// Whose work grows with the number of rows, and is shared among threads where there are many.
std::vector<Entry> entries_of_rows(Size size) {
  const bool is_large = size == Size::large;
  const std::size_t rows = is_large ? 400'000 : 300;
  const std::vector<double> values =
      numbers(rows);  // here, where no environment is set: the compiler may make them by x87
  return {
      {"frame", [=] { return counted(frame(values), tenths()); }},
      {"frame, points", [=] { return counted(frame(values), points()); }},
      {"frame, many candidates",
       [=] { return counted(frame(values), Lattice::regular(-10, 10, Rational(1, 1'000'000))); }},
      {"positions one by one", [few = numbers(54)] { return positions_of(few); }},
      {"exponential", [=] { return drawn(query_of(Mechanism::exponential, Budget::pure(Rational(1, 2))), rows); }},
      {"joint", [] { return drawn(query_of(Mechanism::joint, Budget::pure(Rational(1))), 300); }},
      {"zcdp", [=] { return drawn(query_of(Mechanism::automatic, Budget::zcdp(Rational(1, 10))), rows); }},
      {"windows", [=] { return windows(is_large ? 12 : 2); }},
      {"publish", [=] { return published(Source::frame(frame(values))); }},
      {"publish tables", [=] { return published_tables(Source::frame(frame(values))); }},
  };
}

void append(std::vector<Entry>& all, std::vector<Entry> more) {
  for (Entry& each : more) all.push_back(std::move(each));
}

}  // namespace

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

Lattice tenths() { return Lattice::regular(-10, 10, Rational(1, 10)); }

Frame frame(const std::vector<double>& values) {
  const auto kept = std::make_shared<const std::vector<double>>(values);
  return Frame::of({reinterpret_cast<const std::byte*>(kept->data()), "g", kept->size(), sizeof(double), kept}, "x");
}

RankProfile normal_table(std::uint64_t rows) {
  return reference_table(Lattice::regular(0, 1000, 1), Shape::normal, rows);
}

QuantileQuery query_of(Mechanism mechanism, const Budget& budget) {
  const std::vector<Rational> quarters = {Rational(1, 4), Rational(1, 2), Rational(3, 4)};
  QuantileQuery query{mechanism == Mechanism::exponential ? std::vector{Rational(1, 2)} : quarters, budget};
  query.mechanism = mechanism;
  return query;
}

flow::Pipeline counting(std::size_t participants) {
  flow::PostProcessor post;
  post.kind = flow::PostProcessor::Kind::count;
  post.counted = {1};
  return {participants, {0, 1, 2}, flow::Perturber::geometric(3), post, {}};
}

std::string text(const RankProfile& profile) {
  std::string all;
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    all += std::to_string(profile.position(k)) + ":" + std::to_string(profile.count(k)) + " ";
  }
  return all;
}

std::string text(const flow::Matrix& matrix) {
  std::string all;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (const Rational& entry : matrix.row(row)) all += entry.to_string() + " ";
  }
  return all;
}

std::string text(const flow::RealBounds& bounds) {
  return bounds.lower.to_string() + ".." + bounds.upper.to_string() + " ";
}

std::string new_name() {
  static std::atomic<int> number = 1'000'000;
  return std::to_string(number++);
}

std::vector<Entry> entries(Size size, const std::string& folder) {
  std::vector<Entry> all = entries_of_rows(size);
  if (size == Size::large) return all;
  append(all, entries_of_numbers());
  append(all, entries_of_flow());
  append(all, entries_of_records());
  append(all, entries_of_releases());
  append(all, entries_of_publications());
  if (!folder.empty()) append(all, entries_of_files(folder));
  return all;
}

std::vector<Entry> entries_of_engine(const std::string& folder, std::size_t rows) {
  if (std::getenv("FRACTILE_DUCKDB") == nullptr) return {};
  const std::string path = folder + "/numbers.csv";
  std::ofstream file(path);
  file << "x,k,p\n";
  for (std::size_t i = 0; i < rows; ++i) {
    for (const char* number : {"0.15", "-1e-310", "1e308", "0.049999999999999999", "0.45"}) {
      file << number << (i % 2 == 0 ? ",a," : ",b,") << i % 97 << '\n';
    }
  }
  file.close();
  const auto count = [path](const Lattice& lattice) {
    return text(Table::open({.file = path}).profile("x", lattice, NullPolicy::drop));
  };
  const auto selected = [path](const RecordSelection& selection) {
    RandomBits bits = RandomBits::unsafe_seeded(seed);
    std::string all;
    const std::vector<CountedColumn> columns =
        Table::open({.file = path}).count({{"x", tenths(), NullPolicy::drop, selection}}, bits);
    for (const RankProfile& profile : columns.front().profiles()) all += text(profile);
    return all;
  };
  return {
      {"file", [=] { return count(tenths()) + count(points()); }},
      {"file, published", [=] { return published(Source::file({.file = path})); }},
      {"file, groups",
       [=] {
         return selected({.by = "k", .keys = {"a", "b"}});
       }},
      {"file, persons", [=] { return selected({.person = "p", .records_per_person = 2}); }},
      {"file, query",
       [path] {
         const Table table = Table::open({.file = path, .sql = "SELECT CAST(x AS DOUBLE) / 2 AS x FROM input"});
         return text(table.profile("x", points(), NullPolicy::drop));
       }},
      {"file, columns",
       [path] {
         set_default_engine({});
         return to_table(Table::open({.file = path}).checked_columns());
       }},
  };
}

}  // namespace fractile::host_test

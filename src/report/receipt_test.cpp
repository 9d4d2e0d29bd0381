#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "fractile/bounds.hpp"
#include "fractile/error.hpp"
#include "fractile/report.hpp"

namespace fractile {
namespace {

const SourceDescription source{"people.csv", "", "age", "drop", "DuckDB v1"};

QuantileRelease released(const QuantileQuery& query, const Lattice& lattice) {
  RandomBits bits = RandomBits::unsafe_seeded(1);
  return release_quantiles(reference_table(lattice, Shape::normal, 300), lattice, query, bits);
}

QuantileQuery quartiles(const Budget& budget) { return {{Rational(1, 4), Rational(1, 2), Rational(3, 4)}, budget}; }

const SourceDescription by_town{"people.csv", "", "age", "drop", "DuckDB v1", "id", "town"};

/// Of which the second found a granularity, so that groups differ in what ran.
GroupedRelease grouped(const QuantileQuery& query, const Lattice& lattice) {
  RandomBits bits = RandomBits::unsafe_seeded(2);
  const std::uint64_t whole = lattice.size() / 200 * 100;
  ProfileBuilder round(lattice);
  round.add_position(2 * whole + 1, 1000);
  return release_groups({"a", "b,\"c"}, {reference_table(lattice, Shape::uniform, 300), round.finish()}, lattice, query,
                        bits);
}

QuantileRelease bounded() {
  RandomBits bits = RandomBits::unsafe_seeded(3);
  const BoundsSearch search{Rational(1)};
  return release_with_private_bounds(reference_table(search.lattice(), Shape::normal, 300), search,
                                     quartiles(Budget::zcdp(Rational(1))), Rational(1, 10), bits);
}

std::vector<std::string> all_kinds() {
  const Lattice ages = Lattice::regular(0, 125, 1);
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  std::vector<std::string> texts;
  for (const Mechanism mechanism : all_mechanisms) {
    QuantileQuery query = quartiles(Budget::pure(Exponent::parse("ln 3")));
    query.mechanism = mechanism;
    if (mechanism == Mechanism::exponential) query.quantiles = {Rational(1, 2)};
    query.expected_rows = 300;
    for (const Lattice& lattice : {ages, cents}) texts.push_back(to_json(released(query, lattice), source));
  }
  texts.push_back(to_json(released(quartiles(Budget::zcdp(Rational(1, 2))), ages), source));
  QuantileQuery approximate = quartiles(Budget::approximate(Rational(1), Rational(1, 1'000'000)));
  approximate.mechanism = Mechanism::independent;
  texts.push_back(to_json(released(approximate, ages), source));
  const Lattice few = Lattice::explicit_points({Rational(-1), Rational(5, 2), Rational(10)});
  texts.push_back(
      to_json(released(quartiles(Budget::pure(Rational(1))), few), {"", "SELECT 1 AS \"a\"", "a", "error", "E"}));
  QuantileRelease counted = released(quartiles(Budget::pure(Rational(1))), ages);
  counted.public_records = 300;
  counted.query.neighbors = Neighbors::change_one;
  texts.push_back(to_json(counted, source));
  QuantileQuery many = quartiles(Budget::pure(Rational(1)));
  many.quantiles = synthetic_rows(100);
  texts.push_back(to_json(grouped(quartiles(Budget::pure(Rational(4))), cents), by_town));
  texts.push_back(to_json(bounded(), source));
  many.expected_rows = 300;
  texts.push_back(to_json(released(many, cents), source));
  return texts;
}

TEST(Receipt, EveryKindKeepsTheSchemaAndItsHash) {
  for (const std::string& text : all_kinds()) {
    const Receipt receipt = read_receipt(text, "r.json");
    EXPECT_FALSE(receipt.groups.at(0).quantiles.empty());
    for (const Prose prose : {Prose::text, Prose::markdown})
      EXPECT_NE(explain(receipt, prose).find("What was assumed"), std::string::npos);
  }
}

TEST(Receipt, SaysWhatTheReleaseWas) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  const QuantileRelease release = released(quartiles(Budget::pure(Exponent::parse("ln 3"))), cents);
  const Receipt receipt = read_receipt(to_json(release, source), "r.json");
  ASSERT_EQ(receipt.groups.size(), 1U);
  const std::vector<Receipt::Published>& quantiles = receipt.groups[0].quantiles;
  ASSERT_EQ(quantiles.size(), 3U);
  EXPECT_EQ(to_csv(receipt), to_csv(release));
  const WorstCase worst = worst_case(release, Rational(19, 20));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(quantiles[i].quantile, release.query.quantiles[i].to_string());
    EXPECT_EQ(quantiles[i].value, release.value(i).to_decimal());
    EXPECT_EQ(quantiles[i].rank_error, std::to_string(worst.ranks[i].value()));
  }
  EXPECT_EQ(receipt.budget.to_string(), "epsilon = ln 3");
  EXPECT_EQ(receipt.neighbors, "add-remove");
  EXPECT_EQ(receipt.lattice, "0 to 10000 in steps of 0.01");
  EXPECT_EQ(receipt.source.file, "people.csv");
  EXPECT_EQ(receipt.source.column, "age");
  EXPECT_EQ(receipt.unsafe_seed, "1");
  EXPECT_EQ(receipt.together, std::to_string(worst.together.value()));
}

TEST(Receipt, SaysWhatWasSpentOnWhat) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  QuantileQuery query = quartiles(Budget::pure(Rational(4)));
  query.mechanism = Mechanism::joint_total;
  QuantileRelease release = released(query, cents);
  const Receipt receipt = read_receipt(to_json(release, source), "r.json");
  const std::vector<Receipt::Spent>& spent = receipt.groups.at(0).spent;
  ASSERT_EQ(spent.size(), release.spent.size());
  for (std::size_t i = 0; i < spent.size(); ++i) {
    EXPECT_EQ(spent[i].on, release.spent[i].on);
    EXPECT_EQ(spent[i].amount, release.spent[i].amount.to_string());
  }
  EXPECT_NE(explain(receipt, Prose::text).find("1/10 on granularity"), std::string::npos);
  // As older programs wrote them.
  release.spent.clear();
  const std::string old = to_json(release, source);
  EXPECT_EQ(old.find("spent"), std::string::npos);
  EXPECT_TRUE(read_receipt(old, "r.json").groups.at(0).spent.empty());
  EXPECT_EQ(explain(read_receipt(old, "r.json"), Prose::text).find("charged"), std::string::npos);
}

TEST(Receipt, OfGroupsAndOfBoundsThatWereFound) {
  const Lattice cents = Lattice::regular(0, 10'000, Rational(1, 100));
  const GroupedRelease groups = grouped(quartiles(Budget::pure(Rational(4))), cents);
  const Receipt receipt = read_receipt(to_json(groups, by_town), "r.json");
  ASSERT_EQ(receipt.groups.size(), 2U);
  EXPECT_EQ(receipt.groups[1].key, "b,\"c");
  EXPECT_EQ(receipt.source.person, "id");
  EXPECT_EQ(to_csv(receipt), to_csv(groups));
  EXPECT_NE(explain(receipt, Prose::text).find("in all groups together"), std::string::npos);

  const QuantileRelease release = bounded();
  const Receipt found = read_receipt(to_json(release, source), "r.json");
  EXPECT_EQ(found.budget.to_string(), "rho = 1");
  EXPECT_EQ(found.bounds_share, "1/10");
  EXPECT_EQ(found.without, worst_case(release, Rational(1, 2)).without);
  EXPECT_NE(explain(found, Prose::text).find("10 % of the budget found the range"), std::string::npos);
}

TEST(Receipt, AFlippedBitIsFound) {
  const std::string text = all_kinds().front();
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {  // the last byte is the line's end
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_THROW(read_receipt(flipped, "r.json"), Error) << i << ' ' << bit;
    }
  }
}

std::string refusal_of(const std::string& text) {
  try {
    read_receipt(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "nothing";
}

TEST(Receipt, SaysWhatIsWrong) {
  std::string text = all_kinds().front();
  EXPECT_EQ(refusal_of(""), "'r.json' is no receipt: it is not JSON at byte 0: The document is empty.");
  EXPECT_EQ(refusal_of("{}"), "'r.json' is no receipt: it breaks the schema's rule 'required'");
  EXPECT_NE(refusal_of(std::string(1'000'000, '[')), "nothing");
  const std::size_t at = text.find("\"pure\"");
  EXPECT_EQ(refusal_of(std::string(text).replace(at, 6, "\"poor\"")),
            "'r.json' is no receipt: /privacy/measure breaks the schema's rule 'enum'");
  text.insert(text.find("\"mechanism\""), " ");
  EXPECT_EQ(refusal_of(text), "'r.json' is not as it was written: its hash does not fit");
}

TEST(Receipt, NamesAreKept) {
  EXPECT_TRUE(rc::check([](const std::string& column, const std::string& sql) {
    const auto clean = [](std::string words) {
      std::erase_if(words, [](unsigned char c) { return c == 0 || c >= 128; });
      return words;
    };
    const SourceDescription odd{"a", clean(sql), clean(column), "drop", "E"};
    const QuantileRelease release = released(quartiles(Budget::pure(Rational(1))), Lattice::regular(0, 5, 1));
    const Receipt receipt = read_receipt(to_json(release, odd), "r.json");
    RC_ASSERT(receipt.source.column == odd.column);
    RC_ASSERT(receipt.source.sql == odd.sql);
    const std::string page = explain(receipt, Prose::markdown);
    RC_ASSERT(page.find('\x1b') == std::string::npos);
  }));
}

TEST(Explain, SaysWhatIsProved) {
  const Lattice ages = Lattice::regular(0, 125, 1);
  QuantileRelease release = released(quartiles(Budget::pure(Rational(2))), ages);
  std::string page = explain(read_receipt(to_json(release, source), "r"), Prose::text);
  EXPECT_NE(page.find("NOT PRIVATE"), std::string::npos);  // it has a seed
  EXPECT_NE(page.find("at most 7.39 (e^2)"), std::string::npos);
  EXPECT_NE(page.find("probability of 89 %"), std::string::npos);  // e^2 / (1 + e^2) = 0.8808
  EXPECT_NE(page.find("without that person's records"), std::string::npos);
  release.query.neighbors = Neighbors::change_one;
  release.query.records_per_person = 3;
  release.unsafe_seed.reset();
  page = explain(read_receipt(to_json(release, source), "r"), Prose::text);
  EXPECT_EQ(page.find("NOT PRIVATE"), std::string::npos);
  EXPECT_NE(page.find("at most 3 records in the table"), std::string::npos);
  std::replace(page.begin(), page.end(), '\n', ' ');
  EXPECT_NE(page.find("with any other records in place of that person's"), std::string::npos);
}

TEST(Explain, TellsWhatRoundNumbersWereFound) {
  QuantileRelease release = released(quartiles(Budget::pure(Rational(4))), Lattice::regular(0, 300, Rational(1, 1000)));
  const auto page = [&] {
    std::string text = explain(read_receipt(to_json(release, source), "r"), Prose::text);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  const auto tells = [&](const char* words) { return page().find(words) != std::string::npos; };
  release.used.granularity = Rational(1, 2);
  release.used.heaping = Rational(5, 2);
  EXPECT_TRUE(tells("found that most values are multiples of 0.5, and many are multiples of 2.5;"));
  release.used.granularity.reset();
  EXPECT_TRUE(tells("found that many are multiples of 2.5;"));
  release.used.heaping.reset();
  EXPECT_FALSE(tells("multiples of"));
}

TEST(Explain, TellsOfRecordsThatMayHaveBeenRounded) {
  QuantileQuery query{{}, Budget::pure(Rational(4))};
  for (int i = 1; i < 40; ++i) query.quantiles.emplace_back(i, 40);
  query.expected_rows = 5000;
  const Lattice fine = Lattice::regular(0, 300, Rational(1, 1000));
  QuantileRelease release = released(query, fine);
  release.used.granularity = Rational(1);
  std::string page = explain(read_receipt(to_json(release, source), "r"), Prose::text);
  std::replace(page.begin(), page.end(), '\n', ' ');
  EXPECT_NE(page.find("finer than the granularity"), std::string::npos);
  release.used.granularity = fine.step();
  page = explain(read_receipt(to_json(release, source), "r"), Prose::text);
  EXPECT_EQ(page.find("finer than"), std::string::npos);
}

}  // namespace
}  // namespace fractile

#include "ledger/sums.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "support/errors.hpp"
#include "support/ledger_files.hpp"
#include "support/statistics.hpp"

namespace fractile {
namespace {

using ledger_detail::read_exponent;
using ledger_detail::read_rational;
using ledger_detail::Sums;
using testing::effort;
using testing::expect_failure;
using testing::request;

TEST(LedgerSums, AreTextsThatAreReadBack) {
  Sums sums;
  sums.add_dataset(1, Measure::pure);
  sums.add_dataset(2, Measure::zcdp);
  sums.add_dataset(3, Measure::approximate);
  for (const char* epsilon : {"1/3", "ln 3", "2/7 ln 5/2", "1/6", "ln 3"}) {
    sums.reserve(1, Budget::pure(Exponent::parse(epsilon)));
    sums.reserve(3, Budget::approximate(Exponent::parse(epsilon), Rational(1, 1000)));
  }
  sums.reserve(2, Budget::zcdp(Rational(1, 3)));
  const std::optional<Sums> read = Sums::read(sums.to_text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->to_text(), sums.to_text());
  EXPECT_EQ(read->entries(), 11);
  EXPECT_EQ(read->spent(1).epsilon, sums.spent(1).epsilon);
  EXPECT_EQ(read->spent(2).rho, Rational(1, 3));
  EXPECT_EQ(read->spent(3).delta, Rational(1, 200));
  for (const char* other : {"", "1:x,", "1:1,1:1,", "1:1,1:1,4:pure,1:x,1:0,", "1:1,1:1,4:sure,1:0,1:0,"}) {
    EXPECT_FALSE(Sums::read(other)) << other;
  }
}

/// Numbers longer than any that may be typed are read, since older programs may have charged them.
TEST(LedgerSums, NumbersOfAnyLengthAreRead) {
  const Rational tiny = Rational(1, 3) * Rational(10).pow(-30'000);
  EXPECT_EQ(read_rational(tiny.to_string()), tiny);
  EXPECT_EQ(read_exponent((Exponent::log(Rational(7, 2), tiny)).to_string()), Exponent::log(Rational(7, 2), tiny));
  for (const char* other : {"", "-1", "1/", "/1", "1/0", "1.5", "1e3", "a", "1/2/3"}) {
    EXPECT_THROW(read_rational(other), Error) << other;
  }
}

/// An asker cannot make a sum longer and longer, which would make every release of the dataset slower.
class LedgerLongSums : public testing::EveryStore {
 protected:
  /// Asks for a new cost each time until one is refused; returns how many were charged.
  static int charged_until_refused(Ledger& ledger, const std::string& dataset, const std::function<Budget(int)>& cost) {
    for (int i = 0; i < 1000; ++i) {
      try {
        ledger.reserve(request("q", cost(i), dataset));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
        EXPECT_NE(std::string(error.what()).find("a ledger takes at most 1000"), std::string::npos) << error.what();
        EXPECT_TRUE(error.hint().starts_with("nothing was spent; ")) << error.hint();
        return i;
      }
    }
    return -1;
  }
};
FRACTILE_ON_EVERY_STORE(LedgerLongSums);

TEST_P(LedgerLongSums, AreRefusedBeforeTheCharge) {
  Ledger ledger = Ledger::create(path);
  const std::string digits = "1" + std::string(40, '0');
  const auto tiny = [&](int i) { return Rational::parse("1/" + digits + std::to_string(1001 + 2 * i)); };
  const auto log = [](int i) {
    return Budget::pure(Exponent::log(Rational(1) + Rational(1, 1'000'000'007 + i), Rational(1, 1000)));
  };
  ledger.add_dataset({"logarithms", Budget::pure(Rational(1000))});
  ledger.add_dataset({"fractions", Budget::pure(Rational(1000))});
  ledger.add_dataset({"rho", Budget::zcdp(Rational(1000))});
  EXPECT_GT(charged_until_refused(ledger, "logarithms", log), 20);
  EXPECT_GT(charged_until_refused(ledger, "fractions", [&](int i) { return Budget::pure(tiny(i)); }), 10);
  EXPECT_GT(charged_until_refused(ledger, "rho", [&](int i) { return Budget::zcdp(tiny(i)); }), 10);
  // Costs that were charged before may be charged again, since they do not make the sum longer.
  ledger.reserve(request("q", log(3), "logarithms"));
  ledger.reserve(request("q", Budget::pure(tiny(3)), "fractions"));
  ledger.reserve(request("q", Budget::zcdp(tiny(3)), "rho"));
  ledger.verify();
}

/// Random and extreme budgets of every kind are either charged, and the ledger stays readable, or refused.
class LedgerCosts : public testing::EveryStore {
 protected:
  std::string number() {
    const auto digits = [&](std::size_t count) {
      std::string text;
      for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('1' + random() % 9);
      return text;
    };
    static constexpr std::array extremes{"1e-9998", "1e-5000", "1e9998", "1e-10000", "1e-51",
                                         "1e-50",   "1e-49",   "1e50",   "1e49",     "1e51",
                                         "0",       "1",       "1/3",    "1000000",  "1e-20"};
    switch (random() % 6) {
      case 0:
      case 1:
        return extremes[random() % extremes.size()];
      case 2:
        return digits(1 + random() % 60) + "/" + digits(1 + random() % 60);
      case 3:
        return "0." + std::string(random() % 60, '0') + digits(1 + random() % 5);
      case 4:
        return digits(1 + random() % 3) + "/" + digits(1 + random() % 3);
      default:
        return digits(1 + random() % 4) + "e-" + std::to_string(random() % 80);
    }
  }

  std::string epsilon() {
    switch (random() % 6) {
      case 0:
        return "ln " + number();
      case 1:
        return number() + " ln " + number();
      case 2:
        return "ln 1." + std::string(random() % 55, '0') + "1";
      default:
        return number();
    }
  }

  Budget budget() {
    switch (random() % 3) {
      case 0:
        return Budget::zcdp(Rational::parse(number()));
      case 1:
        return Budget::approximate(Exponent::parse(epsilon()), Rational::parse(number()));
      default:
        return Budget::pure(Exponent::parse(epsilon()));
    }
  }

  std::mt19937 random{20261126};
};
FRACTILE_ON_EVERY_STORE(LedgerCosts);

/// Runs `work`; false when it is refused with `usage` or `budget_refused`, the only errors that may happen.
template <class Work>
bool happens(const Work& work) {
  const std::optional<ErrorCode> code = testing::code_of(work);
  EXPECT_TRUE(!code || *code == ErrorCode::usage || *code == ErrorCode::budget_refused);
  return !code;
}

TEST_P(LedgerCosts, NoneBreaksALedger) {
  const Rational plenty = Rational(10).pow(45);
  std::uint64_t charged = 0;
  const std::uint64_t rounds = effort(is_postgres() ? 15 : 60, 4);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    if (i % 25 == 0) {
      path = fresh();
      Ledger ledger = Ledger::create(path);
      ledger.add_dataset({"pure", Budget::pure(plenty)});
      ledger.add_dataset({"zcdp", Budget::zcdp(plenty)});
      ledger.add_dataset({"approximate", Budget::approximate(plenty, Rational(1, 2))});
    }
    Ledger ledger = Ledger::open(path);
    const std::string query = std::to_string(i);
    happens([&] {
      const Budget cost = budget();
      ledger.add_dataset({"own" + query, cost});
    });
    for (const char* dataset : {"pure", "zcdp", "approximate"}) {
      happens([&] {
        const Budget cost = budget();
        const LedgerReservation entry = ledger.reserve(request(query, cost, dataset));
        ++charged;
        SCOPED_TRACE(cost.to_string());
        if (i % 3 == 0) {
          ledger.commit(entry, "receipt");
          EXPECT_EQ(ledger.find_committed(dataset, query)->request.cost.to_string(), cost.to_string());
        } else if (i % 3 == 1) {
          ledger.void_entry(entry.id, "why");
        }
      });
    }
    const Ledger after = Ledger::open(path);
    after.verify();
    for (const LedgerDataset& dataset : after.datasets()) after.balance(dataset.name);
    after.statement();
  }
  EXPECT_GT(charged, rounds / 4);
}

TEST_P(LedgerCosts, OfMoreThanFiftyDigitsAreRefused) {
  Ledger ledger = Ledger::create(path);
  ledger.add_dataset({"people", Budget::zcdp(Rational(1))});
  const auto refused = [&](const Budget& cost, const std::string& part) {
    expect_failure(ErrorCode::usage, part, [&] { ledger.require_fit(request("q", cost)); });
    expect_failure(ErrorCode::usage, part, [&] { ledger.reserve(request("q", cost)); });
    expect_failure(ErrorCode::usage, part, [&] { ledger.add_dataset({"more", cost}); });
  };
  refused(Budget::pure(Rational::parse("1e-9998")),
          "epsilon has a number of 9999 digits, and a ledger takes at most 50");
  refused(Budget::pure(Rational::parse("1e-5000")), "epsilon has a number of 5001 digits");
  refused(Budget::zcdp(Rational::parse("1e-50")), "rho has a number of 51 digits");
  refused(Budget::pure(Exponent::log(Rational::parse("1" + std::string(50, '0') + "1"))), "epsilon has a number of 52");
  refused(Budget::pure(Exponent::log(2, Rational::parse("1e-60"))), "epsilon has a number of 61 digits");
  refused(Budget::approximate(Rational(1), Rational::parse("1e-77")), "delta has a number of 78 digits");
  EXPECT_TRUE(ledger.statement().entries.empty());
  EXPECT_EQ(ledger.reserve(request("q", Budget::zcdp(Rational::parse("1e-49")))).id, 1);
  EXPECT_EQ(ledger.reserve(request("q", Budget::pure(Rational::parse("1e-49")))).id, 2);
  ledger.verify();
}

}  // namespace
}  // namespace fractile

// Several releases are charged together and stored together: all of them or none.
#include <gtest/gtest.h>

#include <array>

#include "fractile/error.hpp"
#include "fractile/ledger.hpp"
#include "support/ledger_files.hpp"

namespace fractile {
namespace {

using testing::expect_failure;
using testing::request;

Budget epsilon_of(const char* text) { return Budget::pure(Exponent::parse(text)); }

class LedgerTogether : public testing::EveryStore {
 protected:
  void SetUp() override {
    EveryStore::SetUp();
    if (IsSkipped()) return;
    Ledger::create(path).add_dataset({"people", epsilon_of("1"), Neighbors::add_remove});
  }

  Ledger ledger() const { return Ledger::open(path); }
  std::string spent() const { return ledger().balance("people").spent.to_string(); }
  std::string kinds() const {
    std::string kinds;
    for (const LedgerEvent& event : ledger().statement().events) kinds += event.kind + " ";
    return kinds;
  }

  static LedgerRequests always(std::vector<LedgerRequest> requests) {
    return [requests = std::move(requests)](const auto&) { return requests; };
  }
};
FRACTILE_ON_EVERY_STORE(LedgerTogether);

TEST_P(LedgerTogether, AllAreChargedAndStored) {
  Ledger open = ledger();
  std::vector<LedgerRequest> wanted{request("a", epsilon_of("1/2")), request("b", epsilon_of("1/4")),
                                    request("c", epsilon_of("1/4"))};
  for (LedgerRequest& each : wanted) each.receipt_path = folder.file("tables.json");  // one receipt for all of them
  const std::vector<LedgerReservation> entries = open.reserve_beside({"people", {}}, always(wanted));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[2].id, 3);
  EXPECT_EQ(spent(), "epsilon = 1");
  const std::array<LedgerCommitment, 3> releases{{{entries[0], "of a"}, {entries[1], "of b"}, {entries[2], "of c"}}};
  open.commit(releases);
  EXPECT_EQ(kinds(), "dataset reserve reserve reserve draw draw draw commit commit commit ");
  EXPECT_EQ(open.find_committed("people", "b")->receipt, "of b");
  EXPECT_EQ(open.find_committed("people", "c")->charge.to_string(), "epsilon = 1/4");
  open.verify();
}

TEST_P(LedgerTogether, WhatIsHeldAtItsCostComesBeforeWhatIsNewer) {
  Ledger open = ledger();
  const auto commit = [&](const char* query, const char* cost, const std::string& receipt) {
    open.commit(open.reserve(request(query, epsilon_of(cost))), receipt);
  };
  commit("a", "1/8", "a at 1/8");
  commit("b", "1/16", "b at 1/16");
  commit("a", "1/4", "a at 1/4");
  const auto held = [&](std::vector<Budget> costs) {
    std::string receipts;
    const LedgerQueries asked{"people", {"a", "b"}, 0, std::move(costs)};
    for (const std::optional<LedgerEntry>& each : open.find_committed(asked))
      receipts += each ? each->receipt + "; " : "-";
    return receipts;
  };
  EXPECT_EQ(held({}), "a at 1/4; b at 1/16; ");
  EXPECT_EQ(held({epsilon_of("1/8"), epsilon_of("1/16")}), "a at 1/8; b at 1/16; ");
  EXPECT_EQ(held({epsilon_of("1/4"), epsilon_of("0.0625")}), "a at 1/4; b at 1/16; ");
  EXPECT_EQ(held({epsilon_of("1/8"), epsilon_of("1/8")}), "a at 1/4; b at 1/16; ") << "b is not held at this cost";
  EXPECT_EQ(held({Budget::zcdp(Rational(1, 8)), epsilon_of("1/16")}), "a at 1/4; b at 1/16; ");
  expect_failure(ErrorCode::usage, "some of the queries have no cost", [&] { held({epsilon_of("1/8")}); });
}

// All entries from the first to the last were named, those between them that were void, too.
TEST_P(LedgerTogether, AVoidedOneIsNotNamed) {
  Ledger open = ledger();
  std::vector<LedgerRequest> wanted;
  for (const char* const query : {"a", "b", "c", "d"}) {
    wanted.push_back(request(query, epsilon_of("1/8")));
    wanted.back().receipt_path = folder.file("tables.json");
  }
  const std::vector<LedgerReservation> entries = open.reserve_beside({"people", {}}, always(wanted));
  open.void_entry(2, "changed our mind");
  const std::array<LedgerCommitment, 2> releases{{{entries[0], "of a"}, {entries[1], "of b"}}};
  expect_failure(ErrorCode::ledger, "nothing was published, and this entry does not count",
                 [&] { open.commit(releases); });
  const auto ask = [&] { open.reserve_beside({"people", {}}, always({wanted[1]})); };
  expect_failure(ErrorCode::usage, "is that of entries 1 and 3 to 4 of the ledger", ask);
  expect_failure(ErrorCode::usage, "gives entry N back, for each N of 1 and 3 to 4; under another name", ask);
  open.void_entry(3, "changed our mind");
  expect_failure(ErrorCode::usage, "is that of entries 1 and 4 of the ledger", ask);
  open.void_entry(1, "changed our mind");
  expect_failure(ErrorCode::usage, "is that of entry 4 of the ledger", ask);
  open.void_entry(4, "changed our mind");
  ask();
  EXPECT_EQ(spent(), "epsilon = 1/8");
}

TEST_P(LedgerTogether, WhatIsTooDearAsAWholeIsNotChargedInPart) {
  Ledger open = ledger();
  open.reserve(request("before", epsilon_of("1/10")));
  expect_failure(
      ErrorCode::budget_refused,
      "a cost of epsilon = 1 in all exceeds what remains of dataset 'people', epsilon = 9/10 of epsilon = 1", [&] {
        open.reserve_beside({"people", {}}, always({request("a", epsilon_of("1/2")), request("b", epsilon_of("1/2"))}));
      });
  EXPECT_EQ(spent(), "epsilon = 1/10");
  EXPECT_EQ(kinds(), "dataset reserve ");
}

/// The last request is refused for a reason other than its cost.
TEST_P(LedgerTogether, WhatIsRefusedIsRefusedAsAWhole) {
  Ledger open = ledger();
  LedgerRequest other = request("b", epsilon_of("1/4"));
  other.neighbors = Neighbors::change_one;
  expect_failure(ErrorCode::usage, "change-one neighbors", [&] {
    open.reserve_beside({"people", {}}, always({request("a", epsilon_of("1/4")), other}));
  });
  EXPECT_EQ(kinds(), "dataset ");
}

TEST_P(LedgerTogether, WhatIsHeldDecidesWhatIsAskedFor) {
  Ledger open = ledger();
  open.commit(open.reserve(request("b", epsilon_of("1/8"))), "of b");
  open.reserve(request("c", epsilon_of("1/8")));  // reserved, but not committed
  std::vector<std::string> found;
  const LedgerRequests the_others = [&](const std::vector<std::optional<LedgerEntry>>& held) {
    found.clear();
    std::vector<LedgerRequest> others;
    for (std::size_t i = 0; i < held.size(); ++i) {
      found.push_back(held[i] ? held[i]->receipt : "nothing");
      if (!held[i]) others.push_back(request(std::array{"a", "b", "c"}[i], epsilon_of("1/16")));
    }
    return others;
  };
  const auto entries = open.reserve_beside({"people", {"a", "b", "c"}}, the_others);
  EXPECT_EQ(found, (std::vector<std::string>{"nothing", "of b", "nothing"}));
  EXPECT_EQ(entries.size(), 2U);
  EXPECT_EQ(spent(), "epsilon = 3/8");
  EXPECT_TRUE(open.reserve_beside({"people", {"b"}}, always({})).empty());
}

TEST_P(LedgerTogether, OneThatIsAnothersStoresNone) {
  Ledger open = ledger();
  auto entries =
      open.reserve_beside({"people", {}}, always({request("a", epsilon_of("1/4")), request("b", epsilon_of("1/4"))}));
  entries[1].token = entries[0].token;
  const std::array<LedgerCommitment, 2> releases{{{entries[0], "of a"}, {entries[1], "of b"}}};
  expect_failure(ErrorCode::ledger, "no longer has entry 2 of this release", [&] { open.commit(releases); });
  EXPECT_EQ(kinds(), "dataset reserve reserve ");
}

TEST_P(LedgerTogether, OneThatWasVoidedStoresNone) {
  Ledger open = ledger();
  const auto entries =
      open.reserve_beside({"people", {}}, always({request("a", epsilon_of("1/4")), request("b", epsilon_of("1/4"))}));
  open.void_entry(entries[1].id, "stopped");
  const std::array<LedgerCommitment, 2> releases{{{entries[0], "of a"}, {entries[1], "of b"}}};
  expect_failure(ErrorCode::ledger, "entry 2", [&] { open.commit(releases); });
  EXPECT_EQ(kinds(), "dataset reserve reserve void ");
  EXPECT_FALSE(open.find_committed("people", "a"));
}

/// Two ledgers ask for the same releases at once. The second one finds what the first has committed and is charged for the rest. The two
/// never spend the same part of the budget.
TEST_P(LedgerTogether, LookingUpAndChargingAreOne) {
  Ledger first = ledger();
  Ledger second = ledger();
  const LedgerRequests both = always({request("a", epsilon_of("1/3")), request("b", epsilon_of("1/3"))});
  first.reserve_beside({"people", {"a", "b"}}, both);
  expect_failure(ErrorCode::budget_refused, "epsilon = 1/3 of epsilon = 1", [&] {
    second.reserve_beside({"people", {"a", "b"}}, both);
  });
  EXPECT_EQ(spent(), "epsilon = 2/3");
}

}  // namespace
}  // namespace fractile

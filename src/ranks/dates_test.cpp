#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <random>
#include <string>

#include "fractile/error.hpp"
#include "fractile/ranks.hpp"
#include "libraries/fmt.hpp"
#include "support/errors.hpp"

namespace fractile {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

/// A calendar that counts day by day.
struct Calendar {
  int year;
  int month = 1;
  int day = 1;

  static bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
  int days() const {
    constexpr int of_month[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return of_month[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
  }
  void next() {
    if (++day <= days()) return;
    day = 1;
    if (++month <= 12) return;
    month = 1;
    ++year;
  }
  std::string text() const { return fmt::format("{:04}-{:02}-{:02}", year, month, day); }
};

std::int64_t days_to(int year) {
  std::int64_t days = 0;
  for (int y = 1970; y < year; ++y) days += Calendar::is_leap(y) ? 366 : 365;
  for (int y = year; y < 1970; ++y) days -= Calendar::is_leap(y) ? 366 : 365;
  return days;
}

std::optional<Moment> moment(ValueKind kind, std::int64_t ticks) { return Moment{kind, ticks}; }

TEST(Dates, EveryDayOfTenThousandYearsIsReadAndWritten) {
  Calendar calendar{1};
  for (std::int64_t day = days_to(1); day <= last_day; ++day, calendar.next()) {
    const std::string text = calendar.text();
    ASSERT_EQ(read_moment(text), moment(ValueKind::date, day)) << text;
    ASSERT_EQ(moment_text(ValueKind::date, day), text);
  }
  EXPECT_EQ(calendar.year, 10000);
  EXPECT_EQ(days_to(1), first_day);
}

TEST(Dates, WhatIsNoDayIsNotRead) {
  Calendar calendar{1896};
  for (; calendar.year < 1908; calendar.next()) {
    if (calendar.day != calendar.days()) continue;
    Calendar after = calendar;
    for (after.day = calendar.day + 1; after.day < 35; ++after.day)
      EXPECT_FALSE(read_moment(after.text())) << after.text();
  }
  for (const char* text : {"",
                           "2024",
                           "2024-01",
                           "2024-1-31",
                           "24-01-31",
                           "2024-00-10",
                           "2024-13-01",
                           "2024-01-00",
                           "0000-01-01",
                           "10000-01-01",
                           "-2024-01-31",
                           "+2024-01-31",
                           "2024/01/31",
                           "20240131",
                           "2024-W05-3",
                           "2024-031",
                           " 2024-01-31",
                           "2024-01-31 ",
                           "2024-01-31T",
                           "2024-01-31T17",
                           "2024-01-31T1:00",
                           "2024-01-31T24:00",
                           "2024-01-31T17:60",
                           "2024-01-31T17:00:60",
                           "2024-01-31T17:00:",
                           "2024-01-31T17:00:00.",
                           "2024-01-31T17:00:00,5",
                           "2024-01-31t17:00",
                           "2024-01-31  17:00",
                           "2024-01-31T17:00z",
                           "2024-01-31T17:00+",
                           "2024-01-31T17:00+1",
                           "2024-01-31T17:00+24:00",
                           "2024-01-31T17:00+01:60",
                           "2024-01-31T17:00+01:",
                           "2024-01-31T17:00+0100:00",
                           "2024-01-31T17:00ZZ",
                           "2024-01-31Z",
                           "2024-01-31T17:00 UTC",
                           "2024-01-31T17:00:00.5.5",
                           "31.01.2024",
                           "01/31/2024",
                           "Jan 31 2024",
                           "today",
                           "epoch",
                           "NaT"}) {
    EXPECT_FALSE(read_moment(text)) << text;
  }
  EXPECT_FALSE(read_moment(std::string_view("2024-01-31\0", 11)));
}

TEST(Dates, TimesAreReadToTheMicrosecond) {
  const std::int64_t noon = 12 * 3'600'000'000;
  EXPECT_EQ(read_moment("1970-01-01T12:00"), moment(ValueKind::timestamp, noon));
  EXPECT_EQ(read_moment("1970-01-01 12:00:00"), moment(ValueKind::timestamp, noon));
  EXPECT_EQ(read_moment("1970-01-01T12:00:00.000001"), moment(ValueKind::timestamp, noon + 1));
  EXPECT_EQ(read_moment("1970-01-01T12:00:00.0000019999999999999999999"), moment(ValueKind::timestamp, noon + 1));
  EXPECT_EQ(read_moment("1970-01-01T12:00:00.25"), moment(ValueKind::timestamp, noon + 250'000));
  EXPECT_EQ(read_moment("1969-12-31T23:59:59.999999"), moment(ValueKind::timestamp, -1));
  for (const char* utc : {"1970-01-01T12:00Z", "1970-01-01T13:00+01", "1970-01-01 13:30:00+0130",
                          "1970-01-01T06:15:00-05:45", "1970-01-02T11:59+23:59", "1970-01-01T12:00:00.000-00:00"}) {
    EXPECT_EQ(read_moment(utc), moment(ValueKind::instant, noon)) << utc;
  }
}

TEST(Dates, WhatIsWrittenIsReadAgain) {
  EXPECT_TRUE(rc::check([] {
    const auto ticks =
        *rc::gen::inRange<std::int64_t>(first_day * microseconds_a_day, (last_day + 1) * microseconds_a_day);
    for (const ValueKind kind : {ValueKind::timestamp, ValueKind::instant}) {
      for (const std::int64_t unit : {1LL, 1000LL, 1'000'000LL}) {
        const std::int64_t whole = ticks - ((ticks % unit) + unit) % unit;
        RC_ASSERT(read_moment(moment_text(kind, whole)) == moment(kind, whole));
        RC_ASSERT(read_value(kind, value_text(kind, whole)) == Rational(whole));
      }
    }
  }));
  EXPECT_EQ(moment_text(ValueKind::timestamp, -1), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(moment_text(ValueKind::instant, 1'500'000), "1970-01-01T00:00:01.500Z");
  EXPECT_THROW(moment_text(ValueKind::date, last_day + 1), Error);
  EXPECT_THROW(moment_text(ValueKind::timestamp, first_day * microseconds_a_day - 1), Error);
  EXPECT_THROW(read_value(ValueKind::date, "2024-01-31T00:00:00"), Error);
}

TEST(Dates, TicksAreRoundedDownAsRationalsAre) {
  const std::pair<TimeUnit, Rational> units[] = {{TimeUnit::days, Rational(microseconds_a_day)},
                                                 {TimeUnit::seconds, Rational(1'000'000)},
                                                 {TimeUnit::milliseconds, Rational(1000)},
                                                 {TimeUnit::microseconds, Rational(1)},
                                                 {TimeUnit::nanoseconds, Rational(1, 1000)}};
  std::mt19937_64 random(1);
  for (const auto& [unit, microseconds] : units) {
    std::vector<std::int64_t> numbers{0, 1, -1, 999, -999, 1000, -1000, 1001, -1001, largest, smallest, smallest + 1};
    for (int i = 0; i < 2000; ++i) {
      numbers.push_back(static_cast<std::int64_t>(random()) >> random() % 63);
      numbers.push_back(static_cast<std::int64_t>(random() % 40'000) * 86'400 * (random() % 2 == 0 ? 1 : -1) - 1);
    }
    for (const std::int64_t number : numbers) {
      for (const auto& [kind, tick] :
           {std::pair{ValueKind::date, Rational(microseconds_a_day)}, std::pair{ValueKind::timestamp, Rational(1)}}) {
        const Rational exact = (Rational(number) * microseconds / tick).floor();
        const Rational clamped = std::clamp(exact, Rational(smallest), Rational(largest));
        ASSERT_EQ(Rational(ticks_in(kind, number, unit)), clamped) << number;
      }
    }
  }
}

TEST(Dates, ZonedAndUnzonedTimesNeverMeet) {
  const Moment day{ValueKind::date, -1};
  const Moment clock{ValueKind::timestamp, -1};
  const Moment instant{ValueKind::instant, -1};
  EXPECT_EQ(ticks_on(ValueKind::date, day), -1);
  EXPECT_EQ(ticks_on(ValueKind::date, clock), -1);
  EXPECT_EQ(ticks_on(ValueKind::timestamp, day), -microseconds_a_day);
  EXPECT_EQ(ticks_on(ValueKind::timestamp, clock), -1);
  EXPECT_EQ(ticks_on(ValueKind::instant, instant), -1);
  for (const Moment& other : {day, clock}) EXPECT_FALSE(ticks_on(ValueKind::instant, other));
  for (const ValueKind kind : {ValueKind::date, ValueKind::timestamp}) EXPECT_FALSE(ticks_on(kind, instant));
  EXPECT_EQ(cell_ticks(ValueKind::date, "\t1970-01-02 \r"), 1);
  EXPECT_EQ(cell_ticks(ValueKind::date, " -Infinity"), smallest);
  EXPECT_EQ(cell_ticks(ValueKind::instant, "+inf"), largest);
  for (const char* none : {"", "infinit", "--inf", "nan", "1970-01-02T00:00:00Z", "1", "-"}) {
    EXPECT_FALSE(cell_ticks(ValueKind::date, none)) << none;
  }
}

TEST(Dates, SpansHaveOneUnit) {
  EXPECT_EQ(read_span("1w"), 7 * microseconds_a_day);
  EXPECT_EQ(read_span("90min"), std::int64_t{90} * 60'000'000);
  EXPECT_EQ(read_span("9223372036854775807us"), largest);
  for (const char* none : {"", "d", "1", "1m", "1M", "1mo", "1y", "1D", "-1d", "+1d", "1.5h", "1 d", "1d ", "1d12h",
                           "9223372036854775808us", "106751992d", "99999999999999999999999999d"}) {
    EXPECT_FALSE(read_span(none)) << none;
  }
  EXPECT_EQ(span_text(ValueKind::date, 7), "7d");
  EXPECT_EQ(span_text(ValueKind::timestamp, Rational(36) * Rational(3'600'000'000)), "36h");
  EXPECT_EQ(span_text(ValueKind::instant, 1500), "1500us");
  EXPECT_TRUE(rc::check([] {
    const auto span = *rc::gen::inRange<std::int64_t>(1, largest);
    RC_ASSERT(read_span(span_text(ValueKind::timestamp, span)) == span);
  }));
}

TEST(Dates, DurationsAreInDaysHoursMinutesAndSeconds) {
  EXPECT_EQ(duration_text(ValueKind::date, 12), "12d");
  EXPECT_EQ(duration_text(ValueKind::date, 0), "0d");
  EXPECT_EQ(duration_text(ValueKind::timestamp, 0), "0s");
  EXPECT_EQ(duration_text(ValueKind::timestamp, Rational(90) * Rational(60'000'000)), "1h 30min");
  EXPECT_EQ(duration_text(ValueKind::instant, Rational(-microseconds_a_day - 1'500'000)), "-1d 1.500s");
  EXPECT_EQ(duration_text(ValueKind::instant, Rational(1)), "0.000001s");
  EXPECT_EQ(duration_text(ValueKind::number, Rational(1, 4)), "0.25");
}

// --- Lattices of them ---------------------------------------------------------------------------------------------------

/// The position of the last point that is not after the value, clamped, by exact arithmetic.
Position slow_position(const Lattice& lattice, std::int64_t value) {
  if (!lattice.is_regular()) {
    Position position = 0;
    for (std::uint64_t i = 0; i < lattice.size(); ++i) {
      if (lattice.at(i) == Rational(value)) return 2 * i + 1;
      if (lattice.at(i) < Rational(value)) position = 2 * i + 2;
    }
    return position;
  }
  const Rational index = ((Rational(value) - lattice.lower()) / lattice.step()).floor();
  const Rational last = lattice.size() - 1;
  return 2 * std::clamp(index, Rational(0), last).to_uint64() + 1;
}

std::vector<Lattice> time_lattices() {
  const std::int64_t day = microseconds_a_day;
  return {Lattice::regular(18'262, 20'454, 1, ValueKind::date),
          Lattice::regular(-100, 600, 7, ValueKind::date),
          Lattice::regular(first_day, last_day, 1, ValueKind::date),
          Lattice::regular(5, 5, 1, ValueKind::date),
          Lattice::regular(18'262 * day, 20'454 * day, 3'600'000'000, ValueKind::timestamp),
          Lattice::regular(-3, 4, 1, ValueKind::instant),
          Lattice::regular(first_day * day, last_day * day, 1'000'000, ValueKind::instant),
          Lattice::regular(first_day * day, (last_day + 1) * day - 1, 1, ValueKind::timestamp),
          Lattice::regular(-7'000'003, 7'000'004, 7, ValueKind::timestamp),
          Lattice::explicit_points({-5, 0, 18'262}, ValueKind::date),
          Lattice::explicit_points({first_day * day, -1, 1'704'067'200'000'000, 250'000'000'000'000'000},
                                   ValueKind::instant)};
}

TEST(Dates, ARecordCountsForTheLastPointThatIsNotAfterIt) {
  std::mt19937_64 random(2);
  for (const Lattice& lattice : time_lattices()) {
    std::vector<std::int64_t> values{0, 1, -1, largest, smallest, smallest + 1, largest - 1};
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t index = i == 0 ? 0 : i == 1 ? lattice.size() - 1 : random() % lattice.size();
      const std::int64_t at = lattice.at(index).to_int64();
      const std::int64_t half = lattice.is_regular() ? (lattice.step() * Rational(1, 2)).floor().to_int64() : 1;
      for (const std::int64_t near : {-1, 0, 1}) {
        values.push_back(at + near);
        values.push_back(at + half + near);
      }
      values.push_back(static_cast<std::int64_t>(random()) >> random() % 63);
    }
    std::vector<Position> many(values.size());
    lattice.positions_of(values, many);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(many[i], slow_position(lattice, values[i])) << values[i];
      ASSERT_EQ(lattice.position_of(values[i]), many[i]) << values[i];
      if (std::abs(values[i] / 2) >= std::int64_t{1} << 52) continue;
      ASSERT_EQ(lattice.position_of(static_cast<double>(values[i])), many[i]) << values[i];
    }
  }
}

TEST(Dates, AnAfternoonBelongsToItsDay) {
  const Lattice days = Lattice::regular(19'000, 20'000, 1, ValueKind::date);
  for (const char* text : {"2024-01-31", "2024-01-31T00:00", "2024-01-31T12:00", "2024-01-31T23:59:59.999999999"}) {
    EXPECT_EQ(days.text(days.position_of(*cell_ticks(ValueKind::date, text)) / 2), "2024-01-31") << text;
  }
}

TEST(Dates, BuildersOfTwoKindsAreNotAddedUp) {
  ProfileBuilder days(Lattice::regular(0, 5, 1, ValueKind::date));
  ProfileBuilder numbers(Lattice::regular(0, 5, 1));
  ProfileBuilder times(Lattice::regular(0, 5, 1, ValueKind::timestamp));
  EXPECT_THROW(days.take(numbers), Error);
  EXPECT_THROW(days.take(times), Error);
}

TEST(Dates, LatticesOfTimesAreWholeAndWithinTheirYears) {
  const auto refused = [](const Rational& lower, const Rational& upper, const Rational& step, ValueKind kind) {
    const Error error = testing::error_of([&] { Lattice::regular(lower, upper, step, kind); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
  };
  refused(first_day - 1, 0, 1, ValueKind::date);
  refused(0, last_day + 1, 1, ValueKind::date);
  refused(0, (last_day + 1) * microseconds_a_day, 1, ValueKind::timestamp);
  refused(Rational(1, 2), Rational(3, 2), 1, ValueKind::date);
  refused(0, 1, Rational(1, 2), ValueKind::date);
  refused(0, 10, 7, ValueKind::date);
  refused(1, 0, 1, ValueKind::date);
  refused(1, 1, Rational::parse("18888888888888888888888"), ValueKind::date);  // which divides equal bounds
  refused(17895, Rational(1628, 1000), 1, ValueKind::date);                    // in the wrong order, and no day
  EXPECT_THROW(Lattice::explicit_points({1, 1}, ValueKind::date), Error);
  EXPECT_THROW(Lattice::explicit_points({last_day + 1}, ValueKind::date), Error);
  const Error error = testing::error_of([&] { Lattice::regular(19'723, 19'733, 7, ValueKind::date); });
  EXPECT_EQ(std::string(error.what()), "the step 7d does not divide the bounds 2024-01-01 to 2024-01-11");
  EXPECT_EQ(error.hint(), "an upper bound of 2024-01-15 would fit");
}

}  // namespace
}  // namespace fractile

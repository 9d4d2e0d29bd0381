// Columns of dates and times: the same profile from every type, format and way of counting.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fractile/source.hpp"
#include "source/counting/counting.hpp"
#include "source/entries/table_test_support.hpp"
#include "source/files/columns.hpp"
#include "source/files/input_file.hpp"
#include "support/errors.hpp"

namespace fractile {
namespace {

using source_test::error_of;

class Times : public source_test::EngineTest {
 protected:
  RankProfile counted(const std::string& file, const std::string& column, const Lattice& lattice,
                      Counting counting = Counting::automatic) const {
    return open(file).profile(column, lattice, NullPolicy::drop, counting);
  }
};

const Lattice days = Lattice::regular(-3, 20'000, 1, ValueKind::date);
const Lattice few_days = Lattice::regular(-3, 2'000, 1, ValueKind::date);
const Lattice hours =
    Lattice::regular(-microseconds_a_day, 20'000 * microseconds_a_day, 3'600'000'000, ValueKind::timestamp);
const Lattice hours_in_utc =
    Lattice::regular(-microseconds_a_day, 20'000 * microseconds_a_day, 3'600'000'000, ValueKind::instant);
const Lattice some_days = Lattice::explicit_points({-1, 0, 1, 19'000}, ValueKind::date);
const Lattice some_times = Lattice::explicit_points({-1, 0, 43'200'000'000}, ValueKind::timestamp);

const std::vector<std::string> clocks{"1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "1969-12-31 12:00:00",
                                      "1970-01-01 12:00:00", "2022-01-08 23:59:59",        "2262-04-11 23:47:16",
                                      "1800-09-21 00:12:45", "2024-02-29 06:30:00.25",     "1970-01-01 23:30:00"};

std::string unioned(const std::string& type, const std::vector<std::string>& texts) {
  std::string sql = "SELECT CAST(NULL AS " + type + ") AS x";
  for (const std::string& text : texts) sql += " UNION ALL SELECT CAST('" + text + "' AS " + type + ")";
  return sql;
}

RankProfile defined(const Lattice& lattice, const std::vector<std::string>& texts) {
  ProfileBuilder builder(lattice);
  for (const std::string& text : texts) builder.add(cell_ticks(lattice.kind(), text).value());
  return builder.finish();
}

TEST_F(Times, EveryTypeOfTimestampHasTheSamePositions) {
  for (const Lattice& lattice : {days, few_days, hours, some_days, some_times}) {
    const RankProfile expected = defined(lattice, clocks);
    for (const char* type : {"TIMESTAMP", "TIMESTAMP_NS", "VARCHAR"}) {
      EXPECT_EQ(counted(write_parquet(std::string(type) + ".parquet", unioned(type, clocks)), "x", lattice), expected)
          << type;
    }
    std::vector<std::string> whole = clocks;
    for (std::string& text : whole) text = text.substr(0, 19);
    std::string csv = "x\n";
    for (const std::string& text : whole) csv += text + "\n";
    const std::string file = folder.write("whole.csv", csv);
    for (const char* type : {"TIMESTAMP_S", "TIMESTAMP_MS"}) {
      const std::string sql = std::string("SELECT CAST(x AS ") + type + ") AS x FROM input";
      EXPECT_EQ(Table::open({.file = file, .sql = sql}).profile("x", lattice, NullPolicy::drop),
                defined(lattice, whole))
          << type;
    }
    for (std::string& text : whole) text += "+00";
    if (lattice.kind() != ValueKind::timestamp || !lattice.is_regular()) continue;
    EXPECT_EQ(counted(write_parquet("tz.parquet", unioned("TIMESTAMPTZ", whole)), "x", hours_in_utc),
              defined(hours_in_utc, whole));
  }
}

TEST_F(Times, TheEngineCountsDaysAsThisLibraryDoes) {
  std::vector<std::string> texts{"0001-01-01", "9999-12-31", "1969-12-28", "1969-12-29",
                                 "1975-06-23", "1975-06-24", "1975-06-25"};
  for (int i = 1; i < 28; ++i) texts.push_back("1971-02-" + std::string(i < 10 ? "0" : "") + std::to_string(i));
  const std::string file = write_parquet("days.parquet", unioned("DATE", texts));
  const Lattice weeks = Lattice::regular(-3, 2'000 - 2'000 % 7 - 3, 7, ValueKind::date);
  for (const Lattice& lattice : {few_days, weeks, Lattice::explicit_points({400, 405, 410}, ValueKind::date)}) {
    const RankProfile expected = defined(lattice, texts);
    EXPECT_EQ(counted(file, "x", lattice, Counting::push_down), expected);
    EXPECT_EQ(counted(file, "x", lattice, Counting::stream), expected);
  }
  EXPECT_THROW(counted(file, "x", days, Counting::push_down), Error);
  EXPECT_EQ(counted(file, "x", hours), defined(hours, texts));
}

TEST_F(Times, InfinitiesAndDistantYearsClamp) {
  const std::string dates = write_parquet("dates.parquet",
                                          "SELECT unnest([DATE '-infinity', DATE '5877642-06-25 (BC)', DATE "
                                          "'-290000-01-01', DATE 'infinity', DATE '5881580-07-10']) AS x");
  const std::string times = write_parquet("times.parquet",
                                          "SELECT unnest([TIMESTAMP '-infinity', TIMESTAMP '290309-12-22 (BC) "
                                          "00:00:00', TIMESTAMP 'infinity', TIMESTAMP '294247-01-10 "
                                          "04:00:54.775806']) AS x");
  for (const Lattice& lattice : {few_days, days, hours}) {
    const std::uint64_t last = lattice.size() - 1;
    const RankProfile of_dates = counted(dates, "x", lattice);
    EXPECT_EQ(of_dates.equal(0), 3U);
    EXPECT_EQ(of_dates.equal(last), 2U);
    const RankProfile of_times = counted(times, "x", lattice);
    EXPECT_EQ(of_times.equal(0), 2U);
    EXPECT_EQ(of_times.equal(last), 2U);
    EXPECT_EQ(counted(folder.write("inf.csv", "x\ninf\n-Infinity\n+infinity\n"), "x", lattice).equal(last), 2U);
  }
}

TEST_F(Times, TextsOfAllFormatsAreReadByOneGrammar) {
  std::string csv = "x\n";
  std::string json;
  for (const std::string& text : clocks) {
    csv += " " + text + "\t\n";
    json += "{\"x\": \"" + text + "\"}\n";
  }
  csv += "\"\"\n\"  \"\n";
  json += "{\"x\": null}\n{\"y\": 1}\n{\"x\": \"\"}\n";
  for (const Lattice& lattice : {days, hours, some_times}) {
    EXPECT_EQ(counted(folder.write("x.csv", csv), "x", lattice), defined(lattice, clocks));
    EXPECT_EQ(counted(folder.write("x.json", json), "x", lattice), defined(lattice, clocks));
  }
}

TEST_F(Times, ACellThatIsNoTimeIsNamedByItsRowAlone) {
  const auto refused = [&](const std::string& cell, const Lattice& lattice) {
    const std::string file =
        folder.write("bad.csv", "x\n2024-01-31" + std::string(lattice.kind() == ValueKind::instant ? "T00:00Z" : "") +
                                    "\n\"\"\n" + cell + "\n");
    const Error error = error_of([&] { counted(file, "x", lattice); });
    EXPECT_EQ(error.code(), ErrorCode::data) << cell;
    EXPECT_TRUE(std::string(error.what()).find("row 3, column 'x': not a ") != std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what() + error.hint()).find(cell), std::string::npos) << error.what();
  };
  for (const char* cell : {"yesterday", "1706659200", "2024-02-30", "31.12.2023", "2023-12-31T24:00",
                           "2023-12-31T01:00Z", "2023-12-31 01:00+01"}) {
    refused(cell, days);
    refused(cell, hours);
  }
  for (const char* cell : {"2023-12-31", "2023-12-31T01:00", "2023-12-31T01:00:60Z"}) refused(cell, hours_in_utc);
  const std::string file = folder.write("empty.csv", "x\n2024-01-31\n\"\"\n");
  const Error missing = error_of([&] { open(file).profile("x", days, NullPolicy::error); });
  EXPECT_TRUE(std::string(missing.what()).find("row 2, column 'x': empty") != std::string::npos) << missing.what();
}

TEST_F(Times, KindsThatDoNotGoTogetherAreRefusedBySchema) {
  const std::string file = write_parquet("kinds.parquet",
                                         "SELECT DATE '2020-01-01' AS day, TIMESTAMP '2020-01-01' AS clock, "
                                         "TIMESTAMPTZ '2020-01-01 00:00:00+00' AS instant, 1 AS number");
  const Table table = open(file);
  const auto goes = [&](const char* column, ValueKind kind) {
    const std::optional<ErrorCode> code = testing::code_of([&] { table.require_countable(column, kind); });
    EXPECT_EQ(code.value_or(ErrorCode::data), ErrorCode::data);
    return !code;
  };
  for (const char* column : {"day", "clock"}) {
    EXPECT_TRUE(goes(column, ValueKind::date) && goes(column, ValueKind::timestamp)) << column;
    EXPECT_FALSE(goes(column, ValueKind::instant) || goes(column, ValueKind::number)) << column;
  }
  EXPECT_TRUE(goes("instant", ValueKind::instant));
  for (const ValueKind kind : {ValueKind::date, ValueKind::timestamp, ValueKind::number})
    EXPECT_FALSE(goes("instant", kind));
  for (const ValueKind kind : {ValueKind::date, ValueKind::timestamp, ValueKind::instant})
    EXPECT_FALSE(goes("number", kind));
  EXPECT_THROW(table.profile("clock", hours_in_utc, NullPolicy::drop), Error);
}

TEST_F(Times, PersonsAndGroupsAreCountedLikewise) {
  const std::string file =
      folder.write("visits.csv", "x,who,where\n2024-01-31,a,n\n2024-01-31 13:00,b,n\n2024-02-01,c,s\n,d,s\n");
  RandomBits bits = RandomBits::unsafe_seeded(1);
  const RecordSelection selection{.person = "who", .by = "where", .keys = {"n", "s"}};
  const std::vector<RankProfile> profiles =
      open(file).count({{"x", days, NullPolicy::drop, selection}}, bits).front().profiles();
  EXPECT_EQ(profiles.at(0), defined(days, {"2024-01-31", "2024-01-31"}));
  EXPECT_EQ(profiles.at(1), defined(days, {"2024-02-01"}));
  const std::string bad = folder.write("bad.csv", "x,who,where\n2024-01-31,a,n\nnever,b,n\n");
  const Error error = error_of([&] { open(bad).count({{"x", days, NullPolicy::drop, selection}}, bits); });
  EXPECT_TRUE(std::string(error.what()).find("row 2, column 'x'") != std::string::npos) << error.what();
}

// A Parquet file can hold any number as a time of day. The engine crashed when it wrote such a time as text.
TEST_F(Times, OfADayThatAreNotWithinADayAreMissing) {
  for (const std::string type : {"TIME", "TIME_NS"}) {
    const auto row = [&](const std::string& text, int age) {
      const std::string time = "CAST('" + text + "' AS " + type + ")";
      return "SELECT " + time + " AS t, {'t': " + time + "} AS s, " + std::to_string(age) + " AS age";
    };
    const std::string name = type + ".parquet";
    const std::string file = write_parquet(name, row("12:34:56.789012", 40) + " UNION ALL " + row("24:00:00", 50));
    std::string bytes = source_detail::InputFile::open(file).head(std::size_t{1} << 20);
    const auto stored = [](std::int64_t number) {
      std::string text(sizeof number, '\0');
      std::memcpy(text.data(), &number, sizeof number);
      return text;
    };
    const std::string time = stored(type == "TIME" ? 45'296'789'012 : 45'296'789'012'000);
    ASSERT_NE(bytes.find(time), std::string::npos);
    for (std::size_t at = 0; (at = bytes.find(time, at)) != std::string::npos;)
      bytes.replace(at, time.size(), stored(-(std::int64_t{1} << 62)));
    folder.write(name, bytes);
    const auto ages_where = [&](const std::string& condition) {
      return Table::open({.file = file, .sql = "SELECT age AS x FROM input WHERE " + condition})
          .profile("x", source_test::ages_to_120, NullPolicy::drop);
    };
    const auto only = [](std::int64_t age) {
      return source_test::profile_of<std::int64_t>(source_test::ages_to_120, std::span(&age, 1));
    };
    EXPECT_EQ(ages_where("CAST(t AS VARCHAR) IS NULL"), only(40)) << type;
    EXPECT_EQ(ages_where("CAST(t AS VARCHAR) = '24:00:00'"), only(50)) << type;
    RandomBits bits = RandomBits::unsafe_seeded(1);
    const auto ages_of = [&](const RecordSelection& selection) {
      return open(file).count({{"age", source_test::ages_to_120, NullPolicy::drop, selection}}, bits);
    };
    EXPECT_EQ(ages_of({.person = "t"}).front().profiles().at(0), only(50)) << type;
    EXPECT_EQ(ages_of({.by = "t", .keys = {"24:00:00"}}).front().profiles().at(0), only(50)) << type;
    const RecordSelection counts{.person = "age", .per_person = PerPerson::count};
    const ColumnToCount of_times{"t", source_test::ages_to_120, NullPolicy::drop, counts};
    EXPECT_EQ(open(file).count({of_times}, bits).front().profiles().at(0), only(1)) << type;
    for (const Error& error :
         {error_of([&] { ages_where("s IS NULL"); }), error_of([&] { ages_of({.by = "s", .keys = {"x"}}); })}) {
      EXPECT_NE(std::string(error.what()).find("column 's' has times of day inside a STRUCT"), std::string::npos)
          << error.what();
    }
  }
}

// --- In memory ----------------------------------------------------------------------------------------------------------

struct Column {
  std::string format;
  std::vector<std::int64_t> numbers;

  Frame frame() const {
    return Frame::of(
        NumberBuffer{std::as_bytes(std::span(numbers)).data(), format, numbers.size(), sizeof(std::int64_t), nullptr},
        "x");
  }
};

TEST(TimesInMemory, EveryUnitHasTheSamePositions) {
  const std::vector<std::int64_t> seconds{0, -1, 1, 86'399, 86'400, -86'400, -86'401, 1'706'659'200, 4'000'000'000};
  ProfileBuilder by_day(days);
  ProfileBuilder by_hour(hours);
  for (const std::int64_t second : seconds) {
    by_day.add_position(days.position_of((Rational(second) / Rational(86'400)).floor().to_int64()), 1);
    by_hour.add_position(hours.position_of(second * 1'000'000), 1);
  }
  const RankProfile on_days = by_day.finish();
  const RankProfile on_hours = by_hour.finish();
  for (const auto& [format, factor] :
       {std::pair{"tss:", 1LL}, std::pair{"tsm:", 1'000LL}, std::pair{"tsu:", 1'000'000LL},
        std::pair{"tsn:", 1'000'000'000LL}, std::pair{"tdm", 1'000LL}}) {
    Column column{format, {}};
    for (const std::int64_t second : seconds) column.numbers.push_back(second * factor);
    column.numbers.push_back(std::numeric_limits<std::int64_t>::min());  // NaT
    EXPECT_EQ(column.frame().profile("x", days, NullPolicy::drop), on_days) << format;
    EXPECT_EQ(column.frame().profile("x", hours, NullPolicy::drop), on_hours) << format;
    EXPECT_EQ(error_of([&] { column.frame().profile("x", days, NullPolicy::error); }).code(), ErrorCode::data);
    EXPECT_THROW(column.frame().profile("x", hours_in_utc, NullPolicy::drop), Error) << format;
    EXPECT_THROW(column.frame().profile("x", Lattice::regular(0, 1, 1), NullPolicy::drop), Error) << format;
    if (column.format == "tdm") continue;
    column.format += "Europe/Paris";
    EXPECT_EQ(column.frame().profile("x", hours_in_utc, NullPolicy::drop), relabeled(on_hours, hours_in_utc)) << format;
    EXPECT_THROW(column.frame().profile("x", hours, NullPolicy::drop), Error) << format;
    EXPECT_THROW(column.frame().profile("x", days, NullPolicy::drop), Error) << format;
  }
}

TEST(TimesInMemory, NumbersAndUnknownUnitsAreNoTimes) {
  EXPECT_THROW((Column{"l", {1}}.frame().profile("x", days, NullPolicy::drop)), Error);
  for (const char* format : {"ts", "tsx:", "tdx", "ttu", "tDu"})
    EXPECT_THROW((Column{format, {1}}.frame()), Error) << format;
  EXPECT_THROW((Column{"tsu:", {1}}.frame().require_countable({{"x", days, NullPolicy::drop, {.person = "x"}}})),
               Error);
}

}  // namespace
}  // namespace fractile

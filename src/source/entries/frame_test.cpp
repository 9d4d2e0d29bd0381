#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "source/entries/table_test_support.hpp"

namespace fractile {
namespace {

using source_test::ages_to_120;
using source_test::error_of;
using source_test::lattice_of;
using source_test::profile_of;

/// An Arrow array in a test's own memory; counts how often it was released.
struct Laid {
  std::string format;
  std::string name = "x";
  std::vector<const void*> buffers;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  ArrowSchema* words_schema = nullptr;
  ArrowArray* words = nullptr;
  int released = 0;

  ArrowSchema schema() {
    return {
        format.c_str(), name.c_str(), nullptr, 0, 0, nullptr, words_schema, [](ArrowSchema* s) { give_back(s); }, this};
  }
  ArrowArray array() {
    return {length,         null_count, offset, static_cast<std::int64_t>(buffers.size()), 0,
            buffers.data(), nullptr,    words,  [](ArrowArray* a) { give_back(a); },       this};
  }
  template <class Structure>
  static void give_back(Structure* structure) {
    ++static_cast<Laid*>(structure->private_data)->released;
    structure->release = nullptr;
  }
};

Frame frame_of(Laid& laid) {
  ArrowSchema schema = laid.schema();
  ArrowArray array = laid.array();
  Frame frame = Frame::of(schema, array, "x");
  EXPECT_EQ(schema.release, nullptr);  // taken over
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(error_of([&] { Frame::of(schema, array, "x"); }).code(),
            ErrorCode::usage);  // there is nothing left to take over
  return frame;
}

template <class Number>
Laid laid_down(const std::string& format, const std::vector<Number>& numbers) {
  Laid laid{.format = format, .buffers = {nullptr, numbers.data()}};
  laid.length = static_cast<std::int64_t>(numbers.size());
  return laid;
}

template <class Number>
void expect_counted(const std::string& format) {
  std::vector<Number> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Number>((i * 37) % 110);
  Laid laid = laid_down(format, numbers);
  const std::vector<double> doubles(numbers.begin(), numbers.end());
  EXPECT_EQ(frame_of(laid).profile("x", ages_to_120, NullPolicy::error), profile_of<double>(ages_to_120, doubles))
      << format;
  EXPECT_EQ(laid.released, 2);  // the schema and the array, once each
}

TEST(Frame, NumbersOfEveryTypeLieWhereDoublesDo) {
  expect_counted<std::int8_t>("c");
  expect_counted<std::uint8_t>("C");
  expect_counted<std::int16_t>("s");
  expect_counted<std::uint16_t>("S");
  expect_counted<std::int32_t>("i");
  expect_counted<std::uint32_t>("I");
  expect_counted<std::int64_t>("l");
  expect_counted<std::uint64_t>("L");
  expect_counted<float>("f");
  expect_counted<double>("g");
}

TEST(Frame, HalvesAreDoublesWithoutRounding) {
  // 1, -2, 65504, the least subnormal, infinity, NaN.
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000, 0x7BFF, 0x0001, 0x7C00, 0x7E00};
  Laid laid = laid_down("e", halves);
  const Lattice lattice = lattice_of("-4", "65504", "0.5");
  const std::vector<double> present{1, -2, 65504, 0x1p-24, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(frame_of(laid).profile("x", lattice, NullPolicy::drop), profile_of<double>(lattice, present));
}

TEST(Frame, MissingRecordsAreLeftOutOrRefusedWhereverTheyLie) {
  std::vector<double> numbers(1000, 40);
  std::vector<std::uint8_t> validity(200, 0xFF);
  for (std::int64_t offset : {0, 1, 7, 8, 63, 64, 65}) {
    Laid laid{.format = "g", .buffers = {validity.data(), numbers.data()}};
    laid.length = 800;
    laid.null_count = -1;  // unknown
    laid.offset = offset;
    const std::size_t missing = static_cast<std::size_t>(offset) + 500;
    validity[missing / 8] = static_cast<std::uint8_t>(~(1U << (missing % 8)));
    EXPECT_EQ(frame_of(laid).profile("x", ages_to_120, NullPolicy::drop).records(), 799) << offset;
    const Error error = error_of([&] { frame_of(laid).profile("x", ages_to_120, NullPolicy::error); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_NE(std::string(error.what()).find("row 501, column 'x'"), std::string::npos) << error.what();
    validity[missing / 8] = 0xFF;
  }
}

TEST(Frame, UnsignedNumbersBeyond64BitsClampOrAreRefused) {
  const std::vector<std::uint64_t> numbers{~std::uint64_t{0}, std::uint64_t{1} << 63, 5};
  Laid laid = laid_down("L", numbers);
  EXPECT_EQ(frame_of(laid).profile("x", ages_to_120, NullPolicy::drop),
            profile_of<double>(ages_to_120, std::vector<double>{120, 120, 5}));
  const Lattice wide = lattice_of("0", "9223372036854775807", "9223372036854775807");
  EXPECT_EQ(error_of([&] { frame_of(laid).profile("x", wide, NullPolicy::drop); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { frame_of(laid).require_countable("x", wide); }).code(),
            ErrorCode::usage);  // no record asked
  EXPECT_NO_THROW(frame_of(laid).require_countable("x", ages_to_120));
}

/// Two's complement of 128 bits.
std::vector<std::int64_t> wide_words(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> words;
  for (const std::int64_t number : numbers) {
    words.push_back(number);
    words.push_back(number < 0 ? -1 : 0);
  }
  return words;
}

TEST(Frame, DecimalsAreExact) {
  // 0.15 lies halfway between 0.1 and 0.2 and goes up; the nearest double of 0.15 lies below and would go down.
  std::vector<std::int64_t> words = wide_words({15, 14, -100, 25});
  words.insert(words.end(), {0, 1, 0, -1});  // 2^64 and -2^64, beyond both ends
  Laid laid{.format = "d:38,2", .buffers = {nullptr, words.data()}};
  laid.length = 6;
  const Lattice tenths = lattice_of("0", "1", "0.1");
  const RankProfile profile = frame_of(laid).profile("x", tenths, NullPolicy::drop);
  EXPECT_EQ(profile.equal(0), 2);   // -1 and -2^64
  EXPECT_EQ(profile.equal(1), 1);   // 0.14
  EXPECT_EQ(profile.equal(2), 1);   // 0.15
  EXPECT_EQ(profile.equal(3), 1);   // 0.25
  EXPECT_EQ(profile.equal(10), 1);  // 2^64
  const Lattice listed = Lattice::explicit_points({Rational(0), Rational(3, 20), Rational(1)});
  EXPECT_EQ(frame_of(laid).profile("x", listed, NullPolicy::drop).equal(1), 1);
  const Lattice wide = lattice_of("0", "1000000000000000000", "1");
  EXPECT_EQ(error_of([&] { frame_of(laid).profile("x", wide, NullPolicy::drop); }).code(), ErrorCode::usage);
}

TEST(Frame, StridesAndBackwardsAndBroadcasts) {
  std::vector<double> numbers(300);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const auto count = [&](std::size_t first, std::size_t size, std::ptrdiff_t step) {
    return Frame::of(
               NumberBuffer{std::as_bytes(std::span(numbers).subspan(first)).data(), "g", size, step * 8, nullptr}, "x")
        .profile("x", ages_to_120, NullPolicy::drop);
  };
  EXPECT_EQ(count(0, 100, 1),
            profile_of<double>(ages_to_120, std::vector<double>(numbers.begin(), numbers.begin() + 100)));
  EXPECT_EQ(count(99, 100, -1), count(0, 100, 1));
  EXPECT_EQ(count(50, 3, 0), profile_of<double>(ages_to_120, std::vector<double>{50, 50, 50}));
  EXPECT_EQ(count(0, 3, 2), profile_of<double>(ages_to_120, std::vector<double>{0, 2, 4}));
}

TEST(Frame, TheNumberOfThreadsChangesNothing) {
  std::vector<double> numbers(1'000'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i)) * 1000;
  for (const char* step : {"1", "0.0001"}) {
    const Lattice lattice = lattice_of("-1000", "1000", step);
    Laid laid = laid_down("g", numbers);
    Frame frame = frame_of(laid);
    const RankProfile alone = frame.profile("x", lattice, NullPolicy::drop);
    frame.use_threads(7);
    EXPECT_EQ(frame.profile("x", lattice, NullPolicy::drop), alone);
    EXPECT_EQ(alone, profile_of<double>(lattice, numbers));
  }
}

TEST(Frame, LimitsAreThoseOfTables) {
  Frame frame = Frame::of(NumberBuffer{nullptr, "g", 0, 8, nullptr}, "x");
  frame.use_threads(TableOptions::most_threads);
  EXPECT_THROW(frame.use_threads(TableOptions::most_threads + 1), Error);
  frame.use_memory(0);
  frame.use_memory(TableOptions::least_memory);
  EXPECT_THROW(frame.use_memory(1), Error);
  EXPECT_THROW(Frame::of(NumberBuffer{nullptr, "g", 5, 8, nullptr}, "x"), Error);
}

TEST(Frame, WhatIsThrownMeanwhileEndsIt) {
  const std::vector<double> numbers(1'000'000, 1.0);
  Laid laid = laid_down("g", numbers);
  const Frame frame = frame_of(laid);
  struct Stop {};
  EXPECT_THROW(frame.profile("x", ages_to_120, NullPolicy::drop, Counting::automatic, [] { throw Stop(); }), Stop);
  EXPECT_EQ(frame.profile("x", ages_to_120, NullPolicy::drop).records(), numbers.size());  // as if nothing had been
}

TEST(Frame, ColumnsThatAreNoNumbersAreRefused) {
  for (const char* format : {"b", "tdD", "tsu:", "u", "z", "+l"}) {
    Laid laid{.format = format, .buffers = {nullptr, nullptr, nullptr}};
    EXPECT_EQ(error_of([&] { frame_of(laid).require_countable("x"); }).code(), ErrorCode::data) << format;
  }
  const std::vector<double> numbers{1};
  Laid laid = laid_down("g", numbers);
  EXPECT_EQ(error_of([&] { frame_of(laid).require_countable("y"); }).code(), ErrorCode::data);
  const ColumnToCount by_number{"x", ages_to_120, NullPolicy::drop, {.person = "x"}};
  EXPECT_EQ(error_of([&] { frame_of(laid).require_countable({by_number}); }).code(), ErrorCode::data);
}

/// A table of a number, a person and a key in columns of their own, in two pieces of other lengths than blocks.
class Tables : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 6;
  const std::array<std::int32_t, 7> offsets{0, 1, 2, 3, 4, 4, 5};
  const std::string characters = "abbac";
  std::array<std::int64_t, rows> numbers{10, 20, 30, 40, 50, 60};
  std::uint8_t present = 0xFF;  // one bit per number
  std::array<std::int32_t, rows> persons{1, 1, 1, 2, 2, 3};
  std::uint8_t named = 0xFF;  // one bit per person
  std::uint8_t there = 0xFF;  // one bit per record

  std::vector<RankProfile> profiles(const RecordSelection& selection) {
    Laid number{.format = "l", .name = "age", .buffers = {&present, numbers.data()}, .null_count = -1};
    if (has_no_numbers) number.buffers.pop_back();
    Laid person{.format = "i", .name = "who", .buffers = {&named, persons.data()}, .null_count = -1};
    Laid key{.format = "u", .name = "city", .buffers = {nullptr, offsets.data(), characters.data()}};
    for (Laid* laid : {&number, &person, &key}) laid->length = rows;
    std::array schemas{number.schema(), person.schema(), key.schema()};
    std::array arrays{number.array(), person.array(), key.array()};
    std::array schema_children{&schemas[0], &schemas[1], &schemas[2]};
    std::array array_children{&arrays[0], &arrays[1], &arrays[2]};
    Laid table{.format = "+s", .buffers = {&there}, .null_count = -1};
    table.length = rows;
    ArrowSchema schema = table.schema();
    ArrowArray array = table.array();
    schema.n_children = 3;
    array.n_children = handed_over;
    schema.children = schema_children.data();
    array.children = array_children.data();
    RandomBits bits = RandomBits::unsafe_seeded(1);
    return Frame::of(schema, array).count({{"age", ages_to_120, policy, selection}}, bits).front().profiles();
  }
  NullPolicy policy = NullPolicy::drop;
  std::int64_t handed_over = 3;  // columns
  bool has_no_numbers = false;
};

// Both read beyond what was handed over.
TEST_F(Tables, MustBeOfTheColumnsOfTheirSchema) {
  const auto is_refused = [&] { return error_of([&] { profiles({}); }).code() == ErrorCode::data; };
  handed_over = 2;
  EXPECT_TRUE(is_refused());
  handed_over = 3;
  has_no_numbers = true;
  EXPECT_TRUE(is_refused());
}

TEST_F(Tables, GroupsTakeTheRecordsWithTheirKeys) {
  // a, b, b, a, none, c
  const std::vector<RankProfile> groups = profiles({.by = "city", .keys = {"b", "a"}});
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0], profile_of<double>(ages_to_120, std::vector<double>{20, 30}));
  EXPECT_EQ(groups[1], profile_of<double>(ages_to_120, std::vector<double>{10, 40}));
}

TEST_F(Tables, KeysAndPersonsStayInStepWhenANumberIsMissing) {
  present = 0b111101;
  const std::vector<RankProfile> groups = profiles({.by = "city", .keys = {"b", "a"}});
  EXPECT_EQ(groups[0], profile_of<double>(ages_to_120, std::vector<double>{30}));
  EXPECT_EQ(groups[1], profile_of<double>(ages_to_120, std::vector<double>{10, 40}));
  present = 0b101111;  // the second record of person 2
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 9})[0].records(), 5);
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 1})[0].equal(60), 1);
}

TEST_F(Tables, OfEachPersonSoManyRecordsCount) {
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 1})[0].records(), 3);
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 2})[0].records(), 5);
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 9})[0].records(), rows);
}

TEST_F(Tables, WholeNumbersOfPersonsThatAreNullAreNobody) {
  named = 0b110110;  // the first and the fourth record belong to no person, whatever number lies there
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 9})[0],
            profile_of<double>(ages_to_120, std::vector<double>{20, 30, 50, 60}));
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 1})[0].records(), 3);
  policy = NullPolicy::error;
  const Error error = error_of([&] { profiles({.person = "who", .records_per_person = 9}); });
  EXPECT_NE(std::string(error.what()).find("row 1, column 'who'"), std::string::npos) << error.what();
}

TEST_F(Tables, RecordsThatAreNullAsAWholeAreMissingInEachColumn) {
  there = 0b011101;  // neither the second nor the last
  EXPECT_EQ(profiles({})[0], profile_of<double>(ages_to_120, std::vector<double>{10, 30, 40, 50}));
  EXPECT_EQ(profiles({.person = "who", .records_per_person = 9})[0].records(), 4);
  EXPECT_EQ(profiles({.by = "city", .keys = {"b"}})[0].records(), 1);
  policy = NullPolicy::error;
  const Error error = error_of([&] { profiles({}); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(std::string(error.what()).find("row 2, column 'age'"), std::string::npos) << error.what();
}

/// A stream of one column of doubles in pieces, which may fail after some of them; counts the requests.
struct Streamed {
  std::vector<std::vector<double>> pieces;
  std::size_t fails_at = ~std::size_t{0};
  std::size_t asked = 0;
  int released = 0;
  std::vector<Laid> laid = {};
  Laid column{.format = "g", .buffers = {}};

  ArrowArrayStream stream() {
    for (const std::vector<double>& piece : pieces) laid.push_back(laid_down("g", piece));
    return {[](ArrowArrayStream* self, ArrowSchema* schema) {
              *schema = of(self).column.schema();
              return 0;
            },
            [](ArrowArrayStream* self, ArrowArray* array) {
              Streamed& all = of(self);
              if (all.asked++ == all.fails_at) return 5;
              *array = all.asked <= all.laid.size() ? all.laid[all.asked - 1].array() : ArrowArray{};
              return 0;
            },
            [](ArrowArrayStream*) { return "a cell of 31415"; },
            [](ArrowArrayStream* self) {
              ++of(self).released;
              self->release = nullptr;
            },
            this};
  }
  static Streamed& of(ArrowArrayStream* stream) { return *static_cast<Streamed*>(stream->private_data); }
};

TEST(Frame, AStreamIsReadWhenItsRecordsAreCountedAndNoSooner) {
  Streamed streamed{{{1, 2}, {3}}};
  ArrowArrayStream stream = streamed.stream();
  const Frame frame = Frame::of(stream, "x");
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(frame.columns().at(0).name, "x");
  frame.require_countable("x");
  EXPECT_EQ(streamed.asked, 0U);
  EXPECT_EQ(frame.profile("x", ages_to_120, NullPolicy::error),
            profile_of<double>(ages_to_120, std::vector<double>{1, 2, 3}));
  EXPECT_EQ(frame.rows(), 3U);
  EXPECT_EQ(streamed.asked, 3U);
  EXPECT_EQ(streamed.released, 1);
  EXPECT_EQ(error_of([&] { Frame::of(stream, "x"); }).code(), ErrorCode::usage);  // it was taken over
}

TEST(Frame, AStreamThatFailsIsNeverCountedInPart) {
  Streamed streamed{{{1, 2}, {3}}, 1};
  ArrowArrayStream stream = streamed.stream();
  const Frame frame = Frame::of(stream, "x");
  for (int time = 0; time < 2; ++time) {
    const Error error = error_of([&] { frame.profile("x", ages_to_120, NullPolicy::drop); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(std::string(error.what()).find("31415"), std::string::npos);
  }
  EXPECT_EQ(error_of([&] { frame.rows(); }).code(), ErrorCode::data);
}

Frame of_doubles(const std::vector<double>& numbers, const std::uint8_t* validity = nullptr) {
  const auto kept = std::make_shared<const std::vector<double>>(numbers);
  return Frame::of(NumberBuffer{std::as_bytes(std::span(*kept)).data(), "g", kept->size(), 8, kept, validity}, "x");
}

TEST(Frame, LaterRecordsAreAskedForWhenTheyAreCounted) {
  const std::vector<std::int64_t> whole{std::int64_t{1} << 53, 3};
  int asked = 0;
  const Frame frame = Frame::later(of_doubles({}), [&] {
    ++asked;
    std::vector<Frame> parts;
    parts.push_back(of_doubles({2, 2.5, std::nan("")}));
    parts.push_back(
        Frame::of(NumberBuffer{std::as_bytes(std::span(whole)).data(), "l", whole.size(), 8, nullptr}, "x"));
    return parts;
  });
  frame.require_countable("x");
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(frame.profile("x", ages_to_120, NullPolicy::drop),
            profile_of<double>(ages_to_120, std::vector<double>{2, 2.5, 120, 3}));
  EXPECT_EQ(error_of([&] { frame.profile("x", ages_to_120, NullPolicy::error); }).code(), ErrorCode::data);
  EXPECT_EQ(frame.rows(), 5U);
  EXPECT_EQ(asked, 1);
}

TEST(Frame, LaterRecordsThatFailAreAskedForAgain) {
  int asked = 0;
  const Frame frame = Frame::later(of_doubles({}), [&] {
    if (++asked == 1) throw Error(ErrorCode::data, "not yet");
    std::vector<Frame> parts;
    parts.push_back(of_doubles({2}));
    return parts;
  });
  EXPECT_EQ(error_of([&] { frame.rows(); }).code(), ErrorCode::data);
  EXPECT_EQ(frame.rows(), 1U);
}

TEST(Frame, NumbersOfABufferCanBeMissing) {
  const std::uint8_t present = 0b101;
  const Frame frame = of_doubles({1, 2, 3}, &present);
  EXPECT_EQ(frame.profile("x", ages_to_120, NullPolicy::drop),
            profile_of<double>(ages_to_120, std::vector<double>{1, 3}));
  const Error error = error_of([&] { frame.profile("x", ages_to_120, NullPolicy::error); });
  EXPECT_NE(std::string(error.what()).find("row 2, column 'x'"), std::string::npos) << error.what();
}

template <class Number>
void expect_left_out(const std::string& format, const std::vector<std::string>& missing, std::size_t left) {
  const std::vector<Number> numbers{7, 9, 99, 1};
  Laid laid = laid_down(format, numbers);
  Frame frame = frame_of(laid);
  frame.use_missing(missing);
  const auto profile = frame.profile("x", ages_to_120, NullPolicy::drop);
  EXPECT_EQ(profile.records(), left) << format << " " << missing.front();
  if (left == 4) return;
  const Error error = error_of([&] { frame.profile("x", ages_to_120, NullPolicy::error); });
  EXPECT_NE(std::string(error.what()).find("row 3, column 'x'"), std::string::npos) << error.what();
}

TEST(Frame, WhatIsDeclaredToBeMissingIsMissingByItsValue) {
  for (const char* text : {"99", "99.0", " +9.9e1 ", "099"}) {
    expect_left_out<std::int8_t>("c", {text, "NA"}, 3);
    expect_left_out<std::uint64_t>("L", {text, "NA"}, 3);
    expect_left_out<std::int64_t>("l", {text, "NA"}, 3);
    expect_left_out<float>("f", {text, "NA"}, 3);
    expect_left_out<double>("g", {text, "NA"}, 3);
  }
  for (const char* text : {"99.5", "NA", "9 9", "9_9", "0x63", "nan", "inf", "2020-01-01", "99/1"}) {
    expect_left_out<std::int64_t>("l", {text}, 4);
    expect_left_out<double>("g", {text}, 4);
  }
  std::vector<float> tenths{0.1F, 0.2F};
  Laid singles = laid_down("f", tenths);
  Frame frame = frame_of(singles);
  frame.use_missing({"0.1"});
  EXPECT_EQ(frame.profile("x", ages_to_120, NullPolicy::drop).records(), 1);
  EXPECT_EQ(error_of([&] { frame.use_missing({"NA", "NA"}); }).code(), ErrorCode::usage);
}

TEST(Frame, WhatIsDeclaredToBeMissingIsExactInWholeNumbersDecimalsAndTimes) {
  const auto left_of = [](const std::string& format, const std::vector<std::int64_t>& numbers, const Lattice& lattice,
                          const std::string& missing) {
    Laid laid = laid_down(format, numbers);
    Frame frame = frame_of(laid);
    frame.use_missing({missing});
    return frame.profile("x", lattice, NullPolicy::drop).records();
  };
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const Lattice wide = lattice_of("0", "9007199254740994", "1");
  EXPECT_EQ(left_of("l", {odd, odd, odd - 1, odd + 1}, wide, "9007199254740993"), 2);
  const Lattice cents = lattice_of("-10", "10", "0.01");
  EXPECT_EQ(left_of("d:18,2,64", {-900, -9, -901}, cents, "-9"), 2);
  EXPECT_EQ(left_of("d:18,2,64", {-900, -9, -901}, cents, "-0.090"), 2);
  EXPECT_EQ(left_of("d:18,2,64", {-900, -9, -901}, cents, "-9.001"), 3);
  const Lattice days = Lattice::regular(0, 40000, 1, ValueKind::date);
  const std::int64_t last = 2932896;  // 9999-12-31
  EXPECT_EQ(left_of("tdm", {last * 86'400'000, 0}, days, "9999-12-31"), 1);
  EXPECT_EQ(left_of("tss:", {last * 86'400, 1}, days, "9999-12-31"), 1);
  EXPECT_EQ(left_of("tsn:", {1'000, 1'001, 2'000}, days, "1970-01-01T00:00:00.000001"), 2);
  const Lattice instants = Lattice::regular(0, 40000, 1, ValueKind::instant);
  EXPECT_EQ(left_of("tsu:UTC", {3'600'000'000, 1}, instants, "1970-01-01T02:00:00+01:00"), 1);
  EXPECT_EQ(left_of("tsu:UTC", {3'600'000'000, 1}, instants, "1970-01-01T01:00:00"), 2);
}

TEST(Frame, WhatIsDeclaredToBeMissingIsExactBeyond64Bits) {
  // Such numbers were once compared after they had been clamped to 64 bits.
  const auto left_of = [](const std::string& format, const std::vector<std::uint64_t>& words, std::int64_t rows,
                          const std::string& missing) {
    Laid laid = laid_down(format, words);
    laid.length = rows;
    Frame frame = frame_of(laid);
    frame.use_missing({missing});
    return frame.profile("x", ages_to_120, NullPolicy::drop).records();
  };
  constexpr std::uint64_t most = ~std::uint64_t{0};
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(left_of("L", {40, most, half + 5, half - 1}, 4, "18446744073709551615"), 3);
  EXPECT_EQ(left_of("L", {40, most, half + 5, half - 1}, 4, "9223372036854775807"), 3);
  EXPECT_EQ(left_of("L", {40, most, half + 5}, 3, "9223372036854775807"), 3);
  EXPECT_EQ(left_of("L", {40, most, half + 5}, 3, "-1"), 3);
  // 40, 2^64 + 40, -1 and 10^20 - 1, the low words first
  const std::vector<std::uint64_t> wide{40, 0, 40, 1, most, most, 7766279631452241919U, 5};
  EXPECT_EQ(left_of("d:38,0", wide, 4, "40"), 3);
  EXPECT_EQ(left_of("d:38,0", wide, 4, "18446744073709551656"), 3);
  EXPECT_EQ(left_of("d:38,0", wide, 4, "-1"), 3);
  EXPECT_EQ(left_of("d:38,0", wide, 4, "99999999999999999999"), 3);
  EXPECT_EQ(left_of("d:38,0", wide, 4, "9223372036854775807"), 4);
  EXPECT_EQ(left_of("d:38,2", wide, 4, "999999999999999999.99"), 3);
  EXPECT_EQ(left_of("d:38,-2", wide, 4, "4000"), 3);
  EXPECT_EQ(left_of("d:38,-2", wide, 4, "40"), 4);
  EXPECT_EQ(left_of("d:38,0", wide, 4, std::string(60, '9')), 4);
}

TEST(Frame, WhatIsDeclaredToBeMissingInHalvesIsTheNearestOne) {
  const auto left_of = [](const std::vector<std::uint16_t>& halves, const std::string& missing) {
    Laid laid = laid_down("e", halves);
    Frame frame = frame_of(laid);
    frame.use_missing({missing});
    return frame.profile("x", ages_to_120, NullPolicy::drop).records();
  };
  EXPECT_EQ(left_of({0x5100, 0xC8F3, 0xC8F2, 0xC8F4}, "-9.9"), 3);  // 40, -9.8984375 and its neighbors
  EXPECT_EQ(left_of({0x6800, 0x6801, 0x6802}, "2049"), 2);          // halfway between 2048, which is even, and 2050
  EXPECT_EQ(left_of({0x6800, 0x6801, 0x6802}, "2051"), 2);          // halfway between 2050 and 2052, which is even
  EXPECT_EQ(left_of({0x0000, 0x0001, 0x0002, 0x8000}, "0.00000005"), 3);  // near 2^-24, the least above 0
  EXPECT_EQ(left_of({0x0000, 0x0001, 0x8000}, "0"), 1);
  EXPECT_EQ(left_of({0x7BFF, 0x7C00, 0xFC00}, "65519"), 2);  // the largest; what lies beyond is infinite
  EXPECT_EQ(left_of({0x7BFF, 0x7C00, 0xFC00}, "99999"), 2);
}

TEST(Frame, ExtensionTypesWhoseStorageIsNotTheValueAreNotRead) {
  const auto metadata_of = [](const std::vector<std::string>& texts) {
    const auto bytes_of = [](std::size_t number) {
      const auto count = static_cast<std::int32_t>(number);
      return std::string(reinterpret_cast<const char*>(&count), sizeof count);
    };
    std::string bytes = bytes_of(texts.size() / 2);
    for (const std::string& text : texts) bytes += bytes_of(text.size()) + text;
    return bytes;
  };
  const std::vector<std::int64_t> numbers{1, 2, 3};
  const auto records_of = [&](const std::vector<std::string>& texts) {
    const std::string metadata = metadata_of(texts);
    Laid laid = laid_down("l", numbers);
    ArrowSchema schema = laid.schema();
    schema.metadata = metadata.c_str();
    ArrowArray array = laid.array();
    return Frame::of(schema, array, "x").profile("x", ages_to_120, NullPolicy::drop).records();
  };
  EXPECT_EQ(records_of({}), 3);
  EXPECT_EQ(records_of({"ARROW:extension:metadata", "", "a", "ARROW:extension:name"}), 3);
  EXPECT_EQ(records_of({"ARROW:extension:name", "arrow.bool8"}), 3);
  const Error error = error_of([&] { records_of({"a", "", "ARROW:extension:name", "pandas.period"}); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(std::string(error.what()).find("column 'x' is extension type pandas.period, not a number"),
            std::string::npos)
      << error.what();
}

}  // namespace
}  // namespace fractile

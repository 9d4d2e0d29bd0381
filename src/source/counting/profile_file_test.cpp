#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exact/digest.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "support/errors.hpp"
#include "support/profiles.hpp"
#include "support/temporary_folder.hpp"

namespace fractile {
namespace {

using testing::profile_of;

ProfileHeader header_of(Lattice lattice) {
  ProfileHeader header{std::move(lattice)};
  header.column = "pay";
  header.sources = {"north.csv"};
  return header;
}

/// Records on candidates of a regular lattice.
CountedProfiles any_counted() {
  ProfileHeader header = header_of(Lattice::regular(-3, 6, Rational(1, 2)));
  header.records_per_person = *rc::gen::inRange<std::uint32_t>(1, 5);
  header.sources = {*rc::gen::element<std::string>("a", "b", "c\n\xff")};
  if (*rc::gen::arbitrary<bool>()) header.samplers = {*rc::gen::element<std::string>("one", "two")};
  header.person = "id";
  header.by = "town";
  header.keys = {"x", "y"};
  CountedProfiles counted{header, {}};
  for (std::size_t i = 0; i < header.keys.size(); ++i) {
    std::map<Position, std::uint64_t> records;
    for (int k = *rc::gen::inRange(0, 6); k > 0; --k) {
      records[2 * *rc::gen::inRange<Position>(0, header.lattice.size()) + 1] +=
          *rc::gen::inRange<std::uint64_t>(1, 400);
    }
    counted.profiles.push_back(profile_of(header.lattice, records));
  }
  return counted;
}

std::string small_file() {
  return to_bytes(
      {header_of(Lattice::regular(0, 300, 1)), {profile_of(301, {{1, 5}, {3, 1}, {601, 1'000'000'000'000}})}});
}

std::optional<ErrorCode> refused(const std::string& bytes) {
  return testing::code_of([&] { profiles_of_bytes(bytes, "it"); });
}

std::vector<RankProfile> counts_in(const ProfileFile& file) {
  RandomBits none = RandomBits::system();
  return file.count({file.header().counted()}, none).front().profiles();
}

TEST(ProfileFile, BringsBackWhatWasWritten) {
  EXPECT_TRUE(rc::check([] {
    CountedProfiles counted = any_counted();
    ProfileHeader& header = counted.header;
    if (*rc::gen::arbitrary<bool>()) {
      header.by = {"town", "sex"};
      header.keys = *rc::gen::element(GroupKeys::tuples({{"a,b", "c"}, {"a", "b,c"}}),
                                      GroupKeys::tuples({{"a", "x"}, {"a", "y"}}));
    }
    using Texts = std::vector<std::string>;
    header.missing = *rc::gen::elementOf(std::vector<Texts>{{}, {"NA"}, {"NA", "-9"}});
    header.unreadable = *rc::gen::element(Unreadable::error, Unreadable::missing);
    header.readers = *rc::gen::elementOf(std::vector<Texts>{{}, {"DuckDB v1"}, {"DuckDB v1", "DuckDB v2"}});
    const std::string bytes = to_bytes(counted);
    const CountedProfiles back = profiles_of_bytes(bytes, "it");
    RC_ASSERT(back.profiles == counted.profiles);
    RC_ASSERT(back.header.by == counted.header.by);
    RC_ASSERT(back.header.keys == counted.header.keys);
    RC_ASSERT(back.header.sources == counted.header.sources);
    RC_ASSERT(back.header.samplers == counted.header.samplers);
    RC_ASSERT(back.header.records_per_person == counted.header.records_per_person);
    RC_ASSERT(back.header.missing == counted.header.missing);
    RC_ASSERT(back.header.unreadable == counted.header.unreadable);
    RC_ASSERT(back.header.readers == counted.header.readers);
    RC_ASSERT(to_bytes(back) == bytes);
  }));
}

// Older programs read files with one key column, or none.
TEST(ProfileFile, OfSeveralKeyColumnsIsOfFormat3) {
  constexpr std::size_t at_format = 16;
  EXPECT_EQ(small_file().at(at_format), 2);
  CountedProfiles counted{header_of(Lattice::regular(0, 3, 1)), {}};
  counted.header.by = "town";
  counted.header.keys = {"x"};
  counted.profiles = {RankProfile(counted.header.lattice, {}, {})};
  EXPECT_EQ(to_bytes(counted).at(at_format), 2);
  counted.header.by = {"town", "sex"};
  EXPECT_THROW(to_bytes(counted), Error);
  counted.header.keys = GroupKeys::tuples({{"x", "f"}});
  EXPECT_EQ(to_bytes(counted).at(at_format), 3);
}

// Older programs, which would take persons' values for records of theirs, do not read it.
TEST(ProfileFile, OfOneValueEachOfPersonsIsOfFormat4) {
  constexpr std::size_t at_format = 16;
  for (const PerPerson how : all_per_person) {
    for (const KeyColumns& by : {KeyColumns(), KeyColumns("town"), KeyColumns{"town", "sex"}}) {
      CountedProfiles counted{header_of(Lattice::regular(0, 3, 1)), {}};
      counted.header.person = "id";
      counted.header.per_person = how;
      counted.header.by = by;
      if (by.size() == 1) counted.header.keys = {"x", "y"};
      if (by.size() == 2) counted.header.keys = GroupKeys::tuples({{"x", "f"}, {"y", "m"}});
      counted.profiles.assign(by.empty() ? 1 : 2, RankProfile(counted.header.lattice, {}, {}));
      const std::string bytes = to_bytes(counted);
      EXPECT_EQ(bytes.at(at_format), 4);
      const ProfileHeader back = profiles_of_bytes(bytes, "it").header;
      EXPECT_EQ(back.per_person, how);
      EXPECT_EQ(back.counted().selection.per_person, how);
      EXPECT_EQ(back.by, by);
      EXPECT_EQ(back.keys, counted.header.keys);
    }
  }
  CountedProfiles of_nobody{header_of(Lattice::regular(0, 3, 1)), {}};
  of_nobody.header.per_person = PerPerson::sum;
  of_nobody.profiles.assign(1, RankProfile(of_nobody.header.lattice, {}, {}));
  EXPECT_THROW(to_bytes(of_nobody), Error);
}

// A person in two tables has one value in each, and these are no value of the person's.
TEST(ProfileFile, ValuesOfPersonsMergeWhereNoPersonIsInTwoTables) {
  ProfileHeader sums = header_of(Lattice::regular(0, 3, 1));
  sums.person = "id";
  sums.per_person = PerPerson::sum;
  EXPECT_EQ(merged(sums, sums, Persons::are_disjoint).records_per_person, 1U);
  EXPECT_THROW(merged(sums, sums, Persons::may_overlap), Error);
  ProfileHeader counts = sums;
  counts.per_person = PerPerson::count;
  EXPECT_THROW(merged(sums, counts, Persons::are_disjoint), Error);
}

// Older programs, which would take the rows for records, do not read it; two rows of a person, of two tables, are no row of the person's.
TEST(ProfileFile, OfRowsOfPersonsIsOfFormat6) {
  constexpr std::size_t at_format = 16;
  CountedProfiles counted{header_of(Lattice::regular(0, 3, 1)), {}};
  ProfileHeader& header = counted.header;
  header.sql = "SELECT id, count(*) AS x FROM input GROUP BY id";
  header.person = "id";
  header.one_row_a_person = true;
  counted.profiles = {profile_of(4, {{1, 5}, {7, 40}})};
  for (const std::optional<RecordWeights>& weights :
       {std::optional<RecordWeights>(), std::optional(RecordWeights{"w", 0, Rational(20), Rational(1, 2)})}) {
    header.weights = weights;
    const std::string bytes = to_bytes(counted);
    EXPECT_EQ(bytes.at(at_format), 6);
    const CountedProfiles back = profiles_of_bytes(bytes, "it");
    EXPECT_EQ(back.profiles, counted.profiles);
    EXPECT_TRUE(back.header.one_row_a_person);
    EXPECT_EQ(back.header.weights, weights);
  }
  EXPECT_EQ(merged(header, header, Persons::are_disjoint).records_per_person, 1U);
  EXPECT_THROW(merged(header, header, Persons::may_overlap), Error);
  ProfileHeader records = header;
  records.one_row_a_person = false;
  EXPECT_THROW(merged(header, records, Persons::are_disjoint), Error);
  for (const auto& spoil :
       {+[](ProfileHeader& each) { each.sql.clear(); }, +[](ProfileHeader& each) { each.person.clear(); },
        +[](ProfileHeader& each) { each.records_per_person = 2; }}) {
    ProfileHeader wrong = header;
    spoil(wrong);
    EXPECT_THROW(wrong.validate(), Error);
  }
}

// Older programs, which would not know that units were counted, do not read it.
TEST(ProfileFile, OfWeightedRecordsIsOfFormat5) {
  constexpr std::size_t at_format = 16;
  CountedProfiles counted{header_of(Lattice::regular(0, 3, 1)), {}};
  counted.header.weights = RecordWeights{"w", Rational(1, 2), Rational(20), Rational(1, 2)};
  counted.profiles = {profile_of(4, {{1, 5}, {7, 40}})};
  for (const std::size_t columns : {0U, 1U, 2U}) {
    if (columns == 1) {
      counted.header.by = "town";
      counted.header.keys = {"x", "y"};
      counted.profiles.push_back(counted.profiles.front());
    } else if (columns == 2) {
      counted.header.by = {"town", "sex"};
      counted.header.keys = GroupKeys::tuples({{"x", "f"}, {"y", "f"}});
    }
    const std::string bytes = to_bytes(counted);
    EXPECT_EQ(bytes.at(at_format), 5);
    const CountedProfiles back = profiles_of_bytes(bytes, "it");
    EXPECT_EQ(back.profiles, counted.profiles);
    EXPECT_EQ(back.header.weights, counted.header.weights);
    EXPECT_EQ(back.header.by, counted.header.by);
    EXPECT_EQ(back.header.keys, counted.header.keys);
    EXPECT_EQ(to_bytes(back), bytes);
  }
  counted.header.weights->stability = 3;  // of which a release tells
  EXPECT_THROW(to_bytes(counted), Error);
  counted.header.weights = RecordWeights{"w", Rational(0), Rational(1), Rational(1, 3)};  // no decimal
  EXPECT_THROW(to_bytes(counted), Error);
}

TEST(ProfileFile, OfOtherWeightsDoesNotMerge) {
  CountedProfiles a{header_of(Lattice::regular(0, 3, 1)), {profile_of(4, {{1, 5}})}};
  a.header.weights = RecordWeights{"w", 0, 20, 1};
  CountedProfiles b = a;
  const CountedProfiles both = merged(a, b, Persons::are_disjoint);
  EXPECT_EQ(both.header.weights, a.header.weights);
  EXPECT_EQ(both.profiles.front().records(), 10U);
  b.header.weights->upper = 21;
  EXPECT_THROW(merged(a, b, Persons::are_disjoint), Error);
  b.header.weights.reset();
  EXPECT_THROW(merged(a, b, Persons::are_disjoint), Error);
}

TEST(ProfileFile, HoldsListedCandidatesAndRecordsBetweenThem) {
  CountedProfiles counted{header_of(Lattice::explicit_points({Rational(-1, 4), 2, 100})), {}};
  counted.profiles = {profile_of(counted.header.lattice, {{0, 1}, {1, 7}, {6, RankProfile::max_records - 8}})};
  counted.header.null_policy = NullPolicy::error;
  counted.header.sql = "SELECT pay FROM input";
  const CountedProfiles back = profiles_of_bytes(to_bytes(counted), "it");
  EXPECT_EQ(back.profiles, counted.profiles);
  EXPECT_EQ(back.header.lattice.at(0), Rational(-1, 4));
  EXPECT_EQ(back.header.lattice.size(), 3U);
  EXPECT_EQ(back.header.null_policy, NullPolicy::error);
  EXPECT_EQ(back.header.sql, counted.header.sql);
}

/// A file with this format number, this header, and correct hashes.
std::string file_of(char format, const std::string& header, const std::string& counts) {
  std::string bytes = "fractile-profile";
  bytes += format;
  bytes += static_cast<char>(header.size());
  bytes += header;
  Sha256 hash;
  hash.add(bytes);
  bytes += hash.bytes() + counts;
  Sha256 all;
  all.add(bytes);
  return bytes + all.bytes();
}

// A file of format 1, byte for byte as it was written: ages of 0 to 3, two records of 1, from a.csv.
TEST(ProfileFile, OfFormat1IsRead) {
  using namespace std::string_literals;
  const std::string header =
      "\0\1"
      "0"
      "\1"
      "3"
      "\1"
      "1"
      "\3age\0\1\0\0\0\0\1\5a.csv\0\0"s;
  const std::string counts = "\1\3\2"s;
  const CountedProfiles counted = profiles_of_bytes(file_of('\1', header, counts), "it");
  EXPECT_EQ(counted.profiles.front(), profile_of(4, {{3, 2}}));
  EXPECT_EQ(counted.header.column, "age");
  EXPECT_EQ(counted.header.sources, std::vector<std::string>{"a.csv"});
  EXPECT_TRUE(counted.header.missing.empty() && counted.header.readers.empty());
  EXPECT_EQ(counted.header.unreadable, Unreadable::error);
  EXPECT_EQ(to_bytes(counted), file_of('\2', header + "\0\0\0"s, counts));
  EXPECT_EQ(merged(counted, counted, Persons::are_disjoint).profiles.front(), profile_of(4, {{3, 4}}));
  EXPECT_EQ(refused(file_of('\1', header + "\0\0\0"s, counts)), ErrorCode::data);
  EXPECT_EQ(refused(file_of('\2', header, counts)), ErrorCode::data);
  EXPECT_EQ(refused(file_of('\3', header + "\0\0\0"s, counts)), ErrorCode::data);
  EXPECT_EQ(refused(file_of('\0', header, counts)), ErrorCode::data);
}

TEST(ProfileFile, WhatCountsAsMissingIsTheSameInAllThatMerge) {
  const auto with = [](std::vector<std::string> missing, Unreadable unreadable, std::vector<std::string> readers,
                       const std::string& sql) {
    ProfileHeader header = header_of(Lattice::regular(0, 3, 1));
    header.missing = std::move(missing);
    header.unreadable = unreadable;
    header.readers = std::move(readers);
    header.sql = sql;
    return header;
  };
  const auto refusal = [](const ProfileHeader& a, const ProfileHeader& b) {
    return testing::refusal(ErrorCode::usage, [&] { merged(a, b, Persons::may_overlap); });
  };
  const ProfileHeader plain = with({}, Unreadable::error, {"DuckDB v1"}, "");
  const ProfileHeader coded = with({"NA", "-9"}, Unreadable::error, {"DuckDB v1"}, "");
  EXPECT_EQ(refusal(plain, coded), "profiles of different declarations of what is missing cannot merge");
  const ProfileHeader in_other_order = with({"-9", "NA"}, Unreadable::error, {"DuckDB v1"}, "");
  for (const ProfileHeader& both :
       {merged(coded, in_other_order, Persons::may_overlap), merged(in_other_order, coded, Persons::may_overlap)}) {
    EXPECT_EQ(both.missing, in_other_order.missing);
  }
  EXPECT_EQ(refusal(plain, with({}, Unreadable::missing, {"DuckDB v1"}, "")),
            "profiles of different treatment of cells that are not numbers cannot merge");
  // The number in a cell depends on no version; a query's result may.
  const ProfileHeader later = with({}, Unreadable::error, {"DuckDB v2"}, "");
  EXPECT_EQ(merged(plain, later, Persons::may_overlap).readers, (std::vector<std::string>{"DuckDB v1", "DuckDB v2"}));
  const ProfileHeader query = with({}, Unreadable::error, {"DuckDB v1"}, "SELECT x");
  EXPECT_EQ(refusal(query, query), "");
  EXPECT_EQ(refusal(query, with({}, Unreadable::error, {"DuckDB v2"}, "SELECT x")),
            "profiles of different engines cannot merge");
  EXPECT_EQ(refusal(query, with({}, Unreadable::error, {}, "SELECT x")), "profiles of different engines cannot merge");
  EXPECT_THROW(with({"1,5"}, Unreadable::error, {}, "").validate(), Error);
}

TEST(ProfileFile, AnyChangedByteIsRefused) {
  const std::string bytes = small_file();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      if (changed[i] == static_cast<char>(value)) continue;
      changed[i] = static_cast<char>(value);
      ASSERT_EQ(refused(changed), ErrorCode::data) << "byte " << i << " is " << value;
    }
  }
}

TEST(ProfileFile, EveryBeginningAndEveryLongerFileIsRefused) {
  const std::string bytes = small_file();
  for (std::size_t size = 0; size < bytes.size(); ++size) ASSERT_EQ(refused(bytes.substr(0, size)), ErrorCode::data);
  EXPECT_EQ(refused(bytes + '\0'), ErrorCode::data);
  EXPECT_EQ(refused(bytes + bytes), ErrorCode::data);
}

/// A file with these counts and correct hashes.
std::string forged(const std::string& counts) {
  const std::string bytes = to_bytes({header_of(Lattice::regular(0, 3, 1)), {profile_of(4, {})}});
  const std::string begun =
      bytes.substr(0, bytes.size() - 33) + counts;  // without the hash and the number of positions
  Sha256 hash;
  hash.add(begun);
  return begun + hash.bytes();
}

TEST(ProfileFile, CountsThatNoProfileHasAreRefusedWhateverTheirHash) {
  EXPECT_EQ(profiles_of_bytes(forged({"\x01\x01\x05", 3}), "it").profiles.front(), profile_of(4, {{1, 5}}));
  for (const std::string& counts : std::vector<std::string>{
           {"\x01\x01\x00", 3},                                       // no records
           {"\x01\x00\x05", 3},                                       // between candidates of a regular lattice
           {"\x01\x09\x05", 3},                                       // beyond the lattice
           {"\x02\x07\x05\x01\x05", 5},                               // beyond it, after another
           {"\x01\x81\x00\x05", 4},                                   // a number in more bytes than it needs
           {"\x01\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 12},  // a number of 65 bits
           {"\x01\x01\x80\x80\x80\x80\x80\x80\x40", 9},               // more records than a profile has
           {"\x02\x01\xff\xff\xff\xff\xff\xff\x3f\x01\x01", 11},      // the same in two counts
           {"\xff\x01\x01\x05", 4},                                   // more positions than there are
           {"\x02\x01\x05", 3},                                       // one is missing
       }) {
    EXPECT_EQ(refused(forged(counts)), ErrorCode::data) << ::testing::PrintToString(counts);
  }
}

TEST(ProfileFile, TellsTheHeaderBeforeTheCountsAndNoProfileOfADamagedFile) {
  const testing::Folder folder;
  const std::string path = folder.file("profile");
  std::string bytes = small_file();
  bytes[bytes.size() - 40] ^= 1;  // among the counts
  std::ofstream(path, std::ios::binary) << bytes;
  ProfileFile file = ProfileFile::open(path);
  EXPECT_EQ(file.header().column, "pay");
  EXPECT_THROW(counts_in(file), Error);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << small_file();
  file = ProfileFile::open(path);
  EXPECT_EQ(counts_in(file).front().records(), 1'000'000'000'006U);
  EXPECT_THROW(counts_in(file), Error);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "pay\n17\n";
  EXPECT_THROW(ProfileFile::open(path), Error);
  EXPECT_THROW(ProfileFile::open(path + ".none"), Error);
}

TEST(ProfileFile, MergingIsAssociativeAndCommutativeBitForBit) {
  EXPECT_TRUE(rc::check([] {
    const CountedProfiles a = any_counted();
    const CountedProfiles b = any_counted();
    const CountedProfiles c = any_counted();
    for (const Persons persons : {Persons::may_overlap, Persons::are_disjoint}) {
      RC_ASSERT(to_bytes(merged(a, b, persons)) == to_bytes(merged(b, a, persons)));
      RC_ASSERT(to_bytes(merged(merged(a, b, persons), c, persons)) ==
                to_bytes(merged(a, merged(b, c, persons), persons)));
    }
    RC_ASSERT(merged(a, b, Persons::may_overlap).header.records_per_person ==
              a.header.records_per_person + b.header.records_per_person);
    RC_ASSERT(merged(a, b, Persons::are_disjoint).header.records_per_person ==
              std::max(a.header.records_per_person, b.header.records_per_person));
  }));
}

TEST(ProfileFile, OfOneMergedColumnIsTheColumnCountedAtOnce) {
  const Lattice lattice = Lattice::regular(0, 9, 1);
  const std::vector<std::int64_t> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 12, -7};
  ProfileBuilder whole(lattice);
  whole.add(values);
  ProfileBuilder first(lattice);
  first.add(std::span(values).first(5));
  ProfileBuilder second(lattice);
  second.add(std::span(values).subspan(5));
  const CountedProfiles both = merged(CountedProfiles{header_of(lattice), {first.finish()}},
                                      CountedProfiles{header_of(lattice), {second.finish()}}, Persons::are_disjoint);
  EXPECT_EQ(both.profiles.front(), whole.finish());
}

class ProfileFiles : public ::testing::Test {
 protected:
  ProfileFile stored(const std::string& name, const CountedProfiles& counted) const {
    const std::string path = folder_.file(name);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << to_bytes(counted);
    return ProfileFile::open(path);
  }
  static CountedProfiles counted(std::uint64_t records, const std::string& source = "north.csv") {
    CountedProfiles result{header_of(Lattice::regular(0, 3, 1)), {profile_of(4, {})}};
    if (records > 0) result.profiles = {profile_of(4, {{1, records}})};
    result.header.sources = {source};
    return result;
  }
  template <class... Files>
  static CountedProfiles merge(EqualFiles equal_files, const Files&... files) {
    const std::vector<std::string> all{files.opened().name...};
    return ProfileFile::merge(all, Persons::may_overlap, equal_files);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  /// This many stored files, each of a different source.
  std::vector<std::string> stored_many(std::size_t count) const;

 private:
  testing::Folder folder_;
};

TEST_F(ProfileFiles, MergeAsTheirProfilesDo) {
  const CountedProfiles sum = merge(EqualFiles::one_counting, stored("a", counted(5)), stored("b", counted(6)),
                                    stored("c", counted(5, "south.csv")));
  EXPECT_EQ(sum.profiles.front(), profile_of(4, {{1, 16}}));
  EXPECT_EQ(to_bytes(sum), to_bytes(merged(merged(counted(5), counted(6), Persons::may_overlap),
                                           counted(5, "south.csv"), Persons::may_overlap)));
  EXPECT_THROW(merge(EqualFiles::one_counting), Error);
}

/// The same file named twice counted every record of it twice, without a word.
TEST_F(ProfileFiles, OfEqualContentsAreOneCounting) {
  const Error error = testing::error_of([&] {
    merge(EqualFiles::one_counting, stored("a", counted(5)), stored("b", counted(6)), stored("copy", counted(5)));
  });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  for (const char* part : {"/a' and '", "/copy' have equal contents"}) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_NE(error.hint().find("allow_equal_files"), std::string::npos);
  const CountedProfiles twice =
      merge(EqualFiles::different_records, stored("a", counted(5)), stored("copy", counted(5)));
  EXPECT_EQ(twice.profiles.front(), profile_of(4, {{1, 10}}));
}

TEST_F(ProfileFiles, WithoutRecordsMayBeEqual) {
  const CountedProfiles sum =
      merge(EqualFiles::one_counting, stored("a", counted(0)), stored("b", counted(0)), stored("c", counted(7)));
  EXPECT_EQ(sum.profiles.front().records(), 7U);
}

std::vector<std::string> ProfileFiles::stored_many(std::size_t count) const {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) {
    CountedProfiles part = counted(0, "source " + std::to_string(i * 7 % count));
    ProfileBuilder builder(part.header.lattice);
    for (std::size_t k = 0; k < i * i % 11; ++k) builder.add(std::int64_t(i * k % 5) - 1);
    part.profiles = {builder.finish()};
    part.header.samplers = {"key " + std::to_string(i % 3)};
    paths.push_back(stored("part" + std::to_string(i), part).opened().name);
  }
  return paths;
}

TEST_F(ProfileFiles, ManyAreAddedAsOneByOne) {
  const std::vector<std::string> paths = stored_many(100);
  std::optional<CountedProfiles> one_by_one;
  std::size_t seen = 0;
  for (const Persons persons : {Persons::may_overlap, Persons::are_disjoint}) {
    one_by_one.reset();
    for (const std::string& path : paths) {
      ProfileFile file = ProfileFile::open(path);
      CountedProfiles next{file.header(), counts_in(file)};
      one_by_one = one_by_one ? merged(*one_by_one, next, persons) : std::move(next);
    }
    const CountedProfiles at_once = ProfileFile::merge(paths, persons, EqualFiles::different_records,
                                                       [&](const ProfileHeader& /*header*/) { ++seen; });
    EXPECT_EQ(to_bytes(at_once), to_bytes(*one_by_one));
    EXPECT_EQ(at_once.header.sources, one_by_one->header.sources);
  }
  EXPECT_EQ(seen, 4 * paths.size());
}

TEST_F(ProfileFiles, AreOpenWhileTheyAreRead) {
  const std::vector<std::string> paths = stored_many(200);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_NO_THROW(ProfileFile::merge(paths, Persons::are_disjoint, EqualFiles::different_records));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(ProfileFiles, AnotherFileOfTheNameIsNoneOfThem) {
  const std::vector<std::string> paths{stored("a", counted(5)).opened().name, stored("b", counted(6)).opened().name};
  stored("new", counted(9));
  std::size_t seen = 0;
  const Error error = testing::error_of([&] {
    ProfileFile::merge(paths, Persons::may_overlap, EqualFiles::one_counting, [&](const ProfileHeader& /*header*/) {
      if (++seen == paths.size()) std::filesystem::rename(path("new"), path("b"));
    });
  });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_NE(std::string(error.what()).find("/b was changed while it was read"), std::string::npos) << error.what();
}

TEST(ProfileFile, OtherQuestionsDoNotMerge) {
  const auto refused_with = [](auto change) {
    const CountedProfiles a{header_of(Lattice::regular(0, 300, 1)), {profile_of(301, {})}};
    CountedProfiles b = a;
    change(b.header);
    return testing::code_of([&] { merged(a, b, Persons::may_overlap); }) == ErrorCode::usage;
  };
  EXPECT_FALSE(refused_with([](ProfileHeader& header) { header.sources = {"south.csv"}; }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.lattice = Lattice::regular(1, 301, 1); }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.column = "age"; }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.null_policy = NullPolicy::error; }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.person = "id"; }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.sql = "SELECT 1"; }));
  EXPECT_TRUE(refused_with([](ProfileHeader& header) { header.records_per_person = ~std::uint32_t{0}; }));
}

TEST(ProfileFile, PromisesToNoPersonOfFewerRecords) {
  ProfileHeader header = header_of(Lattice::regular(0, 300, 1));
  header.records_per_person = 3;
  const CountedProfiles part{header, {profile_of(301, {{1, 3}})}};
  const ProfileHeader added = merged(part, part, Persons::may_overlap).header;
  EXPECT_NO_THROW(added.require_bound(6));
  const Error error = testing::error_of([&] { added.require_bound(5); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.field(), "records_per_person");
  EXPECT_NE(std::string(error.what()).find("may hold 6 records of one person"), std::string::npos);
  EXPECT_EQ(error.hint(), "write records_per_person = 6 or more, or count again with a smaller bound");
  EXPECT_THROW(added.require_bound(0), Error);
}

TEST(ProfileFile, WhatWasDeclaredIsKeptByLaterMerges) {
  const CountedProfiles part{header_of(Lattice::regular(0, 300, 1)), {profile_of(301, {})}};
  const CountedProfiles added = merged(part, part, Persons::may_overlap);
  const CountedProfiles declared = merged(part, part, Persons::are_disjoint);
  const std::vector<std::string> disjoint{"disjoint_persons"};
  EXPECT_FALSE(added.header.disjoint_persons);
  EXPECT_TRUE(declared.header.disjoint_persons);
  EXPECT_TRUE(merged(declared, part, Persons::may_overlap).header.disjoint_persons);
  EXPECT_TRUE(merged(part, declared, Persons::may_overlap).header.disjoint_persons);
  EXPECT_TRUE(profiles_of_bytes(to_bytes(declared), "it").header.disjoint_persons);
}

TEST(ProfileFile, HoldsProfilesOfItsOwnLattice) {
  CountedProfiles counted{header_of(Lattice::regular(0, 300, 1)), {profile_of(301, {})}};
  EXPECT_NO_THROW(to_bytes(counted));
  counted.profiles = {profile_of(Lattice::regular(1, 301, 1), {})};  // as many candidates
  EXPECT_THROW(to_bytes(counted), Error);
  const CountedProfiles other{header_of(Lattice::regular(0, 300, 1)), {profile_of(301, {})}};
  EXPECT_THROW(merged(counted, other, Persons::may_overlap), Error);
  EXPECT_THROW(merged(other, counted, Persons::may_overlap), Error);
}

TEST(ProfileFile, ThatIsWrittenToMeanwhileIsNamed) {
  const testing::Folder folder;
  const std::string path = folder.file("p.profile");
  std::ofstream(path, std::ios::binary) << small_file();
  ProfileFile file = ProfileFile::open(path);
  file.require_unchanged();
  std::ofstream(path, std::ios::binary | std::ios::app) << "more";
  for (const auto& look : {std::function<void()>([&] { file.require_unchanged(); }), {[&] { counts_in(file); }}}) {
    const Error error = testing::error_of([&] { look(); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(std::string(error.what()), path + " was changed while it was read");
  }
}

}  // namespace
}  // namespace fractile

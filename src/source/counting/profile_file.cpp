#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "exact/digest.hpp"
#include "exact/uncopied.hpp"
#include "fractile/error.hpp"
#include "fractile/source.hpp"
#include "libraries/fmt.hpp"
#include "source/counting/leb128.hpp"
#include "source/counting/profile_merging.hpp"
#include "source/files/input_file.hpp"
#include "source/files/missing_cells.hpp"

namespace fractile {
namespace {

constexpr std::string_view magic = "fractile-profile";
constexpr std::uint64_t first_format = 1;  // without what counts as missing and without the reader
constexpr std::uint64_t format = 2;
constexpr std::uint64_t several_columns = 3;  // several columns of keys, which older programs do not know
constexpr std::uint64_t of_persons = 4;       // one value per person
constexpr std::uint64_t of_weights = 5;       // weighted records
constexpr std::uint64_t newest_format = 6;    // one row per person, made by a query
constexpr std::size_t hash_size = 32;
constexpr std::uint64_t longest_header = std::uint64_t{1} << 32;
constexpr std::uint64_t longest_text = std::uint64_t{1} << 20;
constexpr std::uint64_t most_texts = 100'000;  // keys, sources
static_assert(most_texts >= GroupKeys::most, "all keys of groups can be written");
constexpr std::uint64_t most_candidates = std::uint64_t{1} << 24;

/// A lattice's kind in the file: two numbers for each kind of values, one for regular and one for listed lattices.
constexpr std::array all_kinds{ValueKind::number, ValueKind::date, ValueKind::timestamp, ValueKind::instant};

std::uint64_t lattice_code(const Lattice& lattice) {
  const auto kind = std::ranges::find(all_kinds, lattice.kind()) - all_kinds.begin();
  return 2 * static_cast<std::uint64_t>(kind) + (lattice.is_regular() ? 0 : 1);
}

// --- writing

void put_text(std::string& bytes, std::string_view text) {
  source_detail::append_leb128(bytes, text.size());
  bytes += text;
}

void put_texts(std::string& bytes, const std::vector<std::string>& texts) {
  source_detail::append_leb128(bytes, texts.size());
  for (const std::string& text : texts) put_text(bytes, text);
}

void put_lattice(std::string& bytes, const Lattice& lattice) {
  source_detail::append_leb128(bytes, lattice_code(lattice));
  if (lattice.is_regular()) {
    for (const Rational& number : {lattice.lower(), lattice.upper(), lattice.step()}) {
      put_text(bytes, number.to_decimal());
    }
    return;
  }
  source_detail::append_leb128(bytes, lattice.size());
  for (std::uint64_t i = 0; i < lattice.size(); ++i) put_text(bytes, lattice.at(i).to_decimal());
}

/// The oldest format that can hold the header, so that older programs can read it if possible.
std::uint64_t format_of(const ProfileHeader& header) {
  if (header.one_row_a_person) return newest_format;
  if (header.weights) return of_weights;
  if (header.per_person) return of_persons;
  return header.by.size() > 1 ? several_columns : format;
}

/// Writes the keys of each column, and the places of each group's keys in these lists.
void put_keys(std::string& bytes, const GroupKeys& keys) {
  for (std::size_t column = 0; column < keys.columns(); ++column) put_texts(bytes, keys.list(column));
  source_detail::append_leb128(bytes, keys.size());
  for (const std::uint32_t number : keys.numbers()) source_detail::append_leb128(bytes, number);
}

void put_weights(std::string& bytes, const RecordWeights& weights) {
  put_text(bytes, weights.column);
  for (const Rational& number : {weights.lower, weights.upper, weights.step}) put_text(bytes, number.to_decimal());
}

std::string body_of(const ProfileHeader& header) {
  const bool is_newest = format_of(header) >= several_columns;
  std::string bytes;
  put_lattice(bytes, header.lattice);
  put_text(bytes, header.column);
  source_detail::append_leb128(bytes, header.null_policy == NullPolicy::error ? 1 : 0);
  source_detail::append_leb128(bytes, header.records_per_person);
  source_detail::append_leb128(bytes, header.disjoint_persons ? 1 : 0);
  put_text(bytes, header.person);
  if (is_newest) {
    put_texts(bytes, header.by.names());
  } else {
    put_text(bytes, header.by.empty() ? "" : header.by[0]);
  }
  put_text(bytes, header.sql);
  put_texts(bytes, header.sources);
  put_texts(bytes, header.samplers);
  if (is_newest) {
    put_keys(bytes, header.keys);
  } else {
    put_texts(bytes, header.keys.empty() ? std::vector<std::string>() : header.keys.list(0));
  }
  put_texts(bytes, header.missing);
  source_detail::append_leb128(bytes, header.unreadable == Unreadable::missing ? 1 : 0);
  put_texts(bytes, header.readers);
  if (header.per_person) put_text(bytes, to_string(*header.per_person));
  if (header.one_row_a_person) source_detail::append_leb128(bytes, header.weights ? 1 : 0);
  if (header.weights) put_weights(bytes, *header.weights);
  return bytes;
}

/// Writes the gaps between positions, and the counts.
void put_profile(std::string& bytes, const RankProfile& profile) {
  source_detail::append_leb128(bytes, profile.distinct());
  Position next = 0;  // the least possible next position
  for (std::size_t k = 0; k < profile.distinct(); ++k) {
    source_detail::append_leb128(bytes, profile.position(k) - next);
    source_detail::append_leb128(bytes, profile.count(k));
    next = profile.position(k) + 1;
  }
}

// --- reading

class Bytes : Uncopied {
 public:
  virtual ~Bytes() = default;
  /// Reads as many bytes as there are, up to `room`; returns 0 at the end.
  virtual std::size_t read(char* to, std::size_t room) = 0;
  virtual void require_unchanged() const {}
  /// The state of the file when it was opened.
  virtual source_detail::FileMoment moment() const { return {}; }
  virtual void require_moment(const source_detail::FileMoment& /*moment*/) const {}
};

class BytesInMemory final : public Bytes {
 public:
  explicit BytesInMemory(std::string_view bytes) : left_(bytes) {}
  std::size_t read(char* to, std::size_t room) override {
    const std::size_t size = std::min(room, left_.size());
    std::copy_n(left_.data(), size, to);
    left_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view left_;
};

source_detail::InputFile open_profile(const std::string& path) {
  try {
    return source_detail::InputFile::open(path == "-" ? "./-" : path);  // "-" would be standard input
  } catch (const Error& error) {
    throw Error(error.code(), error.what_words(), "name a file that fractile count or fractile merge wrote");
  }
}

class BytesOfFile final : public Bytes {
 public:
  explicit BytesOfFile(source_detail::InputFile file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t room) override {
    const std::size_t count = file_.read(at_, std::span(to, room));
    at_ += count;
    return count;
  }
  void require_unchanged() const override { file_.require_unchanged(); }
  source_detail::FileMoment moment() const override { return file_.moment(); }
  void require_moment(const source_detail::FileMoment& moment) const override { file_.require_moment(moment); }

 private:
  source_detail::InputFile file_;
  std::size_t at_ = 0;
};

/// Reads a file of this format, hashing as it goes.
class Reader {
 public:
  Reader(std::unique_ptr<Bytes> bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void require_unchanged() const { bytes_->require_unchanged(); }
  source_detail::FileMoment moment() const { return bytes_->moment(); }
  void require_moment(const source_detail::FileMoment& moment) const { bytes_->require_moment(moment); }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::data, "the profile file '" + name_ + "' " + why,
                "copy it again, or count its source again: fractile count");
  }
  [[noreturn]] void refuse_damage() const { refuse("is damaged, or its end is missing"); }

  char byte() {
    if (at_ == filled_ && !fill()) refuse_damage();
    return buffer_[at_++];
  }
  /// Reads a number; throws unless it is encoded in as few bytes as possible.
  std::uint64_t number(std::uint64_t most = ~std::uint64_t{0}) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto next = static_cast<unsigned char>(byte());
      if (shift == 63 && next > 1) refuse_damage();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next >= 0x80) continue;
      if ((next == 0 && shift > 0) || value > most) refuse_damage();
      return value;
    }
  }
  std::string raw(std::uint64_t size) {
    std::string text;
    for (std::uint64_t i = 0; i < size; ++i) text += byte();
    return text;
  }
  std::string text() { return raw(number(longest_text)); }
  std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (std::uint64_t left = number(most_texts); left > 0; --left) texts.push_back(text());
    return texts;
  }
  /// Reads a hash, and throws unless it is that of everything before it.
  std::string require_hash() {
    hash_.add({buffer_.data() + hashed_, at_ - hashed_});
    hashed_ = at_;
    std::string wanted = hash_.bytes();
    if (raw(hash_size) != wanted) refuse_damage();
    return wanted;
  }
  void require_end() {
    if (at_ < filled_ || fill()) refuse_damage();
  }

 private:
  bool fill() {
    hash_.add({buffer_.data() + hashed_, filled_ - hashed_});
    at_ = hashed_ = 0;
    filled_ = bytes_->read(buffer_.data(), buffer_.size());
    return filled_ > 0;
  }

  std::unique_ptr<Bytes> bytes_;
  std::string name_;
  Sha256 hash_;
  std::array<char, std::size_t{1} << 16> buffer_{};
  std::size_t hashed_ = 0;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

Rational number_in_file(const std::string& text, const Reader& reader) {
  Rational number = Rational::parse(text);
  if (!number.is_decimal() || number.to_decimal() != text) reader.refuse_damage();
  return number;
}

Lattice lattice_of(Reader& reader) {
  const std::uint64_t code = reader.number();
  if (code >= 2 * all_kinds.size()) reader.refuse("has a kind of values that this version does not know");
  const ValueKind kind = all_kinds.at(code / 2);
  if (code % 2 == 0) {
    const std::string lower = reader.text();
    const std::string upper = reader.text();
    const std::string step = reader.text();
    return Lattice::regular(number_in_file(lower, reader), number_in_file(upper, reader), number_in_file(step, reader),
                            kind);
  }
  std::vector<Rational> points;
  for (std::uint64_t left = reader.number(most_candidates); left > 0; --left) {
    points.push_back(number_in_file(reader.text(), reader));
  }
  return Lattice::explicit_points(std::move(points), kind);
}

bool are_once_each(const std::vector<std::string>& texts) {
  return std::ranges::is_sorted(texts) && std::ranges::adjacent_find(texts) == texts.end();
}

bool is_sorted_and_valid(const ProfileHeader& header) {
  return std::ranges::is_sorted(header.sources) && are_once_each(header.samplers) && are_once_each(header.readers);
}

GroupKeys keys_in_file(Reader& reader, std::size_t columns) {
  if (columns == 0) {
    static_cast<void>(reader.number(0));
    return {};
  }
  std::vector<std::vector<std::string>> lists;
  for (std::size_t column = 0; column < columns; ++column) lists.push_back(reader.texts());
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t left = reader.number(GroupKeys::most); left > 0; --left) {
    for (std::size_t column = 0; column < columns; ++column) {
      numbers.push_back(static_cast<std::uint32_t>(reader.number(GroupKeys::most)));
    }
  }
  return GroupKeys::numbered(std::move(lists), std::move(numbers));
}

RecordWeights weights_in_file(Reader& reader) {
  std::string column = reader.text();
  const auto number = [&] { return number_in_file(reader.text(), reader); };
  const Rational lower = number();
  const Rational upper = number();
  return {std::move(column), lower, upper, number()};
}

ProfileHeader parsed_header(Reader& reader, std::uint64_t of_format) {
  ProfileHeader header{lattice_of(reader)};
  header.column = reader.text();
  header.null_policy = reader.number(1) == 1 ? NullPolicy::error : NullPolicy::drop;
  header.records_per_person = static_cast<std::uint32_t>(reader.number(std::numeric_limits<std::uint32_t>::max()));
  header.disjoint_persons = reader.number(1) == 1;
  header.person = reader.text();
  const bool is_newest = of_format >= several_columns;
  header.by = is_newest ? KeyColumns(reader.texts()) : KeyColumns(reader.text());
  const std::size_t fewest = of_format == several_columns ? 2 : 0;
  if (is_newest && (header.by.size() < fewest || header.by.size() > GroupKeys::most_columns)) reader.refuse_damage();
  header.sql = reader.text();
  header.sources = reader.texts();
  header.samplers = reader.texts();
  header.keys = is_newest ? keys_in_file(reader, header.by.size()) : GroupKeys(reader.texts());
  if (of_format > first_format) {
    header.missing = reader.texts();
    header.unreadable = reader.number(1) == 1 ? Unreadable::missing : Unreadable::error;
    header.readers = reader.texts();
  }
  if (of_format == of_persons) {
    const std::string how = reader.text();
    const auto is_it = [&](PerPerson each) { return to_string(each) == how; };
    const auto* const found = std::ranges::find_if(all_per_person, is_it);
    if (found == all_per_person.end()) reader.refuse_damage();
    header.per_person = *found;
  }
  header.one_row_a_person = of_format == newest_format;
  const bool has_weights = header.one_row_a_person ? reader.number(1) == 1 : of_format == of_weights;
  if (has_weights) header.weights = weights_in_file(reader);
  reader.require_end();
  header.validate();
  if (!is_sorted_and_valid(header)) reader.refuse_damage();
  return header;
}

/// The hash is checked first, so a damaged header is not interpreted. Otherwise errors of the parsers of numbers and lattices would
/// reveal its texts.
ProfileHeader read_header(Reader& reader) {
  if (reader.raw(magic.size()) != magic) reader.refuse("is not a profile file");
  const std::uint64_t of_format = reader.number();
  if (of_format < first_format || of_format > newest_format)
    reader.refuse("has a format that this version does not know");
  const std::string body = reader.raw(reader.number(longest_header));
  reader.require_hash();
  try {
    Reader inner(std::make_unique<BytesInMemory>(body), reader.name());
    return parsed_header(inner, of_format);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::data || error.code() == ErrorCode::internal) throw;
    reader.refuse_damage();
  }
}

RankProfile read_profile(Reader& reader, const Lattice& lattice) {
  std::vector<Position> positions;
  std::vector<std::uint64_t> counts;
  const Position highest = 2 * lattice.size();
  std::uint64_t records = 0;
  Position next = 0;
  for (std::uint64_t left = reader.number(highest + 1); left > 0; --left) {
    if (next > highest) reader.refuse_damage();
    positions.push_back(next + reader.number(highest - next));
    counts.push_back(reader.number(RankProfile::max_records - records));
    if (counts.back() == 0) reader.refuse_damage();
    if (lattice.is_regular() && positions.back() % 2 == 0) reader.refuse_damage();
    records += counts.back();
    next = positions.back() + 1;
  }
  return {lattice, std::move(positions), counts};
}

struct Counts {
  std::vector<RankProfile> profiles;
  std::string hash;  // of everything in the file before it
};

Counts read_counts(Reader& reader, const ProfileHeader& header) {
  Counts counts;
  for (std::size_t left = std::max<std::size_t>(header.keys.size(), 1); left > 0; --left) {
    counts.profiles.push_back(read_profile(reader, header.lattice));
  }
  counts.hash = reader.require_hash();
  reader.require_end();
  return counts;
}

bool holds_records(const std::vector<RankProfile>& profiles) {
  return std::ranges::any_of(profiles, [](const RankProfile& profile) { return profile.records() > 0; });
}

}  // namespace

void ProfileHeader::validate() const {
  if (records_per_person == 0) throw Error(ErrorCode::usage, "a person has at least one record");
  if (by.empty() != keys.empty()) throw Error(ErrorCode::usage, "keys go with the column that holds them");
  counted().validate();
  if (one_row_a_person && (sql.empty() || person.empty() || per_person || records_per_person != 1)) {
    throw Error(ErrorCode::usage, "one row of each person is made by a query, of the persons of its column");
  }
  if (weights) {
    static_cast<void>(weights->grid());
    if (!(*weights == weights->as_counted())) {
      throw Error(ErrorCode::usage,
                  "what is declared or expected about weights belongs to a release, not to a profile file");
    }
  }
  if (sources.size() > most_texts || samplers.size() > most_texts) {
    throw Error(ErrorCode::usage, "a profile file names at most 100000 sources");
  }
  if (!lattice.is_regular() && lattice.size() > most_candidates) {
    throw Error(ErrorCode::usage, "a profile file lists at most 16777216 candidates");
  }
  const auto is_long = [](const std::string& text) { return text.size() > longest_text; };
  const auto has_comma = [](const std::string& text) { return text.find(',') != std::string::npos; };
  source_detail::check_missing(missing);
  if (std::ranges::any_of(missing, has_comma)) {
    throw Error(ErrorCode::usage, "a text that counts as missing has a comma in it", "make such cells NULL in a query");
  }
  if (readers.size() > most_texts || std::ranges::any_of(readers, is_long)) {
    throw Error(ErrorCode::usage, "a profile file names at most 100000 readers");
  }
  bool has_long_key = std::ranges::any_of(by.names(), is_long);
  for (std::size_t k = 0; k < keys.columns(); ++k) {
    has_long_key = has_long_key || std::ranges::any_of(keys.list(k), is_long);
  }
  if (is_long(column) || (weights && is_long(weights->column)) || is_long(person) || is_long(sql) ||
      std::ranges::any_of(sources, is_long) || std::ranges::any_of(samplers, is_long) || has_long_key) {
    throw Error(ErrorCode::usage, "a profile file holds texts of at most 1048576 bytes");
  }
}

void ProfileHeader::require_bound(std::uint64_t asked) const {
  if (asked >= records_per_person) return;
  throw Error(
      ErrorCode::usage,
      {Field("records_per_person"), fmt::format(": the profile may hold {} records of one person", records_per_person)},
      {"write ", Field("records_per_person").number(records_per_person),
       " or more, or count again with a smaller bound"});  // leaving it out would mean 1 in a publication's file
}

ColumnToCount ProfileHeader::counted() const {
  ColumnToCount counted{column, lattice, null_policy, {person, records_per_person, by, keys}};
  counted.selection.per_person = per_person;
  counted.selection.weights = weights;
  return counted;
}

std::string to_bytes(const CountedProfiles& counted) {
  counted.header.validate();
  const auto is_other = [&](const RankProfile& profile) { return !(profile.lattice() == counted.header.lattice); };
  if (counted.profiles.size() != std::max<std::size_t>(counted.header.keys.size(), 1) ||
      std::ranges::any_of(counted.profiles, is_other)) {
    throw Error(ErrorCode::usage, "a profile file holds one profile per key, each on the file's lattice");
  }
  ProfileHeader header = counted.header;
  std::ranges::sort(header.sources);
  for (std::vector<std::string>* const texts : {&header.samplers, &header.readers}) {
    const std::set<std::string> once(texts->begin(), texts->end());
    texts->assign(once.begin(), once.end());
  }
  std::string bytes(magic);
  source_detail::append_leb128(bytes, format_of(header));
  put_text(bytes, body_of(header));
  Sha256 hash;
  hash.add(bytes);
  bytes += hash.bytes();
  std::size_t hashed = bytes.size() - hash_size;
  for (const RankProfile& profile : counted.profiles) put_profile(bytes, profile);
  hash.add(std::string_view(bytes).substr(hashed));
  return bytes + hash.bytes();
}

CountedProfiles profiles_of_bytes(std::string_view bytes, const std::string& name) {
  Reader reader(std::make_unique<BytesInMemory>(bytes), name);
  ProfileHeader header = read_header(reader);
  Counts counts = read_counts(reader, header);
  return {std::move(header), std::move(counts.profiles)};
}

struct ProfileFile::State {
  explicit State(const std::string& path) : State(open_profile(path), path) {}
  Counts take() {
    if (std::exchange(is_taken, true)) {
      throw Error(ErrorCode::usage, "the counts of a profile file are read once", "open it again");
    }
    try {
      Counts counts = read_counts(reader, header);
      reader.require_unchanged();
      return counts;
    } catch (const Error&) {
      reader.require_unchanged();  // a change would explain the failure
      throw;
    }
  }
  OpenedFile opened;
  Reader reader;
  ProfileHeader header;
  bool is_taken = false;

 private:
  State(source_detail::InputFile file, const std::string& path)
      : opened(file.opened()),
        reader(std::make_unique<BytesOfFile>(std::move(file)), path),
        header(read_header(reader)) {}
};

ProfileFile::ProfileFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProfileFile::ProfileFile(ProfileFile&&) noexcept = default;
ProfileFile& ProfileFile::operator=(ProfileFile&&) noexcept = default;
ProfileFile::~ProfileFile() = default;

ProfileFile ProfileFile::open(const std::string& path) { return ProfileFile(std::make_unique<State>(path)); }
const ProfileHeader& ProfileFile::header() const { return state_->header; }
const OpenedFile& ProfileFile::opened() const { return state_->opened; }

std::string ProfileFile::person_of_rows() const { return header().one_row_a_person ? header().person : std::string(); }

void ProfileFile::require_unchanged() const { state_->reader.require_unchanged(); }

namespace {

/// The first difference between the two requests; "" if there is none.
std::string difference(const ColumnToCount& asked, const ColumnToCount& counted) {
  if (asked.column != counted.column) return "column";
  if (!(asked.lattice == counted.lattice)) return counted.lattice.is_regular() ? "bounds" : "candidates";
  if (asked.null_policy != counted.null_policy) return "null";
  if (asked.selection.person != counted.selection.person) return "person";
  if (asked.selection.per_person != counted.selection.per_person) return "per_person";
  if (asked.selection.merged) return "totals";  // no profile has a person's value in a total
  if (asked.selection.by != counted.selection.by) return "by";
  if (!asked.selection.others.empty()) return "other";  // their records were not counted
  if (asked.selection.keys != counted.selection.keys) return "keys";
  const std::optional<RecordWeights>& weights = asked.selection.weights;
  if ((weights ? std::optional(weights->as_counted()) : std::nullopt) != counted.selection.weights) return "weight";
  return asked.public_rows ? "public_rows" : "";
}

/// What the header says about a field in which requests differ; empty for a field that it lacks, or that is long.
Words stated(const std::string& field, const ColumnToCount& counted) {
  const Lattice& lattice = counted.lattice;
  if (field == "column") return Field(field).text(counted.column);
  if (field == "bounds" && lattice.kind() == ValueKind::number) {
    return {Field(field).pair(lattice.text(0), lattice.text(lattice.size() - 1)), " ",
            Field("step").number(lattice.step().to_decimal())};
  }
  if (field == "null") return Field(field).text(counted.null_policy == NullPolicy::drop ? "drop" : "error");
  if (field == "person" && !counted.selection.person.empty()) return Field(field).text(counted.selection.person);
  return {};
}

}  // namespace

void ProfileFile::require_countable(const std::vector<ColumnToCount>& columns) const {
  if (columns.size() != 1)
    throw Error(ErrorCode::usage, "a profile file holds one column", "name one profile file for each column");
  const std::string field = difference(columns.front(), header().counted());
  if (field == "other") {
    throw Error(
        ErrorCode::usage, {Field(field), ": a profile file has no records of keys that are not listed"},
        {"count the table again, with one key for all others and that key listed: ",
         Field("sql").text("SELECT *, CASE WHEN region IN ('north', 'south') THEN region ELSE 'other' END AS area "
                           "FROM input")},
        field);
  }
  if (!field.empty()) {
    const Words header_says = stated(field, header().counted());
    throw Error(ErrorCode::usage, {Field(field), ": the profile file was counted in another way"},
                header_says.empty() ? "ask for what its header says, or count again"
                                    : Words{"its header says ", header_says, "; ask for that, or count again"},
                field);
  }
  header().require_bound(columns.front().selection.records_per_person);
}

std::vector<CountedColumn> ProfileFile::count(const std::vector<ColumnToCount>& columns, RandomBits& /*bits*/,
                                              const std::function<void()>& /*on_progress*/) const {
  require_countable(columns);
  RecordSelection selection = header().counted().selection;
  selection.weights = columns.front().selection.weights;  // including declarations about them
  return {selection.counted(state_->take().profiles)};
}

std::vector<TableColumn> ProfileFile::columns() const { return {{header().column, "counts"}}; }

std::string ProfileFile::engine() const {
  constexpr std::size_t most = 10;  // for more sources, only their number is reported
  const std::vector<std::string>& sources = header().sources;
  std::string text =
      fmt::format("profile file, counted from {} source{}", sources.size(), sources.size() == 1 ? "" : "s");
  if (sources.empty() || sources.size() > most) return text;
  for (std::size_t i = 0; i < sources.size(); ++i) text += (i == 0 ? ": " : ", ") + sources[i];
  return text;
}

namespace {

/// A file that must be read once more, and its state when its header was read.
struct FileToMerge {
  std::string path;
  source_detail::FileMoment moment;
  std::optional<ProfileFile> open;  // set for a file that cannot be opened again
};

/// The names of files that hold records, by their hashes.
class NamesByHash {
 public:
  /// Throws `usage` for the second file with equal contents.
  void add(std::string hash, const std::string& name) {
    const auto [known, is_new] = names_.emplace(std::move(hash), name);
    if (is_new) return;
    throw Error(ErrorCode::usage,
                fmt::format("the profile files '{}' and '{}' have equal contents: each of their records would count "
                            "twice",
                            known->second, name),
                {"name each counting once; if they hold different records that happen to count alike, say so: ",
                 Field("allow_equal_files")});
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace

CountedProfiles ProfileFile::merge(const std::vector<std::string>& paths, Persons persons, EqualFiles equal_files,
                                   const std::function<void(const ProfileHeader&)>& on_file) {
  if (paths.empty()) throw Error(ErrorCode::usage, "no profile file is named", "name the profile files to add");
  source_detail::HeaderSum headers(persons);
  std::vector<FileToMerge> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    ProfileFile file = open(path);
    headers.add(file.header());
    if (on_file) on_file(file.header());
    const bool can_be_found = !file.opened().path.empty();
    files.push_back({path, file.state_->reader.moment(), {}});
    if (!can_be_found) files.back().open = std::move(file);
  }
  CountedProfiles sum{headers.finish(), {}};
  NamesByHash names;
  source_detail::ProfileSum profiles;
  for (FileToMerge& each : files) {
    ProfileFile file = each.open ? std::move(*each.open) : open(each.path);
    each.open.reset();
    file.state_->reader.require_moment(each.moment);
    Counts counts = file.state_->take();
    if (equal_files == EqualFiles::one_counting && holds_records(counts.profiles))
      names.add(std::move(counts.hash), each.path);
    // The lattices are equal. From here on, profiles share one of them, so lists are not compared for every file.
    for (RankProfile& profile : counts.profiles) profile = relabeled(std::move(profile), sum.header.lattice);
    profiles.add(std::move(counts.profiles));
    if (on_file) on_file(file.header());
  }
  sum.profiles = profiles.finish();
  return sum;
}

}  // namespace fractile

#include "requests/counting.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "publication/datasets.hpp"
#include "report/text/durable.hpp"
#include "requests/csv_text.hpp"
#include "requests/groups.hpp"
#include "requests/query.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

constexpr const char* as_sensitive =
    "it is as sensitive as the data: keep it where the data is, and delete it once released";

std::string output_of(const Typed& typed) {
  if (!typed.has("output")) {
    const Field field("output");
    usage({field, " is missing: where to write the profile file"}, {"write ", field.blank("PATH")});
  }
  std::string output = typed.one("output");
  require_writable(output, "profile file");
  return output;
}

std::string source_name(const Typed& typed, const TableOptions& read, const std::vector<OpenedFile>& opened) {
  const std::string known = publication_detail::name_of_source(typed.one("source"), read, opened);
  return known.empty() ? input_name(typed) : known;
}

void write_profiles(const std::string& output, const CountedProfiles& counted, Attendant& attendant) {
  write_durably(output, to_bytes(counted), "profile file");
  attendant.at("");
  attendant.tell(fmt::format("wrote the profile file '{}'", output), as_sensitive);
}

}  // namespace

void count_to_file(const Typed& typed, Attendant& attendant) {
  if (!typed.has("column")) {
    const Field field("column");
    usage({field, " is missing"}, {"name the column to count, for example ", field.text("age")});
  }
  QuantileQuery query{{Rational(1, 2)}, Budget::pure(Rational(1))};
  query.records_per_person = records_per_person_of(typed);  // selecting records needs no other field
  ProfileHeader header{lattice_of(typed)};
  const RecordSelection selection = selection_of(typed, query);
  header.weights = weights_of(typed);
  const TableOptions options = table_of(typed, false);
  header.column = typed.one("column");
  header.null_policy = null_policy_of(typed);
  header.records_per_person = query.records_per_person;
  header.person = selection.person;
  header.per_person = selection.per_person;
  header.by = selection.by;
  header.keys = selection.keys;
  header.sql = options.sql;
  header.sources = {source_name(typed, options, {})};
  header.missing = options.missing;
  const bool is_row_wise = !options.sql.empty() && !options.sql_stability;
  header.unreadable = is_row_wise ? Unreadable::missing : options.unreadable.value_or(Unreadable::error);
  const std::optional<std::uint64_t> seed = seed_of(typed);
  RandomBits bits = seed ? RandomBits::unsafe_seeded(*seed) : RandomBits::system();
  std::optional<SamplingKey> sampling_key;
  if (!header.person.empty()) {
    sampling_key = SamplingKey::draw(bits);
    header.samplers = {fmt::format("key {}", sampling_key->id())};
    if (seed) header.samplers[0] += fmt::format(", unsafe seed {}", *seed);
  }
  header.validate();
  const std::string output = output_of(typed);

  attendant.at("opening " + input_name(typed));
  const auto on_opened = [&](const std::vector<OpenedFile>& files) {
    header.sources = {source_name(typed, options, files)};
  };
  const Table table = Table::open(options, on_opened);
  header.one_row_a_person = !table.person_of_rows().empty();
  header.validate();
  header.readers = {table.reader()};
  ColumnToCount counted = header.counted();
  counted.selection.sampling_key = sampling_key;
  table.require_countable({counted});
  attendant.at("reading " + input_name(typed));
  CountedColumn column = std::move(table.count({counted}, bits, [&] { tell_progress(table, attendant); }).front());
  write_profiles(output, {std::move(header), std::move(column).profiles()}, attendant);
}

namespace {

struct CommonSource {
  std::string name;
  std::size_t files;
};

/// Counts the files in which each source was counted.
class Sources {
 public:
  void add(const ProfileHeader& header) {
    const std::vector<std::string>& sources = header.sources;
    for (const std::string& source : std::set<std::string>(sources.begin(), sources.end())) ++files_of_[source];
  }
  /// A source that several files have in common. Files with a common source need not be equal: one may have been merged from the other.
  std::optional<CommonSource> common() const {
    const auto common = std::ranges::find_if(files_of_, [](const auto& each) { return each.second > 1; });
    if (common == files_of_.end()) return {};
    return CommonSource{common->first, common->second};
  }

 private:
  std::map<std::string, std::size_t> files_of_;
};

void warn_of(const CommonSource& source, Attendant& attendant) {
  attendant.warn(fmt::format("'{0}' was counted in {1} of the files: if that is one table, its records count {1} times",
                             source.name, source.files),
                 {"name each counting once; count tables of one name on several machines with different names: ",
                  Field("source").blank("NAME")});
}

}  // namespace

void merge_to_file(const Typed& typed, Attendant& attendant) {
  if (typed.file.empty()) usage("no FILE is named", "name the profile files to add");
  const std::string output = output_of(typed);
  const Persons persons = typed.has("disjoint_persons") ? Persons::are_disjoint : Persons::may_overlap;
  const EqualFiles equal_files =
      typed.has("allow_equal_files") ? EqualFiles::different_records : EqualFiles::one_counting;
  const std::vector<std::string> files = typed.files();
  Sources sources;
  std::size_t seen = 0;
  attendant.at("reading profile files");
  const CountedProfiles counted = ProfileFile::merge(files, persons, equal_files, [&](const ProfileHeader& header) {
    if (++seen <= files.size()) sources.add(header);
    attendant.tick();
  });
  const std::optional<CommonSource> common = sources.common();
  write_profiles(output, counted, attendant);
  if (common) warn_of(*common, attendant);
}

std::optional<ProfileFile> counts_of(const Typed& typed) {
  if (!typed.has("counts")) return {};
  if (!typed.file.empty()) usage({Field("counts"), " takes the place of FILE"}, "name one or the other");
  return ProfileFile::open(typed.one("counts"));
}

namespace {

void refuse_options_of_tables(const Typed& typed) {
  for (const char* field :
       {"sql", "sql_stability", "table", "input_format", "delimiter", "single_line_records", "decimal", "thousands",
        "encoding", "duckdb", "threads", "memory", "keys", "keys_file", "public_rows", "postgres"}) {
    if (typed.has(field) || (std::string_view(field) == "keys" && typed.has_keys())) {
      usage({Field(field), " says how records are read, and those of a profile file are already counted"},
            "leave it out");
    }
  }
}

/// Sets a field, or checks that it was typed with this value.
void set(Typed& typed, const char* field, const std::string& value) {
  if (typed.has(field) && typed.one(field) != value) {
    const std::string counted = value.empty() ? "without it" : fmt::format("with '{}'", value);
    usage({Field(field), ": the profile file was counted ", counted}, "leave it out, or count again");
  }
  if (!value.empty()) typed.values[field] = {value};
}

constexpr const char* own_in_file = ": the profile file has its own";

void set_lattice(Typed& typed, const Lattice& lattice) {
  refuse_given(typed, {"bounds", "step", "candidates", "bounds_budget"}, own_in_file, "leave it out");
  if (lattice.is_regular()) {
    typed.values["bounds"] = {lattice.text(0), lattice.text(lattice.size() - 1)};
    typed.values["step"] = {distance_text(lattice.kind(), lattice.step())};
    return;
  }
  std::vector<std::string> candidates;
  for (std::uint64_t i = 0; i < lattice.size(); ++i) candidates.push_back(lattice.text(i));
  typed.values["candidates"] = {listed(candidates)};
}

void set_weights(Typed& typed, const std::optional<RecordWeights>& weights) {
  refuse_given(typed, {"weight_bounds", "weight_step"}, own_in_file, "leave it out");
  if (!weights && typed.has("weight")) {
    usage({Field("weight"), ": the profile file was counted without weights"}, "leave it out, or count again");
  }
  if (!weights) return;
  set(typed, "weight", weights->column);
  typed.values["weight_bounds"] = {weights->lower.to_decimal(), weights->upper.to_decimal()};
  typed.values["weight_step"] = {weights->step.to_decimal()};
}

void set_bound(Typed& typed, const ProfileHeader& header) {
  const std::string bound = std::to_string(header.records_per_person);
  if (!typed.has("records_per_person")) {
    typed.values["records_per_person"] = {bound};
    return;
  }
  header.require_bound(whole_number(typed, "records_per_person", {1, 1'000'000'000}));
}

void set_groups(Typed& typed, const ProfileHeader& header) {
  const std::string by = text_of_names(header.by.names());
  set(typed, "by", typed.has("by") && key_columns(typed) == header.by ? typed.one("by") : by);
  for (const GroupKey& key : header.keys.all()) typed.key_tuples.push_back(key.texts());
}

/// Sets `unreadable` as in the header, except for the policy "error": an unreadable cell would have ended the counting, so the release
/// needs no such policy.
void set_unreadable(Typed& typed, const ProfileHeader& header) {
  const std::string policy = header.unreadable == Unreadable::missing ? "missing" : "error";
  set(typed, "unreadable", policy);
  if (header.unreadable == Unreadable::error) typed.values.erase("unreadable");
}

}  // namespace

Typed with_header(Typed typed, const ProfileHeader& header) {
  refuse_options_of_tables(typed);
  set(typed, "column", header.column);
  set(typed, "null", header.null_policy == NullPolicy::error ? "error" : "drop");
  set(typed, "person", header.person);
  set(typed, "per_person", header.per_person ? to_string(*header.per_person) : "");
  set_groups(typed, header);
  set_lattice(typed, header.lattice);
  set_weights(typed, header.weights);
  set_bound(typed, header);
  if (typed.has("missing")) typed.values["missing"] = {listed(missing_of(typed))};  // without blanks around the texts
  set(typed, "missing", listed(header.missing));
  set_unreadable(typed, header);
  if (!header.sql.empty()) typed.values["sql"] = {header.sql};
  if (header.disjoint_persons) typed.values["disjoint_persons"] = {};  // declared by those who merged the profiles
  typed.file = typed.one("counts");
  typed.values["input_format"] = {"profile"};
  return typed;
}

}  // namespace fractile::requests

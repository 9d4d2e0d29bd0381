#include "requests/groups.hpp"

#include "fractile/error.hpp"
#include "requests/csv_text.hpp"
#include "requests/keys.hpp"
#include "requests/readings.hpp"
#include "requests/sources.hpp"

namespace fractile::requests {
namespace {

GroupKeys typed_keys(const Typed& typed, const KeyColumns& by) {
  const bool listed = typed.has_keys();
  const bool in_file = typed.has("keys_file");
  if (!typed.has("by")) {
    if (listed || in_file) {
      usage({Field(listed ? "keys" : "keys_file"), " without the column that holds the keys"},
            {"name it, for example ", Field("by").text("region")});
    }
    return {};
  }
  if (listed && in_file) usage({Field("keys_file"), " takes the place of ", Field("keys")}, "give one or the other");
  if (!listed && !in_file) {
    const Field keys("keys");
    const Words example = by.size() > 1 ? Words{keys.entry(by[0], "..."), " and so on for each column"}
                                        : Words(keys.texts({"north", "south"}));
    usage({Field("by"), " without its keys, which are public knowledge, not read from the data"},
          {"write for example ", example, ", or ", Field("keys_file").blank("PATH")});
  }
  if (!typed.key_tuples.empty()) return GroupKeys::tuples(typed.key_tuples);
  if (!typed.key_lists.empty()) return GroupKeys::crossed(typed.key_lists);
  if (listed) return listed_keys(by, typed.values.at("keys"));
  require_no_input(typed, "keys_file");
  const KeysFile file = keys_file(typed.one("keys_file"));
  if (typed.has("ledger")) require_declared_keys({typed.one("ledger"), typed.one("dataset")}, file.contents());
  return file.keys(by);
}

}  // namespace

KeyColumns key_columns(const Typed& typed) {
  if (!typed.has("by")) return {};
  return in_field("by", [&] {
    KeyColumns columns(names_in(typed.one("by")));
    columns.validate();
    return columns;
  });
}

std::optional<RecordWeights> weights_of(const Typed& typed, WeightColumn column) {
  const bool is_named = column == WeightColumn::named;
  const char* const first = is_named ? "weight" : "weight_bounds";
  if (!typed.has(first)) {
    const Field weight(first);
    refuse_given(typed, {"weight_bounds", "weight_step", "weight_stability", "expected_weight"},
                 {" goes with ", weight},
                 {"write for example ", is_named ? weight.text("weight") : weight.pair("0", "300")});
    return {};
  }
  for (const char* field : {"weight_bounds", "weight_step"}) {
    if (typed.has(field)) continue;
    usage({Field(field), " is missing: weights are points of a grid that is public"},
          {"write the smallest and the largest weight, and the distance between weights: ",
           Field("weight_bounds").pair("0", "300"), " ", Field("weight_step").number("0.5")});
  }
  const auto number = [&](const char* field, std::size_t which) {
    return in_field(field, [&] { return Rational::parse(typed.values.at(field).at(which)); });
  };
  RecordWeights weights{is_named ? typed.one("weight") : "weight", number("weight_bounds", 0),
                        number("weight_bounds", 1), number("weight_step", 0)};
  if (typed.has("weight_stability")) {
    weights.stability = static_cast<std::uint32_t>(whole_number(typed, "weight_stability", {1, 1'000'000'000}));
  }
  if (typed.has("expected_weight")) weights.mean = number("expected_weight", 0);
  weights.validate();
  in_field("weight_bounds", [&] { return weights.grid(); });
  return weights;
}

namespace {

/// `keys`: the field that an error about the keys is about.
void require_valid(const RecordSelection& selection, const char* keys) {
  try {
    selection.validate();
  } catch (const Error& error) {
    if (!error.field().empty() && error.field() != "keys") throw;
    in_field(keys, [&]() -> void { throw error; });
  }
}

}  // namespace

RecordSelection selection_of(const Typed& typed, const QuantileQuery& query) {
  const KeyColumns by = key_columns(typed);
  RecordSelection selection{typed.one("person"), query.records_per_person, by, typed_keys(typed, by)};
  if (typed.has("per_person")) {
    selection.per_person = choice(typed, "per_person", by_name(all_per_person), PerPerson::sum);
  }
  require_valid(selection, typed.has_keys() ? "keys" : "keys_file");
  if (!selection.by.empty()) group_query(query);
  if ((selection.selects() || typed.has("sql") || typed.has("weight")) && typed.has("public_rows")) {
    usage({Field("public_rows"), " goes neither with ", Field("person"), " nor with ", Field("by"), " nor with ",
           Field("sql"), " nor with ", Field("weight"),
           ": how many records are kept, are in a group or result from a query ",
           "reveals more than the number of rows of the table"},
          "leave it out");
  }
  return selection;
}

}  // namespace fractile::requests

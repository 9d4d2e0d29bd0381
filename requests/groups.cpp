#include "requests/groups.hpp"

#include "fractile/error.hpp"
#include "requests/keys.hpp"
#include "requests/readings.hpp"
#include "requests/sources.hpp"

namespace fractile::requests {
namespace {

std::vector<std::string> typed_keys(const Typed& typed) {
  const bool listed = typed.has("keys") || !typed.keys.empty();
  const bool in_file = typed.has("keys_file");
  if (!typed.has("by")) {
    if (listed || in_file) {
      usage({Field(listed ? "keys" : "keys_file"), " without the column that holds the keys"},
            {"name it, for example ", Field("by").text("region")});
    }
    return {};
  }
  if (listed && in_file) usage({Field("keys_file"), " stands instead of ", Field("keys")}, "give one or the other");
  if (!listed && !in_file) {
    usage({Field("by"), " without its keys, which are public knowledge, not read from the data"},
          {"write for example ", Field("keys").texts({"north", "south"}), ", or ", Field("keys_file").blank("PATH")});
  }
  if (!typed.keys.empty()) return typed.keys;
  if (listed) return listed_keys(typed.one("keys"));
  require_no_input(typed, "keys_file");
  const KeysFile file = keys_file(typed.one("keys_file"));
  if (typed.has("ledger")) require_declared_keys(typed, file.contents);
  return file.keys();
}

}  // namespace

RecordSelection selection_of(const Typed& typed, const QuantileQuery& query) {
  RecordSelection selection{typed.one("person"), query.records_per_person, typed.one("by"), typed_keys(typed)};
  const char* field = typed.has("keys") || !typed.keys.empty() ? "keys" : "keys_file";
  in_field(field, [&] { selection.validate(); });
  if (!selection.by.empty()) group_query(query);
  if ((selection.selects() || typed.has("sql")) && typed.has("public_rows")) {
    usage({Field("public_rows"), " goes neither with ", Field("person"), " nor with ", Field("by"), " nor with ",
           Field("sql"), ": how many records are kept, are in a group, or come of a query, ",
           "tells more than how many rows the table has"},
          "leave it out");
  }
  return selection;
}

}  // namespace fractile::requests

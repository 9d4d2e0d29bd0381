#include "requests/pipelines/release_analyst.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>

#include "fractile/error.hpp"
#include "libraries/fmt.hpp"
#include "requests/toml_text.hpp"
#include "requests/values.hpp"

namespace fractile::requests {
namespace {

[[noreturn]] void refuse_analyst(const std::string& path, const std::string& what) {
  throw Error(
      ErrorCode::data, {Field("analyst"), ": ", path, ": ", what},
      "write [analyst], and below it loss = \"missed-records\" and most = 20; or loss = \"missed-by-more\", than = 100 "
      "and most = \"0.05\"");
}

[[noreturn]] void refuse_line(const std::string& path, const toml::node& node, const std::string& what) {
  refuse_analyst(path, fmt::format("line {}: {}", std::max(1U, node.source().begin.line), what));
}

/// Reads a whole number, or a text such as "0.05" or "1/20". A TOML float is refused, because binary fractions are not decimals.
Rational number_in(const std::string& path, const toml::node& node) {
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* text = node.as_string()) {
    try {
      return Rational::parse(text->get());
    } catch (const Error&) {
      refuse_line(path, node, "no number");
    }
  }
  refuse_line(path, node, "a number that is not whole must be in quotes");
}

/// Reads the members of one table.
class Members {
 public:
  Members(const std::string& path, const toml::table& table) : path_(path), table_(table) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (name != "loss" && name != "than" && name != "most")
        refuse_line(path, value, "only loss, than and most are allowed here");
    }
  }

  bool has(const char* name) const { return table_.contains(name); }
  const toml::node& at(const char* name) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) refuse_analyst(path_, fmt::format("{} is missing", name));
    return *node;
  }
  Rational number(const char* name) const { return number_in(path_, at(name)); }

 private:
  const std::string& path_;
  const toml::table& table_;
};

}  // namespace

ReleaseAnalyst read_release_analyst(const std::string& path) {
  const toml::table table = small_toml(path, [&](const std::string& what) { refuse_analyst(path, what); });
  const auto* const inner = table["analyst"].as_table();
  if (inner == nullptr || table.size() != 1) refuse_analyst(path, "it must have exactly one table, [analyst]");
  const Members members(path, *inner);
  ReleaseAnalyst analyst;
  const auto* const loss = members.at("loss").as_string();
  if (loss == nullptr || (loss->get() != "missed-records" && loss->get() != "missed-by-more")) {
    refuse_line(path, members.at("loss"), "loss is \"missed-records\" or \"missed-by-more\"");
  }
  analyst.accepted_loss = members.number("most");
  if (analyst.accepted_loss.sign() < 0) refuse_line(path, members.at("most"), "no analyst loses less than 0");
  if (loss->get() == "missed-records") {
    if (members.has("than")) refuse_line(path, members.at("than"), "than goes with missed-by-more");
    return analyst;
  }
  analyst.loss = ReleaseAnalyst::Loss::missed_by_more;
  const Rational than = members.number("than");
  if (than.sign() < 0 || than.denominator() != 1 || than > Rational(std::int64_t{1} << 48)) {
    refuse_line(path, members.at("than"), "than is a whole number of records");
  }
  analyst.tolerance = than.to_uint64();
  return analyst;
}

}  // namespace fractile::requests

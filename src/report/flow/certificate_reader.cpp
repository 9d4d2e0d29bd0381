
#include <algorithm>
#include <set>

#include "exact/lists.hpp"
#include "fractile/error.hpp"
#include "libraries/rapidjson.hpp"
#include "report/flow/certificate.hpp"
#include "report/text/json_fault.hpp"

namespace fractile::report_detail {
namespace {

using Json = rapidjson::Value;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::data, "this is not a certificate: " + what,
              "give what a check or a comparison of flow returns as JSON");
}

/// Throws `data` for a document of another version than flow_json writes; one without a version counts as of this one.
void require_version(const Json& document) {
  const auto at = document.FindMember("schema_version");
  if (at == document.MemberEnd() || (at->value.IsUint64() && at->value.GetUint64() == 1)) return;
  throw Error(ErrorCode::data, "this certificate's schema_version is not 1, the only one that is read here",
              "check it with the version of Fractile that its member \"program\" names");
}

const Json& need(const Json& object, const char* name) {
  const auto at = object.FindMember(name);
  if (at == object.MemberEnd()) refuse(std::string("there is no \"") + name + "\"");
  return at->value;
}

const Json* find(const Json& object, const char* name) {
  const auto at = object.FindMember(name);
  return at == object.MemberEnd() ? nullptr : &at->value;
}

/// Refuses members that are not known, since readers of the document would believe a member that is never checked.
void require_members(const Json& object, const std::set<std::string>& known) {
  if (!object.IsObject()) refuse("expected an object, but found something else");
  for (const auto& member : object.GetObject()) {
    if (!known.contains(std::string(member.name.GetString(), member.name.GetStringLength()))) {
      refuse("it has a member that no certificate of its kind has");
    }
  }
}

std::string text_of(const Json& value) {
  if (!value.IsString()) refuse("expected a text, but found something else");
  return {value.GetString(), value.GetStringLength()};
}

const Json& list_of(const Json& list) {
  if (!list.IsArray()) refuse("expected a list, but found something else");
  return list;
}

/// Parses a text with `read`, and refuses a text on which `read` throws.
template <class Read>
auto read_from(const Json& value, const char* what, const Read& read) {
  const std::string text = text_of(value);
  try {
    return read(text);
  } catch (const Error&) {
    refuse("expected " + std::string(what) + " in quotes, but found something else");
  }
}

constexpr std::size_t most_parsed = 10'000;  // characters, by Rational::parse()

/// A whole number of any length.
Rational long_whole(std::string_view digits) {
  Rational whole;
  for (; !digits.empty(); digits.remove_prefix(std::min(most_parsed, digits.size()))) {
    const std::string_view piece = digits.substr(0, most_parsed);
    whole = whole * Rational(10).pow(static_cast<std::int64_t>(piece.size())) + Rational::parse(piece);
  }
  return whole;
}

/// A number, or a fraction of any length: exact losses of many people have more digits than parse() reads.
Rational any_fraction(std::string_view text) {
  if (text.size() <= most_parsed || text.find_first_not_of("0123456789/") != std::string_view::npos) {
    return Rational::parse(text);
  }
  const std::size_t bar = text.find('/');
  const std::string_view divisor = bar == std::string_view::npos ? "1" : text.substr(bar + 1);
  if (bar == 0 || divisor.empty() || divisor.find('/') != std::string_view::npos) return Rational::parse(text);
  return long_whole(text.substr(0, bar)) / long_whole(divisor);
}

Rational number_of(const Json& value) { return read_from(value, "a fraction", any_fraction); }

PrintedNumber printed_number_of(const Json& value) {
  PrintedNumber number{number_of(value), 0};
  const std::string text = text_of(value);
  const std::size_t exponent = text.find('e');  // of digits that do not reach the point: 1235e3
  const std::size_t point = text.find('.');
  if (exponent != std::string::npos) {
    number.unit = Rational::parse("1" + text.substr(exponent)) / 2;  // rounded: half a unit is as far as it may be
  } else if (point != std::string::npos) {
    number.unit = Rational(1, 10).pow(static_cast<std::int64_t>(text.size() - point - 1));
  }
  return number;
}

std::vector<std::string> texts_of(const Json& list) { return mapped(list_of(list).GetArray(), text_of); }

std::vector<Rational> numbers_of(const Json& list) { return mapped(list_of(list).GetArray(), number_of); }

flow::Matrix matrix_of(const Json& rows) {
  std::vector<std::vector<Rational>> matrix;
  for (const Json& row : list_of(rows).GetArray()) {
    matrix.push_back(numbers_of(row));
    if (matrix.back().empty() || matrix.back().size() != matrix.front().size()) {
      refuse("a matrix has rows that are empty or of different lengths");
    }
  }
  if (matrix.empty()) refuse("a matrix is empty");
  return flow::Matrix::of(matrix);
}

std::optional<flow::Matrix> optional_matrix(const Json& object, const char* name) {
  const Json* const rows = find(object, name);
  return rows == nullptr ? std::nullopt : std::optional(matrix_of(*rows));
}

Exponent epsilon_of(const Json& value) {
  return read_from(value, "an epsilon", [](const std::string& text) { return Exponent::parse(text); });
}

PrintedRange range_of(const Json& range) {
  require_members(range, {"odds_from", "odds_to", "epsilon_from", "epsilon_to", "proof"});
  const auto end = [&](const char* name) { return printed_number_of(need(range, name)); };
  PrintedRange result{end("odds_from"), end("odds_to"), end("epsilon_from"), end("epsilon_to")};
  if (const Json* const proof = find(range, "proof")) {
    require_members(*proof, {"odds_from", "odds_to", "loss_from", "loss_to"});
    result.proof =
        PrintedRise{number_of(need(*proof, "odds_from")), number_of(need(*proof, "odds_to")),
                    printed_number_of(need(*proof, "loss_from")), printed_number_of(need(*proof, "loss_to"))};
  }
  return result;
}

std::vector<PrintedRange> ranges_of(const Json& list) { return mapped(list_of(list).GetArray(), range_of); }

PrintedWindows windows_of(const Json& analyst) {
  require_members(analyst, {"verdict", "windows_by", "windows", "undecided"});
  PrintedWindows result{
      text_of(need(analyst, "verdict")), text_of(need(analyst, "windows_by")), ranges_of(need(analyst, "windows")), {}};
  if (const Json* const undecided = find(analyst, "undecided")) result.undecided = ranges_of(*undecided);
  return result;
}

void read_counterexample(Certificate& certificate, const Json& example) {
  require_members(example, {"prior", "loss", "loss_from", "loss_to"});
  certificate.prior = numbers_of(need(example, "prior"));
  certificate.loss = matrix_of(need(example, "loss"));
  certificate.loss_from = number_of(need(example, "loss_from"));
  certificate.loss_to = number_of(need(example, "loss_to"));
}

/// Reads the kind of the certificate. Returns the members that only this kind may have.
std::set<std::string> read_kind(Certificate& certificate, const Json& document) {
  if (find(document, "from") != nullptr) {
    certificate.is_comparison = true;
    certificate.from = text_of(need(document, "from"));
    certificate.to = text_of(need(document, "to"));
    certificate.has_observations = true;
    certificate.observations_from = texts_of(need(document, "observations_from"));
    certificate.observations_to = texts_of(need(document, "observations_to"));
    return {"from", "to", "observations_from", "observations_to"};
  }
  if (const Json* const observations = find(document, "observations")) {
    certificate.has_observations = true;
    certificate.observations_from = certificate.observations_to = texts_of(*observations);
  }
  if (const Json* const low = find(document, "epsilon_low")) {
    certificate.is_range = true;
    certificate.epsilon_to = epsilon_of(*low);
    certificate.epsilon_from = epsilon_of(need(document, "epsilon_high"));
    if (find(document, "odds_from") != nullptr) {
      certificate.odds_from = number_of(need(document, "odds_from"));
      certificate.odds_to = number_of(need(document, "odds_to"));
    }
    if (const Json* const analyst = find(document, "analyst")) certificate.windows = windows_of(*analyst);
    if (const Json* const theorem = find(document, "theorem")) certificate.theorem = text_of(*theorem);
    return {"epsilon_low", "epsilon_high", "odds_from", "odds_to", "about",
            "losses",      "observations", "theorem",   "analyst"};
  }
  certificate.epsilon_from = epsilon_of(need(document, "epsilon_from"));
  certificate.epsilon_to = epsilon_of(need(document, "epsilon_to"));
  return {"epsilon_from", "epsilon_to", "about", "losses", "observations", "randomized", "loss"};
}

}  // namespace

Certificate certificate_in(const std::string& json) {
  if (const auto fault = fault_of(json)) refuse(fault->what);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (!document.IsObject()) refuse("it is not a JSON object");
  const Json& verdict = need(document, "verdict");  // receipts and plans have versions, too
  require_version(document);
  Certificate certificate{text_of(verdict)};
  if (const Json* const witness = find(document, "witness")) certificate.witness = matrix_of(*witness);
  std::set<std::string> members = read_kind(certificate, document);
  members.insert({"schema_version", "program", "verdict", "reason", "secrets", "witness", "counterexample",
                  "channel_from", "channel_to"});
  require_members(document, members);
  if (const Json* const about = find(document, "about")) certificate.about = text_of(*about);
  if (const Json* const losses = find(document, "losses")) certificate.are_losses_bounds = text_of(*losses) == "bounds";
  if (const Json* const secrets = find(document, "secrets")) certificate.secrets = texts_of(*secrets);
  certificate.channel_from = optional_matrix(document, "channel_from");
  certificate.channel_to = optional_matrix(document, "channel_to");
  if (const Json* const example = find(document, "counterexample")) read_counterexample(certificate, *example);
  if (const Json* const randomized = find(document, "randomized")) {
    certificate.loss = matrix_of(need(document, "loss"));
    for (const Json& actions : list_of(*randomized).GetArray()) certificate.randomized.push_back(matrix_of(actions));
  }
  return certificate;
}

}  // namespace fractile::report_detail

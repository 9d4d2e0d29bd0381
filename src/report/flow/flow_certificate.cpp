// Reads certificates that were printed, and checks them: by verify(), which shares no code with what finds them.
#include <rapidjson/document.h>

#include <utility>

#include "fractile/error.hpp"
#include "fractile/flow_report.hpp"
#include "report/text/json_fault.hpp"

namespace fractile {
namespace {

using Json = rapidjson::Value;
using Outcome = CertificateReport::Outcome;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::data, "this is no certificate: " + what,
              "give what fractile flow check or compare prints with --format json");
}

const Json& need(const Json& object, const char* name) {
  const auto at = object.FindMember(name);
  if (at == object.MemberEnd()) refuse(std::string("there is no \"") + name + "\"");
  return at->value;
}

std::string text_of(const Json& value) {
  if (!value.IsString()) refuse("a text is wanted where there is something else");
  return {value.GetString(), value.GetStringLength()};
}

Rational number_of(const Json& value) {
  try {
    return Rational::parse(text_of(value));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::data) throw;
    refuse("a fraction in quotes is wanted where there is something else");
  }
}

std::vector<Rational> numbers_of(const Json& list) {
  if (!list.IsArray()) refuse("a list is wanted where there is something else");
  std::vector<Rational> numbers;
  for (const Json& value : list.GetArray()) numbers.push_back(number_of(value));
  return numbers;
}

flow::Matrix matrix_of(const Json& rows) {
  if (!rows.IsArray()) refuse("a list is wanted where there is something else");
  std::vector<std::vector<Rational>> matrix;
  for (const Json& row : rows.GetArray()) matrix.push_back(numbers_of(row));
  if (matrix.empty() || matrix.front().empty()) refuse("a matrix is empty");
  return flow::Matrix::of(matrix);
}

/// What the parts of a certificate refuse themselves, such as rows that do not add up to 1: then it does not hold.
template <class Check>
Outcome outcome_of(const Check& check) {
  try {
    return check() ? Outcome::holds : Outcome::fails;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return Outcome::fails;
  }
}

Outcome checked_witness(const Json& document) {
  return outcome_of([&] {
    const flow::Witness witness{matrix_of(document["witness"])};
    const flow::Channel from(matrix_of(need(document, "channel_from")));
    const flow::Channel to(matrix_of(need(document, "channel_to")));
    return verify(from, to, witness);
  });
}

Outcome checked_counterexample(const Json& document) {
  const Json& analyst = document["counterexample"];
  if (!analyst.IsObject()) refuse("its counter-example is none");
  return outcome_of([&] {
    const flow::Counterexample counterexample{
        flow::Prior(numbers_of(need(analyst, "prior"))), flow::Loss(matrix_of(need(analyst, "loss"))),
        number_of(need(analyst, "loss_from")), number_of(need(analyst, "loss_to"))};
    const flow::Channel from(matrix_of(need(document, "channel_from")));
    const flow::Channel to(matrix_of(need(document, "channel_to")));
    return verify(from, to, counterexample);
  });
}

}  // namespace

CertificateReport checked_certificate(const std::string& json) {
  if (const auto fault = report_detail::fault_of(json)) refuse(fault->what);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (!document.IsObject()) refuse("it is no JSON object");
  const std::string verdict = text_of(need(document, "verdict"));
  CertificateReport report{Outcome::nothing, "the verdict is " + verdict + ", which has no certificate"};
  if (document.HasMember("about")) report.about = text_of(document["about"]);
  const bool is_refuted = document.HasMember("counterexample");
  if (!is_refuted && !document.HasMember("witness")) return report;
  // A verdict that its own certificate does not show is no better than a certificate that does not hold.
  const bool is_meant = is_refuted ? verdict == "does-not-refine" || verdict == "unstable" : verdict == "refines";
  report.claim = is_refuted ? "some analyst loses less with the second channel than with the first"
                            : "the second channel can be drawn from the first, whatever the secret";
  if (!document.HasMember("channel_from") || !document.HasMember("channel_to")) {
    report.claim = "its channels are too large to stand beside it, or its losses are bounds";
    return report;
  }
  report.outcome = is_refuted ? checked_counterexample(document) : checked_witness(document);
  if (!is_meant) report.outcome = Outcome::fails;
  return report;
}

}  // namespace fractile

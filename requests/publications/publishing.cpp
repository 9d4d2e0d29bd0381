#include "requests/publications/publishing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "exact/wording.hpp"
#include "requests/about.hpp"
#include "requests/keys.hpp"
#include "requests/readings.hpp"
#include "requests/release.hpp"
#include "requests/tables.hpp"
#include "requests/values.hpp"

namespace fractile::requests {

namespace {

/// As require_declared_keys(), with a hint that fits a publication, which lists keys in its file.
void require_declared(const Payment& payment, const std::string& path) {
  const std::string contents = keys_file(path).contents();
  try {
    require_declared_keys(payment, contents);
  } catch (const Error& error) {
    if (error.field() != "keys_file") throw;
    throw Error(error.code(), {"the publication reads '", path, "', and ", error.what_words()},
                {"list keys, cells or rows in the publication's file; fractile ledger init declares a file for a new "
                 "dataset: with ",
                 Field("keys_file").text(path)},
                "keys_file");
  }
}

}  // namespace

PublicationFile publication_asked(const Typed& typed) {
  const std::optional<Payment> payment = payment_asked(typed);
  const auto on_public_file = [&](const std::string& path) {
    if (payment) require_declared(*payment, path);
  };
  return read_publication(typed.file, typed.one("duckdb"), on_public_file);
}

namespace {

/// The arguments of `publish`, in the program or in Python. All other fields are members of the file.
constexpr std::array arguments{"ledger", "dataset", "again",  "source", "duckdb",      "threads", "memory",
                               "output", "about",   "public", "format", "unsafe_seed", "example", "data"};

Words in_words_of_file(const Words& words) {
  const auto is_argument_named = [&](const char* argument) { return is_named(words, argument); };
  const bool is_of_init = words.in(Wording::library).find("ledger init") != std::string::npos;
  if (is_of_init || std::ranges::any_of(arguments, is_argument_named)) return words;
  return words.renamed("input_format", "format").in(Wording::file);
}

}  // namespace

Error in_words_of_file(const Error& error) {
  return {error.code(), in_words_of_file(error.what_words()), in_words_of_file(error.hint_words()), error.field()};
}

namespace {

/// What the page shows in addition to the tables.
PageOptions page_options(const Typed& typed) {
  PageOptions options;
  if (!typed.has("output")) {
    refuse_given(typed, {"about", "public"}, {" goes with ", Field("output"), ", which has the page"},
                 "name a folder, or leave it out");
  }
  if (typed.has("about")) options.about = about_in_file(typed.one("about"));
  options.is_public = typed.has("public");
  return options;
}

}  // namespace

Publishing Publishing::of(const Typed& typed, PublicationFile file) {
  read_with_machine(typed, file.input.read);
  std::optional<Payment> payment = payment_asked(typed);
  const std::optional<std::uint64_t> seed = seed_of(typed);
  TablesFolder folder(typed.one("output"), file.name, page_options(typed));
  PublicationRequest request{std::move(file.publication), folder.receipt(), seed};
  return {std::move(file.input), std::move(request), std::move(payment), std::move(folder)};
}

}  // namespace fractile::requests

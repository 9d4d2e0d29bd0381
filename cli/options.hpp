// The command line: parsing, help and refusals, from the tables of requests/verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "fractile/error.hpp"
#include "requests/typed.hpp"

namespace fractile::cli {

using namespace requests;  // the words of a command line are requests

/// "check" of "flow check".
std::string last_word(const VerbSpec& verb);

/// Has `app` understand the verb.
CLI::App& add_verb(CLI::App& app, const VerbSpec& verb);

/// What was typed of a parsed verb; throws `usage` for unknown options, for arguments or values that are too many, and
/// for a missing word.
Typed typed_of(const CLI::App& app, const VerbSpec& verb);

/// The parser's complaint about a verb, or about its word, in our words.
Error worded(const CLI::ParseError& complaint, const CLI::App& app, const VerbSpec& verb);

/// Throws `usage` unless a verb was parsed and nothing stands before it. `after`: the verb whose words they are.
void require_verb(const CLI::App& app, std::span<const VerbSpec* const> verbs, const std::string& after = {});

/// A command that asks for the same: its words, FILE, and the options in the order of their table, quoted for a shell. Without
/// those that only name files to write.
std::string command_of(const VerbSpec& verb, const Typed& typed);

std::string help_of(const VerbSpec& verb);
std::string help_of(std::span<const VerbSpec* const> verbs);

}  // namespace fractile::cli

// The command line: parses it, prints help and refuses faults, all from the tables of requests/verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "fractile/error.hpp"
#include "requests/typed.hpp"

namespace fractile::cli {

using namespace requests;  // the words of a command line are requests

/// The last word of a verb's name: "check" for "flow check".
std::string last_word(const VerbSpec& verb);

/// Adds the verb to the commands that `app` understands; its words and options follow when it is typed.
void add_verb(CLI::App& app, const VerbSpec& verb);

/// What was typed for a parsed verb. Throws `usage` for unknown options, for too many arguments or values, and for a missing word.
Typed typed_of(const CLI::App& app, const VerbSpec& verb);

/// Rewords the parser's complaint about a verb or about the word after it.
Error worded(const CLI::ParseError& complaint, const CLI::App& app, const VerbSpec& verb);

/// Throws `usage` unless one of the verbs was parsed and nothing stands before it. `after` is the verb after which these words stand; it is
/// empty for verbs.
void require_verb(const CLI::App& app, std::span<const VerbSpec* const> verbs, const std::string& after = {});

/// A command for the same request: its words, FILE, and the options in the order of their table, quoted for a shell. Options that only name
/// files to write are left out.
std::string command_of(const VerbSpec& verb, const Typed& typed);

std::string help_of(const VerbSpec& verb);
std::string help_of(std::span<const VerbSpec* const> verbs);

}  // namespace fractile::cli

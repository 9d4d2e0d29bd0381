// fractile completion SHELL: prints a script with which a shell completes verbs, options, their words and names of files.
#pragma once

#include <string>

#include "requests/typed.hpp"

namespace fractile::cli {

int run_completion(const requests::Typed& typed);

/// The script for "bash", "zsh" or "fish", with all verbs and options.
std::string completion_script(const std::string& shell);

}  // namespace fractile::cli

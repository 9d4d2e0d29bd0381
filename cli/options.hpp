// The options of every verb as data: names, arguments, defaults and help. Parsing, help and documentation come from here.
#pragma once

#include <span>
#include <string>

namespace fractile::cli {

struct OptionSpec {
  const char* name;      ///< "--epsilon"
  const char* argument;  ///< "E"; "" for a flag; "LO HI" for two values
  const char* fallback;  ///< what holds when the option is not given, in words; "" when nothing needs saying
  const char* group;     ///< heading in the help
  const char* help;
};

std::span<const OptionSpec> release_options();

}  // namespace fractile::cli

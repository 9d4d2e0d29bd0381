// What releases and publications have in common, in the form in which Python has it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fractile/ranks.hpp"
#include "fractile/release.hpp"
#include "module.hpp"

namespace fractile::python {

/// (count, [(value, count, share)], mean or None), where each count, share and mean is (value, lower, upper).
nb::object in_tuples(const StatisticsTerms& terms, const Statistics& told, const SourceDescription& source);

/// How Python shows an object: Type(name=value, ...).
std::string in_words(const std::string& type, const std::vector<std::pair<const char*, nb::object>>& members);

}  // namespace fractile::python

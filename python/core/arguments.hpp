// A request's words, in the form in which Python has them.
#pragma once

#include <nanobind/stl/map.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"
#include "requests/typed.hpp"

namespace fractile::python {

using Arguments = std::map<std::string, std::vector<std::string>>;  ///< as in requests::Typed

inline requests::Typed typed_of(Arguments words, std::vector<std::string> files = {}) {
  requests::Typed typed{{}, {}, {}, std::move(words)};
  typed.set_files(std::move(files));
  return typed;
}

}  // namespace fractile::python

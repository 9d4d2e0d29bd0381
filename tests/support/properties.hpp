// Properties whose cases are slow.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <utility>

namespace fractile::testing {

/// rc::check() with this many cases, at least one, in place of a hundred; their sizes grow as those of a hundred do.
template <class Property>
bool check_cases(std::uint64_t cases, Property&& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = static_cast<int>(std::max<std::uint64_t>(cases, 1));
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, params);
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << '\n';
  return result.template is<rc::detail::SuccessResult>();
}

}  // namespace fractile::testing

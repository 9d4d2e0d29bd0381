// Why a text is not valid JSON here. The reason is found before a tree of the text is built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace fractile::report_detail {

struct JsonFault {
  std::string what;    ///< "it is not JSON (Missing a comma ...)"; quotes nothing of the text
  std::size_t offset;  ///< in bytes
};

/// How deeply objects and arrays may be nested. What we write has a depth of five. Functions that walk a deeper tree could exhaust the
/// stack.
constexpr std::size_t deepest_json = 16;

/// The first fault of `text`: it is not one JSON value in UTF-8, it is nested more than deepest_json deep, or a member stands twice in one
/// of its objects. In the last case, one reader takes the first member and another the last.
std::optional<JsonFault> fault_of(const std::string& text);

}  // namespace fractile::report_detail

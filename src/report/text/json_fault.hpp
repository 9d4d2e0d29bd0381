// Why a text is not valid JSON here, found before a tree of it is built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace fractile::report_detail {

struct JsonFault {
  std::string what;    ///< "it is not JSON (Missing a comma ...)"; holds nothing of the text
  std::size_t offset;  ///< in bytes
};

/// Objects and arrays inside each other, at most: what we write has five. More would take those who walk the tree deep
/// into the stack.
constexpr std::size_t deepest_json = 16;

/// The first reason why `text` is not one JSON value in UTF-8, nested at most deepest_json deep, in whose objects no
/// member stands twice: of twins, one reader takes the first and another the last.
std::optional<JsonFault> fault_of(const std::string& text);

}  // namespace fractile::report_detail

// The texts in parsed JSON.
#pragma once

#include <string>
#include <vector>

#include "libraries/rapidjson.hpp"

namespace fractile::report_detail {

using Json = rapidjson::Value;

/// The text of a value; "" if it is something else.
std::string text_in(const Json& value);
/// The text of a member; "" if the object has no such text.
std::string text_at(const Json& object, const char* name);

/// The texts in a list.
std::vector<std::string> texts_in(const Json& list);
/// The texts in a member; none if the object has no such list.
std::vector<std::string> texts_at(const Json& object, const char* name);

}  // namespace fractile::report_detail

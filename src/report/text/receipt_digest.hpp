// A receipt's last member is the SHA-256 of its text with that member's digits left out.
#pragma once

#include <string>

#include "report/text/json_writer.hpp"

namespace fractile::report_detail {

/// Ends the document with its hash.
std::string with_digest(Document& document);

/// The hash that the text names at its end, if it names the right one; otherwise "".
std::string intact_digest(const std::string& text);

}  // namespace fractile::report_detail

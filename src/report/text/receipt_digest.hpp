// A receipt's last member is the SHA-256 of the receipt's text without the digits of this member.
#pragma once

#include <string>

#include "report/text/json_writer.hpp"

namespace fractile::report_detail {

/// Ends the document with its hash.
std::string with_digest(Document& document);

/// The hash at the end of the text if it is right; otherwise "".
std::string intact_digest(const std::string& text);

}  // namespace fractile::report_detail

// The hash by which receipts are known.
#pragma once

#include <string>
#include <string_view>

namespace fractile {

/// SHA-256 in lower-case hexadecimal digits. Error(internal) when the cryptographic library fails.
std::string sha256(std::string_view text);

}  // namespace fractile

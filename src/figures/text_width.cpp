// No font is asked, so that a figure is the same on every machine: the widths are those of wide sans-serif fonts (DejaVu Sans,
// Verdana), rounded up, by groups of letters.
#include <string_view>

#include "exact/own_environment.hpp"
#include "figures/figures.hpp"

namespace fractile::figures {
namespace {

struct Group {
  std::string_view letters;
  double width;
};

constexpr Group groups[] = {
    {"ijl.,:;'|!", 0.36},
    {"frtI()[]{}/\\-\" ", 0.46},
    {"mwMW@%", 1.02},
    {"+<>=~^#_", 0.84},
};

double width_of(char letter) {
  for (const Group& group : groups) {
    if (group.letters.find(letter) != std::string_view::npos) return group.width;
  }
  return letter >= 'A' && letter <= 'Z' ? 0.79 : 0.65;
}

}  // namespace

double text_width(const std::string& text) {
  const OwnEnvironment own;
  double width = 0;
  for (const char byte : text) {
    const auto first = static_cast<unsigned char>(byte);
    if (first < 0x80) width += width_of(byte);
    if (first >= 0xC0 && first < 0xE0) width += 0.8;        // Latin with accents, Greek, Cyrillic, ...
    if (first >= 0xE0) width += first == 0xE2 ? 1.0 : 1.2;  // punctuation and signs; scripts of squares
  }
  return width;
}

}  // namespace fractile::figures

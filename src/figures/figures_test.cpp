#include "figures/figures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "figures/markup.hpp"
#include "figures/scale.hpp"

namespace fractile::figures {
namespace {

using detail::Scale;
using detail::tics_of;

std::vector<std::string> texts_of(const Axis& axis, int most) {
  std::vector<std::string> texts;
  for (const detail::Tic& tic : tics_of(axis, most)) texts.push_back(tic.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Figures, TicsAreRoundNumbers) {
  EXPECT_EQ(texts_of({false, 0, 10}, 5), (Texts{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(texts_of({false, -1.3, 1.3}, 4), (Texts{"-1", "0", "1"}));
  EXPECT_EQ(texts_of({false, 0, 0.3}, 3), (Texts{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(texts_of({true, 0.5, 2000}, 6), (Texts{"1", "10", "100", "1000"}));
  EXPECT_EQ(texts_of({false, -20000, 20000}, 4), (Texts{"-20,000", "-10,000", "0", "10,000", "20,000"}));
  EXPECT_EQ(texts_of({true, 1000, 2000000}, 6), (Texts{"1000", "10,000", "100,000", "1,000,000"}));
  EXPECT_EQ(texts_of({true, 1, 100}, 9), (Texts{"1", "2", "5", "10", "20", "50", "100"}));
  EXPECT_EQ(texts_of({false, 0, 1, {0, 0.25, 2}, true}, 9), (Texts{"0 %", "25 %"}));
}

TEST(Figures, ScalesAreLinearOrLogarithmic) {
  const Scale linear({false, 10, 20}, 100, 200);
  EXPECT_DOUBLE_EQ(linear.at(15), 150);
  const Scale upwards({false, 0, 1}, 200, 100);
  EXPECT_DOUBLE_EQ(upwards.at(0.25), 175);
  const Scale logarithmic({true, 1, 100}, 0, 10);
  EXPECT_NEAR(logarithmic.at(10), 5, 1e-12);
}

/// Neither endless coordinates nor a division by zero.
TEST(Figures, StrangeAxesAreDrawn) {
  for (const Axis& axis :
       {Axis{false, 1, 1}, Axis{true, 0, 10}, Axis{true, -5, 10}, Axis{false, 0, 1e-300}, Axis{false, -1e300, 1e300}}) {
    const Scale scale(axis, 0, 100);
    for (const double value : {-1e308, -1.0, 0.0, 1.0, 1e308}) EXPECT_TRUE(std::isfinite(scale.at(value))) << value;
    Figure figure{"strange", "",  "",
                  "x",       "y", {{"", axis, axis, {{"line", "", 1, 2, 1, {{0, 0, -1, 1}, {1, 1, 1, 1}}}}}}};
    const std::string svg = to_svg(figure, ShownIn::file);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

TEST(Figures, CoordinatesHaveATenthOfAPixel) {
  EXPECT_EQ(detail::pixels(1), "1");
  EXPECT_EQ(detail::pixels(-0.04), "0");
  EXPECT_EQ(detail::pixels(-0.06), "-0.1");
  EXPECT_EQ(detail::pixels(-12.34), "-12.3");
  EXPECT_EQ(detail::pixels(99.96), "100");
}

TEST(Figures, TextIsEscapedAndShortened) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(detail::shortened("short", 1000, 12), "short");
  const std::string shortened = detail::shortened("größer als der Platz", 60, 12);
  EXPECT_TRUE(shortened.ends_with("…")) << shortened;
  EXPECT_LE(text_width(shortened) * 12, 60);
  EXPECT_EQ(detail::shortened("éééé", 1, 12), "…");
  EXPECT_GT(text_width("WWW"), text_width("iii"));
}

/// Keys of a table often share a long beginning, and a figure that cut their ends showed the same name for all of them.
TEST(Figures, NamesThatShareABeginningKeepWhatSetsThemApart) {
  const std::string shared = "Universitätsklinikum der Landeshauptstadt, Abteilung ";
  const std::vector<std::string> names{shared + "A",
                                       shared + "B",
                                       shared + "Chirurgie, Station 1 und alles, was zu ihr gehört und noch mehr",
                                       "short",
                                       shared + "Chirurgie, Station 2 und alles, was zu ihr gehört und noch mehr",
                                       "another " + shared};
  const std::vector<std::string> shown = detail::shortened_names(names, 200, 12);
  for (const std::string& name : shown) EXPECT_LE(text_width(name) * 12, 200) << name;
  EXPECT_TRUE(shown[0].ends_with(" A")) << shown[0];
  EXPECT_TRUE(shown[1].ends_with(" B")) << shown[1];
  EXPECT_TRUE(shown[0].starts_with("Univ")) << shown[0];
  EXPECT_NE(shown[2].find("…1 und"), std::string::npos) << shown[2];
  EXPECT_NE(shown[4].find("…2 und"), std::string::npos) << shown[4];
  EXPECT_EQ(shown[3], "short");
  EXPECT_EQ(shown[5], detail::shortened(names[5], 200, 12));
  EXPECT_EQ(detail::shortened_names({"same", "same"}, 1, 12), (std::vector<std::string>{"…", "…"}));
}

Figure small() {
  Figure figure{"small", "Title <1>", "remark", "x & more", "y", {}};
  figure.panels.push_back({"panel", {false, 0, 10}, {false, 0, 1}, {}});
  figure.panels[0].lines.push_back({"first", "", 1, 2, 1, {{1, 0.5, 0.4, 0.6}, {9, 0.9, 0.9, 0.9}}, Spread::upright});
  figure.panels[0].lines.push_back({"second", "", 2, 2, 0, {{0, 0, 0, 0}, {10, 1, 1, 1}}});
  return figure;
}

TEST(Figures, EqualFiguresAreEqualBytes) {
  EXPECT_EQ(to_svg(small(), ShownIn::page), to_svg(small(), ShownIn::page));
  EXPECT_NE(to_svg(small(), ShownIn::page), to_svg(small(), ShownIn::file));
}

TEST(Figures, AFileStandsAlone) {
  const std::string file = to_svg(small(), ShownIn::file);
  EXPECT_TRUE(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_NE(file.find("<style>"), std::string::npos);
  EXPECT_NE(file.find("Title &lt;1&gt;"), std::string::npos);
  const std::string element = to_svg(small(), ShownIn::page);
  EXPECT_EQ(element.find("<style>"), std::string::npos);
  EXPECT_EQ(element.find("style="), std::string::npos);  // which the page's policy forbids
}

/// Series are told apart by more than a color.
TEST(Figures, TheKeyHasDashesAndMarks) {
  const std::string svg = to_svg(small(), ShownIn::page);
  EXPECT_NE(svg.find(">first</text>"), std::string::npos);
  EXPECT_NE(svg.find(">second</text>"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray=\"7 3\""), std::string::npos);
}

TEST(Figures, RowsHaveBoxesAndWhiskers) {
  const RangeFigure figure{
      "rows", "Rows", "x", {false, 0, 100}, {{"a & b", 10, 90, 25, 75, 50, {10, 25, 50, 75, 90}}, {"c", 1, 2}}};
  const std::string svg = to_svg(figure, ShownIn::page);
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_NE(svg.find("class=\"bx\""), std::string::npos);
}

}  // namespace
}  // namespace fractile::figures

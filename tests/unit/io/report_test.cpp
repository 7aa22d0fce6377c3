// The report page is one self-contained file; pictures draw every cell where it lies.
#include "terrawave/io/report.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "scratch_folder.hpp"
#include "terrawave/io/draw.hpp"

namespace terrawave::io {
namespace {

domain::TriMesh square() {
  domain::TriMesh mesh;
  mesh.x = {0, 1, 1, 0};
  mesh.y = {0, 0, 1, 1};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

TEST(Draw, EveryPixelOfASquareTakesTheColourOfItsTriangle) {
  const std::vector<double> values = {0.0, 1.0};
  const ColorBar bar{ColorMap::sequential, 0, 1, ""};
  const Image image = draw_cells(square(), values, bar, 101);
  ASSERT_EQ(image.height, 101);
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i) {
      const int below = i - (image.height - 1 - j);  // > 0: under the diagonal, triangle 0
      if (below == 0) continue;                      // on the shared edge
      const auto expected = color_of(bar.map, below > 0 ? 0.0 : 1.0, 0, 1);
      const auto at = std::size_t(j * image.width + i) * 3;
      ASSERT_EQ(image.rgb[at], expected[0]) << i << "," << j;
      ASSERT_EQ(image.rgb[at + 1], expected[1]) << i << "," << j;
    }
}

TEST(Draw, RangesIgnoreWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> v = {nan, -2.0, 1.0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(finite_range(v), (std::pair{-2.0, 1.0}));
  EXPECT_EQ(finite_range(v, true), (std::pair{-2.0, 2.0}));
  EXPECT_EQ(finite_range(std::vector<double>{nan}), (std::pair{0.0, 1.0}));
}

TEST(Report, IsOneSelfContainedEscapedPage) {
  const test::ScratchFolder scratch;
  const auto file = scratch.path() / "report.html";
  Report report("A <test> & page");
  report.heading("Maps");
  report.text("1 < 2");
  report.table({"a", "b"}, {{"x", "y</td>"}});
  report.chart("a curve </script>",
               Chart{"t [s]", "h [m]", {{"</script>", {0, 1, 2}, {1, NAN, 3}}}});
  const ColorBar bar{ColorMap::diverging, -1, 1, "eta [m]"};
  report.picture("a map", draw_cells(square(), std::vector<double>{-1, 1}, bar, 300), bar);
  report.write(file);
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string page = text.str();
  EXPECT_NE(page.find("A &lt;test&gt; &amp; page"), std::string::npos);
  EXPECT_EQ(page.find("y</td></td>"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_NE(page.find("data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  // Scripts: Chart.js and one chart; none is ended early by the text in it.
  std::size_t opened = 0, closed = 0;
  for (std::size_t at = 0; (at = page.find("<script>", at)) != std::string::npos; ++at) ++opened;
  for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++closed;
  EXPECT_EQ(opened, 2u);
  EXPECT_EQ(closed, 2u);
}

}  // namespace
}  // namespace terrawave::io

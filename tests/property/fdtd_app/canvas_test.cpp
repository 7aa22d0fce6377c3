// The grid painted in pieces is the grid painted at once.
#include <gtest/gtest.h>

#include "reference/fdtd_objects.hpp"

namespace terrawave::test {
namespace {

TEST(Canvas, PiecesOfAnySizeGiveTheSameReports) {
  const auto self = comm::make_self();
  for (const bool periodic : {false, true}) {
    const fdtd::Setup s = objects_setup(periodic);
    const fdtd::Raster whole =
        fdtd::rasterise(s.lines, s.objects, s.materials, s.all_cells(), s.all_cells());
    fdtd::Survey expected;
    for (const Index limit : {Index{1} << 22, Index{1}, Index{900}, Index{1700}}) {
      fdtd::Canvas canvas = canvas_of(s, limit);
      const fdtd::Survey survey = canvas.survey(*self);
      if (expected.reports.empty()) {
        expected = survey;
        // Against the whole raster: reports, and every filling exists.
        fdtd::Survey plain = survey;
        plain.reports = whole.reports;
        EXPECT_TRUE(same(survey, plain));
        EXPECT_GT(survey.edges.size(), 5u);
      }
      EXPECT_TRUE(same(survey, expected)) << limit;
    }
  }
}

TEST(Canvas, PiecesHoldWhatTheWholeHolds) {
  for (const bool periodic : {false, true}) {
    const fdtd::Setup s = objects_setup(periodic);
    const fdtd::Raster whole =
        fdtd::rasterise(s.lines, s.objects, s.materials, s.all_cells(), s.all_cells());
    const fdtd::MaterialMap map(s.lines, whole, s.objects, s.materials, s.periodic());
    fdtd::Canvas canvas = canvas_of(s, 400);
    const fdtd::Cell end = s.all_cells().high;
    for (const bool further : {false, true})
      for (Index k = 0; k <= end[2]; ++k)
        for (Index j = 0; j <= end[1]; j += further ? end[1] + 1 : 3)
          for (Index i = 0; i <= end[0]; i += further ? end[0] + 1 : 3) {
            const fdtd::Cell low{i, j, k};
            const fdtd::Cell high{further ? end[0] : i, further ? end[1] : j, k};
            const auto& piece = canvas.around(low, high, further);
            fdtd::Cell n = low;
            for (n[1] = low[1]; n[1] <= high[1]; ++n[1])
              for (n[0] = low[0]; n[0] <= high[0]; ++n[0])
                for (int c = 0; c < 3; ++c) {
                  ASSERT_EQ(piece.map.metal(c, n), map.metal(c, n));
                  ASSERT_EQ(piece.map.edge(c, n), map.edge(c, n));
                  ASSERT_EQ(piece.map.face(c, n), map.face(c, n));
                }
          }
  }
}

}  // namespace
}  // namespace terrawave::test

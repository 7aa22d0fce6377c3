// Each rank surveys its share of the grid: reports and fillings are those of one rank.
#include <gtest/gtest.h>

#include "reference/fdtd_objects.hpp"
#include "test_world.hpp"

namespace terrawave::test {
namespace {

TEST(Canvas, TheSurveyIsThatOfOneRank) {
  const auto self = comm::make_self();
  for (const bool periodic : {false, true}) {
    const fdtd::Setup s = objects_setup(periodic);
    fdtd::Canvas one = canvas_of(s, Index{1} << 22), shared = canvas_of(s, 700);
    EXPECT_TRUE(same(shared.survey(world()), one.survey(*self)));
  }
}

}  // namespace
}  // namespace terrawave::test

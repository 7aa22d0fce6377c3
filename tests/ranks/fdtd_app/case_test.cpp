// A case gives the same bits on any number of ranks.
#include <gtest/gtest.h>

#include "../../reference/fdtd_app_board.hpp"
#include "../../reference/fdtd_app_run.hpp"
#include "test_world.hpp"

namespace terrawave {
namespace {

TEST(Case, SameBitsOnAnyNumberOfRanks) {
  std::string text = test::kBoard;
  text.replace(text.find("steps = 300"), 11, "steps = 120");
  test::FdtdRun shared(text, test::world());
  shared.run();
  test::FdtdRun alone(text);
  alone.run();
  const auto &a = *shared.solver, &b = *alone.solver;
  ASSERT_EQ(a.results().size(), b.results().size());
  for (std::size_t r = 0; r < b.results().size(); ++r) {
    EXPECT_EQ(a.results()[r].series, b.results()[r].series);
    EXPECT_EQ(a.results()[r].energies, b.results()[r].energies);
  }
  EXPECT_EQ(a.network().s, b.network().s);
  if (!test::world().is_root()) return;
  ASSERT_EQ(a.maps().size(), b.maps().size());
  for (std::size_t m = 0; m < b.maps().size(); ++m)
    EXPECT_EQ(a.maps()[m].magnitude, b.maps()[m].magnitude);
}

}  // namespace
}  // namespace terrawave

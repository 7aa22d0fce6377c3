// main() of every test executable: starts MPI, and lets only the root rank report.
#include <cstdlib>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "test_world.hpp"

namespace terrawave::test {
namespace {
comm::Comm*& slot() {
  static comm::Comm* the = nullptr;
  return the;
}
}  // namespace

comm::Comm& world() { return *slot(); }

}  // namespace terrawave::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // Starting MPI takes a third of a second: only where a launcher started several ranks.
  const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  std::optional<terrawave::comm::Environment> environment;
  if (launched) environment.emplace(&argc, &argv);
  const std::unique_ptr<terrawave::comm::Comm> self = terrawave::comm::make_self();
  terrawave::comm::Comm& world = launched ? environment->world() : *self;
  terrawave::test::slot() = &world;
  if (!world.is_root()) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (std::getenv("TERRAWAVE_TEST_ALL_RANKS") == nullptr)
      delete listeners.Release(listeners.default_result_printer());
  }
  const int failed = RUN_ALL_TESTS();
  return world.max(std::int64_t{failed}) != 0 ? 1 : 0;
}

// The products of one piece do not depend on threads, nor on which code of a queue makes them.
#include "reference/whole_products_compare.hpp"
#include "scratch_folder.hpp"

namespace terrawave::terrain {
namespace {

using namespace reference;

TEST(WholeProducts, EqualOneThreadOnMany) {
  const test::ScratchFolder folder;
  Random random(2035);
  for (int k = 0; k < 100 && !HasFatalFailure(); ++k)
    compare_whole(par::Queue::host(k % 10 == 9 ? 16 : 2),
                  random_product(random, 24, folder.path(), true), folder.path());
}

TEST(WholeProducts, EqualOneThreadByTheKernelsOfGpus) {
  const test::ScratchFolder folder;
  const auto kernels = TileQueue::with_kernels(par::Queue::guarded_host(2));
  Random random(2036);
  for (int k = 0; k < 200 && !HasFatalFailure(); ++k)
    compare_whole(kernels, random_product(random, 24, folder.path(), true), folder.path());
}

}  // namespace
}  // namespace terrawave::terrain

// Loops in directions that came from outside.
#include <algorithm>

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

// Follows receivers on the host, jumps included.
class Follow {
 public:
  Follow(const Grid& grid, const Receivers& receivers)
      : grid_(grid), direction_(receivers.direction.download()), jumps_(receivers.jumps) {}

  // The receiver, or -1.
  Index operator()(Index c) const {
    const Direction d = direction_[std::size_t(c)];
    if (d < kNeighbours) return grid_.neighbour(c, d);
    if (d == kNoDirection || jumps_.empty()) return -1;
    const auto at = std::lower_bound(jumps_.begin(), jumps_.end(), c,
                                     [](const Link& j, Index root) { return j.root < root; });
    return at != jumps_.end() && at->root == c ? at->target : -1;
  }

 private:
  const Grid& grid_;
  std::vector<Direction> direction_;
  const std::vector<Link>& jumps_;
};

// Calls visit(cells of the loop in flow order, from the smallest index) for every loop.
template <class Visit>
void for_each_loop(const Grid& grid, const Receivers& receivers, const Visit& visit) {
  const Follow follow(grid, receivers);
  std::vector<std::int32_t> walk(std::size_t(grid.cells()), 0);  // number of the walk, 0: unseen
  std::int32_t walks = 0;
  for (Index start = 0; start < grid.cells(); ++start) {
    if (walk[std::size_t(start)] != 0) continue;
    ++walks;
    Index c = start;
    while (c >= 0 && walk[std::size_t(c)] == 0) {
      walk[std::size_t(c)] = walks;
      c = follow(c);
    }
    if (c < 0 || walk[std::size_t(c)] != walks) continue;
    std::vector<Index> loop{c};
    for (Index n = follow(c); n != c; n = follow(n)) loop.push_back(n);
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
    visit(loop);
  }
}

}  // namespace

std::vector<Index> find_loop(const par::Queue& queue, const Grid& grid,
                             const Receivers& receivers) {
  queue.synchronize();
  std::vector<Index> found;
  for_each_loop(grid, receivers, [&](const std::vector<Index>& loop) {
    if (found.empty() || loop[0] < found[0]) found = loop;
  });
  return found;
}

template <class T>
Index repair_loops(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                   Receivers& receivers) {
  std::vector<Index> pits;
  std::vector<T> heights(static_cast<std::size_t>(z.size));
  queue.impl().download(heights.data(), z.data, heights.size() * sizeof(T));
  for_each_loop(grid, receivers, [&](const std::vector<Index>& loop) {
    pits.push_back(*std::min_element(loop.begin(), loop.end(), [&](Index a, Index b) {
      const double za = loop_height(double(heights[std::size_t(a)]));
      const double zb = loop_height(double(heights[std::size_t(b)]));
      return za < zb || (za == zb && a < b);
    }));
  });
  for (const Index pit : pits) {
    const Direction root = kRoot;
    receivers.direction.upload(std::span<const Direction>(&root, 1), pit);
    std::erase_if(receivers.jumps, [&](const Link& j) { return j.root == pit; });
  }
  return Index(pits.size());
}

template Index repair_loops(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                            Receivers&);
template Index repair_loops(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                            Receivers&);
template Index repair_loops(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                            Receivers&);
template Index repair_loops(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                            Receivers&);
template Index repair_loops(const par::Queue&, const Grid&, par::View<const float>, Receivers&);
template Index repair_loops(const par::Queue&, const Grid&, par::View<const double>, Receivers&);

}  // namespace terrawave::terrain

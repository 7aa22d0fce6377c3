// The products along single-receiver flow as they are defined: on one thread, cell by cell, in an
// order in which each cell stands before its receiver.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/grid.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::reference {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class SlowTree {
 public:
  // Throws InputError when the directions are cyclic.
  SlowTree(const Grid& grid, std::span<const Direction> direction, std::span<const Link> jumps)
      : grid_(grid),
        direction_(direction.begin(), direction.end()),
        receiver_(direction.size(), -1) {
    require(Index(direction.size()) == grid.cells() && grid.cells() < (Index(1) << 31),
            "FlowTree: sizes differ, or too large");
    const auto n = direction.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Direction d = direction[i];
      if (d == kNoDirection) continue;
      receiver_[i] = std::int32_t(d < kNeighbours ? grid.neighbour(Index(i), d) : Index(i));
    }
    for (const Link& jump : jumps) receiver_[std::size_t(jump.root)] = jump.target;
    list_cells();
  }

  Index cells() const { return Index(receiver_.size()); }
  std::int32_t receiver(Index cell) const { return receiver_[std::size_t(cell)]; }
  bool is_root(Index cell) const { return receiver_[std::size_t(cell)] == cell; }
  std::span<const std::int32_t> downstream_order() const { return order_; }
  double step_length(Index cell) const {
    const Index target = receiver(cell);
    if (target == cell || target < 0) return 0;
    const Index row = cell / grid_.cols;
    const Direction d = direction_[std::size_t(cell)];
    if (d < kNeighbours) return grid_.distance(row, d);
    const double rows = double(target / grid_.cols - row);
    const double cols = double(target % grid_.cols - cell % grid_.cols);
    return std::hypot(rows * grid_.dy, cols * grid_.width(row));
  }

 private:
  void list_cells() {
    const std::size_t n = receiver_.size();
    std::vector<std::int32_t> donors(n, 0);
    Index valid = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (receiver_[i] < 0) continue;
      ++valid;
      if (receiver_[i] != std::int32_t(i)) ++donors[std::size_t(receiver_[i])];
    }
    order_.reserve(std::size_t(valid));
    for (std::size_t i = 0; i < n; ++i) {
      // Follow the flow from each leaf for as long as every donor is already listed.
      if (receiver_[i] < 0 || donors[i] != 0) continue;
      std::size_t c = i;
      while (true) {
        order_.push_back(std::int32_t(c));
        donors[c] = -1;  // listed
        const auto r = std::size_t(receiver_[c]);
        if (r == c || --donors[r] != 0 || r > i) break;
        c = r;
      }
    }
    if (Index(order_.size()) != valid) throw InputError("a loop of directions");
  }

  Grid grid_;
  std::vector<Direction> direction_;
  std::vector<std::int32_t> receiver_;
  std::vector<std::int32_t> order_;
};

inline std::vector<double> length_downstream(const SlowTree& tree) {
  std::vector<double> length(std::size_t(tree.cells()), nan);
  const auto order = tree.downstream_order();
  for (auto c = order.rbegin(); c != order.rend(); ++c)
    length[std::size_t(*c)] =
        tree.is_root(*c) ? 0.0 : tree.step_length(*c) + length[std::size_t(tree.receiver(*c))];
  return length;
}

inline std::vector<double> length_upstream(const SlowTree& tree) {
  std::vector<double> length(std::size_t(tree.cells()), nan);
  for (const std::int32_t c : tree.downstream_order()) length[std::size_t(c)] = 0;
  for (const std::int32_t c : tree.downstream_order()) {
    double& below = length[std::size_t(tree.receiver(c))];
    if (!tree.is_root(c)) below = std::max(below, length[std::size_t(c)] + tree.step_length(c));
  }
  return length;
}

inline std::vector<std::int32_t> strahler_order(const SlowTree& tree,
                                                std::span<const std::uint8_t> stream) {
  const auto n = std::size_t(tree.cells());
  std::vector<std::int32_t> highest(n, 0);  // among the donors so far
  std::vector<std::uint8_t> twice(n, 0);    // that order came more than once
  for (const std::int32_t c : tree.downstream_order()) {
    const auto i = std::size_t(c);
    if (stream[i] == 0) {
      highest[i] = 0;
      continue;
    }
    highest[i] = std::max(1, highest[i] + twice[i]);
    const auto r = std::size_t(tree.receiver(c));
    if (r == i) continue;
    // The receiver has not had its turn yet: it still gathers.
    if (highest[i] > highest[r]) {
      highest[r] = highest[i];
      twice[r] = 0;
    } else if (highest[i] == highest[r]) {
      twice[r] = 1;
    }
  }
  return highest;
}

inline std::vector<std::int32_t> shreve_order(const SlowTree& tree,
                                              std::span<const std::uint8_t> stream) {
  std::vector<std::int32_t> sources(std::size_t(tree.cells()), 0);
  for (const std::int32_t c : tree.downstream_order()) {
    const auto i = std::size_t(c);
    if (stream[i] == 0) {
      sources[i] = 0;
      continue;
    }
    sources[i] = std::max(1, sources[i]);
    if (!tree.is_root(c)) sources[std::size_t(tree.receiver(c))] += sources[i];
  }
  return sources;
}

inline std::vector<std::int32_t> first_marked_downstream(const SlowTree& tree,
                                                         std::span<const std::uint8_t> marked) {
  std::vector<std::int32_t> first(std::size_t(tree.cells()), -1);
  const auto order = tree.downstream_order();
  for (auto c = order.rbegin(); c != order.rend(); ++c) {
    const auto i = std::size_t(*c);
    if (marked[i] != 0)
      first[i] = *c;
    else if (!tree.is_root(*c))
      first[i] = first[std::size_t(tree.receiver(*c))];
  }
  return first;
}

template <class T>
std::vector<double> height_above_drainage(const SlowTree& tree, std::span<const T> z,
                                          std::span<const std::uint8_t> stream) {
  const std::vector<std::int32_t> drain = first_marked_downstream(tree, stream);
  std::vector<double> height(drain.size(), nan);
  for (std::size_t i = 0; i < drain.size(); ++i)
    if (drain[i] >= 0) height[i] = double(z[i]) - double(z[std::size_t(drain[i])]);
  return height;
}

template <class T>
std::vector<double> steepest_slope(const Grid& grid, std::span<const T> z,
                                   std::span<const std::uint8_t> state) {
  std::vector<double> slope(z.size(), nan);
  for (Index row = 0; row < grid.rows; ++row)
    for (Index col = 0; col < grid.cols; ++col) {
      const auto i = std::size_t(row * grid.cols + col);
      if (!is_data(state[i])) continue;
      double steepest = 0;
      for (int k = 0; k < kNeighbours; k += grid.step()) {
        const Index other = grid.neighbour(row, col, k);
        if (other < 0 || !is_data(state[std::size_t(other)])) continue;
        const double drop = double(z[i]) - double(z[std::size_t(other)]);
        steepest = std::max(steepest, drop / grid.distance(row, k));
      }
      slope[i] = steepest;
    }
  return slope;
}

}  // namespace terrawave::terrain::reference

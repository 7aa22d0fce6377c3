// Slow, obvious versions of the routing algorithms, to compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::reference {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T>
std::vector<Direction> steepest(const Grid& g, const std::vector<T>& z,
                                const std::vector<std::uint8_t>& state, FlatRule flats) {
  std::vector<Direction> direction(z.size(), kRoot);
  for (Index c = 0; c < g.cells(); ++c) {
    if (!is_data(state[at(c)])) direction[at(c)] = kNoDirection;
    if (state[at(c)] != std::uint8_t(CellState::valid)) continue;
    double best = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(c, k);
      if (n < 0 || !is_data(state[at(n)])) continue;
      const double slope =
          (double(z[at(c)]) - double(z[at(n)])) * (1.0 / g.distance(c / g.cols, k));
      if (slope > best) {
        best = slope;
        direction[at(c)] = Direction(k);
      }
    }
    if (best > 0 || flats == FlatRule::leave) continue;
    for (int k = 0; k < kNeighbours && direction[at(c)] == kRoot; ++k) {
      const Index n = g.neighbour(c, k);
      if (n < 0 || !is_data(state[at(n)]) || z[at(n)] != z[at(c)]) continue;
      if (is_base(state[at(n)]) || n < c) direction[at(c)] = Direction(k);
    }
  }
  return direction;
}

// Priority-flood with a binary heap (Barnes, Lehman, Mulla 2014, algorithm 1).
template <class T>
std::vector<T> priority_flood(const Grid& g, const std::vector<T>& z,
                              const std::vector<std::uint8_t>& state) {
  using Entry = std::pair<T, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
  std::vector<T> w = z;
  std::vector<bool> seen(z.size(), false);
  for (Index c = 0; c < g.cells(); ++c)
    if (is_base(state[at(c)])) {
      open.push({z[at(c)], c});
      seen[at(c)] = true;
    }
  while (!open.empty()) {
    const auto [height, c] = open.top();
    open.pop();
    for (int k = 0; k < kNeighbours; ++k) {
      const Index n = g.neighbour(c, k);
      if (n < 0 || seen[at(n)] || !is_data(state[at(n)])) continue;
      seen[at(n)] = true;
      if (w[at(n)] < height) w[at(n)] = T(height + T(0));  // raised cells are never -0
      open.push({w[at(n)], n});
    }
  }
  return w;
}

// Index of the receiver; the cell itself for a root; -1 at nodata.
inline std::vector<Index> targets(const Grid& g, const std::vector<Direction>& direction,
                                  const std::vector<Link>& jumps) {
  std::vector<Index> to(direction.size());
  for (Index c = 0; c < g.cells(); ++c)
    to[at(c)] = direction[at(c)] == kNoDirection ? -1
                : direction[at(c)] == kRoot      ? c
                                                 : g.neighbour(c, direction[at(c)]);
  for (const Link& j : jumps) to[at(j.root)] = j.target;
  return to;
}

// Receivers before donors, depth first from the roots (Braun and Willett 2013).
inline std::vector<Index> stack_order(const std::vector<Index>& to) {
  const Index n = Index(to.size());
  std::vector<std::vector<Index>> donors(to.size());
  std::vector<Index> stack;
  std::vector<Index> order;
  for (Index c = 0; c < n; ++c) {
    if (to[at(c)] == c) stack.push_back(c);
    if (to[at(c)] >= 0 && to[at(c)] != c) donors[at(to[at(c)])].push_back(c);
  }
  while (!stack.empty()) {
    const Index c = stack.back();
    stack.pop_back();
    order.push_back(c);
    for (const Index d : donors[at(c)]) stack.push_back(d);
  }
  return order;
}

// In reverse stack order; donors join in the order of neighbours, jumps last by root.
template <class V>
std::vector<V> accumulate(const Grid& g, const std::vector<Direction>& direction,
                          const std::vector<Link>& jumps, const std::vector<V>& weights,
                          Combine combine = Combine::sum) {
  const std::vector<Index> to = targets(g, direction, jumps);
  std::vector<V> out(to.size(), V(0));
  const std::vector<Index> order = stack_order(to);
  const auto join = [&](V& into, V value) {
    if (combine == Combine::sum) into += value;
    if (combine == Combine::max) into = std::max(into, value);
    if (combine == Combine::min) into = std::min(into, value);
  };
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Index c = *it;
    V value = weights.empty() ? V(1) : weights[at(c)];
    for (int k = 0; k < kNeighbours; ++k) {
      const Index d = g.neighbour(c, k);
      if (d >= 0 && direction[at(d)] == opposite(k)) join(value, out[at(d)]);
    }
    for (const Link& j : jumps)
      if (j.target == c) join(value, out[at(j.root)]);
    out[at(c)] = value;
  }
  return out;
}

inline std::vector<Index> basins(const std::vector<Index>& to) {
  std::vector<Index> label(to.size(), -1);
  for (const Index c : stack_order(to)) label[at(c)] = to[at(c)] == c ? c : label[at(to[at(c)])];
  return label;
}

template <class T>
struct Pass {
  T height;
  Index code;  // 4 * cell + k, leading from `cell` to its neighbour k of E, SE, S, SW
  Index a, b;  // the two cells
  bool operator<(const Pass& o) const {
    return std::tie(height, code) < std::tie(o.height, o.code);
  }
};

struct Rerouted {
  std::vector<Direction> direction;
  std::vector<Link> jumps;
  Index undrained = 0;
};

// Kruskal on all passes between basins, the tree hung from the base cells, then carve or jump.
template <class T>
Rerouted kruskal(const Grid& g, const std::vector<T>& z, const std::vector<std::uint8_t>& state,
                 const std::vector<Direction>& direction, bool jump) {
  const std::vector<Index> label = basins(targets(g, direction, {}));
  const Index outside = g.cells();  // all base cells together
  const auto basin = [&](Index c) {
    const Index r = label[at(c)];
    return is_base(state[at(r)]) ? outside : r;
  };
  std::vector<Pass<T>> passes;
  for (Index c = 0; c < g.cells(); ++c)
    for (int k = 0; k < 4; ++k) {
      const Index n = g.neighbour(c, k);
      if (n < 0 || !is_data(state[at(c)]) || !is_data(state[at(n)]) || basin(c) == basin(n))
        continue;
      passes.push_back({std::max(z[at(c)], z[at(n)]), 4 * c + k, c, n});
    }
  std::sort(passes.begin(), passes.end());
  std::vector<Index> parent(at(g.cells() + 1));
  for (Index i = 0; i <= g.cells(); ++i) parent[at(i)] = i;
  const auto find = [&](Index i) {
    while (parent[at(i)] != i) i = parent[at(i)];
    return i;
  };
  std::map<Index, std::vector<Pass<T>>> tree;
  for (const Pass<T>& p : passes) {
    const Index a = find(basin(p.a));
    const Index b = find(basin(p.b));
    if (a == b) continue;
    parent[at(a)] = b;
    tree[basin(p.a)].push_back(p);
    tree[basin(p.b)].push_back(p);
  }
  Rerouted out{direction, {}, 0};
  std::vector<bool> reached(at(g.cells() + 1), false);
  std::deque<Index> queue{outside};
  reached[at(outside)] = true;
  while (!queue.empty()) {
    const Index at_basin = queue.front();
    queue.pop_front();
    for (const Pass<T>& pass : tree[at_basin]) {
      const bool from_a = basin(pass.a) != at_basin;
      const Index p = from_a ? pass.a : pass.b;  // inside the basin that is drained now
      const Index q = from_a ? pass.b : pass.a;
      if (reached[at(basin(p))]) continue;
      reached[at(basin(p))] = true;
      queue.push_back(basin(p));
      int k = 0;
      if (jump) {
        out.jumps.push_back({std::int32_t(label[at(p)]), std::int32_t(q)});
        continue;
      }
      k = int(pass.code & 3);
      Direction in = Direction(from_a ? k : opposite(k));
      for (Index c = p;;) {
        const Direction was = direction[at(c)];
        out.direction[at(c)] = in;
        if (was == kRoot) break;
        in = Direction(opposite(was));
        c = g.neighbour(c, was);
      }
    }
  }
  for (Index c = 0; c < g.cells(); ++c)
    if (direction[at(c)] == kRoot && !is_base(state[at(c)]) && !reached[at(c)]) ++out.undrained;
  std::sort(out.jumps.begin(), out.jumps.end(),
            [](const Link& x, const Link& y) { return x.root < y.root; });
  return out;
}

// Highest z on the way from each cell to its root, root included.
template <class T>
std::vector<T> path_maximum(const std::vector<T>& z, const std::vector<Index>& to) {
  std::vector<T> w = z;
  for (const Index c : stack_order(to))
    if (to[at(c)] != c) w[at(c)] = std::max(z[at(c)], w[at(to[at(c)])]);
  return w;
}

}  // namespace terrawave::terrain::reference

// Flats by breadth-first search, written after Barnes, Lehman, Mulla (2014).
#pragma once

#include <deque>

#include "reference/terrain_reference.hpp"

namespace terrawave::terrain::reference {

struct FlatKeys {
  std::vector<Index> flat;    // smallest cell of the flat; -1 off flats
  std::vector<Index> toward;  // steps from the low edge, low edge 0; -1: no low edge
  std::vector<Index> away;    // steps from higher ground, first 1; 0: no higher ground
  std::vector<Index> key;     // 2 toward + (max away - away)
};

// A flat: connected cells of one height that hold at least one cell without a lower neighbour.
// `direction` is steepest descent with FlatRule::leave. Low edge: cells of the flat that have a
// direction or are base cells. High edge: flat cells without a direction beside higher ground.
template <class T>
FlatKeys flat_keys(const Grid& g, const std::vector<T>& z, const std::vector<std::uint8_t>& state,
                   const std::vector<Direction>& direction) {
  const std::size_t n = z.size();
  FlatKeys f{std::vector<Index>(n, -1), std::vector<Index>(n, -1), std::vector<Index>(n, 0),
             std::vector<Index>(n, -1)};
  const auto stuck = [&](Index c) { return direction[at(c)] == kRoot && !is_base(state[at(c)]); };
  const auto for_equal = [&](Index c, const auto& visit) {
    for (int k = 0; k < kNeighbours; ++k) {
      const Index m = g.neighbour(c, k);
      if (m >= 0 && is_data(state[at(m)]) && z[at(m)] == z[at(c)]) visit(m);
    }
  };
  for (Index s = 0; s < Index(n); ++s) {
    if (!stuck(s) || f.flat[at(s)] >= 0) continue;
    std::vector<Index> cells{s};  // the stuck cells of this flat
    f.flat[at(s)] = s;
    for (std::size_t i = 0; i < cells.size(); ++i)
      for_equal(cells[i], [&](Index m) {
        if (!stuck(m) || f.flat[at(m)] >= 0) return;
        f.flat[at(m)] = s;
        cells.push_back(m);
      });
    std::deque<Index> toward, away;
    for (const Index c : cells) {
      bool low = false;
      for_equal(c, [&](Index m) { low = low || !stuck(m); });
      if (low) {
        f.toward[at(c)] = 1;
        toward.push_back(c);
      }
      bool high = false;
      for (int k = 0; k < kNeighbours; ++k) {
        const Index m = g.neighbour(c, k);
        high = high || (m >= 0 && is_data(state[at(m)]) && z[at(m)] > z[at(c)]);
      }
      if (high) {
        f.away[at(c)] = 1;
        away.push_back(c);
      }
    }
    const auto spread = [&](std::deque<Index>& open, std::vector<Index>& distance, Index unset) {
      while (!open.empty()) {
        const Index c = open.front();
        open.pop_front();
        for_equal(c, [&](Index m) {
          if (!stuck(m) || distance[at(m)] != unset) return;
          distance[at(m)] = distance[at(c)] + 1;
          open.push_back(m);
        });
      }
    };
    spread(toward, f.toward, -1);
    spread(away, f.away, 0);
    Index max_away = 0;
    for (const Index c : cells) max_away = std::max(max_away, f.away[at(c)]);
    for (const Index c : cells)
      if (f.toward[at(c)] > 0) f.key[at(c)] = 2 * f.toward[at(c)] + (max_away - f.away[at(c)]);
  }
  return f;
}

// Each keyed cell drains to a cell of equal height with a direction of its own (the low edge, first
// neighbour), else to the first neighbour of least key among those with a smaller key.
template <class T>
std::vector<Direction> resolve_flats(const Grid& g, const std::vector<T>& z,
                                     const std::vector<std::uint8_t>& state,
                                     const std::vector<Direction>& direction) {
  const FlatKeys f = flat_keys(g, z, state, direction);
  std::vector<Direction> out = direction;
  for (Index c = 0; c < g.cells(); ++c) {
    if (f.key[at(c)] < 0) continue;
    Index best = f.key[at(c)];
    for (int k = 0; k < kNeighbours; ++k) {
      const Index m = g.neighbour(c, k);
      if (m < 0 || !is_data(state[at(m)]) || z[at(m)] != z[at(c)]) continue;
      const Index key = f.flat[at(m)] < 0 ? 0 : f.key[at(m)];
      if (key >= best) continue;
      best = key;
      out[at(c)] = Direction(k);
    }
  }
  return out;
}

}  // namespace terrawave::terrain::reference

// Tiles that stay in memory from visit to visit.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/tiled_plan.hpp"

namespace terrawave::terrain {

// How many tiles of so many bytes may stay in the memory that a queue works on: half of what is
// free on a GPU, or what the store allows.
inline std::size_t tiles_at_once(const par::Queue& queue, const TileStore& store, double bytes) {
  if (queue.backend() == par::Backend::host) return store.at_once(bytes);
  return std::size_t(double(queue.info().memory_free) / 2 / bytes);
}

// At most so many of a rank's tiles; whichever was used longest ago makes room for another.
template <class Tile>
class TilePool {
 public:
  explicit TilePool(std::size_t most) : most_(std::max<std::size_t>(1, most)) {}

  bool holds(std::size_t m) const {
    return std::any_of(held_.begin(), held_.end(), [m](const Held& h) { return h.first == m; });
  }
  // The m-th tile: make(m) returns a pointer to it where it is not here, put_away(m, tile) keeps
  // what it holds of one that has to go.
  template <class Make, class PutAway>
  Tile& get(std::size_t m, const Make& make, const PutAway& put_away) {
    const auto at =
        std::find_if(held_.begin(), held_.end(), [m](const Held& h) { return h.first == m; });
    if (at != held_.end()) {
      std::rotate(at, at + 1, held_.end());
      return *held_.back().second;
    }
    if (held_.size() >= most_) {
      put_away(held_.front().first, *held_.front().second);
      held_.erase(held_.begin());
    }
    held_.emplace_back(m, make(m));
    return *held_.back().second;
  }
  template <class PutAway>
  void clear(const PutAway& put_away) {
    for (Held& held : held_) {
      put_away(held.first, *held.second);
      held.second.reset();
    }
    held_.clear();
  }

 private:
  using Held = std::pair<std::size_t, std::unique_ptr<Tile>>;
  std::size_t most_;
  std::vector<Held> held_;  // by their last use
};

}  // namespace terrawave::terrain

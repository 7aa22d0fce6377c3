// Runs the routing functions on host vectors.
#pragma once

#include <vector>

#include "reference/terrain_random.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::reference {

// A raster on the queue's device.
template <class T>
struct OnDevice {
  OnDevice(const par::Queue& q, const Dem<T>& d)
      : queue(q), grid(d.grid), z(q, d.z), state(q, d.state) {}
  const par::Queue& queue;
  const Grid& grid;
  par::Buffer<T> z;
  par::Buffer<std::uint8_t> state;

  std::vector<Direction> steepest(FlatRule rule) const {
    return steepest_receivers(queue, grid, z.cview(), state.cview(), rule).direction.download();
  }
  std::vector<T> filled() const {
    par::Buffer<T> out(queue, grid.cells());
    fill(queue, grid, z.cview(), state.cview(), out.view());
    return out.download();
  }
  Routed routed(RouteMode mode, bool flats) const {
    return route(queue, grid, z.cview(), state.cview(), mode, flats);
  }
};

inline Receivers to_receivers(const par::Queue& queue, const std::vector<Direction>& direction,
                              std::vector<Link> jumps = {}) {
  return {par::Buffer<Direction>(queue, direction), std::move(jumps)};
}

template <class V>
std::vector<V> accumulated(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                           const std::vector<V>& weights, Combine combine = Combine::sum) {
  const par::Buffer<V> w(queue, weights);
  par::Buffer<V> out(queue, grid.cells());
  accumulate(queue, grid, receivers, w.cview(), out.view(), combine);
  return out.download();
}

inline std::vector<std::int32_t> labelled(const par::Queue& queue, const Grid& grid,
                                          const Receivers& receivers) {
  par::Buffer<std::int32_t> labels(queue, grid.cells());
  label_basins(queue, grid, receivers, labels.view());
  return labels.download();
}

// Raster from rows of numbers; every edge cell is an outlet.
template <class T>
Dem<T> dem(Index rows, Index cols, std::vector<T> z, Connectivity connectivity,
           const Borders& borders = {}, std::optional<T> nodata = {}) {
  Dem<T> d;
  d.grid.rows = rows;
  d.grid.cols = cols;
  d.grid.connectivity = connectivity;
  d.z = std::move(z);
  d.state = make_states(d.grid, std::span<const T>(d.z), nodata, borders);
  return d;
}

inline Borders closed_borders() { return {false, false, false, false, true}; }

}  // namespace terrawave::terrain::reference

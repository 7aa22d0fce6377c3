// Depression routing by kernels that run on both backends: dense basins, Boruvka's rounds over the
// raster, levels, carving.
#pragma once

#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/device_cells.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain::steps {

// The minimum spanning tree of basins, hung from basin 0 (all base cells together). Basin b > 0
// has the pit pits[b - 1]. One basin owns 4 bytes a cell through `labels`.
struct BasinForest {
  par::Buffer<std::int32_t> labels;  // basin of each cell, -1 at nodata
  par::Buffer<std::int32_t> pits;
  par::Buffer<std::int32_t> component;  // 0: drains to a base cell
  par::Buffer<std::int32_t> parent;     // basin on the other side of the pass
  par::Buffer<std::uint64_t> pass;      // 4 * cell + k
  RouteStats stats;
};

// `direction` has no loops; its roots are pits and base cells.
template <class Exec, class T>
BasinForest span_basins(const Exec& exec, const GridView& grid, par::View<const T> z,
                        par::View<const std::uint8_t> state, par::View<const Direction> direction);

// Turns the receivers from each pass down to its pit around.
template <class Exec>
void carve(const Exec& exec, const GridView& grid, BasinForest& forest,
           par::View<Direction> direction);

// The jumps from each drained pit, sorted by root.
template <class Exec>
std::vector<Link> jumps(const Exec& exec, const GridView& grid, BasinForest& forest);

// Raises every cell to the level of its basin.
template <class Exec, class T>
void raise(const Exec& exec, const GridView& grid, BasinForest& forest, par::View<const T> z,
           par::View<T> filled);

}  // namespace terrawave::terrain::steps

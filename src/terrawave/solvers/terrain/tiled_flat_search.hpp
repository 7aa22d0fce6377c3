// Directions over flats that lie across tiles, by the kernels of tile_flat_steps.cpp: what
// tiled_flats.cpp does on host threads, with the same bytes.
#pragma once

#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/terrain/tiled_flats.hpp"

namespace terrawave::terrain {

// As tiled_resolve_flats; `edges`: the "downhill" of the tiles around each. The tile that was
// worked on last stays in the device's memory.
template <class T>
void search_flats(const par::Queue& queue, const Rings& rings, TileStore& store,
                  const std::vector<std::uint8_t>& level, const ReadBlock<T>& read,
                  const RimField<Direction>& edges);

// As drain_by_map_index.
template <class T>
void drain_by_kernels(const par::Queue& queue, const Block<T>& block,
                      std::vector<Direction>& direction);

}  // namespace terrawave::terrain

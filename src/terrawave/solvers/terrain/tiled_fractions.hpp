// Fractions of flow to several receivers, for tiles whose sums are made by kernels.
#pragma once

#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_shares.hpp"
#include "terrawave/solvers/terrain/tiled_surface.hpp"

namespace terrawave::terrain {

// The fractions of a block, 8 for each cell by neighbour; those of the ring lack their receivers
// beyond it. `own`: the directions of the tile's cells.
template <class T>
par::Buffer<double> block_fractions(const par::Queue& queue, const Block<T>& block,
                                    const std::vector<Direction>& own, const FlowOptions& options);

// Made on the queue's device again whenever they are asked for: 64 bytes a cell that need neither
// memory of the host nor a way there and back.
template <class T>
class FractionsOnDevice {
 public:
  // "fractions.gives" and "fractions.data" in the store, as TiledSession::fractions() makes them.
  // All ranks together.
  FractionsOnDevice(const TileQueue& queue, const Rings& rings, const FlowOptions& options,
                    TileStore& store, const Surface<T>& surface);
  // Of the m-th tile and its ring.
  par::Buffer<double> of(std::size_t m) const;

 private:
  par::Buffer<double> made(std::size_t m, const Block<T>& block) const;
  void keep_receivers(std::size_t m, RimField<Shares>& rims) const;
  void join_ring(std::size_t m, std::vector<Shares> ring);

  TileQueue queue_;
  const Rings& rings_;
  const FlowOptions& options_;
  TileStore& store_;
  const Surface<T>& surface_;
  std::vector<std::vector<Shares>> ring_;  // by tile
};

}  // namespace terrawave::terrain

// The ground or the filled surface of a tile with its ring.
#pragma once

#include "terrawave/solvers/terrain/tiled_rings.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {

// The heights that flow follows: the ground, or the filled surface.
template <class T>
class Surface {
 public:
  Surface(BlockReader& reader, const Rings& rings, TileStore& store)
      : reader_(reader), rings_(rings), store_(store), rims_(rings, T{}) {}
  // From now on the filled surface; it is made where the store does not have it. All ranks
  // together.
  void fill(const par::Queue& queue, TiledStats& stats) {
    filled_ = true;
    if (rings_.comm().max(std::int64_t{lacks_fill() ? 1 : 0}) != 0)
      stats = tiled_fill<T>(
          rings_.comm(), queue, reader_,
          [&](Index tile, const std::vector<T>& z) { store_.put(tile, "filled", z); });
    together(rings_.comm(), [&] {
      for (std::size_t m = 0; m < rings_.count(); ++m)
        rims_.take(m, store_.get<T>(rings_.tile(m), "filled"));
    });
    rims_.exchange();
  }
  Block<T> block(std::size_t m) const {
    Block<T> block = reader_.read<T>(rings_.tile(m));
    if (!filled_) return block;
    const auto inside = store_.get<T>(rings_.tile(m), "filled");
    for (Index i = 0; i < block.inside.size(); ++i)
      block.z[std::size_t(block.around_of(i))] = inside[std::size_t(i)];
    const std::vector<Index> at = rings_.ring_positions(m);
    const std::vector<T> ring = rims_.ring(m);
    for (std::size_t k = 0; k < at.size(); ++k) block.z[std::size_t(at[k])] = ring[k];
    return block;
  }

 private:
  bool lacks_fill() const {
    for (const Index tile : rings_.tiles())
      if (!store_.has(tile, "filled")) return true;
    return false;
  }
  BlockReader& reader_;
  const Rings& rings_;
  TileStore& store_;
  RimField<T> rims_;
  bool filled_ = false;
};

}  // namespace terrawave::terrain

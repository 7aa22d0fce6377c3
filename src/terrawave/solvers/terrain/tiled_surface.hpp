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
  void fill(const TileQueue& queue, TiledStats& stats) {
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
    const Index tile = rings_.tile(m);
    if (!filled_) return reader_.read<T>(tile);
    Block<T> block;
    if (store_.has(tile, kStates)) {
      static_cast<TileShape&>(block) = reader_.shape(tile);
      block.z.resize(std::size_t(block.around.size()));
      block.state = store_.get<std::uint8_t>(tile, kStates);
    } else {
      block = reader_.read<T>(tile);
      store_.put(tile, kStates, block.state);
    }
    block.paste(store_.get<T>(tile, "filled"), block.z);
    const std::vector<Index> at = rings_.ring_positions(m);
    const std::vector<T> ring = rims_.ring(m);
    for (std::size_t k = 0; k < at.size(); ++k) block.z[std::size_t(at[k])] = ring[k];
    return block;
  }
  ~Surface() {
    for (const Index tile : rings_.tiles()) store_.drop(tile, kStates);
  }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

 private:
  static constexpr const char* kStates = "surface.states";  // of `around`, once they are known
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

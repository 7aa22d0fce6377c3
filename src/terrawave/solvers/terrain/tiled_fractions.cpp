#include "terrawave/solvers/terrain/tiled_fractions.hpp"

#include "terrawave/solvers/terrain/terrain_multiflow.hpp"
#include "terrawave/solvers/terrain/tile_sum_steps.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;

// Positions as kernels read them.
Buffer<std::int32_t> on_queue(const par::Queue& queue, const std::vector<Index>& cells) {
  return {queue, std::vector<std::int32_t>(cells.begin(), cells.end())};
}

}  // namespace

template <class T>
Buffer<double> block_fractions(const par::Queue& queue, const Block<T>& block,
                               const std::vector<Direction>& own, const FlowOptions& options) {
  const Buffer<T> z(queue, block.z);
  const Buffer<std::uint8_t> state(queue, block.state);
  const auto ring = std::size_t(block.around.size() - block.inside.size());
  const Buffer<Direction> direction(queue,
                                    block.join(own, std::vector<Direction>(ring, kNoDirection)));
  Buffer<double> fraction(queue, kNeighbours * block.grid.cells());
  drained_fractions<T>(queue, block.grid, z.cview(), state.cview(), direction.cview(),
                       multi_rule(options.rule), options.exponent, fraction.view());
  return fraction;
}

template <class T>
FractionsOnDevice<T>::FractionsOnDevice(const TileQueue& queue, const Rings& rings,
                                        const FlowOptions& options, TileStore& store,
                                        const Surface<T>& surface)
    : queue_(queue),
      rings_(rings),
      options_(options),
      store_(store),
      surface_(surface),
      ring_(rings.count()) {
  RimField<Shares> rims(rings, Shares{});
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) keep_receivers(m, rims);
  });
  rims.exchange();
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) join_ring(m, rims.ring(m));
  });
}

template <class T>
Buffer<double> FractionsOnDevice<T>::made(std::size_t m, const Block<T>& block) const {
  return block_fractions(queue_.queue(), block, store_.get<Direction>(rings_.tile(m), "directions"),
                         options_);
}

template <class T>
void FractionsOnDevice<T>::keep_receivers(std::size_t m, RimField<Shares>& rims) const {
  const Block<T> block = surface_.block(m);
  const Buffer<double> fraction = made(m, block);
  Buffer<std::uint8_t> gives(queue_, block.around.size());
  fraction_receivers(queue_, fraction.cview(), gives.view());
  std::vector<Index> cells = rings_.rim_positions(m);
  for (Index& cell : cells) cell = block.around_of(cell);
  const Buffer<std::int32_t> at = on_queue(queue_, cells);
  Buffer<double> rim(queue_, kNeighbours * at.size());
  par::dispatch(queue_.queue(), [&](const auto& exec) {
    steps::shares_at(exec, at.cview(), fraction.cview(), rim.view());
  });
  const std::vector<double> shares = rim.download();
  for (std::size_t r = 0; r < cells.size(); ++r)
    std::copy_n(shares.begin() + std::ptrdiff_t(r * kNeighbours), kNeighbours,
                rims.rim(m)[r].begin());
  store_.put(rings_.tile(m), "fractions.gives", gives.download());
  std::vector<std::uint8_t> data(block.state.size());
  for (std::size_t a = 0; a < data.size(); ++a) data[a] = is_data(block.state[a]) ? 1 : 0;
  store_.put(rings_.tile(m), "fractions.data", std::move(data));
}

template <class T>
void FractionsOnDevice<T>::join_ring(std::size_t m, std::vector<Shares> ring) {
  const std::vector<Index> at = rings_.ring_positions(m);
  store_.edit<std::uint8_t>(rings_.tile(m), "fractions.gives", [&](std::span<std::uint8_t> gives) {
    for (std::size_t r = 0; r < at.size(); ++r) gives[std::size_t(at[r])] = given_by(ring[r]);
  });
  ring_[m] = std::move(ring);
}

template <class T>
Buffer<double> FractionsOnDevice<T>::of(std::size_t m) const {
  Buffer<double> fraction = made(m, surface_.block(m));
  const Buffer<std::int32_t> at = on_queue(queue_, rings_.ring_positions(m));
  const double* const first = ring_[m].empty() ? nullptr : ring_[m].front().data();
  const Buffer<double> shares(queue_, std::span(first, ring_[m].size() * kNeighbours));
  par::dispatch(queue_.queue(), [&](const auto& exec) {
    steps::set_shares_at(exec, at.cview(), shares.cview(), fraction.view());
  });
  return fraction;
}

#define TERRAWAVE_FOR(T)                                                                      \
  template Buffer<double> block_fractions(const par::Queue&, const Block<T>&,                 \
                                          const std::vector<Direction>&, const FlowOptions&); \
  template class FractionsOnDevice<T>;
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain

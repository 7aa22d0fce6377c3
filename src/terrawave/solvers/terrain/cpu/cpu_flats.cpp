// Both distances by breadth-first search over the cells without a lower neighbour. Neighbouring
// ones of equal height lie in one flat, so max_away is the same for both and the key
// 2 * toward - away orders them like the published one.
#include "terrawave/solvers/terrain/cpu/cpu_flats.hpp"

#include <cstdlib>
#include <memory>
#include <new>

#include "terrawave/solvers/terrain/cpu/flow_walk.hpp"

namespace terrawave::terrain::cpu {
namespace {

// Zeros that cost nothing until touched.
class LazyZeros {
 public:
  explicit LazyZeros(Index n)
      : values_(static_cast<std::int32_t*>(std::calloc(std::size_t(n), sizeof(std::int32_t)))) {
    if (values_ == nullptr) throw std::bad_alloc();
  }
  std::int32_t& operator[](Index i) const { return values_.get()[i]; }

 private:
  struct Free {
    void operator()(std::int32_t* p) const { std::free(p); }
  };
  std::unique_ptr<std::int32_t[], Free> values_;
};

template <class T>
class Flats {
 public:
  Flats(const par::Queue& queue, const Grid& grid, const T* z, const std::uint8_t* state,
        Direction* direction)
      : queue_(queue),
        grid_(grid),
        walk_(grid),
        z_(z),
        state_(state),
        direction_(direction),
        toward_(grid.cells()),
        away_(grid.cells()) {}

  Index resolve() {
    std::vector<std::int32_t> low, high;
    collect_edges(low, high);
    if (low.empty()) return 0;
    spread(low, toward_);
    spread(high, away_);
    const auto drained = Index(low.size());
#pragma omp parallel for schedule(static) num_threads(queue_.threads())
    for (Index i = 0; i < drained; ++i) chosen(low[std::size_t(i)]);
    return drained;
  }

 private:
  bool stuck(Index c) const { return direction_[c] == kRoot && !is_base(state_[c]); }

  template <class Visit>
  void neighbours(Index c, const Visit& visit) const {
    const Index row = row_of(c, grid_.cols);
    const Index col = c - row * grid_.cols;
    if (row > 0 && row < grid_.rows - 1 && col > 0 && col < grid_.cols - 1) {
      for (int k = 0; k < kNeighbours; k += grid_.step()) {
        const Index n = walk_.step(c, k);
        if (is_data(state_[n])) visit(n, k);
      }
      return;
    }
    for (int k = 0; k < kNeighbours; k += grid_.step()) {
      const Index n = grid_.neighbour(row, col, k);
      if (n >= 0 && is_data(state_[n])) visit(n, k);
    }
  }

  // Flat cells beside the low edge (toward = 1) and beside higher ground (away = 1).
  void collect_edges(std::vector<std::int32_t>& low, std::vector<std::int32_t>& high) {
    const int threads = queue_.threads();
    std::vector<std::vector<std::int32_t>> lows(static_cast<std::size_t>(threads));
    std::vector<std::vector<std::int32_t>> highs(static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      const RowShare rows = row_share(grid_.rows, t, threads);
      for (Index c = rows.begin * grid_.cols; c < rows.end * grid_.cols; ++c)
        if (stuck(c)) seed(c, lows[std::size_t(t)], highs[std::size_t(t)]);
    }
    for (const auto& part : lows) low.insert(low.end(), part.begin(), part.end());
    for (const auto& part : highs) high.insert(high.end(), part.begin(), part.end());
  }
  void seed(Index c, std::vector<std::int32_t>& low, std::vector<std::int32_t>& high) const {
    bool beside_low = false;
    bool beside_high = false;
    neighbours(c, [&](Index n, int) {
      beside_low = beside_low || (z_[n] == z_[c] && !stuck(n));
      beside_high = beside_high || z_[n] > z_[c];
    });
    if (beside_low) low.push_back(std::int32_t(c));
    if (beside_high) high.push_back(std::int32_t(c));
  }

  // `order` holds the cells at distance 1 and receives all others in the order of distance.
  void spread(std::vector<std::int32_t>& order, const LazyZeros& distance) const {
    for (const std::int32_t c : order) distance[c] = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int32_t c = order[i];
      neighbours(c, [&](Index n, int) {
        if (z_[n] != z_[c] || distance[n] != 0 || !stuck(n)) return;
        distance[n] = distance[c] + 1;
        order.push_back(std::int32_t(n));
      });
    }
  }

  // Directions of drained flat cells change here, so only distances are read: among neighbours
  // of equal height, those without `toward` are the low edge.
  void chosen(Index c) const {
    const auto key = [&](Index n) {
      return toward_[n] == 0 ? std::int64_t{-1} << 40 : 2 * std::int64_t(toward_[n]) - away_[n];
    };
    std::int64_t best = key(c);
    Direction direction = kRoot;
    neighbours(c, [&](Index n, int k) {
      if (z_[n] != z_[c] || key(n) >= best) return;
      best = key(n);
      direction = Direction(k);
    });
    direction_[c] = direction;
  }

  const par::Queue& queue_;
  const Grid& grid_;
  Walk<false> walk_;
  const T* z_;
  const std::uint8_t* state_;
  Direction* direction_;
  LazyZeros toward_, away_;  // 0: none
};

template <class T>
Direction by_index(const Grid& grid, const T* z, const std::uint8_t* state, Index c) {
  const Index row = row_of(c, grid.cols);
  const Index col = c - row * grid.cols;
  for (int k = 0; k < kNeighbours; k += grid.step()) {
    const Index n = grid.neighbour(row, col, k);
    if (n < 0 || !is_data(state[n]) || z[n] != z[c]) continue;
    if (is_base(state[n]) || n < c) return Direction(k);
  }
  return kRoot;
}

}  // namespace

template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  const par::LaunchScope open(queue);
  return Flats<T>(queue, grid, z.data, state.data, direction.data).resolve();
}

template <class T>
void drain_by_index(const par::Queue& queue, const Grid& grid, par::View<const T> z,
                    par::View<const std::uint8_t> state, par::View<Direction> direction) {
  const par::LaunchScope open(queue);
#pragma omp parallel for schedule(static) num_threads(queue.threads())
  for (Index c = 0; c < grid.cells(); ++c)
    if (direction[c] == kRoot && !is_base(state[c]))
      direction[c] = by_index(grid, z.data, state.data, c);
}

template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const float>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, par::View<const double>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::uint8_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::int16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::uint16_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const std::int32_t>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const float>,
                             par::View<const std::uint8_t>, par::View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, par::View<const double>,
                             par::View<const std::uint8_t>, par::View<Direction>);

}  // namespace terrawave::terrain::cpu

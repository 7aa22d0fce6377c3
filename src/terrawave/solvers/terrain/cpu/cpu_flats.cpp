// Both distances by breadth-first search over the cells without a lower neighbour. Neighbouring
// ones of equal height lie in one flat, so max_away is the same for both and the key
// 2 * toward - away orders them like the published one.
#include "terrawave/solvers/terrain/cpu/cpu_flats.hpp"

#include <algorithm>
#include <bit>
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

// Cells in the order of their distance, and for the first ones what lies beside them.
struct Front {
  std::vector<std::int32_t> cells;
  std::vector<Direction> beside;  // of the low edge: the first neighbour on it
  void append(const Front& part) {
    cells.insert(cells.end(), part.cells.begin(), part.cells.end());
    beside.insert(beside.end(), part.beside.begin(), part.beside.end());
  }
};

template <class T, class Walk>
class Flats {
 public:
  Flats(const par::Queue& queue, const Grid& grid, const Walk& walk, const T* z,
        const std::uint8_t* state, Direction* direction)
      : queue_(queue),
        grid_(grid),
        walk_(walk),
        z_(z),
        state_(state),
        direction_(direction),
        level_(new std::uint8_t[std::size_t(grid.cells())]),
        toward_(grid.cells()),
        away_(grid.cells()) {}

  Index resolve() {
    Front low, high;
    collect(low, high);
    if (low.cells.empty()) return 0;
    const auto seeds = Index(low.cells.size());
    // Both searches read the same and write their own distance: two threads at most.
#pragma omp parallel sections num_threads(std::min(2, queue_.threads()))
    {
#pragma omp section
      spread(low.cells, toward_);
#pragma omp section
      spread(high.cells, away_);
    }
    const auto drained = Index(low.cells.size());
#pragma omp parallel for schedule(static) num_threads(queue_.threads())
    for (Index i = 0; i < drained; ++i) {
      const std::int32_t c = low.cells[std::size_t(i)];
      direction_[c] = i < seeds ? low.beside[std::size_t(i)] : nearest(c);
    }
    return drained;
  }

 private:
  bool stuck(Index c) const { return direction_[c] == kRoot && !is_base(state_[c]); }

  // For each flat cell: which neighbours lie in the same flat (a bit each), and whether it lies on
  // the low edge or beside higher ground.
  void collect(Front& low, Front& high) {
    const int threads = queue_.threads();
    std::vector<Front> lows(static_cast<std::size_t>(threads));
    std::vector<Front> highs(static_cast<std::size_t>(threads));
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      const RowShare rows = row_share(grid_.rows, t, threads);
      for (Index row = rows.begin; row < rows.end; ++row)
        for (Index col = 0; col < grid_.cols; ++col)
          if (stuck(row * grid_.cols + col))
            collect_cell(row, col, lows[std::size_t(t)], highs[std::size_t(t)]);
    }
    for (const Front& part : lows) low.append(part);
    for (const Front& part : highs) high.append(part);
  }
  void collect_cell(Index row, Index col, Front& low, Front& high) const {
    const Index c = row * grid_.cols + col;
    const bool inner = row > 0 && row < grid_.rows - 1 && col > 0 && col < grid_.cols - 1;
    unsigned same = 0;
    Direction edge = kRoot;
    bool beside_high = false;
    for (int k = 0; k < kNeighbours; k += grid_.step()) {
      const Index n = inner ? walk_.step(c, k) : grid_.neighbour(row, col, k);
      if (n < 0 || !is_data(state_[n])) continue;
      beside_high = beside_high || z_[n] > z_[c];
      if (z_[n] != z_[c]) continue;
      if (stuck(n))
        same |= 1u << k;
      else if (edge == kRoot)
        edge = Direction(k);
    }
    level_[std::size_t(c)] = std::uint8_t(same);
    if (edge != kRoot) {
      low.cells.push_back(std::int32_t(c));
      low.beside.push_back(edge);
    }
    if (beside_high) high.cells.push_back(std::int32_t(c));
  }

  template <class Visit>
  void same_flat(Index c, const Visit& visit) const {
    for (unsigned left = level_[std::size_t(c)]; left != 0; left &= left - 1) {
      const int k = std::countr_zero(left);
      visit(walk_.step(c, k), k);
    }
  }

  // `order` holds the cells at distance 1 and receives all others in the order of distance.
  void spread(std::vector<std::int32_t>& order, const LazyZeros& distance) const {
    for (const std::int32_t c : order) distance[c] = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int32_t c = order[i];
      const std::int32_t next = distance[c] + 1;
      same_flat(c, [&](Index n, int) {
        if (distance[n] != 0) return;
        distance[n] = next;
        order.push_back(std::int32_t(n));
      });
    }
  }

  // The neighbour of least key; off the low edge all candidates lie in the flat.
  Direction nearest(Index c) const {
    const auto key = [&](Index n) { return 2 * std::int64_t(toward_[n]) - away_[n]; };
    std::int64_t best = key(c);
    Direction direction = kRoot;
    same_flat(c, [&](Index n, int k) {
      if (key(n) >= best) return;
      best = key(n);
      direction = Direction(k);
    });
    return direction;
  }

  const par::Queue& queue_;
  const Grid& grid_;
  const Walk& walk_;
  const T* z_;
  const std::uint8_t* state_;
  Direction* direction_;
  std::unique_ptr<std::uint8_t[]> level_;  // neighbours in the same flat
  LazyZeros toward_, away_;                // 0: none
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
  return with_walk(grid, [&]<class Walk>(const Walk& walk) {
    return Flats<T, Walk>(queue, grid, walk, z.data, state.data, direction.data).resolve();
  });
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

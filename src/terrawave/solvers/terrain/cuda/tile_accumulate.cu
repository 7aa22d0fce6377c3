// Three launches. Summarise: each tile adds up its own cells and notes, for every cell of its
// perimeter, through which exit (a perimeter cell whose receiver lies outside) a flow entering
// there leaves. Join: exits form a forest of a sixteenth of the cells; it is peeled with global
// atomics. Finish: each tile adds up again, now with what enters across its perimeter.
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/terrain/cuda/tile_accumulate.hpp"

namespace terrawave::terrain::cuda {
namespace {

using par::Buffer;
using par::View;

constexpr int kSide = 64;
constexpr int kCells = kSide * kSide;
constexpr int kThreads = 256;
constexpr int kSlots = 4 * kSide;  // top row, bottom row, left column, right column
constexpr std::uint8_t kSource = 0xff;

struct Raster {
  GridView grid;
  const Direction* direction;
  const std::int64_t* weights;  // null: ones
  std::int64_t* out;
  Index tiles_across;
};

// One slot per perimeter cell of each tile.
struct Slots {
  std::int64_t* total;    // flow through an exit
  std::int32_t* link;     // slot of the exit that this cell's flow reaches; -1: ends inside
  std::int32_t* waiting;  // donors among the exits that are not final
  std::uint8_t* is_exit;
  unsigned long long* finished;  // [0] cells of tiles, [1] exits, [2] exits that are final
};

struct Tile {
  Index row0, col0, id;
  int height, width;
};

__device__ Tile tile_of(const Raster& on, Index id) {
  Tile t;
  t.id = id;
  t.row0 = id / on.tiles_across * kSide;
  t.col0 = id % on.tiles_across * kSide;
  t.height = int(min(Index(kSide), on.grid.rows - t.row0));
  t.width = int(min(Index(kSide), on.grid.cols - t.col0));
  return t;
}

__device__ int slot_in(const Tile& t, int row, int col) {
  if (row == 0) return col;
  if (row == t.height - 1) return kSide + col;
  if (col == 0) return 2 * kSide + row;
  return 3 * kSide + row;
}
// The perimeter cell of a slot; false for slots that no cell has.
__device__ bool cell_of_slot(const Tile& t, int slot, int& row, int& col) {
  const int side = slot / kSide;
  const int at = slot % kSide;
  row = side == 0 ? 0 : (side == 1 ? t.height - 1 : at);
  col = side < 2 ? at : (side == 2 ? 0 : t.width - 1);
  return row < t.height && col < t.width && slot_in(t, row, col) == slot;
}
__device__ Index slot_of_cell(const Raster& on, Index cell) {
  const Index row = cell / on.grid.cols;
  const Index col = cell % on.grid.cols;
  const Tile t = tile_of(on, row / kSide * on.tiles_across + col / kSide);
  return t.id * kSlots + slot_in(t, int(row - t.row0), int(col - t.col0));
}

// V: int32_t where every cell weighs 1 (the raster has less than 2^31 cells), else int64_t.
template <class V>
struct Shared {
  V sum[kCells];
  unsigned waiting[kCells / 4];  // a byte for each cell: donors that are not final
  std::uint8_t donors[kCells];   // bit k: neighbour k drains here, inside the tile
  Direction direction[kCells];
};

__device__ bool inside(const Tile& t, int row, int col) {
  return row >= 0 && row < t.height && col >= 0 && col < t.width;
}

// Local index of the receiver, or -1 when the flow ends or leaves.
template <class V>
__device__ int receiver(const Tile& t, const Shared<V>& s, int c) {
  const Direction d = s.direction[c];
  if (d >= kNeighbours) return -1;
  const int row = c / kSide + row_step(d);
  const int col = c % kSide + col_step(d);
  return inside(t, row, col) ? row * kSide + col : -1;
}

template <class V>
__device__ void load(const Raster& on, const Tile& t, Shared<V>& s) {
  for (int c = int(threadIdx.x); c < kCells; c += kThreads) {
    const int row = c / kSide;
    const int col = c % kSide;
    const bool in = inside(t, row, col);
    const Index cell = (t.row0 + row) * on.grid.cols + t.col0 + col;
    const Direction d = in ? on.direction[cell] : kNoDirection;
    s.direction[c] = d;
    s.sum[c] = V(d == kNoDirection ? 0 : (on.weights == nullptr ? 1 : on.weights[cell]));
  }
  __syncthreads();
  auto* const waiting = reinterpret_cast<std::uint8_t*>(s.waiting);
  for (int c = int(threadIdx.x); c < kCells; c += kThreads) {
    unsigned donors = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      const int row = c / kSide + row_step(k);
      const int col = c % kSide + col_step(k);
      if (inside(t, row, col) && s.direction[row * kSide + col] == opposite(k)) donors |= 1u << k;
    }
    s.donors[c] = std::uint8_t(donors);
    waiting[c] = std::uint8_t(
        s.direction[c] == kNoDirection ? 1 : (donors == 0 ? kSource : unsigned(__popc(donors))));
  }
}

// Adds up all cells of the tile; returns how many this thread finished.
template <class V>
__device__ int peel(const Tile& t, Shared<V>& s) {
  int finished = 0;
  const volatile std::uint8_t* const waiting =
      reinterpret_cast<const volatile std::uint8_t*>(s.waiting);
  volatile V* const sum = s.sum;
  for (int source = int(threadIdx.x); source < kCells; source += kThreads) {
    if (waiting[source] != kSource) continue;
    for (int c = source;;) {
      V value = sum[c];
      for (unsigned left = s.donors[c]; left != 0; left &= left - 1) {
        const int k = __ffs(int(left)) - 1;
        value += sum[c + row_step(k) * kSide + col_step(k)];
      }
      sum[c] = value;
      ++finished;
      const int next = receiver(t, s, c);
      if (next < 0) break;
      __threadfence_block();
      const unsigned shift = 8u * unsigned(next & 3);
      const unsigned before = atomicSub(&s.waiting[next >> 2], 1u << shift);
      __threadfence_block();
      if (((before >> shift) & 0xffu) != 1u) break;
      c = next;
    }
  }
  return finished;
}

template <class V>
__global__ void __launch_bounds__(kThreads) summarise(Raster on, Slots slots) {
  __shared__ Shared<V> s;
  const Tile t = tile_of(on, blockIdx.x);
  load(on, t, s);
  __syncthreads();
  const int finished = peel(t, s);
  __syncthreads();
  if (finished > 0) atomicAdd(&slots.finished[0], static_cast<unsigned long long>(finished));
  for (int slot = int(threadIdx.x); slot < kSlots; slot += kThreads) {
    const Index at = t.id * kSlots + slot;
    int row = 0;
    int col = 0;
    std::int32_t link = -1;
    bool leaves = false;
    if (cell_of_slot(t, slot, row, col)) {
      const int start = row * kSide + col;
      int c = start;
      for (int steps = 0; steps < kCells; ++steps) {  // a loop ends here, and is found by count
        const int next = receiver(t, s, c);
        if (next < 0) break;
        c = next;
      }
      const bool at_exit = s.direction[c] < kNeighbours && receiver(t, s, c) < 0;
      if (at_exit) link = std::int32_t(t.id * kSlots + slot_in(t, c / kSide, c % kSide));
      leaves = at_exit && c == start;
      slots.total[at] = leaves ? s.sum[c] : 0;
      if (leaves) atomicAdd(&slots.finished[1], 1ull);
    }
    slots.link[at] = link;
    slots.is_exit[at] = leaves ? 1 : 0;
    slots.waiting[at] = 0;
  }
}

// The exit that the flow of exit `slot` reaches next, or -1.
__device__ std::int32_t next_exit(const Raster& on, const Slots& slots, Index slot) {
  const Tile t = tile_of(on, slot / kSlots);
  int row = 0;
  int col = 0;
  cell_of_slot(t, int(slot % kSlots), row, col);
  const Index r = t.row0 + row;
  const Index c = t.col0 + col;
  const Index to = on.grid.neighbour(r, c, on.direction[r * on.grid.cols + c]);
  return slots.link[slot_of_cell(on, to)];
}

__global__ void count_exits(Raster on, Slots slots, Index n) {
  const Index slot = Index(blockIdx.x) * kThreads + threadIdx.x;
  if (slot >= n || slots.is_exit[slot] == 0) return;
  const std::int32_t next = next_exit(on, slots, slot);
  if (next >= 0) atomicAdd(&slots.waiting[next], 1);
}
__global__ void mark_sources(Slots slots, Index n) {
  const Index slot = Index(blockIdx.x) * kThreads + threadIdx.x;
  if (slot < n && slots.is_exit[slot] != 0 && slots.waiting[slot] == 0) slots.waiting[slot] = -1;
}
__global__ void join_exits(Raster on, Slots slots, Index n) {
  const Index source = Index(blockIdx.x) * kThreads + threadIdx.x;
  if (source >= n || slots.is_exit[source] == 0 || slots.waiting[source] != -1) return;
  unsigned long long finished = 0;
  for (Index slot = source;;) {
    ++finished;
    const std::int32_t next = next_exit(on, slots, slot);
    if (next < 0) break;
    const auto mine = static_cast<unsigned long long>(atomics::load(&slots.total[slot]));
    atomicAdd(reinterpret_cast<unsigned long long*>(&slots.total[next]), mine);
    __threadfence();
    const int before = atomicSub(&slots.waiting[next], 1);
    __threadfence();
    if (before != 1) break;
    slot = next;
  }
  atomicAdd(&slots.finished[2], finished);
}

template <class V>
__global__ void __launch_bounds__(kThreads) finish(Raster on, Slots slots) {
  __shared__ Shared<V> s;
  const Tile t = tile_of(on, blockIdx.x);
  load(on, t, s);
  __syncthreads();
  for (int slot = int(threadIdx.x); slot < kSlots; slot += kThreads) {
    int row = 0;
    int col = 0;
    if (!cell_of_slot(t, slot, row, col)) continue;
    std::int64_t enters = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      if (inside(t, row + row_step(k), col + col_step(k))) continue;
      const Index d = on.grid.neighbour(t.row0 + row, t.col0 + col, k);
      if (d >= 0 && on.direction[d] == opposite(k)) enters += slots.total[slot_of_cell(on, d)];
    }
    s.sum[row * kSide + col] += V(enters);
  }
  __syncthreads();
  peel(t, s);
  __syncthreads();
  for (int c = int(threadIdx.x); c < kCells; c += kThreads) {
    const int row = c / kSide;
    const int col = c % kSide;
    if (inside(t, row, col)) on.out[(t.row0 + row) * on.grid.cols + t.col0 + col] = s.sum[c];
  }
}

unsigned blocks(Index n) { return static_cast<unsigned>((n + kThreads - 1) / kThreads); }

template <class V>
void launch(cudaStream_t stream, const Raster& on, const Slots& slots, Index tiles) {
  const auto tile_blocks = static_cast<unsigned>(tiles);
  const Index n = tiles * kSlots;
  summarise<V><<<tile_blocks, kThreads, 0, stream>>>(on, slots);
  count_exits<<<blocks(n), kThreads, 0, stream>>>(on, slots, n);
  mark_sources<<<blocks(n), kThreads, 0, stream>>>(slots, n);
  join_exits<<<blocks(n), kThreads, 0, stream>>>(on, slots, n);
  finish<V><<<tile_blocks, kThreads, 0, stream>>>(on, slots);
  par::cuda::check(cudaGetLastError(), "accumulating over tiles");
}

}  // namespace

Index tile_accumulate(const par::Queue& queue, const GridView& grid,
                      View<const Direction> direction, View<const std::int64_t> weights,
                      View<std::int64_t> out) {
  const auto stream = static_cast<cudaStream_t>(queue.impl().stream());
  const Index across = (grid.cols + kSide - 1) / kSide;
  const Index tiles = across * ((grid.rows + kSide - 1) / kSide);
  const Index n = tiles * kSlots;
  Buffer<std::int64_t> total(queue, n);
  Buffer<std::int32_t> link(queue, n), waiting(queue, n);
  Buffer<std::uint8_t> is_exit(queue, n);
  Buffer<unsigned long long> finished(queue, 3);
  finished.fill_bytes(0);
  total.fill_bytes(0);
  const Raster on{grid, direction.data, weights.size > 0 ? weights.data : nullptr, out.data,
                  across};
  const Slots slots{total.view().data, link.view().data, waiting.view().data, is_exit.view().data,
                    finished.view().data};
  if (on.weights == nullptr)
    launch<std::int32_t>(stream, on, slots, tiles);
  else
    launch<std::int64_t>(stream, on, slots, tiles);
  const std::vector<unsigned long long> counts = finished.download();
  // Exits left over lie on loops between tiles: then some cell is not final.
  const auto unfinished = Index(counts[1] - counts[2]);
  return Index(counts[0]) - unfinished;
}

}  // namespace terrawave::terrain::cuda

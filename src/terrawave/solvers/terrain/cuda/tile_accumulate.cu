// Four launches. Summarise: each tile adds up its own cells and notes, for every cell of its
// perimeter, through which exit (a perimeter cell whose receiver lies outside) a flow entering
// there leaves. Link and join: exits form a forest of a sixteenth of the cells; it is peeled in
// global memory. Finish: what enters a tile across its perimeter is added along its way out.
//
// Peeling without races: a cell's sum and the number of its donors that are still to come share one
// word, and a donor that arrives adds its sum and takes one off the number in a single atomic
// addition. The one that takes off the last holds the complete sum in the returned value, so no
// thread ever reads what another one wrote but through that atomic: no fences, no ordering to argue
// about. Sums of weights need 64 bits; there the sum is added first, then the number, and whoever
// is last reads the sum by an atomic as well, with a fence between the two (release and acquire).
#include "terrawave/par/buffer.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/terrain/cuda/tile_accumulate.hpp"

namespace terrawave::terrain::cuda {
namespace {

using par::Buffer;
using par::View;
using Sum = unsigned long long;  // as atomics want them; sums of negative weights wrap round

constexpr int kSide = 64;
constexpr int kCells = kSide * kSide;
constexpr int kThreads = 256;
constexpr int kPerThread = kCells / kThreads;
constexpr int kSlots = 4 * kSide;  // top row, bottom row, left column, right column
constexpr unsigned kNone = 0xffff;

constexpr std::int32_t kNoExit = -1;
constexpr std::int32_t kNowhere = -2;
constexpr Sum kOneDonor = Sum{1} << 32;

struct Raster {
  GridView grid;
  const Direction* direction;
  const std::int64_t* weights;  // null: ones
  std::int64_t* out;
  Index tiles_across;
};

// One slot per perimeter cell of each tile.
struct Slots {
  Sum* total;            // flow through an exit; unit weights: and, above 32 bits, donors to come
  unsigned* waiting;     // with weights: donors to come
  std::int32_t* next;    // of an exit: slot of its receiver, then the exit that this one's flow
                         // reaches; kNowhere where there is none; of other cells kNoExit
  std::int32_t* link;    // slot of the exit that this cell's flow reaches, or kNowhere
  std::uint16_t* local;  // unit weights: sums inside the tile, tile by tile
  Sum* finished;         // [0] cells of tiles, [1] exits, [2] exits that are final
};

struct Tile {
  Index row0, col0, id;
  int height, width;
};

__device__ Tile tile_at(const Raster& on, Index down, Index across) {
  Tile t;
  t.id = down * on.tiles_across + across;
  t.row0 = down * kSide;
  t.col0 = across * kSide;
  t.height = int(min(Index(kSide), on.grid.rows - t.row0));
  t.width = int(min(Index(kSide), on.grid.cols - t.col0));
  return t;
}
__device__ Tile tile_of(const Raster& on, Index id) {
  const Index down = row_of(id, on.tiles_across);
  return tile_at(on, down, id - down * on.tiles_across);
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
__device__ bool inside(const Tile& t, int row, int col) {
  return row >= 0 && row < t.height && col >= 0 && col < t.width;
}
// Neighbour k of a perimeter cell, in another tile or across a looped edge: its slot, or kNowhere.
__device__ std::int32_t slot_beyond(const Raster& on, const Tile& t, int row, int col, int k,
                                    Index& cell) {
  Index r = t.row0 + row + row_step(k);
  Index c = t.col0 + col + col_step(k);
  if (on.grid.loop_rows) r = r < 0 ? on.grid.rows - 1 : (r >= on.grid.rows ? 0 : r);
  if (on.grid.loop_cols) c = c < 0 ? on.grid.cols - 1 : (c >= on.grid.cols ? 0 : c);
  if (r < 0 || r >= on.grid.rows || c < 0 || c >= on.grid.cols) return kNowhere;
  cell = r * on.grid.cols + c;
  const Tile n = tile_at(on, r / kSide, c / kSide);
  return std::int32_t(n.id * kSlots + slot_in(n, int(r - n.row0), int(c - n.col0)));
}

// What the threads of a block share. `next`: the receiver's cell, kNone where it is in no cell of
// the tile. Unit weights: a word holds a sum (4096 at most) and, above 16 bits, the donors to come.
struct Ones {
  using Value = unsigned;
  unsigned word[kCells];
  std::uint16_t next[kCells];

  __device__ void set(int c, const Raster&, Index, bool data) { word[c] = data ? 1 : 0; }
  __device__ void expect(int c) { atomicAdd(&word[c], 0x10000u); }
  __device__ bool is_source(int c) const { return word[c] == 1; }
  __device__ unsigned sum(int c) const { return word[c] & 0xffffu; }
  // True for the last donor, whose `sum` becomes that of c.
  __device__ bool arrive(int c, unsigned& sum) {
    const unsigned before = atomicAdd(&word[c], sum - 0x10000u);
    sum += before & 0xffffu;
    return before >> 16 == 1;
  }
};
struct Weights {
  using Value = Sum;
  Sum sums[kCells];
  unsigned donors[kCells / 4];  // a byte for each cell
  std::uint16_t next[kCells];

  __device__ void set(int c, const Raster& on, Index cell, bool data) {
    sums[c] = data ? Sum(on.weights[cell]) : 0;
    reinterpret_cast<std::uint8_t*>(donors)[c] = data ? 0 : 1;  // nobody arrives at nodata
  }
  __device__ void expect(int c) { atomicAdd(&donors[c / 4], 1u << 8 * (c % 4)); }
  __device__ unsigned waiting(unsigned four, int c) const { return four >> 8 * (c % 4) & 0xffu; }
  __device__ bool is_source(int c) const { return waiting(donors[c / 4], c) == 0; }
  __device__ Sum sum(int c) const { return sums[c]; }
  __device__ bool arrive(int c, Sum& sum) {
    atomicAdd(&sums[c], sum);
    __threadfence_block();
    const unsigned before = atomicSub(&donors[c / 4], 1u << 8 * (c % 4));
    if (waiting(before, c) != 1) return false;
    __threadfence_block();
    sum = atomicAdd(&sums[c], Sum{0});
    return true;
  }
};

// Local index of the receiver of a cell with direction d.
__device__ unsigned receiver(const Tile& t, int row, int col, Direction d) {
  if (d >= kNeighbours) return kNone;
  row += row_step(d);
  col += col_step(d);
  return inside(t, row, col) ? unsigned(row * kSide + col) : kNone;
}

// Adds up a tile, and leaves in `next` where its cells drain. Returns how many cells this thread
// finished.
template <class Shared>
__device__ int add_up(const Raster& on, const Tile& t, Shared& s) {
  for (int c = int(threadIdx.x); c < kCells; c += kThreads) {
    const int row = c / kSide;
    const int col = c % kSide;
    const Index cell = (t.row0 + row) * on.grid.cols + t.col0 + col;
    const Direction d = inside(t, row, col) ? on.direction[cell] : kNoDirection;
    s.set(c, on, cell, d != kNoDirection);
    s.next[c] = std::uint16_t(receiver(t, row, col, d));
  }
  __syncthreads();
  for (int c = int(threadIdx.x); c < kCells; c += kThreads)
    if (s.next[c] != kNone) s.expect(s.next[c]);
  __syncthreads();
  unsigned sources = 0;  // a bit for each of this thread's cells
  for (int i = 0; i < kPerThread; ++i) {
    const int c = int(threadIdx.x) + i * kThreads;
    if (s.is_source(c)) sources |= 1u << i;
  }
  __syncthreads();
  // One step of a walk, or the start of the next one, per turn: lanes do not wait for the longest.
  int finished = 0;
  unsigned at = kNone;
  typename Shared::Value sum = 0;
  while (at != kNone || sources != 0) {
    if (at == kNone) {
      const int c = int(threadIdx.x) + (__ffs(int(sources)) - 1) * kThreads;
      sources &= sources - 1;
      sum = s.sum(c);
      at = s.next[c];
      ++finished;
      if (at == kNone) continue;
    }
    const bool last = s.arrive(int(at), sum);
    finished += last ? 1 : 0;
    at = last ? s.next[at] : kNone;
  }
  __syncthreads();
  return finished;
}

// One addition for each block. `shared` is for this call alone: no barrier follows the last read,
// which the compiler lets every thread do.
__device__ void add_in_block(unsigned* shared, Sum* total, unsigned mine) {
  if (threadIdx.x == 0) *shared = 0;
  __syncthreads();
  const unsigned of_warp = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0 && of_warp > 0) atomicAdd(shared, of_warp);
  __syncthreads();
  if (threadIdx.x == 0 && *shared > 0) atomicAdd(total, Sum{*shared});
}

__device__ void keep_sums(const Raster&, const Slots& slots, const Tile& t, const Ones& s) {
  for (int c = int(threadIdx.x); c < kCells; c += kThreads)
    slots.local[t.id * kCells + c] = std::uint16_t(s.sum(c));
}
__device__ void keep_sums(const Raster& on, const Slots&, const Tile& t, const Weights& s) {
  for (int c = int(threadIdx.x); c < kCells; c += kThreads)
    if (inside(t, c / kSide, c % kSide))
      on.out[(t.row0 + c / kSide) * on.grid.cols + t.col0 + c % kSide] = std::int64_t(s.sum(c));
}

// Every exit waits for itself as well, so that in join_exits its own thread can start it.
__device__ void set_exit(const Slots& slots, Index slot, const Ones& s, int c, bool leaves) {
  slots.total[slot] = leaves ? s.sum(c) + kOneDonor : 0;
}
__device__ void set_exit(const Slots& slots, Index slot, const Weights& s, int c, bool leaves) {
  slots.total[slot] = leaves ? s.sum(c) : 0;
  slots.waiting[slot] = leaves ? 1 : 0;
}

template <class Shared>
__global__ void __launch_bounds__(kThreads) summarise(Raster on, Slots slots) {
  static_assert(kThreads == kSlots);
  __shared__ Shared s;
  __shared__ unsigned counts[2];
  const Tile t = tile_of(on, blockIdx.x);
  const int finished = add_up(on, t, s);
  add_in_block(&counts[0], &slots.finished[0], unsigned(finished));
  keep_sums(on, slots, t, s);
  const int slot = int(threadIdx.x);
  const Index at = t.id * kSlots + slot;
  int row = 0;
  int col = 0;
  std::int32_t link = kNowhere;
  std::int32_t next = kNoExit;
  int start = 0;
  if (cell_of_slot(t, slot, row, col)) {
    start = row * kSide + col;
    int c = start;
    for (int steps = 0; steps < kCells && s.next[c] != kNone; ++steps) c = s.next[c];
    const int r = c / kSide;
    const int q = c % kSide;
    const Direction d = on.direction[(t.row0 + r) * on.grid.cols + t.col0 + q];
    if (d < kNeighbours && s.next[c] == kNone) {  // else a root, or a loop, which is found by count
      link = std::int32_t(t.id * kSlots + slot_in(t, r, q));
      Index cell = 0;
      if (c == start) next = slot_beyond(on, t, row, col, d, cell);
    }
  }
  slots.link[at] = link;
  slots.next[at] = next;
  set_exit(slots, at, s, start, next != kNoExit);
  add_in_block(&counts[1], &slots.finished[1], next != kNoExit ? 1 : 0);
}

template <class Shared>
__global__ void __launch_bounds__(kThreads) link_exits(Slots slots, Index n) {
  const Index slot = Index(blockIdx.x) * kThreads + threadIdx.x;
  if (slot >= n || slots.next[slot] < 0) return;
  const std::int32_t next = slots.link[slots.next[slot]];
  slots.next[slot] = next;
  if (next < 0) return;
  if constexpr (std::is_same_v<Shared, Ones>)
    atomicAdd(&slots.total[next], kOneDonor);
  else
    atomicAdd(&slots.waiting[next], 1u);
}

// True for the last of an exit's donors, itself among them; `sum` becomes the exit's.
template <class Shared>
__device__ bool arrive_at_exit(const Slots& slots, Index exit, Sum& sum) {
  if constexpr (std::is_same_v<Shared, Ones>) {
    const Sum before = atomicAdd(&slots.total[exit], sum - kOneDonor);
    sum += before & (kOneDonor - 1);
    return before >> 32 == 1;
  } else {
    atomicAdd(&slots.total[exit], sum);
    __threadfence();
    if (atomicSub(&slots.waiting[exit], 1u) != 1) return false;
    __threadfence();
    sum = atomicAdd(&slots.total[exit], Sum{0});
    return true;
  }
}

template <class Shared>
__global__ void __launch_bounds__(kThreads) join_exits(Slots slots, Index n) {
  __shared__ unsigned count;
  const Index slot = Index(blockIdx.x) * kThreads + threadIdx.x;
  unsigned finished = 0;
  if (slot < n && slots.next[slot] != kNoExit) {
    Sum sum = 0;
    for (Index at = slot; at >= 0 && arrive_at_exit<Shared>(slots, at, sum); at = slots.next[at])
      ++finished;
  }
  add_in_block(&count, &slots.finished[2], finished);
}

template <class Shared>
__device__ Sum flow_of(const Slots& slots, std::int32_t exit) {
  const Sum total = slots.total[exit];
  return std::is_same_v<Shared, Ones> ? total & (kOneDonor - 1) : total;
}

template <class Shared>
__global__ void __launch_bounds__(kThreads) finish(Raster on, Slots slots) {
  using Value = typename Shared::Value;
  __shared__ Value sum[kCells];
  __shared__ std::uint16_t next[kCells];
  const Tile t = tile_of(on, blockIdx.x);
  for (int c = int(threadIdx.x); c < kCells; c += kThreads) {
    const int row = c / kSide;
    const int col = c % kSide;
    if (!inside(t, row, col)) continue;
    const Index cell = (t.row0 + row) * on.grid.cols + t.col0 + col;
    next[c] = std::uint16_t(receiver(t, row, col, on.direction[cell]));
    if constexpr (std::is_same_v<Shared, Ones>)
      sum[c] = slots.local[t.id * kCells + c];
    else
      sum[c] = Sum(on.out[cell]);
  }
  __syncthreads();
  int row = 0;
  int col = 0;
  if (cell_of_slot(t, int(threadIdx.x), row, col)) {
    Sum enters = 0;
    for (int k = 0; k < kNeighbours; ++k) {
      if (inside(t, row + row_step(k), col + col_step(k))) continue;
      Index cell = 0;
      const std::int32_t slot = slot_beyond(on, t, row, col, k, cell);
      if (slot >= 0 && on.direction[cell] == opposite(k)) enters += flow_of<Shared>(slots, slot);
    }
    if (enters != 0)
      for (unsigned c = unsigned(row * kSide + col), steps = 0; c != kNone && steps < kCells;
           c = next[c], ++steps)
        atomicAdd(&sum[c], Value(enters));
  }
  __syncthreads();
  for (int c = int(threadIdx.x); c < kCells; c += kThreads)
    if (inside(t, c / kSide, c % kSide))
      on.out[(t.row0 + c / kSide) * on.grid.cols + t.col0 + c % kSide] = std::int64_t(sum[c]);
}

template <class Shared>
void launch(cudaStream_t stream, const Raster& on, const Slots& slots, Index tiles) {
  const auto tile_blocks = static_cast<unsigned>(tiles);
  const Index n = tiles * kSlots;
  const auto slot_blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  summarise<Shared><<<tile_blocks, kThreads, 0, stream>>>(on, slots);
  link_exits<Shared><<<slot_blocks, kThreads, 0, stream>>>(slots, n);
  join_exits<Shared><<<slot_blocks, kThreads, 0, stream>>>(slots, n);
  finish<Shared><<<tile_blocks, kThreads, 0, stream>>>(on, slots);
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
  const bool ones = weights.size == 0;
  Buffer<Sum> total(queue, n), finished(queue, 3);
  Buffer<std::int32_t> link(queue, n), next(queue, n);
  Buffer<unsigned> waiting(queue, ones ? 0 : n);
  Buffer<std::uint16_t> local(queue, ones ? tiles * kCells : 0);
  finished.fill_bytes(0);
  const Raster on{grid, direction.data, ones ? nullptr : weights.data, out.data, across};
  const Slots slots{total.view().data, waiting.view().data, next.view().data,
                    link.view().data,  local.view().data,   finished.view().data};
  if (ones)
    launch<Ones>(stream, on, slots, tiles);
  else
    launch<Weights>(stream, on, slots, tiles);
  const std::vector<Sum> counts = finished.download();
  // Exits left over lie on loops between tiles: then some cell is not final.
  const auto unfinished = Index(counts[1] - counts[2]);
  return Index(counts[0]) - unfinished;
}

}  // namespace terrawave::terrain::cuda

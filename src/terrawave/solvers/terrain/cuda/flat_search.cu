// The launches of flat_words.hpp. Both searches advance in one launch a step. How many tiles a step
// visits stays on the device; the host looks only now and then whether any are left, since a launch
// that finds none costs less than waiting for the answer.
#include <algorithm>

#include "terrawave/par/buffer.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/terrain/cuda/flat_search.hpp"
#include "terrawave/solvers/terrain/cuda/flat_words.hpp"

namespace terrawave::terrain::cuda {
namespace {

using par::Buffer;
using par::View;

constexpr int kThreads = 256;
constexpr Index kMostBlocks = 2112;  // sixteen for each multiprocessor of the largest card

unsigned blocks(Index n) { return unsigned((n + kThreads - 1) / kThreads); }
__device__ Index global_thread() { return Index(blockIdx.x) * kThreads + threadIdx.x; }

template <class T>
__global__ void __launch_bounds__(kThreads)
    flag_cells(GridView g, const T* z, const std::uint8_t* state, const Direction* direction,
               std::uint8_t* flags, std::int32_t* uneven) {
  const Index c = global_thread();
  if (c >= g.rows * g.cols) return;
  const Index row = row_of(c, g.cols);
  flag_cell(g, z, state, direction, flags, uneven, row, c - row * g.cols);
}

__global__ void __launch_bounds__(kThreads) pack_words(WordGrid g, FlatWords f) {
  if (const Index i = global_thread(); i < g.words()) pack_word(g, f, i);
}

__global__ void __launch_bounds__(kThreads) search_step(WordGrid g, FlatWords f, int step) {
  const Index toward = Index(f.toward.count[step % 3]) * kWordSide;
  const Index both = toward + Index(f.away.count[step % 3]) * kWordSide;
  for (Index i = global_thread(); i < both; i += Index(gridDim.x) * kThreads) {
    if (i < toward)
      advance(g, f.domain, f.toward, i, step);
    else
      advance(g, f.domain, f.away, i - toward, step);
  }
  // The step after the next finds an empty list.
  if (global_thread() == 0) f.toward.count[(step + 2) % 3] = f.away.count[(step + 2) % 3] = 0;
}

__global__ void __launch_bounds__(kThreads)
    count_reached(FlatSearch s, Index words, unsigned long long* total) {
  unsigned mine = 0;
  for (Index i = global_thread(); i < words; i += Index(gridDim.x) * kThreads)
    mine += unsigned(__popcll(s.planes[0][i] | s.planes[1][i] | s.planes[2][i]));
  const unsigned of_warp = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0 && of_warp > 0) atomicAdd(total, of_warp);
}

__global__ void __launch_bounds__(kThreads)
    choose_words(WordGrid g, FlatWords f, Direction* direction) {
  if (const Index i = global_thread(); i < g.words()) choose_word(g, f, direction, i);
}

// Memory of a search; `counters` holds its three counts.
class SearchMemory {
 public:
  SearchMemory(const par::Queue& queue, const WordGrid& g)
      : words_(queue, 3 * g.words()), queued_(queue, g.tiles()), lists_(queue, 2 * g.tiles()) {
    queued_.fill_bytes(0);
    tiles_ = g.tiles();
  }
  FlatSearch view(std::int32_t* counters) {
    Word* const w = words_.view().data;
    const Index n = words_.size() / 3;
    std::int32_t* const lists = lists_.view().data;
    return {{w, w + n, w + 2 * n}, queued_.view().data, {lists, lists + tiles_}, counters};
  }

 private:
  Buffer<Word> words_;
  Buffer<std::int32_t> queued_, lists_;
  Index tiles_ = 0;
};

void search(cudaStream_t stream, const WordGrid& g, const FlatWords& f,
            const Buffer<std::int32_t>& counters, std::vector<std::int32_t> counts) {
  constexpr int kFewest = 16;  // steps between two looks of the host
  constexpr int kMost = 128;
  int batch = kFewest;
  for (int step = 2;;) {
    const Index tiles = Index(counts[std::size_t(step % 3)]) + counts[std::size_t(3 + step % 3)];
    if (tiles == 0) return;
    const Index wanted = (2 * tiles * kWordSide + kThreads - 1) / kThreads;
    const auto grid = unsigned(std::min(wanted, kMostBlocks));
    for (int i = 0; i < batch; ++i, ++step) search_step<<<grid, kThreads, 0, stream>>>(g, f, step);
    par::cuda::check(cudaGetLastError(), "searching flats");
    counts = counters.download();
    batch = std::min(2 * batch, kMost);
  }
}

}  // namespace

template <class T>
std::optional<Index> resolve_flats(const par::Queue& queue, const GridView& grid, View<const T> z,
                                   View<const std::uint8_t> state, View<Direction> direction) {
  const auto stream = static_cast<cudaStream_t>(queue.impl().stream());
  const WordGrid g(grid);
  constexpr int kUneven = 6;  // behind the counts of both searches
  Buffer<std::int32_t> counters(queue, kUneven + 1);
  counters.fill_bytes(0);
  std::int32_t* const counter = counters.view().data;
  Buffer<std::uint8_t> flags(queue, direction.size);
  flag_cells<<<blocks(direction.size), kThreads, 0, stream>>>(
      grid, z.data, state.data, direction.data, flags.view().data, counter + kUneven);
  Buffer<Word> domain(queue, g.words()), edge(queue, g.words());
  SearchMemory toward(queue, g), away(queue, g);
  const FlatWords f{flags.view().data, domain.view().data, edge.view().data, toward.view(counter),
                    away.view(counter + 3)};
  pack_words<<<blocks(g.words()), kThreads, 0, stream>>>(g, f);
  par::cuda::check(cudaGetLastError(), "finding flats");
  const std::vector<std::int32_t> counts = counters.download();
  if (counts[kUneven] != 0) return std::nullopt;
  if (counts[2] == 0) return 0;  // no low edge to search from
  search(stream, g, f, counters, counts);
  Buffer<unsigned long long> total(queue, 1);
  total.fill_bytes(0);
  const auto few = unsigned(std::min(Index(blocks(g.words())), kMostBlocks));
  count_reached<<<few, kThreads, 0, stream>>>(f.toward, g.words(), total.view().data);
  choose_words<<<blocks(g.words()), kThreads, 0, stream>>>(g, f, direction.data);
  par::cuda::check(cudaGetLastError(), "draining flats");
  return Index(total.at(0));
}

#define TERRAWAVE_FOR(T)                                                                         \
  template std::optional<Index> resolve_flats(const par::Queue&, const GridView&, View<const T>, \
                                              View<const std::uint8_t>, View<Direction>);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

}  // namespace terrawave::terrain::cuda

#include "terrawave/solvers/terrain/tile_end_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

using par::Buffer;
using par::Range1;
using par::View;

struct Place {
  View<const std::int32_t> portals;
  View<std::int32_t> at;
  TW_FUNCTION void operator()(Index i) const { at[portals[i]] = std::int32_t(i); }
};
struct End {
  TileOrigin tile;
  View<const std::int32_t> root, at;
  View<const Index> ends;
  View<Index> out;
  TW_FUNCTION void operator()(Index i) const {
    const std::int32_t r = root[i];
    if (r < 0) {
      out[i] = -1;
      return;
    }
    const Index row = row_of(r, tile.width);
    out[i] =
        at[r] >= 0 ? ends[at[r]] : (tile.row + row) * tile.cols + tile.col + r - row * tile.width;
  }
};

}  // namespace

template <class Exec>
void end_cells(const Exec& exec, const TileOrigin& tile, View<const std::int32_t> root,
               const std::vector<std::int32_t>& portals, const std::vector<Index>& ends,
               View<Index> out) {
  const Buffer<std::int32_t> from(exec.queue, portals);
  const Buffer<Index> to(exec.queue, ends);
  Buffer<std::int32_t> at(exec.queue, root.size);
  at.fill_bytes(0xff);
  par::for_each(exec, Range1{0, from.size()}, Place{from.cview(), at.view()});
  par::for_each(exec, Range1{0, root.size}, End{tile, root, at.cview(), to.cview(), out});
  exec.queue.synchronize();
}

template void end_cells(const par::Exec&, const TileOrigin&, View<const std::int32_t>,
                        const std::vector<std::int32_t>&, const std::vector<Index>&, View<Index>);

}  // namespace terrawave::terrain::steps

#include "terrawave/solvers/terrain/tiled_from.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/tiled_loops.hpp"
#include "terrawave/solvers/terrain/tiled_session.hpp"

namespace terrawave::terrain {
namespace {

// Calls work(tile, window, cells) for each tile of this rank; a failure stops all ranks.
template <class Work>
void for_windows(const Rings& rings, io::RasterSource& source, const Work& work) {
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const domain::Window w = rings.tiling().window(tile);
      work(w, source.read(w));
    }
  });
}

// The values of all tiles that stand first on the map, with their counts.
std::vector<StrangeCode> all_strange(const Rings& rings, io::RasterSource& source, Codes codes) {
  comm::Comm& comm = rings.comm();
  std::vector<StrangeCode> found;
  for_windows(rings, source, [&](const domain::Window& w, const domain::Cells& cells) {
    for (const StrangeCode& s : strange_codes(cells, source.info(), w, codes, kStrangeCodes))
      found.push_back(s);
  });
  std::vector<StrangeCode> first;
  for (const comm::Bytes& bytes : comm.all_gather(to_bytes(found)))
    for (const StrangeCode& s : from_bytes<StrangeCode>(bytes)) {
      const auto same = std::find_if(first.begin(), first.end(),
                                     [&](const StrangeCode& o) { return o.value == s.value; });
      if (same == first.end())
        first.push_back(s);
      else
        same->first = std::min(same->first, s.first);
    }
  std::sort(first.begin(), first.end(),
            [](const StrangeCode& a, const StrangeCode& b) { return a.first < b.first; });
  if (first.size() > kStrangeCodes) first.resize(kStrangeCodes);
  return first;
}

void check_codes(const Rings& rings, io::RasterSource& source, Codes codes) {
  comm::Comm& comm = rings.comm();
  std::vector<StrangeCode> strange = all_strange(rings, source, codes);
  if (strange.empty()) return;
  const std::size_t kinds = code_names().size();
  std::vector<std::int64_t> count, unfit(kinds, 0);
  for (StrangeCode& s : strange) s.count = 0;
  for_windows(rings, source, [&](const domain::Window& w, const domain::Cells& cells) {
    count_codes(cells, source.info(), codes, strange);
    for (std::size_t k = 0; k < kinds; ++k)
      unfit[k] += strange_codes(cells, source.info(), w, Codes(k), 1).empty() ? 0 : 1;
  });
  for (const StrangeCode& s : strange) count.push_back(s.count);
  comm.sum(std::span(count));
  comm.sum(std::span(unfit));
  std::vector<Codes> fitting;
  for (std::size_t k = 0; k < kinds; ++k)
    if (unfit[k] == 0) fitting.push_back(Codes(k));
  for (std::size_t k = 0; k < strange.size(); ++k) strange[k].count = count[k];
  refuse_codes(source.info(), codes, std::move(strange), fitting);
}

// Linear index of the first step to a diagonal neighbour; the number of cells: none.
Index first_diagonal(const Rings& rings, const TileStore& store) {
  const Tiling& tiling = rings.tiling();
  Index first = tiling.rows * tiling.cols;
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const domain::Window w = tiling.window(tile);
      const auto direction = store.get<Direction>(tile, "directions");
      for (Index i = 0; i < w.size(); ++i)
        if (const Direction d = direction[std::size_t(i)]; d < kNeighbours && (d & 1) != 0)
          first = std::min(first, (w.row + i / w.cols) * tiling.cols + w.col + i % w.cols);
    }
  });
  return rings.comm().min(first);
}

}  // namespace

ReadHeights loop_heights(const Rings& rings, const std::string& file,
                         const domain::RasterInfo& like) {
  const std::shared_ptr<io::RasterSource> source = io::open_raster(file);
  const domain::RasterInfo& info = source->info();
  if (info.rows != like.rows || info.cols != like.cols)
    throw InputError(fmt::format(
        "{}: error: expected a raster of heights of {} x {} cells as in {}, found {} x {}", file,
        like.rows, like.cols, like.name, info.rows, info.cols));
  with_height_type(info, [](auto) {});
  return [&rings, source](std::size_t m) {
    const domain::Cells cells = source->read(rings.tiling().window(rings.tile(m)));
    return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, cells);
  };
}

FromStats read_tiled_directions(const par::Queue& queue, const Rings& rings,
                                io::RasterSource& source, const DirectionSource& from,
                                Connectivity connectivity, TileStore& store) {
  check_codes(rings, source, from.codes);
  FromStats stats;
  Tiling flat = rings.tiling();  // codes lead over no looped edge
  flat.loop_rows = flat.loop_cols = false;
  together(rings.comm(), [&] {
    for (const Index tile : rings.tiles()) {
      const domain::Window around = flat.with_halo(tile, 1);
      const Decoded decoded =
          decode_part(source.read(around), source.info(), around, flat.window(tile), from.codes);
      stats.led_out += decoded.led_out;
      store.put(tile, "directions", decoded.direction);
    }
  });
  stats.led_out = rings.comm().sum(stats.led_out);
  if (connectivity == Connectivity::d4)
    if (const Index cell = first_diagonal(rings, store); cell < source.info().size())
      refuse_diagonal(source.info(), cell);
  ReadHeights heights;
  const LoopsFound found = settle_tiled_loops(queue, rings, store, "directions", false, {});
  if (found.loops == 0) return stats;
  if (!from.repair) refuse_loop(source.info(), found.length, found.cells);
  if (!from.heights.empty())
    together(rings.comm(), [&] { heights = loop_heights(rings, from.heights, source.info()); });
  stats.repaired = settle_tiled_loops(queue, rings, store, "directions", true, heights).loops;
  return stats;
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/product_from.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {
namespace {

template <class T>
Index repair(const par::Queue& queue, const Grid& grid, const std::vector<T>& heights,
             std::vector<Direction>& direction) {
  const par::Buffer<T> z(queue, heights);
  Receivers receivers{par::Buffer<Direction>(queue, direction), {}};
  const Index repaired = repair_loops<T>(queue, grid, z.cview(), receivers);
  direction = receivers.direction.download();
  return repaired;
}

// Loops of the directions are named, or broken at the lowest cell.
Index settle_loops(const par::Queue& queue, const DirectionSource& from, const FlowOptions& flow,
                   const domain::RasterInfo& info, std::vector<Direction>& direction) {
  const Grid grid = grid_of(info, flow);
  const Receivers receivers{par::Buffer<Direction>(queue, direction), {}};
  const std::vector<Index> loop = find_loop(queue, grid, receivers);
  if (loop.empty()) return 0;
  if (!from.repair) refuse_loop(info, Index(loop.size()), loop);
  if (from.heights.empty())
    return repair(queue, grid, std::vector<std::uint8_t>(direction.size(), 0), direction);
  const domain::Raster z = read_alike(from.heights, info, "raster of heights");
  return std::visit(
      [&](auto span) {
        using T = std::remove_const_t<typename decltype(span)::element_type>;
        return repair(queue, grid, std::vector<T>(span.begin(), span.end()), direction);
      },
      heights_of(z));
}

}  // namespace

DirectionSource direction_source(const std::string& from, bool repair, const std::string& heights) {
  if (const auto codes = codes_named(from)) return {*codes, repair, heights};
  throw InputError("--from: unknown kind \"" + from +
                   "\"; expected esri, taudem, grass, whitebox, ldd or richdem");
}

DirectionInput read_directions(const par::Queue& queue, const std::string& file, int band,
                               const DirectionSource& from, const FlowOptions& flow) {
  const domain::Raster raster = io::read_raster(file, band);
  Decoded decoded = decode_directions(raster, from.codes);
  DirectionInput input{raster.info, std::move(decoded.direction), decoded.led_out, 0};
  if (flow.connectivity() == Connectivity::d4)
    for (std::size_t i = 0; i < input.direction.size(); ++i)
      if (const Direction d = input.direction[i]; d < kNeighbours && (d & 1) != 0)
        refuse_diagonal(input.info, Index(i));
  input.repaired = settle_loops(queue, from, flow, input.info, input.direction);
  return input;
}

void refuse_loop(const domain::RasterInfo& info, Index length, std::span<const Index> cells) {
  const auto named = std::min(cells.size(), std::size_t(kNamedLoopCells));
  std::string list;
  for (std::size_t k = 0; k < named; ++k)
    list += fmt::format(" (row {}, column {})", cells[k] / info.cols, cells[k] % info.cols);
  throw InputError(fmt::format(
      "{}: error: the directions run in a loop of {} cells:{}{}; break loops with terrawave "
      "terrain codes --repair",
      info.name, length, list, length > kNamedLoopCells ? " ..." : ""));
}

void refuse_diagonal(const domain::RasterInfo& info, Index cell) {
  throw InputError(
      fmt::format("{}: error: the direction in row {}, column {} leads to a diagonal neighbour, "
                  "which is none under --d4; leave --d4 out",
                  info.name, cell / info.cols, cell % info.cols));
}

}  // namespace terrawave::terrain

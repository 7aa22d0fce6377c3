#include "terrawave/solvers/terrain/product_from.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/codec_angles.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {
namespace {

// Calls work(heights) with those that say which cell of a loop is the lowest: all zeros where no
// raster is named.
template <class Work>
Index with_loop_heights(const DirectionSource& from, const domain::RasterInfo& info,
                        const Work& work) {
  if (from.heights.empty()) return work(std::vector<std::uint8_t>(std::size_t(info.size()), 0));
  const domain::Raster z = read_alike(from.heights, info, "raster of heights");
  return std::visit(
      [&](auto span) {
        using T = std::remove_const_t<typename decltype(span)::element_type>;
        return work(std::vector<T>(span.begin(), span.end()));
      },
      heights_of(z));
}

// Loops of the directions are named, or broken at the lowest cell.
Index settle_loops(const par::Queue& queue, const DirectionSource& from, const FlowOptions& flow,
                   const domain::RasterInfo& info, std::vector<Direction>& direction) {
  const Grid grid = grid_of(info, flow);
  const Receivers receivers{par::Buffer<Direction>(queue, direction), {}};
  const std::vector<Index> loop = find_loop(queue, grid, receivers);
  if (loop.empty()) return 0;
  if (!from.repair) refuse_loop(info, Index(loop.size()), loop);
  return with_loop_heights(from, info, [&]<class T>(const std::vector<T>& heights) {
    const par::Buffer<T> z(queue, heights);
    Receivers repaired{par::Buffer<Direction>(queue, direction), {}};
    const Index loops = repair_loops<T>(queue, grid, z.cview(), repaired);
    direction = repaired.direction.download();
    return loops;
  });
}

}  // namespace

DirectionSource direction_source(const std::string& from, bool repair, const std::string& heights) {
  if (from == kAngles) return {FromKind::angles, Codes::esri, repair, heights};
  if (from == kFractions) return {FromKind::fractions, Codes::esri, repair, heights};
  if (const auto codes = codes_named(from)) return {FromKind::codes, *codes, repair, heights};
  throw InputError("--from: unknown kind \"" + from +
                   "\"; expected esri, taudem, grass, whitebox, ldd, richdem, dinf or fractions");
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

namespace {

ShareInput input_of(const domain::RasterInfo& info, DecodedShares decoded) {
  return {info, std::move(decoded.fractions), std::move(decoded.states), decoded.led_out, 0};
}

ShareInput angles_as_shares(const par::Queue& queue, const std::string& file, int band,
                            const FlowOptions& flow) {
  const domain::Raster raster = io::read_raster(file, band);
  const domain::Window whole = raster.info.whole();
  if (const StrangeAngle strange = strange_angle(raster.cells, raster.info, whole);
      strange.cell >= 0)
    refuse_angle(raster.info, strange);
  return input_of(raster.info, decode_angles(queue, raster.cells, raster.info,
                                             grid_of(raster.info, flow), whole, whole));
}

ShareInput fractions_as_shares(const std::string& file, const FlowOptions& flow) {
  const FractionBands bands(file);
  const domain::Window whole = bands.info().whole();
  const std::vector<double> values =
      bands.values([&](io::RasterSource& band) { return band.read(whole); });
  if (const StrangeFractions strange = strange_fractions(values, bands.info(), whole);
      strange.cell >= 0)
    refuse_fractions(bands.info(), strange);
  return input_of(bands.info(),
                  decode_fractions(values, whole, whole, flow.loop_rows, flow.loop_cols));
}

}  // namespace

ShareInput read_shares(const par::Queue& queue, const std::string& file, int band,
                       const DirectionSource& from, const FlowOptions& flow) {
  ShareInput input = from.kind == FromKind::angles ? angles_as_shares(queue, file, band, flow)
                                                   : fractions_as_shares(file, flow);
  const Grid grid = grid_of(input.info, flow);
  par::Buffer<double> fractions(queue, input.fractions);
  const par::Buffer<std::uint8_t> state(queue, input.states);
  const std::vector<Index> loop = find_fraction_loop(queue, grid, fractions.cview(), state.cview());
  if (loop.empty()) return input;
  if (!from.repair) refuse_share_loop(input.info, from.kind, Index(loop.size()), loop);
  input.repaired = with_loop_heights(from, input.info, [&]<class T>(const std::vector<T>& heights) {
    const par::Buffer<T> z(queue, heights);
    return repair_fraction_loops<T>(queue, grid, z.cview(), state.cview(), fractions.view());
  });
  input.fractions = fractions.download();
  return input;
}

namespace {

std::string named(const domain::RasterInfo& info, std::span<const Index> cells) {
  std::string list;
  for (std::size_t k = 0; k < std::min(cells.size(), std::size_t(kNamedLoopCells)); ++k)
    list += fmt::format(" (row {}, column {})", cells[k] / info.cols, cells[k] % info.cols);
  return list;
}

}  // namespace

void refuse_share_loop(const domain::RasterInfo& info, FromKind kind, Index length,
                       std::span<const Index> cells) {
  throw InputError(fmt::format(
      "{}: error: the flow of the {} runs in a loop of {} cells, against the flow:{}{}; break "
      "loops with --repair",
      info.name, kind == FromKind::angles ? "angles" : "fractions", length, named(info, cells),
      length > kNamedLoopCells ? " ..." : ""));
}

void refuse_loop(const domain::RasterInfo& info, Index length, std::span<const Index> cells) {
  throw InputError(fmt::format(
      "{}: error: the directions run in a loop of {} cells:{}{}; break loops with --repair",
      info.name, length, named(info, cells), length > kNamedLoopCells ? " ..." : ""));
}

void refuse_diagonal(const domain::RasterInfo& info, Index cell) {
  throw InputError(
      fmt::format("{}: error: the direction in row {}, column {} leads to a diagonal neighbour, "
                  "which is none under --d4; leave --d4 out",
                  info.name, cell / info.cols, cell % info.cols));
}

}  // namespace terrawave::terrain

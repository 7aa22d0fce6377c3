// Streams as lines, basins and watersheds as regions, pour points.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "terrawave/io/vector.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

// 1 where the accumulation reaches the threshold.
std::vector<std::uint8_t> stream_cells(Session& session, double threshold);

// A cell of a stream with what its lines show of it.
struct StreamCell {
  Index cell = 0;       // linear index
  Index receiver = -1;  // -1: none
  double length = 0;    // of the step to it
  double accumulation = 0;
  double z = 0;
};
// The cells marked in `stream`, in the order of their index.
std::vector<StreamCell> list_stream(Session& session, std::span<const std::uint8_t> stream);

// The piece of a stream between two sources, confluences or outlets.
struct StreamLink {
  std::vector<std::int32_t> cells;  // positions, downstream; the last: the confluence or the outlet
  std::int32_t strahler = 0;        // as strahler_order and shreve_order of its cells
  std::int32_t shreve = 0;
  Index next = -1;  // the link it flows into, or -1
  double length = 0;
};
// By their first cells. `cells` are in the order of their index. A source that is an outlet itself
// makes no link.
std::vector<StreamLink> stream_links(std::span<const StreamCell> cells);

// `heights`: z of the cells is known.
void write_network(const std::filesystem::path& file, const domain::RasterInfo& info,
                   const std::vector<StreamCell>& cells, bool heights);
void write_network(const std::filesystem::path& file, Session& session,
                   std::span<const std::uint8_t> stream);
// Cells and area of each region.
struct RegionSize {
  std::int64_t cells = 0;
  double area = 0;
};
void write_basins(const std::filesystem::path& file, const domain::Raster& labels,
                  const std::map<std::int32_t, RegionSize>& sizes);
// Attributes: outlet (linear index), cells, area.
void write_basins(const std::filesystem::path& file, Session& session,
                  const std::vector<std::int32_t>& labels);

struct PourPoint {
  std::string name;
  Index cell = 0;
};
// CSV with a header of x,y (in the CRS) or row,col (from 0), and optionally name. Throws InputError
// with file and line.
// Other files are read through OGR: points in the raster's CRS (or moved to it), the field "name".
std::vector<PourPoint> read_pour_points(const std::string& file, const domain::RasterInfo& info,
                                        const std::string& layer = {});
// Moves each to the cell of largest accumulation at most `radius` rows and columns away; ties: the
// nearest, then the smallest index. Throws InputError when two end on one cell or one on nodata.
void snap_pour_points(Session& session, Index radius, std::vector<PourPoint>& points);
// k + 1 where the flow meets point k first; 0 where it meets none.
std::vector<std::int32_t> watersheds(const FlowTree& tree, const std::vector<PourPoint>& points);
void write_watersheds(const std::filesystem::path& file, Session& session,
                      const std::vector<PourPoint>& points,
                      const std::vector<std::int32_t>& labels);
// `accumulation`: at each point.
void write_watersheds(const std::filesystem::path& file, const domain::Raster& labels,
                      const std::map<std::int32_t, RegionSize>& sizes,
                      const std::vector<PourPoint>& points,
                      const std::vector<double>& accumulation);

// Where a pour point may move to; `better` says which of two places is taken.
struct SnapPlace {
  Index cell = -1;  // -1: none
  double amount = 0;
  Index away = 0;  // square of the distance in cells
  bool better(const SnapPlace& o) const {
    if (o.cell < 0 || cell < 0) return cell >= 0;
    if (amount != o.amount) return amount > o.amount;
    return away != o.away ? away < o.away : cell < o.cell;
  }
};
// Sets the points to their places. Throws InputError as snap_pour_points.
void settle_pour_points(const std::vector<SnapPlace>& places, const domain::RasterInfo& info,
                        std::vector<PourPoint>& points);

}  // namespace terrawave::terrain

// Streams as lines, basins and watersheds as regions, pour points.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "terrawave/io/vector.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {

// 1 where the accumulation reaches the threshold.
std::vector<std::uint8_t> stream_cells(Session& session, double threshold);

// The piece of a stream between two sources, confluences or outlets.
struct StreamLink {
  std::vector<std::int32_t> cells;  // downstream; the last is the confluence's cell or the outlet
  std::int32_t strahler = 0;
  std::int32_t shreve = 0;
  Index next = -1;  // the link it flows into, or -1
  double length = 0;
};
// By the linear index of their first cells. A source that is an outlet itself makes no link.
std::vector<StreamLink> stream_links(const FlowTree& tree, std::span<const std::uint8_t> stream);

void write_network(const std::filesystem::path& file, Session& session,
                   std::span<const std::uint8_t> stream);
// Attributes: outlet (linear index), cells, area.
void write_basins(const std::filesystem::path& file, Session& session,
                  const std::vector<std::int32_t>& labels);

struct PourPoint {
  std::string name;
  Index cell = 0;
};
// CSV with a header of x,y (in the CRS) or row,col (from 0), and optionally name. Throws InputError
// with file and line.
std::vector<PourPoint> read_pour_points(const std::string& file, const domain::RasterInfo& info);
// Moves each to the cell of largest accumulation at most `radius` rows and columns away; ties: the
// nearest, then the smallest index. Throws InputError when two end on one cell or one on nodata.
void snap_pour_points(Session& session, Index radius, std::vector<PourPoint>& points);
// k + 1 where the flow meets point k first; 0 where it meets none.
std::vector<std::int32_t> watersheds(const FlowTree& tree, const std::vector<PourPoint>& points);
void write_watersheds(const std::filesystem::path& file, Session& session,
                      const std::vector<PourPoint>& points,
                      const std::vector<std::int32_t>& labels);

}  // namespace terrawave::terrain

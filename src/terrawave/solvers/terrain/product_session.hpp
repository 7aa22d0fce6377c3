// One raster and what is known of it: states, directions, accumulation, basins; each computed when
// first asked for, on the queue's device, and kept on the host.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "terrawave/domain/raster.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_options.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"

namespace terrawave::terrain {

// Integer weights add up exactly; doubles in a fixed order.
using Accumulation = std::variant<std::vector<std::int64_t>, std::vector<double>>;

// Heights of the types that can be routed.
using Heights = std::variant<std::span<const std::uint8_t>, std::span<const std::int16_t>,
                             std::span<const std::uint16_t>, std::span<const std::int32_t>,
                             std::span<const float>, std::span<const double>>;
// Throws InputError for other cell types and for infinite heights.
Heights heights_of(const domain::Raster& dem);

class Session {
 public:
  // Reports each phase as it begins; may be empty.
  using Progress = std::function<void(const std::string& phase)>;

  // Throws InputError for cell types that cannot be routed, infinite heights, no outlet at all.
  Session(const TileQueue& queue, domain::Raster dem, FlowOptions options, Progress progress);
  // From directions read elsewhere; nothing that needs heights can be asked for.
  Session(const TileQueue& queue, domain::RasterInfo info, std::vector<Direction> direction,
          FlowOptions options, Progress progress);

  // From fractions of flow read elsewhere (8 values per cell, neighbour by neighbour).
  Session(const TileQueue& queue, domain::RasterInfo info, std::vector<double> fractions,
          std::vector<std::uint8_t> states, FlowOptions options, Progress progress);

  const domain::RasterInfo& info() const { return info_; }
  const FlowOptions& options() const { return options_; }
  const TileQueue& queue() const { return queue_; }
  const Grid& grid() const { return grid_; }
  const domain::CellMetric& metric() const { return metric_; }
  bool has_heights() const { return dem_.has_value(); }
  const domain::Raster& dem() const;
  Heights heights() const { return heights_of(dem()); }
  const std::vector<std::uint8_t>& states() const { return states_; }
  Index valid() const { return valid_; }

  const domain::Raster& filled();
  domain::Raster breached(const BreachLimits& limits, BreachStats& stats);
  const std::vector<Direction>& directions();
  const std::vector<Link>& jumps();
  const RouteStats& route_stats();
  const FlowTree& tree();
  // By the rule of the options, D-infinity and multiple flow included.
  const Accumulation& accumulation();
  std::vector<std::int32_t> basins();
  // D-infinity angles on the filled surface; flats follow their single direction.
  std::vector<double> angles();
  // Fractions to each neighbour (8 values per cell, neighbour by neighbour), flats drained.
  std::vector<double> fractions();
  std::vector<double> area_weights() const;  // m^2, 0 at nodata

 private:
  void make_grid();
  void make_states();
  void begin(const std::string& phase) const;
  void route_now();
  void accumulate_single();
  void accumulate_multiple();
  par::Buffer<double> fractions_on_device();
  Accumulation weights() const;  // empty vectors: 1 for each cell

  TileQueue queue_;
  domain::RasterInfo info_;
  std::optional<domain::Raster> dem_;
  FlowOptions options_;
  Progress progress_;
  Grid grid_;
  domain::CellMetric metric_;
  std::vector<std::uint8_t> states_;
  Index valid_ = 0;
  std::optional<domain::Raster> filled_;
  std::optional<std::vector<Direction>> direction_;
  std::optional<std::vector<double>> fractions_;  // that were read
  std::vector<Link> jumps_;
  RouteStats stats_;
  std::unique_ptr<FlowTree> tree_;
  std::optional<Accumulation> accumulation_;
};

// The D-infinity angle of a step from a cell of `row` to its neighbour d.
double angle_of(const Grid& grid, Index row, Direction d);
// The grid of a raster with the options' connectivity and loops.
Grid grid_of(const domain::RasterInfo& info, const FlowOptions& options);
// Values of an auxiliary raster (mask, weights); refuses another shape, naming both.
domain::Raster read_alike(const std::string& name, const domain::RasterInfo& like,
                          const char* role);

}  // namespace terrawave::terrain

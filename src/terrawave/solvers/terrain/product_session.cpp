#include "terrawave/solvers/terrain/product_session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/raster.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_states.hpp"

namespace terrawave::terrain {
namespace {

template <class T>
using Values = typename std::remove_const<typename T::element_type>::type;

}  // namespace

Grid grid_of(const domain::RasterInfo& info, const FlowOptions& options) {
  if (info.size() >= (Index(1) << 31))
    throw InputError(fmt::format(
        "{}: error: {} x {} cells are too many for one piece; route it in tiles with --memory",
        info.name, info.rows, info.cols));
  const domain::CellMetric metric = domain::cell_metric(info);
  Grid grid;
  grid.rows = info.rows;
  grid.cols = info.cols;
  grid.connectivity = options.connectivity();
  grid.dx = metric.uniform ? std::vector<double>{metric.dx[0]} : metric.dx;
  // Rows of one raster differ by less than 1 % in height; the middle one stands for all.
  grid.dy = metric.dy[std::size_t(info.rows / 2)];
  grid.loop_cols = options.loop_cols;
  grid.loop_rows = options.loop_rows;
  // A row centred on a pole has no width; a tiny one keeps slopes finite there.
  for (double& width : grid.dx) width = std::max(width, 1e-6 * grid.dy);
  return grid;
}

double angle_of(const Grid& grid, Index row, Direction d) {
  const double east = kColStep[d] * grid.width(row);
  const double up = -kRowStep[d] * grid.dy;
  const double a = std::atan2(up, east);
  return a < 0 ? a + 2 * std::acos(-1.0) : a;
}

domain::Raster read_alike(const std::string& name, const domain::RasterInfo& like,
                          const char* role) {
  domain::Raster raster = io::read_raster(name);
  if (raster.info.rows != like.rows || raster.info.cols != like.cols)
    throw InputError(
        fmt::format("{}: error: expected a {} of {} x {} cells as in {}, found {} x {}", name, role,
                    like.rows, like.cols, like.name, raster.info.rows, raster.info.cols));
  return raster;
}

Session::Session(const TileQueue& queue, domain::Raster dem, FlowOptions options, Progress progress)
    : queue_(queue),
      info_(dem.info),
      dem_(std::move(dem)),
      options_(std::move(options)),
      progress_(std::move(progress)),
      metric_(domain::cell_metric(info_)) {
  grid_ = grid_of(info_, options_);
  states_ = cell_states(*dem_, grid_, options_);
  valid_ = std::count_if(states_.begin(), states_.end(), [](auto s) { return is_data(s); });
}

Session::Session(const TileQueue& queue, domain::RasterInfo info, std::vector<Direction> direction,
                 FlowOptions options, Progress progress)
    : queue_(queue),
      info_(std::move(info)),
      options_(std::move(options)),
      progress_(std::move(progress)),
      metric_(domain::cell_metric(info_)),
      direction_(std::move(direction)) {
  grid_ = grid_of(info_, options_);
  states_.reserve(direction_->size());
  for (const Direction d : *direction_)
    states_.push_back(std::uint8_t(d == kNoDirection ? CellState::nodata
                                   : d == kRoot      ? CellState::outlet
                                                     : CellState::valid));
  valid_ = std::count_if(states_.begin(), states_.end(), [](auto s) { return is_data(s); });
}

Session::Session(const TileQueue& queue, domain::RasterInfo info, std::vector<double> fractions,
                 std::vector<std::uint8_t> states, FlowOptions options, Progress progress)
    : queue_(queue),
      info_(std::move(info)),
      options_(std::move(options)),
      progress_(std::move(progress)),
      metric_(domain::cell_metric(info_)),
      states_(std::move(states)),
      fractions_(std::move(fractions)) {
  grid_ = grid_of(info_, options_);
  valid_ = std::count_if(states_.begin(), states_.end(), [](auto s) { return is_data(s); });
}

void Session::begin(const std::string& phase) const {
  if (progress_) progress_(phase);
}

const domain::Raster& Session::dem() const {
  if (!dem_)
    throw InputError(info_.name +
                     ": error: this product needs heights; give a raster of heights instead of one "
                     "of directions");
  return *dem_;
}

const domain::Raster& Session::filled() {
  if (filled_) return *filled_;
  begin("fill");
  domain::Raster result = dem();
  const par::Buffer<std::uint8_t> state(queue_, states_);
  std::visit(
      [&](auto heights) {
        using T = Values<decltype(heights)>;
        const par::Buffer<T> z(queue_, heights);
        par::Buffer<T> w(queue_, z.size());
        fill<T>(queue_, grid_, z.cview(), state.cview(), w.view());
        auto& out = std::get<std::vector<T>>(result.cells);
        w.download(std::span<T>(out));
        // Nodata keeps its bytes (NaN payloads too).
        for (std::size_t i = 0; i < out.size(); ++i)
          if (!is_data(states_[i])) out[i] = heights[i];
      },
      heights());
  filled_ = std::move(result);
  return *filled_;
}

domain::Raster Session::breached(const BreachLimits& limits, BreachStats& stats) {
  begin("breach");
  domain::Raster result = dem();
  const par::Buffer<std::uint8_t> state(queue_, states_);
  std::visit(
      [&](auto heights) {
        using T = Values<decltype(heights)>;
        const par::Buffer<T> z(queue_, heights);
        par::Buffer<T> cut(queue_, z.size());
        stats = breach<T>(queue_, grid_, z.cview(), state.cview(), limits, cut.view());
        auto& out = std::get<std::vector<T>>(result.cells);
        cut.download(std::span<T>(out));
        for (std::size_t i = 0; i < out.size(); ++i)
          if (!is_data(states_[i])) out[i] = heights[i];
      },
      heights());
  return result;
}

void Session::route_now() {
  begin("route");
  const par::Buffer<std::uint8_t> state(queue_, states_);
  std::visit(
      [&](auto heights) {
        using T = Values<decltype(heights)>;
        const par::Buffer<T> z(queue_, heights);
        if (options_.depressions) {
          Routed routed =
              route<T>(queue_, grid_, z.cview(), state.cview(), options_.mode, options_.flats);
          direction_ = routed.receivers.direction.download();
          jumps_ = routed.receivers.jumps;
          stats_ = routed.stats;
          return;
        }
        Receivers receivers =
            steepest_receivers<T>(queue_, grid_, z.cview(), state.cview(),
                                  options_.flats ? FlatRule::leave : FlatRule::by_index);
        if (options_.flats)
          resolve_flats<T>(queue_, grid_, z.cview(), state.cview(), receivers.direction.view());
        stats_.pits = count_pits(queue_, receivers, state.cview());
        direction_ = receivers.direction.download();
      },
      heights());
}

const std::vector<Direction>& Session::directions() {
  if (!direction_) route_now();
  return *direction_;
}

const std::vector<Link>& Session::jumps() {
  directions();
  return jumps_;
}

const RouteStats& Session::route_stats() {
  directions();
  return stats_;
}

const FlowTree& Session::tree() {
  if (!tree_) tree_ = std::make_unique<FlowTree>(queue_, grid_, directions(), jumps());
  return *tree_;
}

std::vector<double> Session::area_weights() const {
  std::vector<double> area(std::size_t(info_.size()), 0.0);
  for (Index i = 0; i < info_.size(); ++i)
    if (is_data(states_[std::size_t(i)]))
      area[std::size_t(i)] = metric_.area[std::size_t(i / info_.cols)];
  return area;
}

Accumulation Session::weights() const {
  if (options_.weights == "unit") return std::vector<std::int64_t>();
  if (options_.weights == "area") return area_weights();
  const domain::Raster raster = read_alike(options_.weights, info_, "raster of weights");
  const auto valid = domain::valid_cells(raster.cells, raster.info.nodata);
  const auto take = [&](auto zero) {
    std::vector<decltype(zero)> values(std::size_t(info_.size()), zero);
    std::visit(
        [&](const auto& v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            if (valid[i] != 0 && is_data(states_[i])) values[i] = static_cast<decltype(zero)>(v[i]);
        },
        raster.cells);
    return values;
  };
  if (raster.info.type == domain::CellType::f32 || raster.info.type == domain::CellType::f64)
    return take(0.0);
  return take(std::int64_t{0});
}

void Session::accumulate_single() {
  const Receivers receivers{par::Buffer<Direction>(queue_, directions()), jumps()};
  begin("accumulate");
  accumulation_ = std::visit(
      [&](const auto& values) -> Accumulation {
        using V = typename std::decay_t<decltype(values)>::value_type;
        const par::Buffer<V> weight(queue_, values);
        par::Buffer<V> out(queue_, info_.size());
        accumulate<V>(queue_, grid_, receivers, weight.cview(), out.view(), options_.combine);
        return out.download();
      },
      weights());
}

void Session::accumulate_multiple() {
  if (options_.combine != Combine::sum)
    throw InputError("--combine max and min need one receiver per cell: use --d8 or --d4");
  const par::Buffer<double> fraction = fractions_on_device();
  begin("accumulate");
  const par::Buffer<std::uint8_t> state(queue_, states_);
  std::vector<double> given =
      std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, weights());
  const par::Buffer<double> weight(queue_, given);
  par::Buffer<double> out(queue_, info_.size());
  multiflow_accumulate(queue_, grid_, fraction.cview(), state.cview(), weight.cview(), out.view());
  accumulation_ = out.download();
}

const Accumulation& Session::accumulation() {
  if (!accumulation_) {
    if (options_.single_receiver())
      accumulate_single();
    else
      accumulate_multiple();
  }
  return *accumulation_;
}

std::vector<std::int32_t> Session::basins() {
  const Receivers receivers{par::Buffer<Direction>(queue_, directions()), jumps()};
  begin("basins");
  par::Buffer<std::int32_t> label(queue_, info_.size());
  label_basins(queue_, grid_, receivers, label.view());
  return label.download();
}

par::Buffer<double> Session::fractions_on_device() {
  require(!options_.single_receiver(), "fractions of a single-receiver rule");
  if (fractions_) return par::Buffer<double>(queue_, *fractions_);
  options_.mode = RouteMode::fill;  // flats of the filled surface follow their single direction
  const std::vector<Direction>& single = directions();
  const domain::Raster& surface = options_.depressions ? filled() : dem();
  begin("fractions");
  const par::Buffer<std::uint8_t> state(queue_, states_);
  const par::Buffer<Direction> direction(queue_, single);
  par::Buffer<double> fraction(queue_, kNeighbours * info_.size());
  std::visit(
      [&](auto heights) {
        using T = Values<decltype(heights)>;
        const par::Buffer<T> z(queue_, heights);
        drained_fractions<T>(queue_, grid_, z.cview(), state.cview(), direction.cview(),
                             multi_rule(options_.rule), options_.exponent, fraction.view());
      },
      heights_of(surface));
  return fraction;
}

std::vector<double> Session::fractions() {
  return fractions_ ? *fractions_ : fractions_on_device().download();
}

std::vector<double> Session::angles() {
  options_.mode = RouteMode::fill;
  const std::vector<Direction>& single = directions();
  const domain::Raster& surface = options_.depressions ? filled() : dem();
  begin("angles");
  const par::Buffer<std::uint8_t> state(queue_, states_);
  par::Buffer<double> angle(queue_, info_.size());
  std::visit(
      [&](auto heights) {
        using T = Values<decltype(heights)>;
        const par::Buffer<T> z(queue_, heights);
        dinf_angles<T>(queue_, grid_, z.cview(), state.cview(), angle.view());
      },
      heights_of(surface));
  std::vector<double> result = angle.download();
  for (Index i = 0; i < info_.size(); ++i) {
    const Direction d = single[std::size_t(i)];
    if (d >= kNeighbours || result[std::size_t(i)] != -1) continue;
    result[std::size_t(i)] = angle_of(grid_, i / info_.cols, d);
  }
  return result;
}

}  // namespace terrawave::terrain

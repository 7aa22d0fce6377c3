#include "terrawave/solvers/terrain/tiled_session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"
#include "terrawave/solvers/terrain/terrain_multiflow.hpp"
#include "terrawave/solvers/terrain/tiled_breach.hpp"
#include "terrawave/solvers/terrain/tiled_fractions.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_shares.hpp"
#include "terrawave/solvers/terrain/tiled_sums.hpp"

namespace terrawave::terrain {
namespace {

FlowOptions settled(FlowOptions options) {
  // Flats of the filled surface follow their single direction.
  if (!options.single_receiver()) options.mode = RouteMode::fill;
  return options;
}

// What says where heights drain does not matter to directions.
FlowOptions without_heights(FlowOptions options) {
  options.outlets = "edge";
  options.keep_sinks.clear();
  return options;
}

std::shared_ptr<io::RasterSource> open_weights(const FlowOptions& options,
                                               const domain::RasterInfo& like) {
  if (options.weights == "unit" || options.weights == "area") return {};
  std::shared_ptr<io::RasterSource> source = io::open_raster(options.weights);
  const domain::RasterInfo& info = source->info();
  if (info.rows != like.rows || info.cols != like.cols)
    throw InputError(fmt::format(
        "{}: error: expected a raster of weights of {} x {} cells as in {}, found {} x {}",
        options.weights, like.rows, like.cols, like.name, info.rows, info.cols));
  return source;
}

// Memory that tiles of a sweep may fill together: part of what tiling_for_memory counts for one.
double room_for_sweeps(const FlowOptions& options, const Tiling& tiling) {
  const double bytes = options.single_receiver() ? 60 : 240;  // for each cell of a tile
  return bytes * double(tiling.tile_rows) * double(tiling.tile_cols);
}

}  // namespace

TiledSession::TiledSession(comm::Comm& comm, const TileQueue& queue, io::RasterSource& source,
                           FlowOptions options, const Tiling& tiling,
                           const std::filesystem::path& scratch, Progress progress)
    : comm_(comm),
      queue_(queue),
      reader_(source, settled(std::move(options)), tiling),
      rings_(comm, reader_.tiling()),
      store_(scratch),
      in_files_(!scratch.empty()),
      progress_(std::move(progress)) {
  store_.set_room(room_for_sweeps(this->options(), this->tiling()));
  together(comm_, [&] { weights_ = open_weights(this->options(), info()); });
  count_cells();
}

TiledSession::TiledSession(comm::Comm& comm, const TileQueue& queue, io::RasterSource& source,
                           const DirectionSource& from, const FlowOptions& options,
                           const Tiling& tiling, const std::filesystem::path& scratch,
                           Progress progress)
    : comm_(comm),
      queue_(queue),
      reader_(source, without_heights(options), tiling),
      rings_(comm, reader_.tiling()),
      store_(scratch),
      in_files_(!scratch.empty()),
      progress_(std::move(progress)) {
  FlowOptions flow = this->options();
  if (from.shares()) flow.rule = FlowRule::freeman;  // eight values for each cell
  store_.set_room(room_for_sweeps(flow, this->tiling()));
  together(comm_, [&] { weights_ = open_weights(this->options(), info()); });
  from_ = from.shares() ? read_tiled_shares(queue_, rings_, reader_, from, store_)
                        : read_tiled_directions(queue_, rings_, source, from,
                                                this->options().connectivity(), store_);
  shared_ = from.shares();
  for_tiles(*this, [&](std::size_t, Index tile) {
    for (const Direction d : store_.get<Direction>(tile, "directions"))
      valid_ += d != kNoDirection ? 1 : 0;
  });
  valid_ = comm_.sum(valid_);
  edges_ = ring_of<Direction>(*this, "directions");
  routed_ = true;
}

void TiledSession::require_heights() const {
  if (from_)
    throw InputError(info().name +
                     ": error: this product needs heights; give a raster of heights instead of one "
                     "of directions");
}

void TiledSession::count_cells() {
  Index base = 0;
  for_tiles(*this, [&](std::size_t m, Index) {
    with_height_type(info(), [&]<class T>(T) {
      const Block<T> block = ground<T>(m);
      for (Index r = 0; r < block.inside.rows; ++r) {
        const std::uint8_t* const state = block.state.data() + block.row_start(r);
        Index data = 0;
        Index ends = 0;
#pragma omp simd reduction(+ : data, ends)
        for (Index c = 0; c < block.inside.cols; ++c) {
          data += is_data(state[c]) ? 1 : 0;
          ends += is_base(state[c]) ? 1 : 0;
        }
        valid_ += data;
        base += ends;
      }
    });
  });
  valid_ = comm_.sum(valid_);
  base = comm_.sum(base);
  if (valid_ > 0 && base == 0 && options().depressions)
    throw InputError(info().name +
                     ": error: no cell lets flow out: every edge is closed or looped and there is "
                     "no mask of outlets or kept sink; give --outlets FILE or --keep-sinks");
}

void TiledSession::fill() {
  require_heights();
  if (filled_) return;
  begin("fill");
  with_height_type(info(), [&]<class T>(T) {
    fill_stats_ = tiled_fill<T>(comm_, queue_, reader_, [&](Index tile, const std::vector<T>& z) {
      store_.put(tile, "filled", z);
    });
  });
  filled_ = true;
}

BreachStats TiledSession::breach(const BreachLimits& limits) {
  require_heights();
  begin("breach");
  BlockReader reader(reader_.source(), breach_options(options()), tiling());
  TileStore apart(store_.inside("breach"));
  apart.set_room(room_for_sweeps(reader.options(), tiling()));
  BreachStats stats;
  with_height_type(info(), [&]<class T>(T) {
    stats = tiled_breach<T>(comm_, queue_, reader, apart, limits);
    for_tiles(*this, [&](std::size_t, Index tile) {
      store_.put(tile, "breached", apart.get<T>(tile, "breached"));
      apart.drop(tile, "breached");
    });
  });
  return stats;
}

const TiledStats& TiledSession::route() {
  if (routed_) return stats_;
  if (options().depressions && options().mode == RouteMode::fill) fill();
  begin("route");
  with_height_type(info(),
                   [&]<class T>(T) { stats_ = tiled_route<T>(comm_, queue_, reader_, store_); });
  if (options().depressions && options().mode == RouteMode::fill) stats_ = fill_stats_;
  edges_ = ring_of<Direction>(*this, "directions");
  routed_ = true;
  return stats_;
}

FlowBits TiledSession::bits(std::size_t m) {
  FlowBits flow;
  flow.shape = reader_.shape(rings_.tile(m));
  flow.data = flow.shape.join(store_.get<Direction>(rings_.tile(m), "directions"), edges_->ring(m));
  flow.gives.resize(flow.data.size());
  std::uint8_t* const data = flow.data.data();
  std::uint8_t* const gives = flow.gives.data();
#pragma omp simd
  for (Index a = 0; a < Index(flow.data.size()); ++a) {
    const std::uint8_t d = data[a];
    std::uint8_t bit = 0;
    for (int k = 0; k < kNeighbours; ++k) bit = d == k ? std::uint8_t(1u << k) : bit;
    gives[a] = bit;
    data[a] = d != kNoDirection ? 1 : 0;
  }
  flow.jumps = jumps_of(store_, rings_.tile(m));
  return flow;
}

double TiledSession::jump_length(Index root, Index target) const {
  const Index cols = info().cols;
  const double rows_down = double(target / cols - root / cols);
  const double cols_right = double(target % cols - root % cols);
  return std::hypot(rows_down * reader_.height(), cols_right * reader_.width(root / cols));
}

FlowBits TiledSession::shared_bits(std::size_t m) { return share_bits(rings_, reader_, store_, m); }

bool TiledSession::integers() const {
  if (!options().single_receiver() || options().weights == "area") return false;
  if (!weights_) return true;
  const domain::CellType type = weights_->info().type;
  return type != domain::CellType::f32 && type != domain::CellType::f64;
}

template <class V>
std::vector<V> TiledSession::weights(std::size_t m) {
  const domain::Window w = tiling().window(rings_.tile(m));
  const auto direction = store_.get<Direction>(rings_.tile(m), "directions");
  std::vector<V> weight(direction.size(), V(1));
  if (options().weights == "area")
    for (Index r = 0; r < w.rows; ++r)
      std::fill_n(weight.begin() + r * w.cols, w.cols,
                  V(reader_.metric().area[std::size_t(w.row + r)]));
  if (weights_) {
    const domain::Cells cells = weights_->read(w);
    const auto valid = domain::valid_cells(cells, weights_->info().nodata);
    std::visit(
        [&](const auto& v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            weight[i] = valid[i] != 0 ? static_cast<V>(v[i]) : V(0);
        },
        cells);
  }
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (direction[i] == kNoDirection) weight[i] = V(0);
  return weight;
}

template <class V>
void TiledSession::accumulate_along_trees() {
  const Combine how = options().combine;
  if (queue_.kernels()) {
    const SumInput<V> input{[&](std::size_t m) { return bits(m); },
                            [&](std::size_t m) { return weights<V>(m); },
                            {},
                            steps::join_of(how)};
    tiled_sums<V>(queue_, rings_, store_, "accumulation", input);
    return;
  }
  sweep_down<V>(
      rings_, store_, "accumulation", [&](std::size_t m) { return bits(m); },
      [&](std::size_t m) { return weights<V>(m); },
      [how](std::size_t) {
        return [how](Index, V value, std::span<const Donor<V>> donors) {
          for (const Donor<V>& d : donors)
            value = how == Combine::sum   ? value + d.value
                    : how == Combine::max ? std::max(value, d.value)
                                          : std::min(value, d.value);
          return value;
        };
      });
}

void TiledSession::accumulate_by_kernels(
    const std::function<par::Buffer<double>(std::size_t)>& shares) {
  begin("accumulate");
  const SumInput<double> input{[&](std::size_t m) { return shared_bits(m); },
                               [&](std::size_t m) { return weights<double>(m); }, shares};
  tiled_sums<double>(queue_, rings_, store_, "accumulation", input);
}

void TiledSession::accumulate_shares() {
  if (options().combine != Combine::sum)
    throw InputError("--combine max and min need one receiver per cell: use --d8 or --d4");
  if (queue_.kernels() && !shared_) {
    route();
    begin("fractions");
    return with_height_type(info(), [&]<class T>(T) {
      Surface<T> surface(reader_, rings_, store_);
      TiledStats stats;
      if (options().depressions) surface.fill(queue_, stats);
      const FractionsOnDevice<T> made(queue_, rings_, options(), store_, surface);
      accumulate_by_kernels([&](std::size_t m) { return made.of(m); });
    });
  }
  fractions();
  if (queue_.kernels())
    return accumulate_by_kernels([&](std::size_t m) {
      return par::Buffer<double>(queue_, store_.look<double>(rings_.tile(m), "fractions").values);
    });
  begin("accumulate");
  sweep_down<double>(
      rings_, store_, "accumulation", [&](std::size_t m) { return shared_bits(m); },
      [&](std::size_t m) { return weights<double>(m); },
      [&](std::size_t m) {
        const Looked<double> share = store_.look<double>(rings_.tile(m), "fractions");
        const Index n = Index(share.values.size()) / kNeighbours;
        return [share, n](Index, double sum, std::span<const Donor<double>> donors) {
          for (const Donor<double>& d : donors)
            sum += share.values[std::size_t(opposite(d.k) * n + d.at)] * d.value;
          return sum;
        };
      },
      kNeighbours * sizeof(double));
}

void TiledSession::accumulate() {
  if (accumulated_) return;
  accumulated_ = true;
  if (!options().single_receiver()) return accumulate_shares();
  route();
  begin("accumulate");
  if (!integers()) return accumulate_along_trees<double>();
  if (options().combine != Combine::sum) return accumulate_along_trees<std::int64_t>();
  ReadWeights weighted;
  std::map<Index, std::size_t> slot;
  for (std::size_t m = 0; m < rings_.count(); ++m) slot[rings_.tile(m)] = m;
  if (options().weights != "unit")
    weighted = [&](Index tile) { return weights<std::int64_t>(slot.at(tile)); };
  tiled_accumulate(comm_, queue_, reader_, store_, weighted,
                   [&](Index tile, const std::vector<std::int64_t>& part) {
                     store_.put(tile, "accumulation", part);
                   },
                   {});
}

void TiledSession::label() {
  if (labelled_) return;
  route();
  begin("basins");
  tiled_accumulate(
      comm_, queue_, reader_, store_, {}, {},
      [&](Index tile, const std::vector<Index>& part) { store_.put(tile, "basins", part); });
  labelled_ = true;
}

void TiledSession::fractions() {
  if (shared_) return;
  shared_ = true;
  route();
  begin("fractions");
  with_height_type(info(), [&]<class T>(T) {
    Surface<T> surface(reader_, rings_, store_);
    TiledStats stats;
    if (options().depressions) surface.fill(queue_, stats);
    for_tiles(*this, [&](std::size_t m, Index tile) {
      const Block<T> block = surface.block(m);
      const par::Buffer<double> fraction = block_fractions(
          queue_.queue(), block, store_.get<Direction>(tile, "directions"), options());
      par::Buffer<std::uint8_t> gives(queue_, block.grid.cells());
      fraction_receivers(queue_, fraction.cview(), gives.view());
      store_.put(tile, "fractions", fraction.download());
      store_.put(tile, "fractions.gives", gives.download());
      std::vector<std::uint8_t> data(block.state.size());
      for (std::size_t a = 0; a < data.size(); ++a) data[a] = is_data(block.state[a]) ? 1 : 0;
      store_.put(tile, "fractions.data", data);
    });
  });
  exchange_shares(rings_, reader_, store_);
}

void TiledSession::angles() {
  if (angled_) return;
  require_heights();
  angled_ = true;
  route();
  begin("angles");
  with_height_type(info(), [&]<class T>(T) {
    Surface<T> surface(reader_, rings_, store_);
    TiledStats stats;
    if (options().depressions) surface.fill(queue_, stats);
    for_tiles(*this, [&](std::size_t m, Index tile) {
      const Block<T> block = surface.block(m);
      const par::Buffer<T> z(queue_, block.z);
      const par::Buffer<std::uint8_t> state(queue_, block.state);
      par::Buffer<double> angle(queue_, block.grid.cells());
      dinf_angles<T>(queue_, block.grid, z.cview(), state.cview(), angle.view());
      std::vector<double> result = block.cut(angle.download());
      const auto single = store_.get<Direction>(tile, "directions");
      for (Index i = 0; i < block.inside.size(); ++i)
        if (const Direction d = single[std::size_t(i)];
            d < kNeighbours && result[std::size_t(i)] == -1)
          result[std::size_t(i)] = angle_of(block.grid, block.around_of(i) / block.around.cols, d);
      store_.put(tile, "angles", result);
    });
  });
}

template std::vector<std::int64_t> TiledSession::weights(std::size_t);
template std::vector<double> TiledSession::weights(std::size_t);

}  // namespace terrawave::terrain

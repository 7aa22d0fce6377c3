// A raster in tiles and what is known of it: the counterpart of Session for several ranks and for
// rasters larger than memory. Every call is made by all ranks together; results lie in the store,
// one array for each tile of the rank.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "terrawave/base/exact_sum.hpp"
#include "terrawave/solvers/terrain/tiled_from.hpp"
#include "terrawave/solvers/terrain/tiled_queue.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"
#include "terrawave/solvers/terrain/tiled_surface.hpp"
#include "terrawave/solvers/terrain/tiled_sweep.hpp"

namespace terrawave::terrain {

// Calls f(T{}) with the type of the heights. Throws InputError for types that cannot be routed.
template <class F>
decltype(auto) with_height_type(const domain::RasterInfo& info, const F& f) {
  switch (info.type) {
    case domain::CellType::u8:
      return f(std::uint8_t{});
    case domain::CellType::i16:
      return f(std::int16_t{});
    case domain::CellType::u16:
      return f(std::uint16_t{});
    case domain::CellType::i32:
      return f(std::int32_t{});
    case domain::CellType::f32:
      return f(float{});
    case domain::CellType::f64:
      return f(double{});
    default:
      throw InputError(info.name +
                       ": error: expected heights of type u8, i16, u16, i32, f32 or "
                       "f64, found " +
                       std::string(domain::name_of(info.type)) +
                       "; convert them with gdal_translate -ot Int32 (or Float64) first");
  }
}

class TiledSession {
 public:
  using Progress = std::function<void(const std::string& phase)>;
  // `scratch`: a folder for what is kept of the tiles; empty: memory. Throws InputError for what
  // Session refuses as well.
  TiledSession(comm::Comm& comm, const TileQueue& queue, io::RasterSource& source,
               FlowOptions options, const Tiling& tiling, const std::filesystem::path& scratch,
               Progress progress);

  // From directions or angles in `source`; nothing that needs heights can be asked for. Throws
  // InputError as read_directions and read_shares.
  TiledSession(comm::Comm& comm, const TileQueue& queue, io::RasterSource& source,
               const DirectionSource& from, const FlowOptions& options, const Tiling& tiling,
               const std::filesystem::path& scratch, Progress progress);

  comm::Comm& comm() const { return comm_; }
  const TileQueue& queue() const { return queue_; }
  const domain::RasterInfo& info() const { return reader_.info(); }
  const FlowOptions& options() const { return reader_.options(); }
  const Tiling& tiling() const { return reader_.tiling(); }
  BlockReader& reader() { return reader_; }
  const Rings& rings() const { return rings_; }
  TileStore& store() { return store_; }
  bool in_files() const { return in_files_; }
  bool has_heights() const { return !from_.has_value(); }
  void require_heights() const;  // throws InputError
  const FromStats& from_stats() const { return *from_; }
  Index valid() const { return valid_; }

  void fill();  // "filled": the type of the heights
  // "breached": the type of the heights. Made anew by each call.
  BreachStats breach(const BreachLimits& limits);
  const TiledStats& route();  // "directions": Direction
  void accumulate();          // "accumulation": int64_t or double
  bool integers() const;      // which of the two
  void label();               // "basins": Index, linear index of the root, -1 at nodata
  void angles();              // "angles": double, of D-infinity
  void fractions();           // "fractions": double, 8 for each cell of `around`, by neighbour

  // The flow of a tile and its ring: of single receivers, or of the fractions.
  FlowBits bits(std::size_t m);
  FlowBits shared_bits(std::size_t m);
  // Distance [m] of a jump, as FlowTree::step_length measures it.
  double jump_length(Index root, Index target) const;
  template <class T>
  Block<T> ground(std::size_t m) {
    require_heights();
    return reader_.read<T>(rings_.tile(m));
  }
  // The m-th tile's weights, 0 at nodata. V: int64_t where integers(), else double.
  template <class V>
  std::vector<V> weights(std::size_t m);
  void begin(const std::string& phase) const {
    if (progress_) progress_(phase);
  }

 private:
  template <class V>
  void accumulate_along_trees();
  void accumulate_shares();
  void accumulate_by_kernels(const std::function<par::Buffer<double>(std::size_t)>& shares);
  void count_cells();

  comm::Comm& comm_;
  TileQueue queue_;
  BlockReader reader_;
  Rings rings_;
  TileStore store_;
  bool in_files_;
  Progress progress_;
  std::optional<FromStats> from_;  // of directions that were read
  std::shared_ptr<io::RasterSource> weights_;
  std::unique_ptr<RimField<Direction>> edges_;
  TiledStats stats_, fill_stats_;
  Index valid_ = 0;
  bool filled_ = false, routed_ = false, accumulated_ = false, labelled_ = false;
  bool shared_ = false, angled_ = false;
};

// Runs work(m, tile) for each tile of this rank; a failure stops all ranks.
template <class Work>
void for_tiles(const TiledSession& session, const Work& work) {
  together(session.comm(), [&] {
    for (std::size_t m = 0; m < session.rings().count(); ++m) work(m, session.rings().tile(m));
  });
}

// What the ring of each tile holds of a value that lies in the store.
template <class V>
std::unique_ptr<RimField<V>> ring_of(TiledSession& session, const std::string& what) {
  auto field = std::make_unique<RimField<V>>(session.rings(), V{});
  for_tiles(session,
            [&](std::size_t m, Index tile) { field->take(m, session.store().get<V>(tile, what)); });
  field->exchange();
  return field;
}

}  // namespace terrawave::terrain

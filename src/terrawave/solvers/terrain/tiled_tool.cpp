#include "terrawave/solvers/terrain/tiled_tool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <unistd.h>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/tiled_routing.hpp"

namespace terrawave::terrain {
namespace {

// Heights, states, labels and levels of a tile, its results, and what the core needs inside it.
constexpr double bytes_per_tile_cell = 96;

// Collects tiles on the root and writes them.
class TileWriter {
 public:
  TileWriter(comm::Comm& comm, const Tiling& tiling, const std::string& out,
             const domain::RasterInfo& info)
      : comm_(comm), tiling_(tiling), type_(info.type) {
    together(comm, [&] {
      if (comm.is_root()) sink_ = io::create_raster(out, info);
    });
  }
  // Called for this rank's tiles in their order.
  void take(Index tile, const domain::Cells& cells) {
    if (comm_.size() == 1)
      sink_->write(tiling_.window(tile), cells);
    else
      waiting_.push_back(cells);
  }
  void finish() {
    if (comm_.size() > 1) {
      const Index rounds = comm_.max(std::int64_t(waiting_.size()));
      for (Index round = 0; round < rounds; ++round) write_round(round);
    }
    together(comm_, [&] {
      if (comm_.is_root()) sink_->finish();
    });
  }

 private:
  // Every rank's tile number `round` goes to the root.
  void write_round(Index round) {
    comm::Bytes mine;
    if (round < Index(waiting_.size()))
      std::visit([&](const auto& v) { mine = to_bytes(v); }, waiting_[std::size_t(round)]);
    const std::vector<comm::Bytes> all = comm_.gather(mine, 0);
    together(comm_, [&] {
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank].empty()) continue;
        Index tile = 0;
        while (owner_of(tiling_, tile, comm_.size()) != int(rank)) ++tile;
        domain::Cells cells = domain::make_cells(type_, 0);
        std::visit(
            [&](auto& v) {
              v = from_bytes<typename std::decay_t<decltype(v)>::value_type>(all[rank]);
            },
            cells);
        sink_->write(tiling_.window(tile + round), cells);
      }
    });
  }

  comm::Comm& comm_;
  Tiling tiling_;
  domain::CellType type_;
  std::unique_ptr<io::RasterSink> sink_;
  std::vector<domain::Cells> waiting_;
};

par::Queue queue_of_rank(const Tool& tool, const comm::Comm& comm) {
  const int devices = par::Queue::cuda_device_count();
  if (tool.device == "cuda" || (tool.device == "auto" && devices > 0))
    return par::Queue::cuda(devices > 0 ? comm.local_rank() % devices : 0);
  return par::Queue::host(tool.threads);
}

domain::RasterInfo result_info(const domain::RasterInfo& like, domain::CellType type,
                               std::optional<double> nodata) {
  domain::RasterInfo info = like;
  info.type = type;
  info.nodata = nodata;
  return info;
}

struct Work {
  const Tool& tool;
  comm::Comm& comm;
  par::Queue queue;
  BlockReader& reader;
  std::filesystem::path scratch;
};

template <class T>
void fill_tiles(Work& work) {
  TileWriter writer(work.comm, work.reader.tiling(), work.tool.step.out, work.reader.info());
  tiled_fill<T>(work.comm, work.queue, work.reader,
                [&](Index tile, const std::vector<T>& part) { writer.take(tile, part); });
  writer.finish();
}

void write_directions(Work& work, TileStore& store) {
  const Codes codes = *codes_named(work.tool.step.codes);
  domain::RasterInfo one = work.reader.info();
  one.rows = one.cols = 1;
  const domain::Raster sample = encode_directions(std::vector<Direction>{kRoot}, one, codes);
  TileWriter writer(work.comm, work.reader.tiling(), work.tool.step.out,
                    result_info(work.reader.info(), sample.info.type, sample.info.nodata));
  together(work.comm, [&] {
    for (const Index tile : tiles_of_rank(work.reader.tiling(), work.comm)) {
      const domain::Window w = work.reader.tiling().window(tile);
      one.rows = w.rows;
      one.cols = w.cols;
      writer.take(tile,
                  encode_directions(store.get<Direction>(tile, "directions"), one, codes).cells);
    }
  });
  writer.finish();
}

ReadWeights weights_of(const Work& work, std::shared_ptr<io::RasterSource>& source) {
  if (work.tool.flow.weights == "unit") return {};
  source = io::open_raster(work.tool.flow.weights);
  const domain::RasterInfo& info = source->info();
  if (info.rows != work.reader.info().rows || info.cols != work.reader.info().cols)
    throw InputError(info.name + ": error: expected weights of the shape of " +
                     work.reader.info().name);
  if (info.type == domain::CellType::f32 || info.type == domain::CellType::f64)
    throw InputError(info.name +
                     ": error: weights with fractions add up in an order that tiles change; use "
                     "integer weights, or the raster in one piece");
  return [source](const domain::Window& window) {
    const domain::Cells cells = source->read(window);
    const auto valid = domain::valid_cells(cells, source->info().nodata);
    std::vector<std::int64_t> weights(valid.size(), 0);
    std::visit(
        [&](const auto& v) {
          for (std::size_t i = 0; i < v.size(); ++i)
            if (valid[i] != 0) weights[i] = std::int64_t(v[i]);
        },
        cells);
    return weights;
  };
}

void write_accumulation(Work& work, TileStore& store) {
  const domain::RasterInfo& info = work.reader.info();
  std::shared_ptr<io::RasterSource> source;
  ReadWeights weights;
  together(work.comm, [&] { weights = weights_of(work, source); });
  const bool narrow = !weights && info.size() < (Index(1) << 31);
  constexpr std::int64_t hole = std::numeric_limits<std::int64_t>::min();
  TileWriter writer(work.comm, work.reader.tiling(), work.tool.step.out,
                    narrow
                        ? result_info(info, domain::CellType::i32, 0.0)
                        : result_info(info, domain::CellType::i64, weights ? double(hole) : 0.0));
  tiled_accumulate(work.comm, work.queue, work.reader, store, weights,
                   [&](Index tile, const std::vector<std::int64_t>& part) {
                     if (narrow) {
                       writer.take(tile, std::vector<std::int32_t>(part.begin(), part.end()));
                       return;
                     }
                     std::vector<std::int64_t> out = part;
                     const auto direction = store.get<Direction>(tile, "directions");
                     for (std::size_t i = 0; i < out.size() && weights; ++i)
                       if (direction[i] == kNoDirection) out[i] = hole;
                     writer.take(tile, out);
                   },
                   {});
  writer.finish();
}

void write_basins(Work& work, TileStore& store) {
  const domain::RasterInfo& info = work.reader.info();
  const bool narrow = info.size() < (Index(1) << 31);
  TileWriter writer(
      work.comm, work.reader.tiling(), work.tool.step.out,
      result_info(info, narrow ? domain::CellType::i32 : domain::CellType::i64, -1.0));
  tiled_accumulate(work.comm, work.queue, work.reader, store, {}, {},
                   [&](Index tile, const std::vector<Index>& part) {
                     if (narrow)
                       writer.take(tile, std::vector<std::int32_t>(part.begin(), part.end()));
                     else
                       writer.take(tile, part);
                   });
  writer.finish();
}

template <class T>
void run_type(Work& work) {
  const std::string& op = work.tool.step.op;
  if (op == "fill") {
    fill_tiles<T>(work);
    return;
  }
  TileStore store(work.scratch);
  const TiledStats stats = tiled_route<T>(work.comm, work.queue, work.reader, store);
  if (op == "flow") write_directions(work, store);
  if (op == "accumulate") write_accumulation(work, store);
  if (op == "basins") write_basins(work, store);
  if (work.comm.is_root())
    fmt::print("{} pits routed, {} undrained\n", stats.pits, stats.undrained);
}

}  // namespace

double memory_bytes(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double factor = unit.empty() ? 1 : 0;
  if (unit == "K") factor = 1e3;
  if (unit == "M") factor = 1e6;
  if (unit == "G") factor = 1e9;
  if (unit == "T") factor = 1e12;
  if (!(number > 0) || factor == 0 || !std::isfinite(number))
    throw InputError("--memory: expected an amount such as 500M or 8G, found \"" + text + "\"");
  return number * factor;
}

Tiling tiling_for_memory(Index rows, Index cols, double bytes) {
  const auto side = Index(std::sqrt(bytes / bytes_per_tile_cell));
  if (side < 2)
    throw InputError("--memory: expected enough for a tile of 2 x 2 cells (about 400 bytes)");
  // Whole blocks of the files that this program writes, where tiles are large.
  const Index even = side >= 512 ? side / 256 * 256 : side;
  return {rows, cols, std::min(rows, even), std::min(cols, even)};
}

void check_tiled(const Tool& tool) {
  const std::string& op = tool.step.op;
  const auto refuse = [&](const std::string& why) {
    throw InputError("terrain " + op + " in tiles (--memory, or several ranks): " + why);
  };
  if (op != "fill" && op != "flow" && op != "accumulate" && op != "basins")
    refuse("expected fill, flow, accumulate or basins; make this product in one piece");
  if (!tool.from.empty()) refuse("--from: directions are read in one piece only");
  if (!tool.flow.single_receiver()) refuse("expected one receiver per cell: use --d8 or --d4");
  if (tool.verify || !tool.report.empty()) refuse("--verify and --report need one piece");
  if (op == "fill") return;
  if (tool.flow.mode == RouteMode::jump && tool.flow.depressions)
    refuse("--mode jump: jumps cross tiles in one step; use carve or fill");
  if (tool.step.codes == "grass" || tool.step.codes == "receivers")
    refuse("--codes: expected esri, taudem, whitebox, ldd or richdem");
  if (tool.flow.combine != Combine::sum) refuse("--combine: expected sum");
  if (tool.flow.weights == "area")
    refuse("areas add up in an order that tiles change; use unit or integer weights");
  if (tool.step.out.ends_with(".gpkg") || tool.step.out.ends_with("json"))
    refuse("vectors need one piece");
}

ExitCode run_tiled_tool(const Tool& tool, comm::Comm& comm) {
  check_tiled(tool);
  std::unique_ptr<io::RasterSource> source;
  together(comm, [&] { source = io::open_raster(tool.input, tool.band); });
  const domain::RasterInfo& info = source->info();
  const Tiling tiling = tool.memory.empty()
                            ? tiling_for_ranks(info.rows, info.cols, comm.size())
                            : tiling_for_memory(info.rows, info.cols, memory_bytes(tool.memory));
  std::unique_ptr<BlockReader> reader;
  together(comm, [&] { reader = std::make_unique<BlockReader>(*source, tool.flow, tiling); });
  const std::filesystem::path out = tool.step.out;
  std::filesystem::path scratch;
  if (!tool.memory.empty())
    scratch = out.parent_path() / fmt::format(".tiles-{}-{}", getpid(), out.filename().string());
  Work work{tool, comm, queue_of_rank(tool, comm), *reader, scratch};
  switch (info.type) {
    case domain::CellType::u8:
      run_type<std::uint8_t>(work);
      break;
    case domain::CellType::i16:
      run_type<std::int16_t>(work);
      break;
    case domain::CellType::u16:
      run_type<std::uint16_t>(work);
      break;
    case domain::CellType::i32:
      run_type<std::int32_t>(work);
      break;
    case domain::CellType::f32:
      run_type<float>(work);
      break;
    case domain::CellType::f64:
      run_type<double>(work);
      break;
    default:
      throw InputError(
          fmt::format("{}: error: expected heights of type u8, i16, u16, i32, f32 or f64, found {}",
                      info.name, domain::name_of(info.type)));
  }
  return ExitCode::done;
}

}  // namespace terrawave::terrain

// A raster cut into blocks that ranks share and that need not all be in memory at once.
#pragma once

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/domain/raster.hpp"

namespace terrawave::terrain {

// Blocks of at most tile_rows x tile_cols cells, numbered row by row.
struct Tiling {
  Index rows = 0, cols = 0;
  Index tile_rows = 1, tile_cols = 1;
  bool loop_rows = false, loop_cols = false;  // opposite edges of the map meet

  Index down() const { return (rows + tile_rows - 1) / tile_rows; }
  Index across() const { return (cols + tile_cols - 1) / tile_cols; }
  Index tiles() const { return down() * across(); }
  domain::Window window(Index tile) const;
  // The window with a ring of `halo` cells where the raster has them; over looped edges it goes on.
  domain::Window with_halo(Index tile, Index halo) const { return widened(window(tile), halo); }
  domain::Window widened(const domain::Window& window, Index halo) const;
  // Linear index of a place that may lie beyond a looped edge; -1 outside the map.
  Index cell(Index row, Index col) const {
    if (loop_rows) row = (row % rows + rows) % rows;
    if (loop_cols) col = (col % cols + cols) % cols;
    return row < 0 || row >= rows || col < 0 || col >= cols ? -1 : row * cols + col;
  }
  Index tile_of(Index cell) const {
    return (cell / cols) / tile_rows * across() + (cell % cols) / tile_cols;
  }
};

// Blocks for this many ranks: about square, one for each, fewer where cells are fewer.
Tiling tiling_for_ranks(Index rows, Index cols, int ranks);

// A run of tiles for each rank; ranks may have none.
inline int owner_of(const Tiling& tiling, Index tile, int ranks) {
  return int(tile * ranks / tiling.tiles());
}
std::vector<Index> tiles_of_rank(const Tiling& tiling, const comm::Comm& comm);

// Values as bytes for messages and scratch files.
template <class T>
comm::Bytes to_bytes(std::span<const T> values) {
  comm::Bytes bytes(values.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
comm::Bytes to_bytes(const std::vector<T>& values) {
  return to_bytes(std::span<const T>(values));
}
template <class T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// All parts in their order; they are given back on the way.
template <class T>
std::vector<T> merge_bytes(std::vector<comm::Bytes>& parts) {
  std::size_t bytes = 0;
  for (const comm::Bytes& part : parts) bytes += part.size();
  std::vector<T> all;
  all.reserve(bytes / sizeof(T));
  for (comm::Bytes& part : parts) {
    const auto values = from_bytes<T>(part);
    all.insert(all.end(), values.begin(), values.end());
    comm::Bytes().swap(part);
  }
  return all;
}

// One exchange with the root: every tile's summary goes there, solve() turns them (in the order of
// tiles) into a reply for each tile, and each rank gets those of its own tiles, in its order.
using Solve = std::function<std::vector<comm::Bytes>(std::vector<comm::Bytes>&)>;
std::vector<comm::Bytes> ask_root(comm::Comm& comm, const Tiling& tiling,
                                  std::vector<comm::Bytes> mine, const Solve& solve);

// Runs `work` on every rank; when it throws on one, all ranks throw the same, so none waits.
void together(comm::Comm& comm, const std::function<void()>& work);

// Values of a tile where a store keeps them in memory, or a copy out of its files. Valid until the
// store is asked to put or drop them.
template <class T>
struct Looked {
  std::shared_ptr<const std::vector<T>> copy;
  std::span<const T> values;
};

// What is kept of each tile between two passes: in memory, or in files of a scratch folder that
// goes away with the store.
class TileStore {
 public:
  explicit TileStore(std::filesystem::path folder = {});
  ~TileStore();
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;
  template <class T>
  void put(Index tile, const std::string& what, const std::vector<T>& values) {
    if (in_files())
      write(file(tile, what), std::as_bytes(std::span(values)));
    else
      put(tile, what, std::vector<T>(values));
  }
  template <class T>
  void put(Index tile, const std::string& what, std::vector<T>&& values) {
    if (in_files()) return put(tile, what, std::as_const(values));
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    kept_[{what, tile}] = {kept, std::as_writable_bytes(std::span(*kept))};
  }
  // Lets change(span of T) work on what was put.
  template <class T, class Change>
  void edit(Index tile, const std::string& what, const Change& change) {
    if (in_files()) {
      auto values = get<T>(tile, what);
      change(std::span<T>(values));
      return put(tile, what, values);
    }
    const std::span<std::byte> bytes = kept_.at({what, tile}).bytes;
    change(std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)));
  }
  template <class T>
  std::vector<T> get(Index tile, const std::string& what) const {
    std::vector<T> values(size_of(tile, what) / sizeof(T));
    get_bytes(tile, what, std::as_writable_bytes(std::span(values)));
    return values;
  }
  template <class T>
  Looked<T> look(Index tile, const std::string& what) const {
    if (in_files()) {
      auto copy = std::make_shared<const std::vector<T>>(get<T>(tile, what));
      const std::span<const T> values(*copy);
      return {std::move(copy), values};
    }
    const std::span<const std::byte> bytes = kept_.at({what, tile}).bytes;
    return {{}, {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)}};
  }
  // A folder inside this store's for another store; empty where this one is in memory.
  std::filesystem::path inside(const std::string& name) const {
    return folder_.empty() ? folder_ : folder_ / name;
  }
  bool in_files() const { return !folder_.empty(); }
  // Memory for tiles that are worked on together, where their arrays are kept in files.
  void set_room(double bytes) { room_ = bytes; }
  // How many tiles of so many bytes may stay in memory: all of them where the store is in memory.
  std::size_t at_once(double bytes) const;
  bool has(Index tile, const std::string& what) const;
  void drop(Index tile, const std::string& what);

 private:
  struct Kept {
    std::shared_ptr<void> vector;
    std::span<std::byte> bytes;  // its elements
  };
  void write(const std::filesystem::path& file, std::span<const std::byte> bytes);
  std::size_t size_of(Index tile, const std::string& what) const;  // bytes
  void get_bytes(Index tile, const std::string& what, std::span<std::byte> bytes) const;
  std::filesystem::path file(Index tile, const std::string& what) const;
  std::filesystem::path folder_;  // empty: memory
  double room_ = 0;
  std::map<std::pair<std::string, Index>, Kept> kept_;
};

// Cells on the edge of a window, each once, in row order: linear positions inside the window.
std::vector<Index> rim_positions(const domain::Window& window);
// Where a cell on the edge of a window stands in that list.
Index rim_index(const domain::Window& window, Index row, Index col);

}  // namespace terrawave::terrain

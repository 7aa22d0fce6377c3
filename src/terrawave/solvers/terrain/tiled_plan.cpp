#include "terrawave/solvers/terrain/tiled_plan.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include <unistd.h>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {
namespace {

// Several byte strings in one: number, lengths, contents.
comm::Bytes pack(const std::vector<comm::Bytes>& parts) {
  std::vector<Index> sizes = {Index(parts.size())};
  for (const comm::Bytes& part : parts) sizes.push_back(Index(part.size()));
  comm::Bytes all = to_bytes(sizes);
  for (const comm::Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<comm::Bytes> unpack(std::span<const std::byte> all) {
  if (all.empty()) return {};
  const Index count = from_bytes<Index>(all.first(sizeof(Index)))[0];
  const auto sizes =
      from_bytes<Index>(all.subspan(sizeof(Index), std::size_t(count) * sizeof(Index)));
  std::size_t at = std::size_t(count + 1) * sizeof(Index);
  std::vector<comm::Bytes> parts;
  for (const Index size : sizes) {
    const auto part = all.subspan(at, std::size_t(size));
    parts.emplace_back(part.begin(), part.end());
    at += std::size_t(size);
  }
  return parts;
}

}  // namespace

domain::Window Tiling::window(Index tile) const {
  const Index row = tile / across() * tile_rows;
  const Index col = tile % across() * tile_cols;
  return {row, col, std::min(tile_rows, rows - row), std::min(tile_cols, cols - col)};
}

domain::Window Tiling::widened(const domain::Window& w, Index halo) const {
  const Index row = loop_rows ? w.row - halo : std::max<Index>(0, w.row - halo);
  const Index col = loop_cols ? w.col - halo : std::max<Index>(0, w.col - halo);
  const Index end_row = w.row + w.rows + halo;
  const Index end_col = w.col + w.cols + halo;
  return {row, col, (loop_rows ? end_row : std::min(rows, end_row)) - row,
          (loop_cols ? end_col : std::min(cols, end_col)) - col};
}

Tiling tiling_for_ranks(Index rows, Index cols, int ranks) {
  Tiling best;
  double least = -1;
  for (int down = 1; down <= ranks; ++down) {
    if (ranks % down != 0) continue;
    const Index r = std::max<Index>(1, (rows + down - 1) / down);
    const Index across = ranks / down;
    const Index c = std::max<Index>(1, (cols + across - 1) / across);
    const double rim = double(r) + double(c);
    if (least >= 0 && rim >= least) continue;
    least = rim;
    best = {rows, cols, r, c};
  }
  return best;
}

std::vector<Index> tiles_of_rank(const Tiling& tiling, const comm::Comm& comm) {
  std::vector<Index> mine;
  for (Index tile = 0; tile < tiling.tiles(); ++tile)
    if (owner_of(tiling, tile, comm.size()) == comm.rank()) mine.push_back(tile);
  return mine;
}

std::vector<comm::Bytes> ask_root(comm::Comm& comm, const Tiling& tiling,
                                  std::vector<comm::Bytes> mine, const Solve& solve) {
  if (comm.size() == 1) return solve(mine);
  const std::vector<comm::Bytes> gathered = comm.gather(pack(mine), 0);
  std::vector<comm::Bytes> outgoing(std::size_t(comm.size()));
  if (comm.is_root()) {
    std::vector<comm::Bytes> all;
    for (const comm::Bytes& bytes : gathered)
      for (comm::Bytes& part : unpack(bytes)) all.push_back(std::move(part));
    std::vector<comm::Bytes> replies = solve(all);
    require(Index(replies.size()) == tiling.tiles(), "ask_root: one reply per tile");
    std::vector<std::vector<comm::Bytes>> by_rank(std::size_t(comm.size()));
    for (Index tile = 0; tile < tiling.tiles(); ++tile)
      by_rank[std::size_t(owner_of(tiling, tile, comm.size()))].push_back(
          std::move(replies[std::size_t(tile)]));
    for (std::size_t r = 0; r < by_rank.size(); ++r) outgoing[r] = pack(by_rank[r]);
  }
  return unpack(comm.exchange(outgoing)[0]);
}

void together(comm::Comm& comm, const std::function<void()>& work) {
  // 0 good, 1 bad input, 2 failed; the text travels from the first rank that has one.
  std::int64_t kind = 0;
  std::string text;
  try {
    work();
  } catch (const InputError& e) {
    kind = 1;
    text = e.what();
  } catch (const std::exception& e) {
    kind = 2;
    text = e.what();
  }
  const std::int64_t first = comm.min(std::int64_t{kind != 0 ? comm.rank() : comm.size()});
  if (first == comm.size()) return;
  comm::Bytes bytes = to_bytes(std::span<const char>(text));
  bytes.push_back(std::byte(kind));
  comm.broadcast(bytes, int(first));
  kind = std::int64_t(bytes.back());
  bytes.pop_back();
  text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (kind == 1) throw InputError(text);
  throw RunError(text);
}

TileStore::TileStore(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) std::filesystem::create_directories(folder_);
}

TileStore::~TileStore() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::size_t TileStore::at_once(double bytes) const {
  if (folder_.empty()) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>(1, std::size_t(room_ / bytes));
}

std::filesystem::path TileStore::file(Index tile, const std::string& what) const {
  return folder_ / (what + "." + std::to_string(tile));
}

void TileStore::write(const std::filesystem::path& name, std::span<const std::byte> bytes) {
  // What has the size already is written over: the system keeps its pages and blocks.
  std::error_code absent;
  const bool over = std::filesystem::file_size(name, absent) == bytes.size() && !absent;
  std::fstream out(name,
                   std::ios::binary | std::ios::out | (over ? std::ios::in : std::ios::trunc));
  out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  out.close();
  if (!out)
    throw RunError("cannot write to the scratch folder " + folder_.string() +
                   ": is the disk full?");
}

std::size_t TileStore::size_of(Index tile, const std::string& what) const {
  return folder_.empty() ? kept_.at({what, tile}).bytes.size()
                         : std::filesystem::file_size(file(tile, what));
}

void TileStore::get_bytes(Index tile, const std::string& what, std::span<std::byte> bytes) const {
  if (folder_.empty()) {
    std::ranges::copy(kept_.at({what, tile}).bytes, bytes.begin());
    return;
  }
  std::ifstream in(file(tile, what), std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
  if (!in) throw RunError("cannot read from the scratch folder " + folder_.string());
}

bool TileStore::has(Index tile, const std::string& what) const {
  return folder_.empty() ? kept_.contains({what, tile}) : std::filesystem::exists(file(tile, what));
}

void TileStore::drop(Index tile, const std::string& what) {
  std::error_code ignored;
  if (folder_.empty())
    kept_.erase({what, tile});
  else
    std::filesystem::remove(file(tile, what), ignored);
}

std::vector<Index> rim_positions(const domain::Window& w) {
  std::vector<Index> rim;
  for (Index r = 0; r < w.rows; ++r) {
    const bool whole = r == 0 || r == w.rows - 1;
    for (Index c = 0; c < w.cols; c += whole || w.cols == 1 ? 1 : w.cols - 1)
      rim.push_back(r * w.cols + c);
  }
  return rim;
}

Index rim_index(const domain::Window& w, Index row, Index col) {
  if (row == 0) return col;
  const Index each = w.cols == 1 ? 1 : 2;
  const Index before = w.cols + (row - 1) * each;
  if (row == w.rows - 1) return before + col;
  return before + (col == 0 ? 0 : 1);
}

}  // namespace terrawave::terrain

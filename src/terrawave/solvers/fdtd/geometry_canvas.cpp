#include "terrawave/solvers/fdtd/geometry_canvas.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

namespace terrawave::fdtd {
namespace {

// Is the piece right at all these nodes: does it hold the cells on both sides of each?
bool serves(const Piece& piece, const Cell& low, const Cell& high, const GridLines& lines,
            const std::array<bool, 3>& periodic) {
  for (std::size_t a = 0; a < 3; ++a) {
    const Index n = Index(lines[a].size()) - 1;
    const CellBox& w = piece.raster.window;
    if (periodic[a] && w.size(a) < n) return false;
    if (w.low[a] > std::max<Index>(0, low[a] - 1) || w.high[a] < std::min(n, high[a] + 1))
      return false;
  }
  return true;
}

// The fillings of one share of the grid.
class Fillings {
 public:
  explicit Fillings(const GridLines& lines, std::size_t orders)
      : lines_(lines), seen_{std::vector<char>(orders, 0), std::vector<char>(orders, 0)} {}

  // Of the edges and faces at a node.
  void add(const MaterialMap& map, const Cell& n) {
    for (int c = 0; c < 3; ++c) {
      if (exists(c, n, false) && !map.metal(c, n)) add(map, c, n, false);
      if (exists(c, n, true)) add(map, c, n, true);
    }
  }
  const std::set<Filling>& of(bool face) const { return found_[face ? 1 : 0]; }

 private:
  bool exists(int component, const Cell& n, bool face) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const bool spans = (int(a) == component) != face;
      if (n[a] > Index(lines_[a].size()) - 1 - (spans ? 1 : 0)) return false;
    }
    return true;
  }
  void add(const MaterialMap& map, int c, const Cell& n, bool face) {
    // Where all cells around are of one object the mean is that object's material.
    const int order = map.common_order(c, n, face);
    auto& seen = seen_[face ? 1 : 0];
    if (order >= 0 && seen[std::size_t(order)] != 0) return;
    if (order >= 0) seen[std::size_t(order)] = 1;
    found_[face ? 1 : 0].insert(face ? map.face(c, n) : map.edge(c, n));
  }

  const GridLines& lines_;
  std::set<Filling> found_[2];
  std::vector<char> seen_[2];
};

std::vector<Filling> unite(comm::Comm& comm, const std::set<Filling>& mine) {
  std::vector<double> numbers;
  for (const Filling& f : mine) {
    numbers.push_back(f.storage);
    numbers.push_back(f.loss);
  }
  std::set<Filling> all;
  for (const comm::Bytes& bytes : comm.all_gather(std::as_bytes(std::span(numbers)))) {
    std::vector<double> theirs(bytes.size() / sizeof(double));
    if (!bytes.empty()) std::memcpy(theirs.data(), bytes.data(), bytes.size());
    for (std::size_t i = 0; i + 1 < theirs.size(); i += 2) all.insert({theirs[i], theirs[i + 1]});
  }
  return {all.begin(), all.end()};
}

void add_report(ObjectReport& sum, const ObjectReport& part) {
  sum.cells_covered += part.cells_covered;
  sum.cells_owned += part.cells_owned;
  sum.edges_owned += part.edges_owned;
  sum.flat = sum.flat || part.flat;
  for (std::size_t a = 0; a < 3; ++a) {
    sum.became.low[a] = std::min(sum.became.low[a], part.became.low[a]);
    sum.became.high[a] = std::max(sum.became.high[a], part.became.high[a]);
  }
}

void reduce(comm::Comm& comm, std::vector<ObjectReport>& reports) {
  std::vector<std::int64_t> counts;
  std::vector<double> low, high;
  for (const ObjectReport& r : reports) {
    for (const Index n : {r.cells_covered, r.cells_owned, r.edges_owned, Index(r.flat ? 1 : 0)})
      counts.push_back(n);
    for (std::size_t a = 0; a < 3; ++a) {
      low.push_back(r.became.low[a]);
      high.push_back(r.became.high[a]);
    }
  }
  comm.sum(std::span<std::int64_t>(counts));
  comm.min(std::span<double>(low));
  comm.max(std::span<double>(high));
  for (std::size_t n = 0; n < reports.size(); ++n) {
    ObjectReport& r = reports[n];
    r.cells_covered = counts[4 * n];
    r.cells_owned = counts[4 * n + 1];
    r.edges_owned = counts[4 * n + 2];
    r.flat = counts[4 * n + 3] > 0;
    for (std::size_t a = 0; a < 3; ++a) {
      r.became.low[a] = low[3 * n + a];
      r.became.high[a] = high[3 * n + a];
    }
  }
}

}  // namespace

Canvas::Canvas(GridLines lines, std::vector<Object> objects, std::vector<Material> materials,
               std::array<bool, 3> periodic, Index limit)
    : lines_(std::move(lines)),
      objects_(std::move(objects)),
      materials_(std::move(materials)),
      periodic_(periodic),
      limit_(limit) {}

CellBox Canvas::window_of(const Cell& low, const Cell& high, bool further) const {
  CellBox w;
  for (std::size_t a = 0; a < 3; ++a) {
    w.low[a] = periodic_[a] ? 0 : std::max<Index>(0, low[a] - 1);
    w.high[a] = periodic_[a] ? cells(a) : std::min(cells(a), high[a] + 1);
  }
  if (further)
    w.high[2] = std::clamp(w.low[2] + limit_ / std::max<Index>(1, w.size(0) * w.size(1)), w.high[2],
                           cells(2));
  return w;
}

const Piece& Canvas::around(const Cell& low, const Cell& high, bool further) {
  for (const auto* piece : {&swept_, &near_})
    if (*piece && serves(**piece, low, high, lines_, periodic_)) return **piece;
  auto& piece = further ? swept_ : near_;
  Cell from = low, to = high;
  // A few nodes more, so that neighbours need no piece of their own.
  for (std::size_t a = 0; a < 3 && !further; ++a) {
    from[a] -= 4;
    to[a] += 4;
  }
  piece = nullptr;  // before the next is painted
  piece = std::make_unique<Piece>(
      lines_, objects_, materials_, periodic_,
      rasterise_part(lines_, objects_, materials_, window_of(from, to, further), {}));
  return *piece;
}

std::size_t Canvas::owner_of_cell(const Cell& cell) {
  const Raster& r = around(cell, cell).raster;
  const auto order = r.cell_owner[std::size_t(r.cell_at(cell[0], cell[1], cell[2]))];
  return order == 0 ? 0 : r.order[order - 1u] + 1;
}

std::size_t Canvas::owner_of_metal(int component, const Cell& n) {
  const Raster& r = around(n, n).raster;
  const auto order = r.metal[std::size_t(component)][std::size_t(r.node_at(n[0], n[1], n[2]))];
  return order == 0 ? 0 : r.order[order - 1u] + 1;
}

Survey Canvas::survey(comm::Comm& comm) {
  Survey s;
  s.cells.assign(materials_.size(), 0);
  s.largest_cell.assign(materials_.size(), 0.0);
  Fillings fillings(lines_, objects_.size() + 1);
  // Spacings that cells of a material have, by axis.
  std::vector<std::array<std::vector<char>, 3>> used(materials_.size());
  for (auto& u : used)
    for (std::size_t a = 0; a < 3; ++a) u[a].assign(std::size_t(cells(a)), 0);
  const Index first = cells(2) * comm.rank() / comm.size();
  const Index last = cells(2) * (comm.rank() + 1) / comm.size();
  // Reports without counts, also where this rank's share is empty.
  s.reports = rasterise_part(lines_, objects_, materials_, {}, {}).reports;
  for (Index k = first; k < last;) {
    CellBox counted{{0, 0, k}, {cells(0), cells(1), 0}};
    const CellBox window = window_of({0, 0, k}, {cells(0), cells(1), k}, true);
    counted.high[2] = std::min(last, window.high[2]);
    swept_ = nullptr;
    swept_ = std::make_unique<Piece>(lines_, objects_, materials_, periodic_,
                                     rasterise_part(lines_, objects_, materials_, window, counted));
    const Raster& r = swept_->raster;
    for (std::size_t o = 0; o < objects_.size(); ++o) add_report(s.reports[o], r.reports[o]);
    const bool top = counted.high[2] == cells(2);
    Cell n{};
    for (n[2] = k; n[2] < counted.high[2] + (top ? 1 : 0); ++n[2])
      for (n[1] = 0; n[1] <= cells(1); ++n[1])
        for (n[0] = 0; n[0] <= cells(0); ++n[0]) {
          fillings.add(swept_->map, n);
          if (!counted.contains(n)) continue;
          const auto order = r.cell_owner[std::size_t(r.cell_at(n[0], n[1], n[2]))];
          const auto m = std::size_t(order == 0 ? 0 : objects_[r.order[order - 1u]].material);
          ++s.cells[m];
          for (std::size_t a = 0; a < 3; ++a) used[m][a][std::size_t(n[a])] = 1;
        }
    k = counted.high[2];
  }
  for (std::size_t m = 0; m < used.size(); ++m)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t c = 0; c < used[m][a].size(); ++c)
        if (used[m][a][c] != 0)
          s.largest_cell[m] = std::max(s.largest_cell[m], lines_[a][c + 1] - lines_[a][c]);
  reduce(comm, s.reports);
  finish_reports(lines_, s.reports);
  comm.sum(std::span<std::int64_t>(s.cells));
  comm.max(std::span<double>(s.largest_cell));
  s.edges = unite(comm, fillings.of(false));
  s.faces = unite(comm, fillings.of(true));
  return s;
}

}  // namespace terrawave::fdtd

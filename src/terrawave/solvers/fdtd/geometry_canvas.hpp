// The painted grid, piece by piece: nobody holds all of it. Pieces are painted where they are asked
// for and forgotten again; what concerns the whole grid is surveyed once, each rank its share.
#pragma once

#include <memory>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/solvers/fdtd/geometry_objects.hpp"

namespace terrawave::fdtd {

// A painted window with the materials of its edges and faces.
struct Piece {
  Raster raster;
  MaterialMap map;
  Piece(const GridLines& lines, const std::vector<Object>& objects,
        const std::vector<Material>& materials, std::array<bool, 3> periodic, Raster r)
      : raster(std::move(r)), map(lines, raster, objects, materials, periodic) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
};

// What one survey of the whole grid finds; the same on every rank and for any number of ranks.
struct Survey {
  std::vector<ObjectReport> reports;  // as the list of objects
  std::vector<Filling> edges, faces;  // every distinct one, sorted
  std::vector<Index> cells;           // by material
  std::vector<double> largest_cell;   // by material: widest spacing of its cells, m
};

class Canvas {
 public:
  // `limit`: cells that a piece holds at most, where the request itself does not ask for more.
  Canvas(GridLines lines, std::vector<Object> objects, std::vector<Material> materials,
         std::array<bool, 3> periodic, Index limit = Index{1} << 22);

  // A piece that is right at the nodes low...high (inclusive). `further`: more planes of z are
  // going to be asked for. Periodic axes are always painted whole. The reference lives until the
  // next call with the same `further`.
  const Piece& around(const Cell& low, const Cell& high, bool further = false);

  // Owner of a cell: 0 the background, else 1 + position in the list of objects.
  std::size_t owner_of_cell(const Cell& cell);
  // Owner of a metal edge likewise; 0 where the edge is no metal of an object.
  std::size_t owner_of_metal(int component, const Cell& node);

  // Collective. Each rank paints and counts its share of the planes of z.
  Survey survey(comm::Comm& comm);

 private:
  CellBox window_of(const Cell& low, const Cell& high, bool further) const;
  Index cells(std::size_t axis) const { return Index(lines_[axis].size()) - 1; }

  GridLines lines_;
  std::vector<Object> objects_;
  std::vector<Material> materials_;
  std::array<bool, 3> periodic_;
  Index limit_;
  std::unique_ptr<Piece> near_, swept_;
};

}  // namespace terrawave::fdtd

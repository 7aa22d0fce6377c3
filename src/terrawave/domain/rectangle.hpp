// Rectangles cut into triangles: the built-in meshes.
#pragma once

#include <cstdint>
#include <string_view>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::domain {

// right        each box is cut along the diagonal from south-west to north-east: 2 cells a box
// criss_cross  each box is cut along both diagonals: 4 cells a box; has the square's symmetry
// equilateral  rows of (nearly) equilateral triangles; every second row of nodes is shifted by half
//              an edge, and the half triangles that this leaves at the west and east walls stay as
//              cells: 2 columns + 1 cells a row
enum class RectanglePattern { right, criss_cross, equilateral };

// "right", "criss-cross", "equilateral". Throws InputError for anything else.
RectanglePattern rectangle_pattern(std::string_view name);

struct Rectangle {
  double west = 0, south = 0, east = 1, north = 1;  // m
  RectanglePattern pattern = RectanglePattern::right;
  Index columns = 1;  // boxes (or edges) along x
  Index rows = 1;     // boxes (or rows of triangles) along y
  // Each node moves by up to this share of the shortest edge at it, along each axis; nodes on a
  // side slide along it, corners stay. 0 to 0.3; where a move would leave a cell with less than a
  // tenth of its area, its nodes move less.
  double perturbation = 0;
  std::uint64_t seed = 1;
};

// Chooses columns and rows so that the number of cells comes within 1 % of `cells` where boxes of a
// shape up to a quarter off the ideal (square; equilateral) allow it, else as near as they allow.
// Makes nothing: `cells` may be far more than make_rectangle would make (up to 1e15).
Rectangle with_cells(Rectangle rectangle, Index cells);

// What make_rectangle gives, counted without making it, also where it would refuse. Throws
// InputError where columns or rows are outside [1, 1e9].
struct MeshSize {
  Index cells = 0, nodes = 0, edges = 0, boundary_edges = 0;
};
MeshSize size_of(const Rectangle& rectangle);
// Its number of cells.
Index cell_count(const Rectangle& rectangle);

// The mesh in natural order (rows from south, west to east), counter-clockwise, with the boundary
// groups "west", "east", "south", "north". Throws InputError for sides that are not finite or not
// increasing, no cells, too many cells, or a perturbation outside [0, 0.3].
TriMesh make_rectangle(const Rectangle& rectangle);

}  // namespace terrawave::domain

// The kinds of elements that an MSH file can hold.
#pragma once

#include <string_view>

namespace terrawave::io {

struct GmshKind {
  int number = 0;  // in the file
  int nodes = 0;
  std::string_view one, many;
};

inline constexpr int gmsh_line = 1;
inline constexpr int gmsh_triangle = 2;
inline constexpr int gmsh_point = 15;

inline constexpr GmshKind gmsh_kinds[] = {
    {1, 2, "line", "lines"},
    {2, 3, "triangle", "triangles"},
    {3, 4, "quadrangle", "quadrangles"},
    {4, 4, "tetrahedron", "tetrahedra"},
    {5, 8, "hexahedron", "hexahedra"},
    {6, 6, "prism", "prisms"},
    {7, 5, "pyramid", "pyramids"},
    {8, 3, "second-order line", "second-order lines"},
    {9, 6, "second-order triangle", "second-order triangles"},
    {10, 9, "second-order quadrangle", "second-order quadrangles"},
    {11, 10, "second-order tetrahedron", "second-order tetrahedra"},
    {12, 27, "second-order hexahedron", "second-order hexahedra"},
    {13, 18, "second-order prism", "second-order prisms"},
    {14, 14, "second-order pyramid", "second-order pyramids"},
    {15, 1, "point", "points"},
    {16, 8, "8-node quadrangle", "8-node quadrangles"},
    {17, 20, "20-node hexahedron", "20-node hexahedra"},
    {18, 15, "15-node prism", "15-node prisms"},
    {19, 13, "13-node pyramid", "13-node pyramids"},
    {20, 9, "9-node triangle", "9-node triangles"},
    {21, 10, "third-order triangle", "third-order triangles"},
    {22, 12, "12-node triangle", "12-node triangles"},
    {23, 15, "fourth-order triangle", "fourth-order triangles"},
    {24, 15, "15-node triangle", "15-node triangles"},
    {25, 21, "fifth-order triangle", "fifth-order triangles"},
    {26, 4, "third-order line", "third-order lines"},
    {27, 5, "fourth-order line", "fourth-order lines"},
    {28, 6, "fifth-order line", "fifth-order lines"},
    {29, 20, "third-order tetrahedron", "third-order tetrahedra"},
    {30, 35, "fourth-order tetrahedron", "fourth-order tetrahedra"},
    {31, 56, "fifth-order tetrahedron", "fifth-order tetrahedra"},
    {36, 16, "third-order quadrangle", "third-order quadrangles"},
    {37, 25, "fourth-order quadrangle", "fourth-order quadrangles"},
    {92, 64, "third-order hexahedron", "third-order hexahedra"},
    {93, 125, "fourth-order hexahedron", "fourth-order hexahedra"},
};

// nullptr for a number that names no kind.
inline const GmshKind* find_gmsh_kind(long number) {
  for (const GmshKind& kind : gmsh_kinds)
    if (kind.number == number) return &kind;
  return nullptr;
}

}  // namespace terrawave::io

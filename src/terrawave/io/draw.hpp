// Maps: values on triangles or grids as pictures.
#pragma once

#include <span>

#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/io/report.hpp"

namespace terrawave::io {

// One value per triangle of `mesh`; width in pixels, the height follows from the mesh's extent.
// Pixels whose centre lies in no triangle stay white.
Image draw_cells(const domain::TriMesh& mesh, std::span<const double> values, const ColorBar& bar,
                 int width = 720);

// values[row * columns + column], row 0 on top; at most `width` pixels wide. Large grids are
// sampled, small ones enlarged by whole factors. `aspect` is a cell's height over its width.
Image draw_grid(std::span<const double> values, Index rows, Index columns, const ColorBar& bar,
                int width = 720, double aspect = 1.0);

// The smallest and largest finite value; {0, 1} where there is none. `symmetric` widens to +-max.
std::pair<double, double> finite_range(std::span<const double> values, bool symmetric = false);

}  // namespace terrawave::io

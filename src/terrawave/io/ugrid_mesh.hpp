// Triangle meshes in NetCDF files with the UGRID conventions.
// https://ugrid-conventions.github.io/ugrid-conventions/
#pragma once

#include <filesystem>

#include "terrawave/domain/mesh_check.hpp"

namespace terrawave::io {

// The one 2-D mesh topology of the file. Node numbers may start at 0 or 1 (start_index); faces of
// fewer nodes are filled (_FillValue). Boundary names come from the topology's
// boundary_node_connectivity and a variable of groups that its attribute "boundary_group" names, as
// write_ugrid_mesh writes them; other files have unnamed boundaries.
//
// Throws InputError for files without exactly one 2-D topology, with faces of more than 3 nodes
// (counted), or node numbers out of range; and in a build without NetCDF.
domain::RawMesh read_ugrid_mesh(const std::filesystem::path& file);

// Topology, node coordinates, boundary edges with the name of their group. Throws RunError when
// writing fails.
void write_ugrid_mesh(const std::filesystem::path& file, const domain::TriMesh& mesh);

}  // namespace terrawave::io

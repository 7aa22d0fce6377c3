// Triangle meshes from and to files: Gmsh (.msh) and UGRID NetCDF (.nc).
#pragma once

#include <filesystem>

#include "terrawave/domain/mesh_check.hpp"

namespace terrawave::io {

// The mesh as the file holds it. The format is told from the first bytes, whatever the name.
// Throws InputError for a file that cannot be read, of another format, or broken.
domain::RawMesh read_mesh(const std::filesystem::path& file);

// What a solver computes with: read, checked and renumbered. Throws InputError.
domain::CheckedMesh load_mesh(const std::filesystem::path& file);

enum class MeshFormat { msh22, msh22_binary, msh41, msh41_binary, ugrid };

// Writes all cells, nodes and named boundaries to a temporary name and renames it. The readers give
// the same mesh back, coordinates to the last bit. Throws RunError when writing fails, InputError
// for ugrid in a build without NetCDF.
void write_mesh(const std::filesystem::path& file, const domain::TriMesh& mesh, MeshFormat format);

}  // namespace terrawave::io

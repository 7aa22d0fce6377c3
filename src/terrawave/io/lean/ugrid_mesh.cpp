#include "terrawave/io/ugrid_mesh.hpp"

#include "terrawave/base/error.hpp"

namespace terrawave::io {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file) {
  throw InputError(file.string() +
                   ": error: this build has no NetCDF, which UGRID meshes need. Use a Gmsh file "
                   "(.msh), or build with TERRAWAVE_GEO=ON");
}

}  // namespace

domain::RawMesh read_ugrid_mesh(const std::filesystem::path& file) { refuse(file); }

void write_ugrid_mesh(const std::filesystem::path& file, const domain::TriMesh&) { refuse(file); }

}  // namespace terrawave::io

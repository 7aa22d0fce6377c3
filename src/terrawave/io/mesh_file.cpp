#include "terrawave/io/mesh_file.hpp"

#include <fstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/gmsh.hpp"
#include "terrawave/io/ugrid_mesh.hpp"

namespace terrawave::io {

domain::RawMesh read_mesh(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw InputError(fmt::format("{}: error: expected a mesh file, found a folder", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw InputError(
        fmt::format("{}: error: cannot read the file: {}", file.string(),
                    std::filesystem::exists(file) ? "no permission" : "it does not exist"));
  std::string head(8, '\0');
  in.read(head.data(), 8);
  head.resize(std::size_t(in.gcount()));
  in.close();
  if (head.empty()) throw InputError(fmt::format("{}: error: the file is empty", file.string()));
  // NetCDF classic, 64-bit offset and 64-bit data; NetCDF-4 (an HDF5 file).
  if (head.starts_with("CDF") || head.starts_with("\x89HDF")) return read_ugrid_mesh(file);
  if (head.find('$') == std::string::npos)
    throw InputError(
        fmt::format("{}: error: expected a Gmsh mesh (beginning with $MeshFormat) or a NetCDF file "
                    "with a UGRID "
                    "mesh, found neither",
                    file.string()));
  return read_gmsh(file);
}

domain::CheckedMesh load_mesh(const std::filesystem::path& file) {
  domain::CheckedMesh checked = domain::check_mesh(read_mesh(file));
  domain::renumber(checked.mesh);
  return checked;
}

void write_mesh(const std::filesystem::path& file, const domain::TriMesh& mesh, MeshFormat format) {
  if (format == MeshFormat::ugrid) {
    try {
      write_atomically(file, [&](const auto& name) { write_ugrid_mesh(name, mesh); });
    } catch (const RunError& e) {  // it knows only the temporary name
      throw RunError(fmt::format("cannot write {}: {}", file.string(), e.what()));
    }
    return;
  }
  const bool v22 = format == MeshFormat::msh22 || format == MeshFormat::msh22_binary;
  const bool binary = format == MeshFormat::msh22_binary || format == MeshFormat::msh41_binary;
  write_text(file, format_gmsh(mesh, v22 ? GmshVersion::v22 : GmshVersion::v41, binary));
}

}  // namespace terrawave::io

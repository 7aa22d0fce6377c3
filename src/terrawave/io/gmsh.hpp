// Gmsh's MSH format, 2.2 and 4.1, ASCII and binary of either byte order.
// https://gmsh.info/doc/texinfo/gmsh.html#Gmsh-file-formats
#pragma once

#include <filesystem>
#include <string>

#include "terrawave/domain/mesh_check.hpp"

namespace terrawave::io {

// Triangles become cells; lines in a physical curve become boundary edges named by it (by its
// number where it has no name). Points and lines in no physical curve are passed over and noted.
// z is left out where the mesh is flat.
//
// Throws InputError "file:line: error: ..." (binary: "file: error: ... at byte N") for what is not
// MSH 2.2 or 4.1, is broken or cut short, partitioned, not flat, or has any other kind of element:
// these are named and counted.
domain::RawMesh read_gmsh(const std::filesystem::path& file);
// The same from the bytes of a file; `source` names it in messages.
domain::RawMesh parse_gmsh(std::string source, std::string bytes);

enum class GmshVersion { v22, v41 };

// The mesh as a file's bytes: nodes and elements numbered from 1, boundary lines first. Coordinates
// come back to the last bit. Boundary edges of group 0 are left out: reading finds them again.
std::string format_gmsh(const domain::TriMesh& mesh, GmshVersion version, bool binary);

}  // namespace terrawave::io

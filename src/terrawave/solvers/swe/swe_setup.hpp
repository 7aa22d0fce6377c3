// From a checked case to a mesh, its boundaries and the initial state.
#pragma once

#include <vector>

#include "terrawave/config/config.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/sim/context.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"

namespace terrawave::swe {

// Reads or makes the mesh of [domain]; notes and warnings go to the log. The same on every rank.
domain::TriMesh make_mesh(const config::Config& config, const sim::Log& log);

// Its size; a rectangle is counted without being made.
domain::MeshSize mesh_size(const config::Config& config);

// One kind per boundary group of the mesh, from [[boundary]]. An unknown or repeated name is an
// InputError that lists the known ones; groups not mentioned are walls, and that is logged.
std::vector<BoundaryKind> boundary_kinds(const config::Config& config, const domain::TriMesh& mesh,
                                         const sim::Log& log);

// The initial state of the owned cells. Throws the same InputError on every rank for a formula that
// cannot be read, values that are not finite, nodata under a cell, or a layer without water, each
// with the number of cells and the position of the first. Collective.
CellFields initial_state(const config::Config& config, const domain::TriMesh& mesh,
                         const domain::LocalTriMesh& local, sim::Context& context);

// Throws InputError on all ranks where `bad` holds for some owned cell of some rank: `message`
// with "{count} cells, the first at (x, y)" put behind it. Collective.
void refuse_cells(comm::Comm& comm, const domain::LocalTriMesh& local,
                  const std::vector<std::uint8_t>& bad, const config::Config& table,
                  std::string_view key, const std::string& message);

}  // namespace terrawave::swe

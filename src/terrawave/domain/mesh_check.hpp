// From a mesh as a file holds it to a mesh that can be computed with.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::domain {

// A mesh as read: nothing is checked but that node positions are in range. The file's own numbers
// are kept for messages.
struct RawMesh {
  std::string source;                                // the file's name, for messages
  std::vector<double> x, y;                          // m (or the CRS's unit)
  std::vector<GlobalId> node_id;                     // the file's number of each node
  std::vector<std::array<LocalIndex, 3>> triangles;  // positions in x, y
  std::vector<GlobalId> cell_id;                     // the file's number of each triangle
  struct Line {
    std::array<LocalIndex, 2> nodes;
    int group = 0;    // index into `groups`; 0 for lines without a name
    GlobalId id = 0;  // the file's number
  };
  std::vector<Line> lines;
  std::vector<std::string> groups = {"boundary"};  // names of boundaries, each once
  std::string crs;                                 // WKT or "EPSG:n"; "" where unknown
  std::vector<std::string> notes;                  // what the reader passed over
};

// What was found and is not an error.
struct MeshFindings {
  Index flipped = 0;               // clockwise triangles, turned
  Index orphans = 0;               // nodes without a triangle, dropped
  Index parts = 1;                 // pieces that share no edge
  Index slivers = 0;               // cells with an angle below `sliver_degrees`
  double sliver_factor = 1;        // the worst sliver takes a dt this many times below the median
  std::vector<std::string> notes;  // one line each: what was changed or passed over
  std::vector<std::string> warnings;  // one line each
};

inline constexpr double sliver_degrees = 5;

struct CheckedMesh {
  TriMesh mesh;
  MeshFindings findings;
};

// Turns clockwise triangles, drops orphan nodes, completes the boundary with group 0, and warns of
// disconnected parts, slivers and boundaries without edges.
//
// Throws InputError with one line per kind of error, each "file: error: ..." naming the first few
// offenders by the file's numbers and their coordinates, and how many there are: no triangles,
// coordinates that are not finite, triangles without area, duplicate triangles, edges of three
// triangles, overlapping neighbours, coincident nodes that split the mesh, nodes that hang on the
// side of a triangle, named lines that are not on the boundary, edges with two names.
CheckedMesh check_mesh(RawMesh raw);

// How much time step a cell allows, up to the wave speed: twice its area over its circumference, m.
std::vector<double> step_lengths(const TriMesh& mesh);

// The smallest angle of each cell, degrees.
std::vector<double> smallest_angles(const TriMesh& mesh);

}  // namespace terrawave::domain

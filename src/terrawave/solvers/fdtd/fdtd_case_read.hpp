// What the readers of a case's tables share.
#pragma once

#include <initializer_list>
#include <string>

#include "terrawave/solvers/fdtd/fdtd_case.hpp"

namespace terrawave::fdtd {

// Complains where one of the keys is absent; false then.
bool needs(config::Diagnostics& all, const config::Config& table, const std::string& kind,
           std::initializer_list<const char*> keys);
// Complains where the point `key` lies outside the grid; false then.
bool inside_grid(config::Diagnostics& all, const config::Config& table, const char* key,
                 const GridLines& lines);
// Complains about a name that a file or a column of a table cannot be called after.
void check_name(config::Diagnostics& all, const config::Config& table);
std::string show_point(const Vec3& p);
Cell nearest_node(const GridLines& lines, const Vec3& p);
void sort_corners(Cell& low, Cell& high);
// The edge (face) along (across) `axis` whose middle is nearest to p; along periodic axes the last
// line is the first one.
Cell nearest_place(const Setup& s, const Vec3& p, int axis, bool face);
// Position in Setup::materials, or -1 with a complaint.
int find_material(const Setup& s, const std::string& name, const config::Config& where,
                  const char* key, config::Diagnostics& all);
// The position of a named waveform, or -1 with a complaint.
int find_waveform(const Setup& s, const std::string& name, const config::Config& where,
                  const char* key, config::Diagnostics& all);
// The gap of a table with from, to, direction; false with a complaint.
bool read_gap(const config::Config& table, const Setup& s, EdgeBox& gap, config::Diagnostics& all);

void read_objects(const config::Config& root, Setup& s, config::Diagnostics& all);
void read_ports(const config::Config& root, Setup& s, config::Diagnostics& all);

}  // namespace terrawave::fdtd

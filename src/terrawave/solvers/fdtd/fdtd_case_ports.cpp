// Reads [[port]] and [drive], and gaps in general.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "terrawave/solvers/fdtd/fdtd_case_read.hpp"
#include "terrawave/solvers/fdtd/geometry_grid.hpp"

namespace terrawave::fdtd {

using config::Config;
using config::Diagnostics;

int find_waveform(const Setup& s, const std::string& name, const Config& where, const char* key,
                  Diagnostics& all) {
  std::string known;
  for (std::size_t w = 0; w < s.waveforms.size(); ++w) {
    if (s.waveforms[w].name == name) return int(w);
    known += (w > 0 ? ", " : "") + s.waveforms[w].name;
  }
  where.complain(all, key,
                 fmt::format("no waveform \"{}\"; there are: {}. Add a [[waveform]] of that name",
                             name, known.empty() ? "none" : known));
  return -1;
}

bool read_gap(const Config& c, const Setup& s, EdgeBox& gap, Diagnostics& all) {
  const GridLines& lines = s.lines;
  const std::string direction = c.text("direction");
  gap.component = axis_of(direction);
  gap.sign = sign_of(direction);
  if (!(inside_grid(all, c, "from", lines) & inside_grid(all, c, "to", lines))) return false;
  gap.low = nearest_node(lines, vec3(c.numbers("from")));
  gap.high = nearest_node(lines, vec3(c.numbers("to")));
  sort_corners(gap.low, gap.high);
  if (gap.in_row() == 0) {
    c.complain(
        all, "to",
        fmt::format(
            "the gap has no length along {}: from and to both fall on the grid line "
            "{} = {:g} m",
            direction[0], direction[0],
            lines[std::size_t(gap.component)][std::size_t(gap.low[std::size_t(gap.component)])]));
    return false;
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (s.periodic()[a] && int(a) != gap.component && gap.high[a] + 1 == Index(lines[a].size())) {
      c.complain(all, "to",
                 fmt::format("the grid is periodic along {}: its last line, {:g} m, is the first "
                             "one again; end the gap before it",
                             "xyz"[a], lines[a].back()));
      return false;
    }
  return true;
}

namespace {

// Where the port's voltage and current are taken.
void read_plane(const Config& c, const GridLines& lines, Port& p, Diagnostics& all) {
  const std::string line = c.text("line");
  Port::Plane plane;
  plane.axis = axis_of(line);
  plane.sign = sign_of(line);
  if (plane.axis == p.gap.component) {
    c.complain(all, "line",
               fmt::format("the line runs along the gap ({}); expected another axis",
                           c.text("direction")));
    return;
  }
  const auto a = std::size_t(plane.axis);
  const Index start = plane.sign > 0 ? p.gap.high[a] : p.gap.low[a];
  const double at = lines[a][std::size_t(start)] + plane.sign * c.number("distance");
  plane.node = nearest_line(lines[a], at);
  if (at < lines[a].front() || at > lines[a].back() || plane.node == 0 ||
      plane.node == Index(lines[a].size()) - 1) {
    c.complain(
        all, "distance",
        fmt::format("the measuring plane at {} = {:g} m is not inside the grid, ({:g}, {:g}) "
                    "m",
                    "xyz"[a], at, lines[a].front(), lines[a].back()));
    return;
  }
  p.plane = plane;
}

bool share_edges(const EdgeBox& a, const EdgeBox& b) {
  if (a.component != b.component) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const bool along = int(k) == a.component;
    if (a.high[k] < b.low[k] + (along ? 1 : 0) || b.high[k] < a.low[k] + (along ? 1 : 0))
      return false;
  }
  return true;
}

}  // namespace

void read_ports(const Config& root, Setup& s, Diagnostics& all) {
  for (const Config& c : root.tables("port")) {
    Port p;
    p.name = c.text("name");
    check_name(all, c);
    for (const Port& q : s.ports)
      if (q.name == p.name)
        c.complain(all, "name", fmt::format("port \"{}\" exists already", p.name));
    p.impedance = c.number("impedance");
    p.gap_capacitance = c.boolean("gap_capacitance");
    p.shift = c.number("shift");
    if (p.shift != 0 && !c.has("eps_eff"))
      c.complain(all, "shift", "a shift of the reference plane needs the key \"eps_eff\"");
    if (c.has("eps_eff")) p.eps_eff = c.number("eps_eff");
    if (c.has("distance") && !c.has("line"))
      c.complain(all, "distance", "a distance needs the key \"line\", the direction of the line");
    if (c.has("line") && !c.has("distance"))
      c.complain(all, "line",
                 "a line needs the key \"distance\", from the gap to where it is measured");
    if (!read_gap(c, s, p.gap, all)) continue;
    if (c.has("line") && c.has("distance")) read_plane(c, s.lines, p, all);
    for (const Port& q : s.ports)
      if (share_edges(p.gap, q.gap))
        c.complain(all, "from", fmt::format("port \"{}\" overlaps port \"{}\"", p.name, q.name));
    s.ports.push_back(p);
  }
  const Config d = root.table("drive");
  s.drive_volts = d.number("amplitude");
  s.tolerance = d.number("tolerance");
  s.drive.width = gaussian_width(s.f_max);
  s.drive.delay = default_delay(s.drive.width);
  if (d.has("waveform")) {
    const int w = find_waveform(s, d.text("waveform"), d, "waveform", all);
    if (w >= 0) s.drive = s.waveforms[std::size_t(w)];
  }
  if (!d.has("ports")) {
    for (std::size_t p = 0; p < s.ports.size(); ++p) s.driven.push_back(int(p));
    return;
  }
  for (const std::string& name : d.texts("ports")) {
    const auto at =
        std::find_if(s.ports.begin(), s.ports.end(), [&](const Port& p) { return p.name == name; });
    if (at == s.ports.end())
      d.complain(all, "ports", fmt::format("no port \"{}\"", name));
    else if (std::count(s.driven.begin(), s.driven.end(), int(at - s.ports.begin())) > 0)
      d.complain(all, "ports", fmt::format("port \"{}\" stands twice", name));
    else
      s.driven.push_back(int(at - s.ports.begin()));
  }
}

}  // namespace terrawave::fdtd

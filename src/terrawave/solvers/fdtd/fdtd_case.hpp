// A case file as plain structures: grid, materials, objects, what drives and what watches.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "terrawave/config/config.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"
#include "terrawave/solvers/fdtd/geometry_canvas.hpp"
#include "terrawave/solvers/fdtd/geometry_objects.hpp"
#include "terrawave/solvers/fdtd/lumped_elements.hpp"
#include "terrawave/solvers/fdtd/sources_waveform.hpp"

namespace terrawave::fdtd {

config::Schema fdtd_schema();

// A gap between two conductors that is driven and measured.
struct Port {
  std::string name;
  EdgeBox gap;
  double impedance = 50;
  struct Plane {
    int axis = 0;  // of the line
    int sign = 1;  // direction into the device
    Index node = 0;
  };
  std::optional<Plane> plane;  // where V and I are taken; none: in the gap
  double shift = 0;
  double eps_eff = 1;
  bool gap_capacitance = false;
  int signal = -1;  // of the source, in Model::signals; silent unless driven
};

// Stops a run.
struct Stop {
  std::int64_t steps = 0;  // 0: none
  double time = 0;         // s; 0: none
  double decay_db = 0;     // 0: none
  double min_time = 0;     // s
};

struct ProbeCase {
  enum class Kind { field, voltage, current } kind = Kind::field;
  std::string name;
  int component = 0;  // 0..5; voltage: axis of the line; current: axis through the rectangle
  int sign = 1;
  Cell low{}, high{};  // nodes; field: low only
};

struct DftCase {
  std::string name;
  Cell low{}, high{};  // nodes, inclusive
  std::vector<double> frequencies;
  bool electric = true, magnetic = false;
  std::int64_t every = 0;  // steps; 0: chosen
};

struct SnapshotCase {
  std::string name;
  Cell low{}, high{};
  bool electric = true, magnetic = false, hdf5 = false;
  double every = 0, start = 0, stop = 0;  // s
  Index stride = 1;
};

struct Setup {
  GridLines lines;
  std::array<Boundary, 6> boundary{};
  std::array<Cpml, 6> cpml{};
  double f_max = 0;
  double courant = 0.95;
  std::optional<double> dt;
  double min_cells_per_wavelength = 10;
  std::string kernels = "auto";
  int steps_per_pass = 0;
  Stop stop;
  std::vector<Material> materials;  // [0]: background
  std::vector<Object> objects;
  std::vector<std::size_t> object_entry;  // object -> its [[object]] table
  std::vector<Waveform> waveforms;
  std::vector<config::Config> source_tables, lumped_tables;  // built later, on the grid
  std::vector<Port> ports;
  std::vector<int> driven;  // ports in order of the runs; empty: one run without ports
  Waveform drive;
  double drive_volts = 1;
  double tolerance = 0.02;
  std::vector<double> frequencies;  // of S-parameters and spectra
  std::vector<ProbeCase> probes;
  std::vector<DftCase> dfts;
  std::vector<SnapshotCase> snapshots;
  bool write_geometry = true;

  std::array<bool, 3> periodic() const {
    return {boundary[0] == Boundary::periodic, boundary[2] == Boundary::periodic,
            boundary[4] == Boundary::periodic};
  }
  CellBox all_cells() const;
  std::vector<std::string> warnings;
  double last_source_time = 0;  // s; +inf while some source never ends
};

// Reads and checks everything that can be checked without painting the objects. Throws InputError
// with every complaint.
Setup read_setup(const config::Config& config);

// The case on its grid.
struct BuiltCase {
  Setup setup;
  std::shared_ptr<Canvas> canvas;     // the objects on the grid, where one looks
  std::vector<ObjectReport> reports;  // as setup.objects
  Model model;
  std::shared_ptr<int> drive;  // which port is driven now: ports' signals look here
  struct MaterialLine {
    std::string name;
    double cells_per_wavelength = 0, phase_error = 0, largest_cell = 0;
    Index cells = 0;
  };
  std::vector<MaterialLine> dispersion;
  double dt_limit = 0;
  std::vector<std::string> warnings;
};
// Surveys the objects on the grid (each rank a share of it), averages, finds dt, places elements.
// Throws InputError with every complaint, the same on all ranks. Collective.
BuiltCase build_case(const config::Config& config, comm::Comm& comm);

// Adds to built.warnings what is probably not meant: nothing drives the case, spectra that the grid
// or the S-parameters do not fit, sources inside the absorbing layers.
void warn_before_runs(BuiltCase& built);

// Helpers shared by the readers.
int axis_of(const std::string& direction);  // "y-" -> 1
int sign_of(const std::string& direction);  // "y-" -> -1
Vec3 vec3(const std::vector<double>& v);

}  // namespace terrawave::fdtd

// Time series of values on the cells of a triangle mesh, as files that other programs open.
// Only the root rank holds these objects; values are in global order.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"

namespace terrawave::io {

struct CellVariable {
  std::string name;           // "eta1"
  std::string standard_name;  // CF name, "" where there is none
  std::string long_name;      // "height of the free surface"
  std::string unit;           // "m"
};

struct SeriesInfo {
  std::string title;                    // what the run is
  std::string source;                   // "terrawave 0.1.0"
  bool single = false;                  // store 4-byte numbers
  std::vector<CellVariable> variables;  // change in time
  std::vector<CellVariable> constants;  // do not: the bottom
  std::vector<std::vector<double>> constant_values;
};

// A growing series. The first `written` records of an earlier run are kept, later ones dropped.
class CellSeries {
 public:
  virtual ~CellSeries() = default;
  // Appends the record of time `t` (s): one span of values per variable.
  virtual void add(double t, const std::vector<std::span<const double>>& values) = 0;
  // Gives the files their final names. Called at the end and before every checkpoint.
  virtual void flush() = 0;
  // Files so far, relative to the folder that was given.
  virtual std::vector<std::string> files() const = 0;
};

// folder/name.nc: CF-1.8, UGRID-1.0, one record a time. A build without NetCDF returns nullptr and
// the caller says so.
std::unique_ptr<CellSeries> make_ugrid_series(const std::filesystem::path& folder,
                                              const std::string& name, const domain::TriMesh& mesh,
                                              SeriesInfo info, std::int64_t written = 0);

// folder/name/name_0000.vtu ... and folder/name.pvd that lists them, for ParaView.
std::unique_ptr<CellSeries> make_vtu_series(const std::filesystem::path& folder,
                                            const std::string& name, const domain::TriMesh& mesh,
                                            SeriesInfo info, std::int64_t written = 0);

}  // namespace terrawave::io

// Time series on meshes: written, continued after a restart, and read back by other programs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/gauges.hpp"

namespace terrawave::io {
namespace {

namespace fs = std::filesystem;

domain::TriMesh two_triangles() {
  domain::TriMesh mesh;
  mesh.x = {0, 2, 2, 0};
  mesh.y = {0, 0, 1, 1};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

SeriesInfo info() {
  SeriesInfo i;
  i.title = "a test";
  i.source = "terrawave";
  i.variables = {{"eta1", "sea_surface_height_above_geoid", "height of the free surface", "m"},
                 {"u1x", "", "velocity", "m s-1"}};
  i.constants = {{"H", "sea_floor_depth_below_geoid", "depth of the bottom", "m"}};
  i.constant_values = {{5.0, 6.0}};
  return i;
}

void add(CellSeries& series, double t) {
  const std::vector<double> a = {t + 0.1, t + 0.2}, b = {-t, t};
  series.add(t, {a, b});
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path fresh_folder(const char* name) {
  const fs::path folder =
      fs::temp_directory_path() / ("terrawave-series-" + std::to_string(getpid()) + "-" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

using Make = std::unique_ptr<CellSeries> (*)(const fs::path&, const std::string&,
                                             const domain::TriMesh&, SeriesInfo, std::int64_t);

// Three records at once; or two and a lost third, then a restart that keeps one and goes on.
void continues_to_the_same_bytes(Make make, const fs::path& whole, const fs::path& broken) {
  auto a = make(whole, "maps", two_triangles(), info(), 0);
  if (a == nullptr) GTEST_SKIP() << "this build writes no such series";
  for (const double t : {0.0, 0.5, 1.0}) add(*a, t);
  a->flush();
  {
    auto b = make(broken, "maps", two_triangles(), info(), 0);
    add(*b, 0.0);
    b->flush();
    add(*b, 0.5);
    add(*b, 77.0);
  }
  auto c = make(broken, "maps", two_triangles(), info(), 1);
  for (const double t : {0.5, 1.0}) add(*c, t);
  c->flush();
  EXPECT_EQ(a->files(), c->files());
  for (const std::string& file : a->files())
    EXPECT_EQ(bytes_of(whole / file), bytes_of(broken / file)) << file;
  for (const auto& entry : fs::directory_iterator(broken))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST(CellSeries, VtuContinuesAfterARestartWithTheSameBytes) {
  continues_to_the_same_bytes(&make_vtu_series, fresh_folder("vtu_a"), fresh_folder("vtu_b"));
}

TEST(CellSeries, UgridContinuesAfterARestartWithTheSameBytes) {
  continues_to_the_same_bytes(&make_ugrid_series, fresh_folder("nc_a"), fresh_folder("nc_b"));
}

bool python_has(const char* module) {
  return std::system(
             (std::string("/usr/bin/python3 -c 'import ") + module + "' 2>/dev/null").c_str()) == 0;
}

int python(const std::string& script, const fs::path& argument) {
  const fs::path file = argument / "reader.py";  // tests run side by side: no shared name
  std::ofstream(file) << script;
  return std::system(("/usr/bin/python3 " + file.string() + " " + argument.string()).c_str());
}

TEST(CellSeries, VtkReadsTheParaviewSeries) {
  if (!python_has("vtkmodules")) GTEST_SKIP() << "python3-vtk9 is not installed: NOT checked";
  const fs::path folder = fresh_folder("vtu_read");
  auto series = make_vtu_series(folder, "maps", two_triangles(), info(), 0);
  for (const double t : {0.0, 0.5}) add(*series, t);
  EXPECT_EQ(python(R"py(
import sys
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
import xml.etree.ElementTree as tree
folder = sys.argv[1]
sets = tree.parse(folder + "/maps.pvd").getroot().findall("Collection/DataSet")
assert [float(s.get("timestep")) for s in sets] == [0.0, 0.5]
reader = vtkXMLUnstructuredGridReader()
reader.SetFileName(folder + "/" + sets[1].get("file"))
reader.Update()
grid = reader.GetOutput()
assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (4, 2)
assert grid.GetCellType(0) == 5 and grid.GetPoint(2) == (2.0, 1.0, 0.0)
eta = grid.GetCellData().GetArray("eta1")
assert [eta.GetValue(i) for i in range(2)] == [0.6, 0.7]
assert grid.GetCellData().GetArray("H").GetValue(1) == 6.0
assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == 0.5
)py",
                   folder),
            0);
}

TEST(CellSeries, NetcdfPythonReadsTheUgridSeries) {
  if (!python_has("netCDF4")) GTEST_SKIP() << "python3-netcdf4 is not installed: NOT checked";
  const fs::path folder = fresh_folder("nc_read");
  auto series = make_ugrid_series(folder, "maps", two_triangles(), info(), 0);
  if (series == nullptr) GTEST_SKIP() << "this build has no NetCDF";
  for (const double t : {0.0, 0.5}) add(*series, t);
  series->flush();
  EXPECT_EQ(python(R"py(
import sys, netCDF4
d = netCDF4.Dataset(sys.argv[1] + "/maps.nc")
assert d.Conventions == "CF-1.8 UGRID-1.0"
m = d["mesh"]
assert m.cf_role == "mesh_topology" and m.topology_dimension == 2
assert d[m.face_node_connectivity][:].tolist() == [[0, 1, 2], [0, 2, 3]]
assert d[m.node_coordinates.split()[0]][:].tolist() == [0, 2, 2, 0]
assert d["time"][:].tolist() == [0.0, 0.5]
assert d["eta1"][1, :].tolist() == [0.6, 0.7] and d["eta1"].location == "face"
assert d["H"][:].tolist() == [5.0, 6.0]
)py",
                   folder),
            0);
}

TEST(Gauges, SurviveACheckpointAndAreReadable) {
  GaugeSeries g;
  g.points = {{"harbour", 1, 2}, {"B", 3, 4}};
  g.variables = {info().variables[0]};
  g.add(0.0, {0.1, 0.2});
  g.add(0.25, {1.0 / 3.0, -0.2});
  GaugeSeries h = g;
  h.times.clear();
  h.values.clear();
  h.from_bytes(g.to_bytes());
  EXPECT_EQ(h.times, g.times);
  EXPECT_EQ(h.values, g.values);
  const fs::path folder = fresh_folder("gauges");
  write_gauges_csv(folder / "gauges.csv", g);
  const std::string csv = bytes_of(folder / "gauges.csv");
  EXPECT_NE(csv.find("time,harbour.eta1,B.eta1\n0,0.1,0.2\n0.25,0.3333333333333333,-0.2\n"),
            std::string::npos)
      << csv;
  if (write_gauges_netcdf(folder / "gauges.nc", g, "t", "s") && python_has("netCDF4")) {
    EXPECT_EQ(python(R"py(
import sys, netCDF4
d = netCDF4.Dataset(sys.argv[1] + "/gauges.nc")
assert d.featureType == "timeSeries"
assert d["eta1"][1, 0] == 1 / 3
assert netCDF4.chartostring(d["station_name"][:]).tolist() == ["harbour", "B"]
)py",
                     folder),
              0);
  }
}

}  // namespace
}  // namespace terrawave::io

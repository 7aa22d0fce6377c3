#include "terrawave/io/snapshot.hpp"

#include <fstream>

#include <fmt/format.h>
#include <hdf5.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/vtk_xml.hpp"

namespace terrawave::io {

void write_vtr(const std::filesystem::path& file, const std::array<std::vector<double>, 3>& lines,
               const std::vector<PointArray>& arrays) {
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", lines[0].size() - 1, lines[1].size() - 1, lines[2].size() - 1);
  std::string xml = vtk_head("RectilinearGrid");
  xml +=
      fmt::format("<RectilinearGrid WholeExtent=\"{}\">\n<Piece Extent=\"{}\">\n", extent, extent);
  xml += "<PointData>\n";
  for (const PointArray& a : arrays) append_vtk_array(xml, a.name, a.values, a.components);
  xml += "</PointData>\n<Coordinates>\n";
  for (std::size_t a = 0; a < 3; ++a) append_vtk_array(xml, std::string(1, "xyz"[a]), lines[a]);
  xml += "</Coordinates>\n</Piece>\n</RectilinearGrid>\n</VTKFile>\n";
  write_text(file, xml);
}

void write_vtp(const std::filesystem::path& file, const Segments& s) {
  std::vector<std::int64_t> connectivity, offsets;
  for (const auto& e : s.ends) {
    connectivity.insert(connectivity.end(), e.begin(), e.end());
    offsets.push_back(std::int64_t(connectivity.size()));
  }
  std::vector<double> points;
  for (const auto& p : s.points) points.insert(points.end(), p.begin(), p.end());
  std::string xml = vtk_head("PolyData");
  xml += fmt::format(
      "<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
      s.points.size(), s.ends.size());
  append_vtk_array(xml, "points", points, 3);
  xml += "</Points>\n<CellData>\n";
  append_vtk_array(xml, s.label_name, s.labels);
  xml += "</CellData>\n<Lines>\n";
  append_vtk_array(xml, "connectivity", connectivity);
  append_vtk_array(xml, "offsets", offsets);
  xml += "</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n";
  write_text(file, xml);
}

void write_pvd(const std::filesystem::path& file,
               const std::vector<std::pair<double, std::string>>& entries) {
  std::string xml = vtk_head("Collection") + "<Collection>\n";
  for (const auto& [time, name] : entries)
    xml += fmt::format("<DataSet timestep=\"{:.9g}\" part=\"0\" file=\"{}\"/>\n", time, name);
  write_text(file, xml + "</Collection>\n</VTKFile>\n");
}

void write_hdf5(const std::filesystem::path& file, const std::vector<Hdf5Array>& arrays) {
  write_atomically(file, [&](const std::filesystem::path& temporary) {
    const hid_t f = H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (f < 0) throw RunError(fmt::format("cannot write {}", file.string()));
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(groups, 1);
    const hid_t untimed = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(untimed, false);  // the same bytes run after run
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(pair, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(pair, "i", 8, H5T_NATIVE_DOUBLE);
    bool good = true;
    for (const Hdf5Array& a : arrays) {
      const std::vector<hsize_t> dims(a.dims.begin(), a.dims.end());
      const hid_t space = H5Screate_simple(int(dims.size()), dims.data(), nullptr);
      const hid_t type = a.complex ? pair : H5T_NATIVE_DOUBLE;
      const hid_t set = H5Dcreate2(f, a.name.c_str(), type, space, groups, untimed, H5P_DEFAULT);
      good = good && set >= 0 &&
             H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.values.data()) >= 0;
      if (set >= 0 && !a.unit.empty()) {
        const hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, a.unit.size());
        const hid_t scalar = H5Screate(H5S_SCALAR);
        const hid_t unit = H5Acreate2(set, "units", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
        good = good && unit >= 0 && H5Awrite(unit, text, a.unit.c_str()) >= 0;
        H5Aclose(unit);
        H5Sclose(scalar);
        H5Tclose(text);
      }
      if (set >= 0) H5Dclose(set);
      H5Sclose(space);
    }
    H5Tclose(pair);
    H5Pclose(untimed);
    H5Pclose(groups);
    good = H5Fclose(f) >= 0 && good;
    if (!good) throw RunError(fmt::format("cannot write {} (disk full?)", file.string()));
  });
}

}  // namespace terrawave::io

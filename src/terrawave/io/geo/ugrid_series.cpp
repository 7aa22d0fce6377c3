// CF-1.8 / UGRID-1.0 time series in one NetCDF file. While it grows it bears a temporary name
// (name.nc.part); flush() gives it its own.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/geo/netcdf_file.hpp"
#include "terrawave/io/raster_sample.hpp"

namespace terrawave::io {
namespace {

constexpr int kDeflate = 1;  // the cheapest level: fields are smooth, more buys little

class UgridSeries final : public CellSeries {
 public:
  UgridSeries(const std::filesystem::path& folder, const std::string& name,
              const domain::TriMesh& mesh, SeriesInfo info, std::int64_t written)
      : name_(name + ".nc"),
        final_(folder / name_),
        part_(folder / (name_ + ".part")),
        info_(std::move(info)),
        records_(static_cast<std::size_t>(written)) {
    std::filesystem::create_directories(folder);
    if (written == 0) {
      std::filesystem::remove(final_);
      or_remove([&] { create(mesh); });
    } else {
      reopen(mesh);
    }
  }

  void add(double t, const std::vector<std::span<const double>>& values) override {
    require(values.size() == info_.variables.size(), "one span of values per variable");
    if (!std::filesystem::exists(part_)) std::filesystem::rename(final_, part_);
    if (records_ == 0)
      or_remove([&] { append(t, values); });
    else
      append(t, values);
    ++records_;
  }

  void flush() override {
    if (std::filesystem::exists(part_)) std::filesystem::rename(part_, final_);
  }

  std::vector<std::string> files() const override { return {name_}; }

 private:
  // A file without a record is of no use to anybody.
  void or_remove(const std::function<void()>& write) {
    try {
      write();
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(part_, ignored);
      throw;
    }
  }

  void append(double t, const std::vector<std::span<const double>>& values) {
    NetcdfFile file = NetcdfFile::open(part_, true);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const std::size_t start[] = {records_, 0}, count[] = {1, values[v].size()};
      file.ok(nc_put_vara_double(file.id(), file.find(info_.variables[v].name), start, count,
                                 values[v].data()),
              "writing");
    }
    file.ok(nc_put_var1_double(file.id(), file.find("time"), &records_, &t), "writing");
    file.close();
  }

  void create(const domain::TriMesh& mesh) {
    NetcdfFile file = NetcdfFile::create(part_);
    define(file, mesh);
    file.ok(nc_enddef(file.id()), "defining");
    put_mesh(file, mesh);
    for (std::size_t v = 0; v < info_.constants.size(); ++v)
      file.ok(nc_put_var_double(file.id(), file.find(info_.constants[v].name),
                                info_.constant_values[v].data()),
              "writing");
    file.close();
  }

  // NetCDF cannot shorten a record dimension: what a killed run wrote past its checkpoint is
  // dropped by copying the records that count.
  void reopen(const domain::TriMesh& mesh) {
    const std::filesystem::path old = std::filesystem::exists(part_) ? part_ : final_;
    const std::filesystem::path kept = part_.string() + ".old";
    std::filesystem::rename(old, kept);
    try {
      or_remove([&] {
        create(mesh);
        copy_records(kept);
      });
    } catch (...) {  // as it was found
      std::error_code ignored;
      std::filesystem::rename(kept, old, ignored);
      throw;
    }
    std::filesystem::remove(kept);
  }

  void copy_records(const std::filesystem::path& kept) {
    const NetcdfFile from = NetcdfFile::open(kept, false);
    if (from.dimension_size("time") < records_)
      throw RunError(fmt::format("{} holds {} times, but {} were written before the checkpoint",
                                 final_.string(), from.dimension_size("time"), records_));
    const std::size_t wanted = records_;
    records_ = 0;
    for (std::size_t k = 0; k < wanted; ++k) copy_record(from, k);
  }

  void copy_record(const NetcdfFile& from, std::size_t k) {
    double t = 0;
    from.ok(nc_get_var1_double(from.id(), from.find("time"), &k, &t), "reading");
    const std::size_t cells = from.dimension_size("mesh_nFaces");
    std::vector<std::vector<double>> values;
    std::vector<std::span<const double>> views;
    for (const CellVariable& variable : info_.variables) {
      values.emplace_back(cells);
      const std::size_t start[] = {k, 0}, count[] = {1, cells};
      from.ok(nc_get_vara_double(from.id(), from.find(variable.name), start, count,
                                 values.back().data()),
              "reading");
    }
    views.assign(values.begin(), values.end());
    add(t, views);
  }

  void define(NetcdfFile& file, const domain::TriMesh& mesh) {
    const int nodes = file.dimension("mesh_nNodes", mesh.x.size());
    const int faces = file.dimension("mesh_nFaces", mesh.triangles.size());
    const int three = file.dimension("mesh_nMax_face_nodes", 3);
    const int time = file.dimension("time", NC_UNLIMITED);
    define_mesh(file, mesh, nodes, faces, three);
    const int t = file.variable("time", NC_DOUBLE, {time});
    file.text(t, "standard_name", "time");
    file.text(t, "long_name", "time since the start of the run");
    file.text(t, "units", "seconds since 2000-01-01 00:00:00");
    file.text(t, "calendar", "proleptic_gregorian");
    file.text(t, "axis", "T");
    for (const CellVariable& v : info_.variables) define_cells(file, v, {time, faces}, mesh);
    for (const CellVariable& v : info_.constants) define_cells(file, v, {faces}, mesh);
    file.text(NC_GLOBAL, "Conventions", "CF-1.8 UGRID-1.0");
    file.text(NC_GLOBAL, "title", info_.title);
    file.text(NC_GLOBAL, "source", info_.source);
  }

  void define_mesh(NetcdfFile& file, const domain::TriMesh& mesh, int nodes, int faces, int three) {
    const int topology = file.variable("mesh", NC_INT, {});
    file.text(topology, "cf_role", "mesh_topology");
    file.text(topology, "long_name", "topology of the triangle mesh");
    file.number(topology, "topology_dimension", 2);
    file.text(topology, "node_coordinates", "mesh_node_x mesh_node_y");
    file.text(topology, "face_node_connectivity", "mesh_face_nodes");
    file.text(topology, "face_dimension", "mesh_nFaces");
    file.text(topology, "face_coordinates", "mesh_face_x mesh_face_y");
    const bool degrees = !mesh.crs.empty() && is_geographic(mesh.crs);
    for (const bool face : {false, true})
      for (const char axis : {'x', 'y'}) {
        const int v = file.variable(fmt::format("mesh_{}_{}", face ? "face" : "node", axis),
                                    NC_DOUBLE, {face ? faces : nodes});
        file.text(v, "standard_name",
                  degrees ? axis == 'x' ? "longitude" : "latitude"
                          : fmt::format("projection_{}_coordinate", axis));
        file.text(v, "long_name", fmt::format("{} of {}", axis, face ? "cell centres" : "nodes"));
        file.text(v, "units", degrees ? axis == 'x' ? "degrees_east" : "degrees_north" : "m");
        file.text(v, "mesh", "mesh");
        file.text(v, "location", face ? "face" : "node");
        // QGIS looks for the reference system here.
        if (!mesh.crs.empty()) file.text(v, "grid_mapping", "crs");
      }
    const int corners = file.variable("mesh_face_nodes", NC_INT, {faces, three});
    file.text(corners, "cf_role", "face_node_connectivity");
    file.text(corners, "long_name", "nodes of each triangle, counter-clockwise");
    // No _FillValue: every face is a triangle, and xarray would turn the numbers into floats.
    file.number(corners, "start_index", 0);
    if (!mesh.crs.empty()) {
      const int crs = file.variable("crs", NC_INT, {});
      const std::string wkt = crs_as_wkt(mesh.crs);
      for (const char* reader : {"crs_wkt", "spatial_ref", "wkt"})  // CF, GDAL, QGIS
        file.text(crs, reader, wkt);
    }
  }

  void define_cells(NetcdfFile& file, const CellVariable& about, const std::vector<int>& dims,
                    const domain::TriMesh& mesh) {
    const int v = file.variable(about.name, info_.single ? NC_FLOAT : NC_DOUBLE, dims);
    file.text(v, "standard_name", about.standard_name);
    file.text(v, "long_name", about.long_name);
    file.text(v, "units", about.unit);
    file.text(v, "mesh", "mesh");
    file.text(v, "location", "face");
    file.text(v, "coordinates", "mesh_face_x mesh_face_y");
    if (!mesh.crs.empty()) file.text(v, "grid_mapping", "crs");
    if (dims.size() > 1) {
      const std::size_t chunk[] = {1, std::max<std::size_t>(1, mesh.triangles.size())};
      file.ok(nc_def_var_chunking(file.id(), v, NC_CHUNKED, chunk), "describing");
    }
    file.ok(nc_def_var_deflate(file.id(), v, 1, 1, kDeflate), "describing");
    if (info_.single) {
      const float fill = NC_FILL_FLOAT;
      file.ok(nc_def_var_fill(file.id(), v, NC_FILL, &fill), "describing");
    } else {
      const double fill = NC_FILL_DOUBLE;
      file.ok(nc_def_var_fill(file.id(), v, NC_FILL, &fill), "describing");
    }
  }

  static void put_mesh(NetcdfFile& file, const domain::TriMesh& mesh) {
    std::vector<double> cx, cy;
    std::vector<int> corners;
    for (const auto& t : mesh.triangles) {
      double x = 0, y = 0;
      for (const LocalIndex node : t) {
        x += mesh.x[static_cast<std::size_t>(node)];
        y += mesh.y[static_cast<std::size_t>(node)];
        corners.push_back(node);
      }
      cx.push_back(x / 3);
      cy.push_back(y / 3);
    }
    const auto put = [&](const char* name, const std::vector<double>& values) {
      file.ok(nc_put_var_double(file.id(), file.find(name), values.data()), "writing");
    };
    put("mesh_node_x", mesh.x);
    put("mesh_node_y", mesh.y);
    put("mesh_face_x", cx);
    put("mesh_face_y", cy);
    file.ok(nc_put_var_int(file.id(), file.find("mesh_face_nodes"), corners.data()), "writing");
  }

  std::string name_;
  std::filesystem::path final_, part_;
  SeriesInfo info_;
  std::size_t records_;
};

}  // namespace

std::unique_ptr<CellSeries> make_ugrid_series(const std::filesystem::path& folder,
                                              const std::string& name, const domain::TriMesh& mesh,
                                              SeriesInfo info, std::int64_t written) {
  return std::make_unique<UgridSeries>(folder, name, mesh, std::move(info), written);
}

}  // namespace terrawave::io

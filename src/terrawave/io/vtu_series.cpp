// VTK XML unstructured grids, one a time; read by ParaView 5.11.
#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/vtk_xml.hpp"

namespace terrawave::io {
namespace {

constexpr std::uint8_t kTriangle = 5;  // VTK_TRIANGLE

class VtuSeries final : public CellSeries {
 public:
  VtuSeries(std::filesystem::path folder, std::string name, const domain::TriMesh& mesh,
            SeriesInfo info, std::int64_t written)
      : folder_(std::move(folder)), name_(std::move(name)), info_(std::move(info)) {
    set_mesh(mesh);
    std::filesystem::create_directories(folder_ / name_);
    if (written > 0) keep_written(written);
  }

  void add(double t, const std::vector<std::span<const double>>& values) override {
    require(values.size() == info_.variables.size(), "one span of values per variable");
    const std::string file = fmt::format("{}/{}_{:04d}.vtu", name_, name_, times_.size());
    std::string xml = begin_;
    xml += fmt::format(
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"ascii\">{}</DataArray></FieldData>\n",
        t);
    xml += piece_;
    for (std::size_t v = 0; v < values.size(); ++v) put(xml, info_.variables[v].name, values[v]);
    xml += end_;
    write_text(folder_ / file, xml);
    times_.push_back(t);
    files_.push_back(file);
    write_collection();
  }

  void flush() override {}

  std::vector<std::string> files() const override {
    std::vector<std::string> all = {name_ + ".pvd"};
    all.insert(all.end(), files_.begin(), files_.end());
    return all;
  }

 private:
  // The texts around the fields are the same at all times.
  void set_mesh(const domain::TriMesh& mesh) {
    begin_ = vtk_head("UnstructuredGrid") + "<UnstructuredGrid>\n";
    cells_ = mesh.triangles.size();
    piece_ = fmt::format(
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n"
        "<CellData>\n",
        mesh.x.size(), cells_);
    for (std::size_t v = 0; v < info_.constants.size(); ++v)
      put(end_, info_.constants[v].name, info_.constant_values[v]);
    std::vector<double> points;
    for (std::size_t n = 0; n < mesh.x.size(); ++n)
      points.insert(points.end(), {mesh.x[n], mesh.y[n], 0.0});
    end_ += "</CellData>\n<Points>\n";
    append_vtk_array(end_, "Points", points, 3);
    end_ += "</Points>\n<Cells>\n";
    std::vector<std::int64_t> corners, offsets;
    for (const auto& triangle : mesh.triangles) {
      corners.insert(corners.end(), triangle.begin(), triangle.end());
      offsets.push_back(std::int64_t(corners.size()));
    }
    append_vtk_array(end_, "connectivity", corners);
    append_vtk_array(end_, "offsets", offsets);
    append_vtk_array(end_, "types", std::vector<std::uint8_t>(cells_, kTriangle));
    end_ += "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
  }

  void put(std::string& xml, const std::string& name, std::span<const double> values) const {
    require(values.size() == cells_, "one value per cell");
    if (info_.single)
      append_vtk_array(xml, name, std::vector<float>(values.begin(), values.end()));
    else
      append_vtk_array(xml, "Float64", name, 1, std::as_bytes(values));
  }

  void write_collection() const {
    std::string sets;
    for (std::size_t k = 0; k < files_.size(); ++k)
      sets +=
          fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", times_[k], files_[k]);
    write_text(folder_ / (name_ + ".pvd"),
               fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                           "byte_order=\"LittleEndian\">\n<Collection>\n{}</Collection>\n"
                           "</VTKFile>\n",
                           sets));
  }

  // Reads back the times of the first `written` records from the collection.
  void keep_written(std::int64_t written) {
    std::ifstream in(folder_ / (name_ + ".pvd"));
    std::string line;
    while (std::int64_t(times_.size()) < written && std::getline(in, line)) {
      const std::string key = "timestep=\"";
      const auto at = line.find(key);
      if (at == std::string::npos) continue;
      times_.push_back(std::stod(line.substr(at + key.size())));
      files_.push_back(fmt::format("{}/{}_{:04d}.vtu", name_, name_, files_.size()));
    }
    if (std::int64_t(times_.size()) < written)
      throw RunError(fmt::format("{} lists {} of the {} times written before the checkpoint",
                                 (folder_ / (name_ + ".pvd")).string(), times_.size(), written));
    write_collection();
  }

  std::filesystem::path folder_;
  std::string name_;
  SeriesInfo info_;
  std::size_t cells_ = 0;
  std::string begin_, piece_, end_;
  std::vector<double> times_;
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<CellSeries> make_vtu_series(const std::filesystem::path& folder,
                                            const std::string& name, const domain::TriMesh& mesh,
                                            SeriesInfo info, std::int64_t written) {
  return std::make_unique<VtuSeries>(folder, name, mesh, std::move(info), written);
}

}  // namespace terrawave::io

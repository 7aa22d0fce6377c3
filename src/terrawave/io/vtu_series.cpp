// VTK XML unstructured grids, one a time, with raw appended data; read by ParaView 5.11.
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/cell_series.hpp"

namespace terrawave::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written little-endian");
constexpr std::uint8_t kTriangle = 5;  // VTK_TRIANGLE

// The appended data of one file: blocks of <uint64 byte count><bytes>.
class Appended {
 public:
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    const std::size_t at = bytes_.size();
    const std::uint64_t count = values.size() * sizeof(T);
    put(&count, sizeof(count));
    put(values.data(), count);
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(const void* p, std::size_t n) { bytes_.append(static_cast<const char*>(p), n); }
  std::string bytes_;
};

std::string array_tag(const std::string& type, const std::string& name, std::size_t offset,
                      int components = 1) {
  return fmt::format(
      R"(<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="appended" offset="{}"/>)"
      "\n",
      type, name, components, offset);
}

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
    Appended data;
    std::string cells;
    for (std::size_t v = 0; v < values.size(); ++v)
      cells += put(data, info_.variables[v].name, values[v]);
    for (std::size_t v = 0; v < info_.constants.size(); ++v)
      cells += put(data, info_.constants[v].name, info_.constant_values[v]);
    write_text(folder_ / file, page(t, cells, data));
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
  void set_mesh(const domain::TriMesh& mesh) {
    points_.reserve(mesh.x.size() * 3);
    for (std::size_t n = 0; n < mesh.x.size(); ++n)
      points_.insert(points_.end(), {mesh.x[n], mesh.y[n], 0.0});
    for (const auto& triangle : mesh.triangles)
      for (const LocalIndex node : triangle) connectivity_.push_back(node);
    for (std::size_t c = 1; c <= mesh.triangles.size(); ++c)
      offsets_.push_back(std::int64_t(3 * c));
    types_.assign(mesh.triangles.size(), kTriangle);
  }

  std::string put(Appended& data, const std::string& name, std::span<const double> values) const {
    require(values.size() == types_.size(), "one value per cell");
    if (info_.single)
      return array_tag("Float32", name, data.add(std::vector<float>(values.begin(), values.end())));
    return array_tag("Float64", name, data.add(std::vector<double>(values.begin(), values.end())));
  }

  std::string page(double t, const std::string& cells, Appended& data) const {
    const std::string points = array_tag("Float64", "Points", data.add(points_), 3);
    std::string topology = array_tag("Int64", "connectivity", data.add(connectivity_));
    topology += array_tag("Int64", "offsets", data.add(offsets_));
    topology += array_tag("UInt8", "types", data.add(types_));
    return fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n<UnstructuredGrid>\n"
        "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
        "format=\"ascii\">{}</DataArray></FieldData>\n"
        "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n"
        "<CellData>\n{}</CellData>\n<Points>\n{}</Points>\n<Cells>\n{}</Cells>\n</Piece>\n"
        "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_{}\n</AppendedData>\n</VTKFile>\n",
        t, points_.size() / 3, types_.size(), cells, points, topology, data.bytes());
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
  std::vector<double> points_;
  std::vector<std::int64_t> connectivity_, offsets_;
  std::vector<std::uint8_t> types_;
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

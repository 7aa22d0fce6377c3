// Maps of surface and interface for the report, drawn on the mesh while the run goes on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/io/cell_series.hpp"
#include "terrawave/io/draw.hpp"
#include "terrawave/io/report.hpp"

namespace terrawave::swe {

// On the root. The PNGs lie in the run's folder, so that a restart finds them again.
class Pictures {
 public:
  Pictures(const domain::TriMesh& mesh, std::filesystem::path folder);
  // Draws `values` (one per cell) of a field at time t.
  void draw(double t, const io::CellVariable& about, const std::vector<double>& values);
  void report(io::Report& page) const;
  std::vector<std::string> files() const;
  // What a checkpoint keeps, and back.
  nlohmann::json to_json() const;
  void from_json(const nlohmann::json& pictures);

 private:
  struct Picture {
    std::string caption, file;
    int width = 0, height = 0;
    io::ColorBar bar;
  };

  std::vector<std::uint8_t> read(const std::string& file) const;

  const domain::TriMesh& mesh_;
  std::filesystem::path folder_;
  std::vector<Picture> pictures_;
};

}  // namespace terrawave::swe

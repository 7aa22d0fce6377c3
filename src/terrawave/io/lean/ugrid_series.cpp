// Builds without NetCDF write no UGRID series.
#include "terrawave/io/cell_series.hpp"

namespace terrawave::io {

std::unique_ptr<CellSeries> make_ugrid_series(const std::filesystem::path&, const std::string&,
                                              const domain::TriMesh&, SeriesInfo, std::int64_t) {
  return nullptr;
}

}  // namespace terrawave::io

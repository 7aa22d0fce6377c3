// A raster in memory, read by windows like a file.
#pragma once

#include "terrawave/io/raster.hpp"

namespace terrawave::terrain {

// The raster must outlive it.
class RasterInMemory final : public io::RasterSource {
 public:
  explicit RasterInMemory(const domain::Raster& raster) : raster_(raster) { info_ = raster.info; }
  domain::Cells read(const domain::Window& window) override {
    domain::Cells cells = domain::make_cells(info_.type, window.size());
    domain::paste(info_.whole(), raster_.cells, window, cells);
    return cells;
  }

 private:
  const domain::Raster& raster_;
};

}  // namespace terrawave::terrain

// A raster in memory that is read by windows, like a file.
#pragma once

#include <utility>

#include "terrawave/io/raster.hpp"

namespace terrawave::test {

class MemorySource final : public io::RasterSource {
 public:
  explicit MemorySource(domain::Raster raster) : raster_(std::move(raster)) {
    info_ = raster_.info;
  }
  domain::Cells read(const domain::Window& window) override {
    domain::Cells cells = domain::make_cells(info_.type, window.size());
    domain::paste(info_.whole(), raster_.cells, window, cells);
    return cells;
  }

 private:
  domain::Raster raster_;
};

}  // namespace terrawave::test

// Builds without NetCDF write gauges as CSV only.
#include "terrawave/io/gauges.hpp"

namespace terrawave::io {

bool write_gauges_netcdf(const std::filesystem::path&, const GaugeSeries&, const std::string&,
                         const std::string&) {
  return false;
}

}  // namespace terrawave::io

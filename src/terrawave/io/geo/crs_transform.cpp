// Reference systems through OGR and PROJ.
#include <memory>

#include <ogr_spatialref.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/geo/gdal_messages.hpp"
#include "terrawave/io/raster_sample.hpp"

namespace terrawave::io {
namespace {

OGRSpatialReference read_system(const std::string& text) {
  const GdalMessages messages;
  OGRSpatialReference system;
  if (system.SetFromUserInput(text.c_str()) != OGRERR_NONE)
    throw InputError("cannot read the reference system \"" + text.substr(0, 80) +
                     "\": expected EPSG:n or WKT");
  system.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  return system;
}

}  // namespace

bool transform_points(const std::string& from, const std::string& to, std::vector<double>& x,
                      std::vector<double>& y) {
  if (from == to) return false;
  const OGRSpatialReference a = read_system(from), b = read_system(to);
  if (a.IsSame(&b)) return false;
  const GdalMessages messages;
  const std::unique_ptr<OGRCoordinateTransformation> change(
      OGRCreateCoordinateTransformation(&a, &b));
  if (change == nullptr)
    throw InputError("no way from the mesh's reference system to the raster's: " + messages.text());
  std::vector<int> good(x.size(), 1);
  if (!x.empty() &&
      !change->Transform(int(x.size()), x.data(), y.data(), nullptr, nullptr, good.data()))
    throw InputError("points of the mesh cannot be moved to the raster's reference system: " +
                     messages.text());
  return true;
}

std::string crs_as_wkt(const std::string& crs) {
  char* wkt = nullptr;
  read_system(crs).exportToWkt(&wkt);
  const std::string text = wkt != nullptr ? wkt : "";
  CPLFree(wkt);
  return text;
}

bool is_geographic(const std::string& crs) { return read_system(crs).IsGeographic() != 0; }

}  // namespace terrawave::io

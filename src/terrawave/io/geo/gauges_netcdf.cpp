// Gauges as CF-1.8 time series (discrete sampling geometry).
#include <algorithm>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/gauges.hpp"
#include "terrawave/io/geo/netcdf_file.hpp"

namespace terrawave::io {
namespace {

void define(NetcdfFile& file, const GaugeSeries& series, std::size_t name_length) {
  const int station = file.dimension("station", series.points.size());
  const int letters = file.dimension("name_length", name_length);
  const int time = file.dimension("time", series.times.size());
  const int name = file.variable("station_name", NC_CHAR, {station, letters});
  file.text(name, "cf_role", "timeseries_id");
  for (const char* axis : {"x", "y"}) {
    const int v = file.variable(axis, NC_DOUBLE, {station});
    file.text(v, "standard_name", std::string("projection_") + axis + "_coordinate");
    file.text(v, "units", "m");
  }
  const int t = file.variable("time", NC_DOUBLE, {time});
  file.text(t, "standard_name", "time");
  file.text(t, "units", "seconds since 2000-01-01 00:00:00");
  for (const CellVariable& about : series.variables) {
    const int v = file.variable(about.name, NC_DOUBLE, {time, station});
    file.text(v, "standard_name", about.standard_name);
    file.text(v, "long_name", about.long_name);
    file.text(v, "units", about.unit);
    file.text(v, "coordinates", "x y station_name");
  }
}

void put(NetcdfFile& file, const GaugeSeries& series, std::size_t name_length) {
  std::string names;
  std::vector<double> x, y;
  for (const GaugePoint& p : series.points) {
    std::string padded = p.name;
    padded.resize(name_length, '\0');
    names += padded;
    x.push_back(p.x);
    y.push_back(p.y);
  }
  file.ok(nc_put_var_text(file.id(), file.find("station_name"), names.c_str()), "writing");
  file.ok(nc_put_var_double(file.id(), file.find("x"), x.data()), "writing");
  file.ok(nc_put_var_double(file.id(), file.find("y"), y.data()), "writing");
  if (series.times.empty()) return;
  file.ok(nc_put_var_double(file.id(), file.find("time"), series.times.data()), "writing");
  for (std::size_t v = 0; v < series.variables.size(); ++v) {
    std::vector<double> all;
    for (const auto& sample : series.values)
      for (std::size_t p = 0; p < series.points.size(); ++p)
        all.push_back(sample[p * series.variables.size() + v]);
    file.ok(nc_put_var_double(file.id(), file.find(series.variables[v].name), all.data()),
            "writing");
  }
}

}  // namespace

bool write_gauges_netcdf(const std::filesystem::path& file_name, const GaugeSeries& series,
                         const std::string& title, const std::string& source) {
  std::size_t name_length = 1;
  for (const GaugePoint& p : series.points) name_length = std::max(name_length, p.name.size());
  write_atomically(file_name, [&](const std::filesystem::path& name) {
    NetcdfFile file = NetcdfFile::create(name);
    define(file, series, name_length);
    file.text(NC_GLOBAL, "Conventions", "CF-1.8");
    file.text(NC_GLOBAL, "featureType", "timeSeries");
    file.text(NC_GLOBAL, "title", title);
    file.text(NC_GLOBAL, "source", source);
    file.ok(nc_enddef(file.id()), "defining");
    put(file, series, name_length);
    file.close();
  });
  return true;
}

}  // namespace terrawave::io

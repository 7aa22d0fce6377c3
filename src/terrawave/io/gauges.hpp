// Values at fixed points over time, as CSV and NetCDF. Only the root rank holds this.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "terrawave/io/cell_series.hpp"

namespace terrawave::io {

struct GaugePoint {
  std::string name;
  double x = 0, y = 0;  // m
};

// All samples so far: values[time][gauge * variables + variable].
struct GaugeSeries {
  std::vector<GaugePoint> points;
  std::vector<CellVariable> variables;
  std::vector<double> times;
  std::vector<std::vector<double>> values;

  void add(double t, std::vector<double> sample);
  // The samples as bytes for a checkpoint, and back.
  std::string to_bytes() const;
  void from_bytes(const std::string& bytes);
};

// file: "time,A.eta1,A.eta2,B.eta1,..." in shortest exact digits; lines of '#' before say points
// and units.
void write_gauges_csv(const std::filesystem::path& file, const GaugeSeries& series);
// CF discrete sampling geometry (timeSeries). False, and nothing written, without NetCDF.
bool write_gauges_netcdf(const std::filesystem::path& file, const GaugeSeries& series,
                         const std::string& title, const std::string& source);

}  // namespace terrawave::io

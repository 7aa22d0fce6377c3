#include "terrawave/io/gauges.hpp"

#include <cstring>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/atomic_file.hpp"

namespace terrawave::io {

void GaugeSeries::add(double t, std::vector<double> sample) {
  require(sample.size() == points.size() * variables.size(), "one value per gauge and variable");
  times.push_back(t);
  values.push_back(std::move(sample));
}

std::string GaugeSeries::to_bytes() const {
  std::string bytes;
  const auto put = [&](double v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof(v)); };
  for (std::size_t k = 0; k < times.size(); ++k) {
    put(times[k]);
    for (const double v : values[k]) put(v);
  }
  return bytes;
}

void GaugeSeries::from_bytes(const std::string& bytes) {
  const std::size_t row = (1 + points.size() * variables.size()) * sizeof(double);
  if (bytes.size() % row != 0)
    throw InputError("the checkpoint's gauge series does not fit the gauges of this case");
  times.clear();
  values.clear();
  for (std::size_t at = 0; at < bytes.size(); at += row) {
    std::vector<double> numbers(row / sizeof(double));
    std::memcpy(numbers.data(), bytes.data() + at, row);
    times.push_back(numbers.front());
    values.emplace_back(numbers.begin() + 1, numbers.end());
  }
}

void write_gauges_csv(const std::filesystem::path& file, const GaugeSeries& series) {
  std::string text;
  for (const GaugePoint& p : series.points)
    text += fmt::format("# {}: x = {} m, y = {} m\n", p.name, p.x, p.y);
  for (const CellVariable& v : series.variables)
    text += fmt::format("# {}: {} [{}]\n", v.name, v.long_name, v.unit);
  text += "time";
  for (const GaugePoint& p : series.points)
    for (const CellVariable& v : series.variables) text += fmt::format(",{}.{}", p.name, v.name);
  text += '\n';
  for (std::size_t k = 0; k < series.times.size(); ++k) {
    text += fmt::format("{}", series.times[k]);
    for (const double v : series.values[k]) text += fmt::format(",{}", v);
    text += '\n';
  }
  write_text(file, text);
}

}  // namespace terrawave::io

#include "terrawave/solvers/terrain/product_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/product_lakes.hpp"

namespace terrawave::terrain {
namespace {

double accumulated(const Accumulation& all, Index cell) {
  return std::visit([cell](const auto& v) { return double(v[std::size_t(cell)]); }, all);
}

using Color = std::array<std::uint8_t, 3>;
constexpr Color nodata_color = {235, 235, 235};

// Small rasters are drawn with pixels of several screen pixels.
io::Image enlarge(const io::Image& image) {
  const int times = std::max(1, kMapPixels / std::max(image.width, image.height));
  if (times == 1) return image;
  io::Image large(image.width * times, image.height * times);
  for (int y = 0; y < large.height; ++y)
    for (int x = 0; x < large.width; ++x) {
      const std::size_t at =
          (std::size_t(y / times) * std::size_t(image.width) + std::size_t(x / times)) * 3;
      large.set(x, y, {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]});
    }
  return large;
}

double pixel(const Maps& maps, const std::vector<double>& values, int x, int y) {
  return values[std::size_t(y) * std::size_t(maps.thinning.width) + std::size_t(x)];
}

// Slopes over the neighbouring pixels, toward east and south.
std::array<double, 2> slopes(const Maps& maps, int x, int y) {
  const Thinning& t = maps.thinning;
  const double here = pixel(maps, maps.z, x, y);
  const auto at = [&](int px, int py) {
    const double value = pixel(maps, maps.z, px, py);
    return std::isnan(value) ? here : value;
  };
  const int west = std::max(0, x - 1);
  const int east = std::min(t.width - 1, x + 1);
  const int north = std::max(0, y - 1);
  const int south = std::min(t.height - 1, y + 1);
  const double across = double(t.each) * maps.dx[std::size_t(y)] * std::max(1, east - west);
  const double down = double(t.each) * maps.dy * std::max(1, south - north);
  return {(at(east, y) - at(west, y)) / across, (at(x, south) - at(x, north)) / down};
}

struct Hills {
  double low = 0, high = 1, steepen = 1;
};

Hills hills_of(const Maps& maps) {
  Hills hills;
  std::vector<double> sorted, steep;
  for (int y = 0; y < maps.thinning.height; ++y)
    for (int x = 0; x < maps.thinning.width; ++x) {
      if (std::isnan(pixel(maps, maps.z, x, y))) continue;
      sorted.push_back(pixel(maps, maps.z, x, y));
      const auto [east, south] = slopes(maps, x, y);
      if (east != 0 || south != 0) steep.push_back(std::hypot(east, south));
    }
  if (sorted.empty()) return hills;
  std::sort(sorted.begin(), sorted.end());
  hills.low = sorted[sorted.size() / 100];
  hills.high = sorted[sorted.size() - 1 - sorted.size() / 100];
  if (!(hills.high > hills.low)) hills.high = hills.low + 1;
  if (steep.empty()) return hills;
  // A typical slope comes out at about 30 degrees.
  std::nth_element(steep.begin(), steep.begin() + Index(steep.size()) * 3 / 4, steep.end());
  hills.steepen = 0.6 / steep[steep.size() * 3 / 4];
  return hills;
}

// Light from the north-west, 45 degrees high, on slopes steepened so that hills show.
double shade(const Maps& maps, const Hills& hills, int x, int y) {
  const auto [east, south] = slopes(maps, x, y);
  const double nx = -east * hills.steepen;
  const double ny = south * hills.steepen;  // north component of the normal
  const double light = (-0.5 * nx + 0.5 * ny + std::sqrt(0.5)) / std::sqrt(nx * nx + ny * ny + 1);
  return std::clamp(light, 0.0, 1.0);
}

// Calls color(x, y) where there is data.
template <class Paint>
io::Image paint(const Maps& maps, const std::vector<double>& shown, const Paint& color) {
  io::Image image(maps.thinning.width, maps.thinning.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      image.set(x, y, std::isnan(pixel(maps, shown, x, y)) ? nodata_color : color(x, y));
  return image;
}

io::Image hillshade(const Maps& maps, const Hills& hills) {
  return paint(maps, maps.z, [&](int x, int y) {
    const double light = 0.35 + 0.65 * shade(maps, hills, x, y);
    Color color =
        io::color_of(io::ColorMap::terrain, pixel(maps, maps.z, x, y), hills.low, hills.high);
    for (std::uint8_t& c : color) c = std::uint8_t(std::min(255.0, c * light * 1.15));
    return color;
  });
}

// On a logarithmic scale.
io::Image accumulation_map(const Maps& maps) {
  return paint(maps, maps.accumulation, [&](int x, int y) {
    return io::color_of(io::ColorMap::sequential,
                        std::log10(std::max(pixel(maps, maps.accumulation, x, y), 1.0)), 0,
                        std::log10(maps.most));
  });
}

// Basins in scattered colours over the relief; neighbours seldom share one.
io::Image basin_map(const Maps& maps, const Hills& hills) {
  return paint(maps, maps.z, [&](int x, int y) {
    const Index label =
        maps.basin[std::size_t(y) * std::size_t(maps.thinning.width) + std::size_t(x)];
    const std::uint64_t hash = std::uint64_t(label) * 0x9e3779b97f4a7c15u;
    const double light = 0.55 + 0.45 * shade(maps, hills, x, y);
    Color color = {std::uint8_t(90 + (hash >> 56) % 160), std::uint8_t(90 + (hash >> 48) % 160),
                   std::uint8_t(90 + (hash >> 40) % 160)};
    for (std::uint8_t& c : color) c = std::uint8_t(c * light);
    return color;
  });
}

void add_lakes(io::Report& report, const Maps& maps) {
  std::vector<Lake> lakes = *maps.lakes;
  std::sort(lakes.begin(), lakes.end(),
            [](const Lake& a, const Lake& b) { return a.volume > b.volume; });
  report.heading("Lakes");
  report.text(fmt::format("{} depressions hold water when full; the largest:", lakes.size()));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < std::min<std::size_t>(lakes.size(), 20); ++k) {
    const Lake& lake = lakes[k];
    rows.push_back({fmt::format("{}, {}", lake.spill / maps.info.cols, lake.spill % maps.info.cols),
                    fmt::format("{:g}", lake.level), fmt::format("{:g}", lake.depth),
                    fmt::format("{}", lake.cells), fmt::format("{:.4g}", lake.area),
                    fmt::format("{:.4g}", lake.volume)});
  }
  report.table({"spills at row, column", "level", "greatest depth", "cells", "area [m2]",
                "volume [m2 x unit of height]"},
               rows);
}

}  // namespace

Thinning::Thinning(const domain::RasterInfo& info, int pixels) : rows(info.rows), cols(info.cols) {
  each = std::max<Index>(1, (std::max(info.rows, info.cols) + pixels - 1) / pixels);
  width = int((info.cols + each - 1) / each);
  height = int((info.rows + each - 1) / each);
}

Maps maps_of(Session& session, int pixels) {
  Maps maps;
  maps.info = session.info();
  maps.valid = session.valid();
  const Thinning t(maps.info, pixels);
  maps.thinning = t;
  const Index cols = maps.info.cols;
  const Accumulation& all = session.accumulation();
  const bool single = session.options().single_receiver();
  const std::vector<std::int32_t> label = single ? session.basins() : std::vector<std::int32_t>();
  maps.dy = session.grid().dy;
  for (int y = 0; y < t.height; ++y) {
    maps.dx.push_back(session.grid().width(t.middle_row(y)));
    for (int x = 0; x < t.width; ++x) {
      const Index i = t.middle_row(y) * cols + t.middle_col(x);
      const bool data = is_data(session.states()[std::size_t(i)]);
      maps.z.push_back(data ? domain::value_at(session.dem().cells, i) : NAN);
      if (single) maps.basin.push_back(data ? label[std::size_t(i)] : -1);
      double largest = NAN;
      for (Index r = Index(y) * t.each; r < std::min(t.rows, (y + 1) * t.each); ++r)
        for (Index c = Index(x) * t.each; c < std::min(cols, (x + 1) * t.each); ++c)
          if (is_data(session.states()[std::size_t(r * cols + c)]))
            largest = std::fmax(largest, accumulated(all, r * cols + c));
      maps.accumulation.push_back(largest);
      if (largest > maps.most) maps.most = largest;
    }
  }
  if (single && session.options().mode == RouteMode::carve) maps.lakes = find_lakes(session).lakes;
  return maps;
}

void add_maps(io::Report& report, const Maps& maps) {
  const domain::RasterInfo& info = maps.info;
  const Hills hills = hills_of(maps);
  report.heading("Relief");
  report.text(fmt::format("{}: {} rows, {} columns, {} cells with data, {}", info.name, info.rows,
                          info.cols, maps.valid, domain::name_of(info.type)));
  report.picture("Heights, lit from the north-west", enlarge(hillshade(maps, hills)),
                 {io::ColorMap::terrain, hills.low, hills.high, "height", false});
  report.heading("Accumulation");
  report.picture("Upstream accumulation of each cell", enlarge(accumulation_map(maps)),
                 {io::ColorMap::sequential, 0, std::log10(maps.most), "log10 of the accumulation"});
  if (maps.basin.empty()) return;
  report.heading("Basins");
  report.picture("Cells that drain to the same outlet", enlarge(basin_map(maps, hills)));
  if (maps.lakes) add_lakes(report, maps);
}

void write_terrain_report(const std::filesystem::path& file, const Maps& maps) {
  io::Report report("Flow over " + maps.info.name);
  add_maps(report, maps);
  report.write(file);
}

}  // namespace terrawave::terrain

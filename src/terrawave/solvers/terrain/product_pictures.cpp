#include "terrawave/solvers/terrain/product_pictures.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/product_lakes.hpp"

namespace terrawave::terrain {
namespace {

using Color = std::array<std::uint8_t, 3>;
constexpr Color nodata_color = {235, 235, 235};

// How raster cells map to pixels: `each` cells by `each` cells make one.
struct Thinning {
  Index each = 1;
  int width = 0, height = 0;
  Thinning(const domain::RasterInfo& info, int pixels) {
    each = std::max<Index>(1, (std::max(info.rows, info.cols) + pixels - 1) / pixels);
    width = int((info.cols + each - 1) / each);
    height = int((info.rows + each - 1) / each);
  }
};

// The cell in the middle of a pixel.
Index middle(const Thinning& t, const domain::RasterInfo& info, int x, int y) {
  const Index row = std::min(info.rows - 1, Index(y) * t.each + t.each / 2);
  const Index col = std::min(info.cols - 1, Index(x) * t.each + t.each / 2);
  return row * info.cols + col;
}

// Small rasters are drawn with pixels of several screen pixels.
io::Image enlarge(const io::Image& image, int pixels) {
  const int times = std::max(1, pixels / std::max(image.width, image.height));
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

// Light from the north-west, 45 degrees high, on slopes steepened so that hills show.
double shade(const Session& session, const std::vector<double>& z, Index row, Index col, Index each,
             double steepen) {
  const Grid& g = session.grid();
  const auto at = [&](Index r, Index c) {
    const Index rr = std::clamp<Index>(r, 0, g.rows - 1);
    const Index cc = std::clamp<Index>(c, 0, g.cols - 1);
    const double value = z[std::size_t(rr * g.cols + cc)];
    return std::isnan(value) ? z[std::size_t(row * g.cols + col)] : value;
  };
  const double east =
      (at(row, col + each) - at(row, col - each)) / (2 * double(each) * g.width(row));
  const double south = (at(row + each, col) - at(row - each, col)) / (2 * double(each) * g.dy);
  const double nx = -east * steepen;
  const double ny = south * steepen;  // north component of the normal
  const double light = (-0.5 * nx + 0.5 * ny + std::sqrt(0.5)) / std::sqrt(nx * nx + ny * ny + 1);
  return std::clamp(light, 0.0, 1.0);
}

struct Hills {
  std::vector<double> z;  // NaN at nodata
  double low = 0, high = 1, steepen = 1;
};

Hills hills_of(const Session& session) {
  Hills hills;
  const Index n = session.info().size();
  hills.z.resize(std::size_t(n));
  std::vector<double> sorted;
  for (Index i = 0; i < n; ++i) {
    const bool data = is_data(session.states()[std::size_t(i)]);
    hills.z[std::size_t(i)] = data ? domain::value_at(session.dem().cells, i) : NAN;
    if (data && i % std::max<Index>(1, n / 100000) == 0) sorted.push_back(hills.z[std::size_t(i)]);
  }
  if (sorted.empty()) return hills;
  std::sort(sorted.begin(), sorted.end());
  hills.low = sorted[sorted.size() / 100];
  hills.high = sorted[sorted.size() - 1 - sorted.size() / 100];
  if (!(hills.high > hills.low)) hills.high = hills.low + 1;
  // A typical slope comes out at about 30 degrees.
  const std::vector<double> slope = std::visit(
      [&](auto z) {
        return steepest_slope(session.grid(), z, std::span<const std::uint8_t>(session.states()));
      },
      session.heights());
  std::vector<double> some;
  for (Index i = 0; i < n; i += std::max<Index>(1, n / 100000))
    if (slope[std::size_t(i)] > 0) some.push_back(slope[std::size_t(i)]);
  if (some.empty()) return hills;
  std::nth_element(some.begin(), some.begin() + Index(some.size()) * 3 / 4, some.end());
  hills.steepen = 0.6 / some[some.size() * 3 / 4];
  return hills;
}

io::Image hillshade(const Session& session, const Hills& hills, const Thinning& t) {
  io::Image image(t.width, t.height);
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const Index i = middle(t, session.info(), x, y);
      const double z = hills.z[std::size_t(i)];
      if (std::isnan(z)) {
        image.set(x, y, nodata_color);
        continue;
      }
      const double light = 0.35 + 0.65 * shade(session, hills.z, i / session.info().cols,
                                               i % session.info().cols, t.each, hills.steepen);
      Color color = io::color_of(io::ColorMap::terrain, z, hills.low, hills.high);
      for (std::uint8_t& c : color) c = std::uint8_t(std::min(255.0, c * light * 1.15));
      image.set(x, y, color);
    }
  return image;
}

// The largest value of a pixel's cells, on a logarithmic scale.
io::Image accumulation_map(Session& session, const Thinning& t, double& most) {
  const std::vector<double> all =
      std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); },
                 session.accumulation());
  most = 1;
  for (const double v : all) most = std::max(most, v);
  io::Image image(t.width, t.height);
  const Index cols = session.info().cols;
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      double largest = 0;
      bool data = false;
      for (Index r = Index(y) * t.each; r < std::min(session.info().rows, (y + 1) * t.each); ++r)
        for (Index c = Index(x) * t.each; c < std::min(cols, (x + 1) * t.each); ++c) {
          data = data || is_data(session.states()[std::size_t(r * cols + c)]);
          largest = std::max(largest, all[std::size_t(r * cols + c)]);
        }
      image.set(x, y,
                data ? io::color_of(io::ColorMap::sequential, std::log10(std::max(largest, 1.0)), 0,
                                    std::log10(most))
                     : nodata_color);
    }
  return image;
}

// Basins in scattered colours over the relief; neighbours seldom share one.
io::Image basin_map(Session& session, const Hills& hills, const Thinning& t) {
  const std::vector<std::int32_t> label = session.basins();
  io::Image image(t.width, t.height);
  for (int y = 0; y < t.height; ++y)
    for (int x = 0; x < t.width; ++x) {
      const Index i = middle(t, session.info(), x, y);
      if (label[std::size_t(i)] < 0) {
        image.set(x, y, nodata_color);
        continue;
      }
      const std::uint64_t hash = std::uint64_t(label[std::size_t(i)]) * 0x9e3779b97f4a7c15u;
      const double light = 0.55 + 0.45 * shade(session, hills.z, i / session.info().cols,
                                               i % session.info().cols, t.each, hills.steepen);
      Color color = {std::uint8_t(90 + (hash >> 56) % 160), std::uint8_t(90 + (hash >> 48) % 160),
                     std::uint8_t(90 + (hash >> 40) % 160)};
      for (std::uint8_t& c : color) c = std::uint8_t(c * light);
      image.set(x, y, color);
    }
  return image;
}

void add_lakes(io::Report& report, Session& session) {
  Lakes lakes = find_lakes(session);
  std::sort(lakes.lakes.begin(), lakes.lakes.end(),
            [](const Lake& a, const Lake& b) { return a.volume > b.volume; });
  report.heading("Lakes");
  report.text(fmt::format("{} depressions hold water when full; the largest:", lakes.lakes.size()));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < std::min<std::size_t>(lakes.lakes.size(), 20); ++k) {
    const Lake& lake = lakes.lakes[k];
    rows.push_back(
        {fmt::format("{}, {}", lake.spill / session.info().cols, lake.spill % session.info().cols),
         fmt::format("{:g}", lake.level), fmt::format("{:g}", lake.depth),
         fmt::format("{}", lake.cells), fmt::format("{:.4g}", lake.area),
         fmt::format("{:.4g}", lake.volume)});
  }
  report.table({"spills at row, column", "level", "greatest depth", "cells", "area [m2]",
                "volume [m2 x unit of height]"},
               rows);
}

}  // namespace

void add_maps(io::Report& report, Session& session, int pixels) {
  const domain::RasterInfo& info = session.info();
  const Thinning t(info, pixels);
  const Hills hills = hills_of(session);
  report.heading("Relief");
  report.text(fmt::format("{}: {} rows, {} columns, {} cells with data, {}", info.name, info.rows,
                          info.cols, session.valid(), domain::name_of(info.type)));
  report.picture("Heights, lit from the north-west", enlarge(hillshade(session, hills, t), pixels),
                 {io::ColorMap::terrain, hills.low, hills.high, "height", false});
  report.heading("Accumulation");
  double most = 1;
  const io::Image rivers = accumulation_map(session, t, most);
  report.picture("Upstream accumulation of each cell", enlarge(rivers, pixels),
                 {io::ColorMap::sequential, 0, std::log10(most), "log10 of the accumulation"});
  if (!session.options().single_receiver()) return;
  report.heading("Basins");
  report.picture("Cells that drain to the same outlet",
                 enlarge(basin_map(session, hills, t), pixels));
  if (session.options().mode == RouteMode::carve) add_lakes(report, session);
}

void write_terrain_report(const std::filesystem::path& file, Session& session) {
  io::Report report("Flow over " + session.info().name);
  add_maps(report, session);
  report.write(file);
}

}  // namespace terrawave::terrain

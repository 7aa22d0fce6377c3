// Pour points: reading and snapping.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/product_network.hpp"

namespace terrawave::terrain {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    const auto first = cell.find_first_not_of(" \t\r\"");
    const auto last = cell.find_last_not_of(" \t\r\"");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

// Columns of the table by name; -1 where it has none.
struct Columns {
  int x = -1, y = -1, row = -1, col = -1, name = -1;
  bool cells() const { return row >= 0 && col >= 0; }
};

Columns columns_of(const std::string& header, const std::string& file) {
  Columns columns;
  const auto names = split(header);
  for (int k = 0; k < int(names.size()); ++k) {
    const std::string& name = names[std::size_t(k)];
    if (name == "x") columns.x = k;
    if (name == "y") columns.y = k;
    if (name == "row") columns.row = k;
    if (name == "col") columns.col = k;
    if (name == "name") columns.name = k;
  }
  if (!columns.cells() && (columns.x < 0 || columns.y < 0))
    throw InputError(file +
                     ":1: error: expected a header with the columns x,y or row,col (and "
                     "name), found \"" +
                     header + "\"");
  return columns;
}

double number(const std::vector<std::string>& cells, int at, const std::string& where) {
  const std::string text = at < int(cells.size()) ? cells[std::size_t(at)] : "";
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !std::isfinite(value))
    throw InputError(where + "expected a number, found \"" + text + "\"");
  return value;
}

}  // namespace

namespace {

// The cell of a place in rows and columns (fractions count from the cells' edges).
Index cell_at(double row, double col, const domain::RasterInfo& info, const std::string& where) {
  const domain::GeoFrame& f = info.frame;
  const double r = std::floor(row);
  const double c = std::floor(col);
  if (!(r >= 0 && r < double(info.rows) && c >= 0 && c < double(info.cols)))
    throw InputError(fmt::format(
        "{}the point lies outside {}: it spans x {} to {} and y {} to {} ({} rows, {} columns)",
        where, info.name, f.west, f.west + double(info.cols) * f.dx,
        f.north - double(info.rows) * f.dy, f.north, info.rows, info.cols));
  return Index(r) * info.cols + Index(c);
}

std::vector<PourPoint> read_vector_points(const std::string& file, const std::string& layer,
                                          const domain::RasterInfo& info) {
  const domain::GeoFrame& f = info.frame;
  std::vector<PourPoint> points;
  for (const io::VectorPoint& p : io::read_points(file, layer, f)) {
    const std::string number = std::to_string(points.size() + 1);
    const std::string where = file + ": error: point " + number + ": ";
    points.push_back({p.name.empty() ? number : p.name,
                      cell_at((f.north - p.y) / f.dy, (p.x - f.west) / f.dx, info, where)});
  }
  return points;
}

}  // namespace

std::vector<PourPoint> read_pour_points(const std::string& file, const domain::RasterInfo& info,
                                        const std::string& layer) {
  if (!file.ends_with(".csv") && !file.ends_with(".txt"))
    return read_vector_points(file, layer, info);

  std::ifstream in(file);
  if (!in) throw InputError(file + ": error: cannot open this file; does it exist?");
  std::string line;
  std::getline(in, line);
  if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  const Columns columns = columns_of(line, file);
  std::vector<PourPoint> points;
  for (int at = 2; std::getline(in, line); ++at) {
    const auto cells = split(line);
    if (cells.empty() || (cells.size() == 1 && cells[0].empty())) continue;
    const std::string where = fmt::format("{}:{}: error: ", file, at);
    const domain::GeoFrame& f = info.frame;
    const double row = columns.cells() ? number(cells, columns.row, where)
                                       : (f.north - number(cells, columns.y, where)) / f.dy;
    const double col = columns.cells() ? number(cells, columns.col, where)
                                       : (number(cells, columns.x, where) - f.west) / f.dx;
    PourPoint point;
    point.cell = cell_at(row, col, info, where);
    point.name = columns.name >= 0 && columns.name < int(cells.size())
                     ? cells[std::size_t(columns.name)]
                     : std::to_string(points.size() + 1);
    points.push_back(std::move(point));
  }
  if (points.empty()) throw InputError(file + ": error: the file holds no points");
  return points;
}

void snap_pour_points(Session& session, Index radius, std::vector<PourPoint>& points) {
  const Index rows = session.info().rows;
  const Index cols = session.info().cols;
  const Accumulation& all = session.accumulation();
  std::vector<SnapPlace> places;
  for (const PourPoint& point : points) {
    const Index row = point.cell / cols;
    const Index col = point.cell % cols;
    SnapPlace best;
    for (Index r = std::max<Index>(0, row - radius); r <= std::min(rows - 1, row + radius); ++r)
      for (Index c = std::max<Index>(0, col - radius); c <= std::min(cols - 1, col + radius); ++c) {
        const Index i = r * cols + c;
        if (!is_data(session.states()[std::size_t(i)])) continue;
        const SnapPlace here = {
            i, std::visit([i](const auto& v) { return double(v[std::size_t(i)]); }, all),
            (r - row) * (r - row) + (c - col) * (c - col)};
        if (here.better(best)) best = here;
      }
    places.push_back(best);
  }
  settle_pour_points(places, session.info(), points);
}

void settle_pour_points(const std::vector<SnapPlace>& places, const domain::RasterInfo& info,
                        std::vector<PourPoint>& points) {
  const Index cols = info.cols;
  std::map<Index, std::string> taken;
  for (std::size_t k = 0; k < points.size(); ++k) {
    PourPoint& point = points[k];
    const Index best = places[k].cell;
    if (best < 0)
      throw InputError(
          fmt::format("pour point \"{}\" (row {}, column {}) lies on nodata; move it, "
                      "or let it move with --snap",
                      point.name, point.cell / cols, point.cell % cols));
    point.cell = best;
    const auto [at, fresh] = taken.emplace(best, point.name);
    if (!fresh)
      throw InputError(
          fmt::format("pour points \"{}\" and \"{}\" meet in row {}, column {}; "
                      "remove one, or snap less far",
                      at->second, point.name, best / cols, best % cols));
  }
}

}  // namespace terrawave::terrain

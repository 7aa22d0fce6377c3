#include "terrawave/solvers/terrain/product_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {
namespace {

using Type = io::VectorField::Type;

std::array<double, 2> place(const domain::RasterInfo& info, Index cell) {
  return {domain::x_of(info.frame, double(cell % info.cols)),
          domain::y_of(info.frame, double(cell / info.cols))};
}

double accumulated(const Accumulation& all, Index cell) {
  return std::visit([cell](const auto& v) { return double(v[std::size_t(cell)]); }, all);
}

domain::Raster label_raster(const domain::RasterInfo& like,
                            const std::vector<std::int32_t>& labels) {
  domain::Raster raster{like, labels};
  raster.info.type = domain::CellType::i32;
  raster.info.nodata.reset();
  return raster;
}

struct RegionSize {
  std::int64_t cells = 0;
  double area = 0;
};
std::map<std::int32_t, RegionSize> sizes(const Session& session,
                                         const std::vector<std::int32_t>& labels,
                                         std::int32_t none) {
  std::map<std::int32_t, RegionSize> all;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == none) continue;
    RegionSize& size = all[labels[i]];
    ++size.cells;
    size.area += session.metric().area[i / std::size_t(session.grid().cols)];
  }
  return all;
}

}  // namespace

std::vector<std::uint8_t> stream_cells(Session& session, double threshold) {
  return std::visit(
      [&](const auto& v) {
        std::vector<std::uint8_t> stream(v.size());
        for (std::size_t i = 0; i < v.size(); ++i)
          stream[i] = is_data(session.states()[i]) && double(v[i]) >= threshold ? 1 : 0;
        return stream;
      },
      session.accumulation());
}

std::vector<StreamLink> stream_links(const FlowTree& tree, std::span<const std::uint8_t> stream) {
  const auto n = std::size_t(tree.cells());
  std::vector<std::uint8_t> donors(n, 0);  // stream cells that flow here
  for (std::size_t i = 0; i < n; ++i)
    if (stream[i] != 0 && !tree.is_root(Index(i))) ++donors[std::size_t(tree.receiver(Index(i)))];
  const auto goes_on = [&](std::int32_t c) {
    return !tree.is_root(c) && stream[std::size_t(tree.receiver(c))] != 0;
  };
  const std::vector<std::int32_t> strahler = strahler_order(tree, stream);
  const std::vector<std::int32_t> shreve = shreve_order(tree, stream);
  std::vector<StreamLink> links;
  std::map<std::int32_t, Index> begins;  // link by its first cell
  for (std::size_t i = 0; i < n; ++i) {
    if (stream[i] == 0 || donors[i] == 1 || !goes_on(std::int32_t(i))) continue;
    StreamLink link;
    auto c = std::int32_t(i);
    link.cells.push_back(c);
    link.strahler = strahler[i];
    link.shreve = shreve[i];
    do {
      link.length += tree.step_length(c);
      c = tree.receiver(c);
      link.cells.push_back(c);
    } while (donors[std::size_t(c)] == 1 && goes_on(c));
    begins[std::int32_t(i)] = Index(links.size());
    links.push_back(std::move(link));
  }
  for (StreamLink& link : links)
    if (const auto at = begins.find(link.cells.back()); at != begins.end()) link.next = at->second;
  return links;
}

void write_network(const std::filesystem::path& file, Session& session,
                   std::span<const std::uint8_t> stream) {
  std::vector<io::VectorField> fields = {{"id", Type::integer},       {"next", Type::integer},
                                         {"strahler", Type::integer}, {"shreve", Type::integer},
                                         {"cells", Type::integer},    {"length", Type::real},
                                         {"accumulation", Type::real}};
  if (session.has_heights())
    fields.insert(fields.end(),
                  {{"z_from", Type::real}, {"z_to", Type::real}, {"slope", Type::real}});
  std::vector<io::VectorLine> lines;
  for (const StreamLink& link : stream_links(session.tree(), stream)) {
    io::VectorLine line;
    for (const std::int32_t c : link.cells) line.points.push_back(place(session.info(), c));
    // What flows through the link: before it joins the others.
    const std::int32_t last = link.cells[link.cells.size() - 2];
    line.values = {std::int64_t(lines.size()) + 1,
                   std::int64_t(link.next) + 1,
                   std::int64_t(link.strahler),
                   std::int64_t(link.shreve),
                   std::int64_t(link.cells.size()),
                   link.length,
                   accumulated(session.accumulation(), last)};
    if (session.has_heights()) {
      const double from = domain::value_at(session.dem().cells, link.cells.front());
      const double to = domain::value_at(session.dem().cells, link.cells.back());
      line.values.insert(line.values.end(), {from, to, (from - to) / link.length});
    }
    lines.push_back(std::move(line));
  }
  io::write_lines(file, "streams", session.info().frame, fields, lines);
}

void write_basins(const std::filesystem::path& file, Session& session,
                  const std::vector<std::int32_t>& labels) {
  const std::vector<io::VectorField> fields = {
      {"outlet", Type::integer}, {"cells", Type::integer}, {"area", Type::real}};
  std::map<std::int32_t, io::VectorRow> rows;
  for (const auto& [label, size] : sizes(session, labels, -1))
    rows[label] = {std::int64_t(label), size.cells, size.area};
  io::write_regions(file, "basins", label_raster(session.info(), labels), fields, rows);
}

void write_watersheds(const std::filesystem::path& file, Session& session,
                      const std::vector<PourPoint>& points,
                      const std::vector<std::int32_t>& labels) {
  const std::vector<io::VectorField> fields = {{"id", Type::integer},
                                               {"name", Type::text},
                                               {"cells", Type::integer},
                                               {"area", Type::real},
                                               {"accumulation", Type::real}};
  std::map<std::int32_t, io::VectorRow> rows;
  for (const auto& [label, size] : sizes(session, labels, 0)) {
    const PourPoint& point = points[std::size_t(label - 1)];
    rows[label] = {std::int64_t(label), point.name, size.cells, size.area,
                   accumulated(session.accumulation(), point.cell)};
  }
  io::write_regions(file, "watersheds", label_raster(session.info(), labels), fields, rows);
}

std::vector<std::int32_t> watersheds(const FlowTree& tree, const std::vector<PourPoint>& points) {
  std::vector<std::uint8_t> marked(std::size_t(tree.cells()), 0);
  std::map<std::int32_t, std::int32_t> id;
  for (std::size_t k = 0; k < points.size(); ++k) {
    marked[std::size_t(points[k].cell)] = 1;
    id[std::int32_t(points[k].cell)] = std::int32_t(k) + 1;
  }
  std::vector<std::int32_t> labels = first_marked_downstream(tree, marked);
  for (std::int32_t& label : labels) label = label < 0 ? 0 : id[label];
  return labels;
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/product_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"

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

std::map<std::int32_t, RegionSize> sizes(const Session& session,
                                         const std::vector<std::int32_t>& labels,
                                         std::int32_t none) {
  const std::vector<double>& area = session.metric().area;
  const double largest = *std::max_element(area.begin(), area.end());
  std::map<std::int32_t, RegionSize> all;
  std::map<std::int32_t, OrderlessSum> areas;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == none) continue;
    ++all[labels[i]].cells;
    areas.try_emplace(labels[i], largest)
        .first->second.add(area[i / std::size_t(session.grid().cols)]);
  }
  for (auto& [label, sum] : areas) all[label].area = sum.value();
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

void write_network(const std::filesystem::path& file, const domain::RasterInfo& info,
                   const std::vector<StreamCell>& cells, bool heights) {
  std::vector<io::VectorField> fields = {{"id", Type::integer},       {"next", Type::integer},
                                         {"strahler", Type::integer}, {"shreve", Type::integer},
                                         {"cells", Type::integer},    {"length", Type::real},
                                         {"accumulation", Type::real}};
  if (heights)
    fields.insert(fields.end(),
                  {{"z_from", Type::real}, {"z_to", Type::real}, {"slope", Type::real}});
  const auto number_of = [&](Index cell) -> std::int32_t {
    const auto at =
        std::lower_bound(cells.begin(), cells.end(), cell,
                         [](const StreamCell& c, Index wanted) { return c.cell < wanted; });
    return at != cells.end() && at->cell == cell ? std::int32_t(at - cells.begin()) : -1;
  };
  std::vector<std::int32_t> receiver;
  std::vector<double> length;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int32_t to = cells[i].receiver < 0 ? -1 : number_of(cells[i].receiver);
    receiver.push_back(to < 0 ? std::int32_t(i) : to);
    length.push_back(cells[i].length);
  }
  const FlowTree tree(std::move(receiver), std::move(length));
  std::vector<io::VectorLine> lines;
  for (const StreamLink& link : stream_links(tree, std::vector<std::uint8_t>(cells.size(), 1))) {
    io::VectorLine line;
    for (const std::int32_t c : link.cells)
      line.points.push_back(place(info, cells[std::size_t(c)].cell));
    // What flows through the link: before it joins the others.
    const std::int32_t last = link.cells[link.cells.size() - 2];
    line.values = {std::int64_t(lines.size()) + 1,       std::int64_t(link.next) + 1,
                   std::int64_t(link.strahler),          std::int64_t(link.shreve),
                   std::int64_t(link.cells.size()),      link.length,
                   cells[std::size_t(last)].accumulation};
    if (heights) {
      const double from = cells[std::size_t(link.cells.front())].z;
      const double to = cells[std::size_t(link.cells.back())].z;
      line.values.insert(line.values.end(), {from, to, (from - to) / link.length});
    }
    lines.push_back(std::move(line));
  }
  io::write_lines(file, "streams", info.frame, fields, lines);
}

void write_network(const std::filesystem::path& file, Session& session,
                   std::span<const std::uint8_t> stream) {
  const FlowTree& tree = session.tree();
  std::vector<StreamCell> cells;
  for (Index i = 0; i < tree.cells(); ++i) {
    if (stream[std::size_t(i)] == 0) continue;
    cells.push_back({i, tree.is_root(i) ? -1 : tree.receiver(i), tree.step_length(i),
                     accumulated(session.accumulation(), i),
                     session.has_heights() ? domain::value_at(session.dem().cells, i) : 0});
  }
  write_network(file, session.info(), cells, session.has_heights());
}

void write_basins(const std::filesystem::path& file, const domain::Raster& labels,
                  const std::map<std::int32_t, RegionSize>& sizes) {
  const std::vector<io::VectorField> fields = {
      {"outlet", Type::integer}, {"cells", Type::integer}, {"area", Type::real}};
  std::map<std::int32_t, io::VectorRow> rows;
  for (const auto& [label, size] : sizes)
    rows[label] = {std::int64_t(label), size.cells, size.area};
  io::write_regions(file, "basins", labels, fields, rows);
}

void write_basins(const std::filesystem::path& file, Session& session,
                  const std::vector<std::int32_t>& labels) {
  write_basins(file, label_raster(session.info(), labels), sizes(session, labels, -1));
}

void write_watersheds(const std::filesystem::path& file, const domain::Raster& labels,
                      const std::map<std::int32_t, RegionSize>& sizes,
                      const std::vector<PourPoint>& points,
                      const std::vector<double>& accumulation) {
  const std::vector<io::VectorField> fields = {{"id", Type::integer},
                                               {"name", Type::text},
                                               {"cells", Type::integer},
                                               {"area", Type::real},
                                               {"accumulation", Type::real}};
  std::map<std::int32_t, io::VectorRow> rows;
  for (const auto& [label, size] : sizes) {
    const auto k = std::size_t(label - 1);
    rows[label] = {std::int64_t(label), points[k].name, size.cells, size.area, accumulation[k]};
  }
  io::write_regions(file, "watersheds", labels, fields, rows);
}

void write_watersheds(const std::filesystem::path& file, Session& session,
                      const std::vector<PourPoint>& points,
                      const std::vector<std::int32_t>& labels) {
  std::vector<double> accumulation;
  for (const PourPoint& point : points)
    accumulation.push_back(accumulated(session.accumulation(), point.cell));
  write_watersheds(file, label_raster(session.info(), labels), sizes(session, labels, 0), points,
                   accumulation);
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

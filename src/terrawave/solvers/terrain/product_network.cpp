#include "terrawave/solvers/terrain/product_network.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "terrawave/base/error.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/local_steps.hpp"
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
  const TileQueue& on = session.queue();
  return std::visit(
      [&]<class V>(const std::vector<V>& amounts) {
        const OnQueue<V> amount(on, amounts);
        const OnQueue<std::uint8_t> states(on, session.states());
        FromQueue<std::uint8_t> stream(on, Index(amounts.size()));
        par::dispatch(on, [&](const auto& exec) {
          steps::mark_streams(exec, amount.view(), states.view(), std::uint8_t(CellState::nodata),
                              threshold, stream.view());
        });
        return stream.take();
      },
      session.accumulation());
}

std::vector<StreamCell> list_stream(Session& session, std::span<const std::uint8_t> stream) {
  const FlowTree& tree = session.tree();
  std::vector<StreamCell> cells;
  for (Index i = 0; i < tree.cells(); ++i) {
    if (stream[std::size_t(i)] == 0) continue;
    cells.push_back({i, tree.is_root(i) ? -1 : tree.receiver(i), tree.step_length(i),
                     accumulated(session.accumulation(), i),
                     session.has_heights() ? domain::value_at(session.dem().cells, i) : 0});
  }
  return cells;
}

namespace {

// The position of each cell's receiver, -1 where it has none among the cells.
std::vector<std::int32_t> receivers_among(std::span<const StreamCell> cells) {
  std::vector<std::int32_t> receiver;
  for (const StreamCell& c : cells) {
    const auto at =
        std::lower_bound(cells.begin(), cells.end(), c.receiver,
                         [](const StreamCell& o, Index wanted) { return o.cell < wanted; });
    receiver.push_back(
        at != cells.end() && at->cell == c.receiver ? std::int32_t(at - cells.begin()) : -1);
  }
  return receiver;
}

// Sets Strahler's and Shreve's order of each link from those that flow into it.
void order_links(std::vector<StreamLink>& links) {
  struct Meeting {
    Index links = 0;  // to come
    std::int32_t highest = 0, sources = 0;
    bool twice = false;
  };
  std::vector<Meeting> meet(links.size());
  for (const StreamLink& link : links)
    if (link.next >= 0) ++meet[std::size_t(link.next)].links;
  for (std::size_t i = 0; i < links.size(); ++i)
    for (auto at = Index(i); at >= 0 && meet[std::size_t(at)].links == 0;) {
      Meeting& here = meet[std::size_t(at)];
      StreamLink& link = links[std::size_t(at)];
      here.links = -1;  // done
      link.strahler = std::max(1, here.highest + (here.twice ? 1 : 0));
      link.shreve = std::max(1, here.sources);
      at = link.next;
      if (at < 0) break;
      Meeting& below = meet[std::size_t(at)];
      below.sources += link.shreve;
      below.twice =
          link.strahler == below.highest || (link.strahler < below.highest && below.twice);
      below.highest = std::max(below.highest, link.strahler);
      --below.links;
    }
}

}  // namespace

std::vector<StreamLink> stream_links(std::span<const StreamCell> cells) {
  const std::vector<std::int32_t> receiver = receivers_among(cells);
  std::vector<std::uint8_t> donors(cells.size(), 0);
  for (const std::int32_t r : receiver)
    if (r >= 0) ++donors[std::size_t(r)];
  const auto goes_on = [&](std::int32_t c) { return receiver[std::size_t(c)] >= 0; };
  std::vector<StreamLink> links;
  std::vector<Index> begins(cells.size(), -1);  // link by its first cell
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (donors[i] == 1 || !goes_on(std::int32_t(i))) continue;
    StreamLink link;
    auto c = std::int32_t(i);
    link.cells.push_back(c);
    do {
      link.length += cells[std::size_t(c)].length;
      c = receiver[std::size_t(c)];
      link.cells.push_back(c);
    } while (donors[std::size_t(c)] == 1 && goes_on(c));
    begins[i] = Index(links.size());
    links.push_back(std::move(link));
  }
  for (StreamLink& link : links) link.next = begins[std::size_t(link.cells.back())];
  order_links(links);
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
  std::vector<io::VectorLine> lines;
  for (const StreamLink& link : stream_links(cells)) {
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
  write_network(file, session.info(), list_stream(session, stream), session.has_heights());
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
  std::vector<std::int32_t> labels(std::size_t(tree.cells()), 0);
  for (std::size_t k = 0; k < points.size(); ++k)
    labels[std::size_t(points[k].cell)] = std::int32_t(k) + 1;
  return first_label_downstream(tree, std::move(labels), 0);
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/product_lakes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {
namespace {

// Labels the lake around `seed` and measures it; `water(i)` is the depth of water over cell i.
template <class Depth>
Lake flood_lake(const Session& session, const domain::Cells& surface, const Depth& water,
                const LakeScale& scale, Index seed, std::int32_t id,
                std::vector<std::int32_t>& labels) {
  Lake lake;
  lake.first = seed;
  lake.level = domain::value_at(surface, seed);
  std::vector<Index> open = {seed};
  labels[std::size_t(seed)] = id;
  std::vector<Index> members;
  while (!open.empty()) {
    const Index c = open.back();
    open.pop_back();
    members.push_back(c);
    for (int k = 0; k < kNeighbours; k += session.grid().step()) {
      const Index n = session.grid().neighbour(c, k);
      if (n < 0 || labels[std::size_t(n)] != 0 || !is_data(session.states()[std::size_t(n)]) ||
          water(n) <= 0)
        continue;
      labels[std::size_t(n)] = id;
      open.push_back(n);
    }
  }
  lake.cells = Index(members.size());
  OrderlessSum sum_area(scale.area), sum_volume(scale.volume());
  for (const Index c : members) {
    const double area = session.metric().area[std::size_t(c / session.grid().cols)];
    lake.depth = std::max(lake.depth, water(c));
    sum_area.add(area);
    sum_volume.add(area * water(c));
  }
  lake.area = sum_area.value();
  lake.volume = sum_volume.value();
  return lake;
}

}  // namespace

Lakes find_lakes(Session& session) {
  require(session.options().mode == RouteMode::carve, "lakes are drained by carving");
  const domain::Cells& surface = session.filled().cells;
  const domain::Cells& ground = session.dem().cells;
  const auto water = [&](Index i) {
    return domain::value_at(surface, i) - domain::value_at(ground, i);
  };
  LakeScale scale;
  for (const double area : session.metric().area) scale.area = std::max(scale.area, area);
  for (Index i = 0; i < session.info().size(); ++i)
    if (is_data(session.states()[std::size_t(i)])) scale.depth = std::max(scale.depth, water(i));
  Lakes found;
  found.id.assign(session.states().size(), 0);
  for (Index i = 0; i < session.info().size(); ++i)
    if (is_data(session.states()[std::size_t(i)]) && found.id[std::size_t(i)] == 0 && water(i) > 0)
      found.lakes.push_back(flood_lake(session, surface, water, scale, i,
                                       std::int32_t(found.lakes.size()) + 1, found.id));
  // The one way out of each lake.
  std::vector<Index> spill(found.lakes.size(), -1);
  const FlowTree& tree = session.tree();
  for (Index i = 0; i < session.info().size(); ++i) {
    const std::int32_t id = found.id[std::size_t(i)];
    if (id == 0) continue;
    const Index r = tree.receiver(i);
    Index& best = spill[std::size_t(id - 1)];
    if (found.id[std::size_t(r)] != id && (best < 0 || r < best)) best = r;
  }
  for (std::size_t k = 0; k < spill.size(); ++k) found.lakes[k].spill = spill[k];
  return found;
}

std::string lake_table_csv(const Lakes& lakes, const domain::RasterInfo& info) {
  std::string csv =
      "id,cells,row,col,x,y,spill_row,spill_col,spill_x,spill_y,level,max_depth,mean_depth,area,"
      "volume\n";
  for (std::size_t k = 0; k < lakes.lakes.size(); ++k) {
    const Lake& lake = lakes.lakes[k];
    const auto place = [&](Index cell) {
      const Index row = cell / info.cols;
      const Index col = cell % info.cols;
      return fmt::format("{},{},{},{}", row, col, domain::x_of(info.frame, double(col)),
                         domain::y_of(info.frame, double(row)));
    };
    csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", k + 1, lake.cells, place(lake.first),
                       place(lake.spill), lake.level, lake.depth, lake.volume / lake.area,
                       lake.area, lake.volume);
  }
  return csv;
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/product_lakes.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/host_copies.hpp"
#include "terrawave/solvers/terrain/product_sums.hpp"

namespace terrawave::terrain {
namespace {

// Takes over what the lakes were found to hold.
void set_sums(const std::vector<steps::LakeSums>& sums, const steps::LakeTerms& largest,
              std::vector<Lake>& lakes) {
  for (std::size_t k = 0; k < lakes.size(); ++k) {
    lakes[k].cells = sums[k].cells;
    lakes[k].depth = std::bit_cast<double>(sums[k].depth);
    lakes[k].area = OrderlessSum(largest.area, sums[k].area).value();
    lakes[k].volume = OrderlessSum(largest.volume, sums[k].volume).value();
  }
}

}  // namespace

steps::LakeTerms lake_terms(std::span<const double> row_area, double deepest) {
  double area = 0;
  for (const double a : row_area) area = std::max(area, a);
  return {area, area * deepest};
}

template <class T>
Lakes find_lakes(const TileQueue& on, const Grid& grid, const LakeInput<T>& input) {
  const OnQueue<T> ground(on, input.ground), surface(on, input.surface);
  const OnQueue<std::uint8_t> state(on, input.state);
  const OnQueue<Direction> direction(on, input.direction);
  const OnQueue<double> row_area(on, input.row_area);
  FromQueue<std::int32_t> id(on, grid.cells());
  const Index piece = steps::lake_piece(on.kernels(), grid.rows, grid.cols);
  const GridView view = view_of(grid, {});
  const steps::WaterView<T> water = {view, ground.view(), surface.view(), state.view(),
                                     0,    grid.cols,     piece};
  Lakes found;
  std::vector<std::int32_t> exits;
  par::dispatch(on, [&](const auto& exec) {
    const steps::LakeList list = steps::label_lakes(exec, water, id.view());
    found.lakes.resize(list.first.size());
    for (std::size_t k = 0; k < list.first.size(); ++k) {
      found.lakes[k].first = list.first[k];
      found.lakes[k].level = double(input.surface[std::size_t(list.first[k])]);
    }
    const steps::LakeTerms largest = lake_terms(input.row_area, list.deepest);
    set_sums(steps::measure_lakes(exec, water, par::View<const std::int32_t>(id.view()),
                                  Index(found.lakes.size()), row_area.view(), largest),
             largest, found.lakes);
    exits =
        steps::lake_exits(exec, steps::LakeExits<std::int32_t>{view, 0, grid.rows, grid.cols,
                                                               id.view(), direction.view(), piece});
  });
  found.id = id.take();
  for (const std::int32_t exit : exits) {
    Index& spill = found.lakes[std::size_t(found.id[std::size_t(exit)] - 1)].spill;
    const Index to = grid.neighbour(exit, input.direction[std::size_t(exit)]);
    if (spill < 0 || to < spill) spill = to;
  }
  return found;
}

#define TERRAWAVE_FOR(T) \
  template Lakes find_lakes<T>(const TileQueue&, const Grid&, const LakeInput<T>&);
TERRAWAVE_FOR(std::uint8_t)
TERRAWAVE_FOR(std::int16_t)
TERRAWAVE_FOR(std::uint16_t)
TERRAWAVE_FOR(std::int32_t)
TERRAWAVE_FOR(float)
TERRAWAVE_FOR(double)
#undef TERRAWAVE_FOR

Lakes find_lakes(Session& session) {
  require(session.options().mode == RouteMode::carve, "lakes are drained by carving");
  const Heights filled = heights_of(session.filled());
  const std::vector<Direction>& direction = session.directions();
  return std::visit(
      [&]<class T>(std::span<const T> surface) {
        const auto ground = std::get<std::span<const T>>(session.heights());
        return find_lakes<T>(session.queue(), session.grid(),
                             {ground, surface, session.states(), direction, session.metric().area});
      },
      filled);
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

#include "terrawave/solvers/terrain/portable_routing.hpp"

#include <algorithm>

#include "terrawave/solvers/terrain/basins_steps.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"
#include "terrawave/solvers/terrain/receivers_steps.hpp"

namespace terrawave::terrain::portable {
namespace {

using par::Buffer;
using par::View;

// A grid on the queue's device.
class OnDevice {
 public:
  OnDevice(const par::Queue& queue, const Grid& grid)
      : inverse_(queue, inverse_distances(grid)), view_(view_of(grid, inverse_.cview())) {}
  const GridView& view() const { return view_; }

 private:
  Buffer<double> inverse_;
  GridView view_;
};

}  // namespace

template <class T>
void steepest_receivers(const par::Queue& queue, const Grid& grid, View<const T> z,
                        View<const std::uint8_t> state, FlatRule flats, View<Direction> direction) {
  const OnDevice on(queue, grid);
  par::dispatch(queue, [&](const auto& exec) {
    steps::steepest_receivers(exec, on.view(), z, state, flats, direction);
  });
  queue.synchronize();
}

template <class T>
Index resolve_flats(const par::Queue& queue, const Grid& grid, View<const T> z,
                    View<const std::uint8_t> state, View<Direction> direction) {
  const OnDevice on(queue, grid);
  return par::dispatch(queue, [&](const auto& exec) {
    return steps::resolve_flats(exec, on.view(), z, state, direction);
  });
}

template <class T>
void drain_by_index(const par::Queue& queue, const Grid& grid, View<const T> z,
                    View<const std::uint8_t> state, View<Direction> direction) {
  const OnDevice on(queue, grid);
  par::dispatch(queue, [&](const auto& exec) {
    steps::drain_by_index(exec, on.view(), z, state, direction);
  });
  queue.synchronize();
}

template <class T>
RouteStats fill(const par::Queue& queue, const Grid& grid, View<const T> z,
                View<const std::uint8_t> state, View<T> filled) {
  const OnDevice on(queue, grid);
  Buffer<Direction> direction(queue, grid.cells());
  return par::dispatch(queue, [&](const auto& exec) {
    steps::steepest_receivers(exec, on.view(), z, state, FlatRule::by_index, direction.view());
    steps::BasinForest forest = steps::span_basins(exec, on.view(), z, state, direction.cview());
    steps::raise(exec, on.view(), forest, z, filled);
    queue.synchronize();
    forest.stats.bytes += double(direction.bytes());
    return forest.stats;
  });
}

template <class T>
RouteStats leave_depressions(const par::Queue& queue, const Grid& grid, View<const T> z,
                             View<const std::uint8_t> state, bool jump, Receivers& receivers) {
  const OnDevice on(queue, grid);
  return par::dispatch(queue, [&](const auto& exec) {
    steps::BasinForest forest =
        steps::span_basins(exec, on.view(), z, state, receivers.direction.cview());
    if (jump)
      receivers.jumps = steps::jumps(exec, on.view(), forest);
    else
      steps::carve(exec, on.view(), forest, receivers.direction.view());
    queue.synchronize();
    return forest.stats;
  });
}

template <class V>
Index accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 View<const V> weights, View<V> out, Combine combine) {
  const OnDevice on(queue, grid);
  std::vector<Link> sorted = receivers.jumps;
  std::sort(sorted.begin(), sorted.end(), [](const Link& a, const Link& b) {
    return a.target != b.target ? a.target < b.target : a.root < b.root;
  });
  const Buffer<Link> by_root(queue, receivers.jumps), by_target(queue, sorted);
  return par::dispatch(queue, [&](const auto& exec) {
    return steps::peel(exec, on.view(), receivers.direction.cview(), by_root.cview(),
                       by_target.cview(), weights, out, combine);
  });
}

bool label_roots(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 View<std::int32_t> labels) {
  const OnDevice on(queue, grid);
  const Buffer<Link> jumps(queue, receivers.jumps);
  return par::dispatch(queue, [&](const auto& exec) {
    return steps::label_roots(exec, on.view(), receivers.direction.cview(), jumps.cview(), labels);
  });
}

Index count_roots(const par::Queue& queue, View<const Direction> direction,
                  View<const std::uint8_t> state) {
  return par::dispatch(queue,
                       [&](const auto& exec) { return steps::count_pits(exec, direction, state); });
}

Index count_data(const par::Queue& queue, View<const Direction> direction) {
  return par::dispatch(queue, [&](const auto& exec) { return steps::count_data(exec, direction); });
}

template Index accumulate(const par::Queue&, const Grid&, const Receivers&,
                          View<const std::int64_t>, View<std::int64_t>, Combine);
template Index accumulate(const par::Queue&, const Grid&, const Receivers&, View<const double>,
                          View<double>, Combine);
template void steepest_receivers(const par::Queue&, const Grid&, View<const std::uint8_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, View<const std::int16_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, View<const std::uint16_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, View<const std::int32_t>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, View<const float>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template void steepest_receivers(const par::Queue&, const Grid&, View<const double>,
                                 View<const std::uint8_t>, FlatRule, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const std::uint8_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const std::int16_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const std::uint16_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const std::int32_t>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const float>,
                             View<const std::uint8_t>, View<Direction>);
template Index resolve_flats(const par::Queue&, const Grid&, View<const double>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const std::uint8_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const std::int16_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const std::uint16_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const std::int32_t>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const float>,
                             View<const std::uint8_t>, View<Direction>);
template void drain_by_index(const par::Queue&, const Grid&, View<const double>,
                             View<const std::uint8_t>, View<Direction>);
template RouteStats fill(const par::Queue&, const Grid&, View<const std::uint8_t>,
                         View<const std::uint8_t>, View<std::uint8_t>);
template RouteStats fill(const par::Queue&, const Grid&, View<const std::int16_t>,
                         View<const std::uint8_t>, View<std::int16_t>);
template RouteStats fill(const par::Queue&, const Grid&, View<const std::uint16_t>,
                         View<const std::uint8_t>, View<std::uint16_t>);
template RouteStats fill(const par::Queue&, const Grid&, View<const std::int32_t>,
                         View<const std::uint8_t>, View<std::int32_t>);
template RouteStats fill(const par::Queue&, const Grid&, View<const float>,
                         View<const std::uint8_t>, View<float>);
template RouteStats fill(const par::Queue&, const Grid&, View<const double>,
                         View<const std::uint8_t>, View<double>);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const std::uint8_t>,
                                      View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const std::int16_t>,
                                      View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const std::uint16_t>,
                                      View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const std::int32_t>,
                                      View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const float>,
                                      View<const std::uint8_t>, bool, Receivers&);
template RouteStats leave_depressions(const par::Queue&, const Grid&, View<const double>,
                                      View<const std::uint8_t>, bool, Receivers&);

}  // namespace terrawave::terrain::portable

#include "terrawave/solvers/terrain/product_verify.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"

namespace terrawave::terrain {
namespace {

// The first cell, if any, where `bad` is true.
template <class Bad>
Check every_cell(const Session& session, const std::string& name, const std::string& good,
                 const Bad& bad) {
  for (Index i = 0; i < session.info().size(); ++i)
    if (is_data(session.states()[std::size_t(i)]) && bad(i))
      return {name, false,
              fmt::format("not in row {}, column {}", i / session.info().cols,
                          i % session.info().cols)};
  return {name, true, good};
}

bool base(const Session& session, Index i) { return is_base(session.states()[std::size_t(i)]); }

void check_fill(Session& session, const std::vector<std::int32_t>& root,
                std::vector<Check>& checks) {
  const domain::Cells& w = session.filled().cells;
  const domain::Cells& z = session.dem().cells;
  const auto level = [&](Index i) { return domain::value_at(w, i); };
  const auto ground = [&](Index i) { return domain::value_at(z, i); };
  checks.push_back(every_cell(session, "fill: never below the ground", "all cells",
                              [&](Index i) { return level(i) < ground(i); }));
  checks.push_back(every_cell(session, "fill: outlets and kept sinks keep their height",
                              "all of them",
                              [&](Index i) { return base(session, i) && level(i) != ground(i); }));
  const auto drained = [&](Index i) { return base(session, root[std::size_t(i)]); };
  checks.push_back(every_cell(session, "fill: not above the ground and the lowest neighbour",
                              "all drained cells", [&](Index i) {
                                if (base(session, i) || !drained(i)) return false;
                                double lowest = INFINITY;
                                for (int k = 0; k < kNeighbours; k += session.grid().step()) {
                                  const Index n = session.grid().neighbour(i, k);
                                  if (n >= 0 && is_data(session.states()[std::size_t(n)]))
                                    lowest = std::min(lowest, level(n));
                                }
                                return level(i) != std::max(ground(i), lowest);
                              }));
  if (session.options().mode == RouteMode::jump) return;  // jumps cross passes without a path
  const FlowTree& tree = session.tree();
  // Then every path from a root up climbs with the surface.
  const auto climbs = [&](Index i) {
    return tree.is_root(i) ? ground(i) : std::max(ground(i), level(tree.receiver(i)));
  };
  checks.push_back(every_cell(
      session, "routing: each path climbs to the filled surface and no higher", "all drained cells",
      [&](Index i) { return drained(i) && climbs(i) != level(i); }));
}

void check_single(Session& session, std::vector<Check>& checks) {
  const FlowTree& tree = session.tree();
  const std::vector<std::int32_t> root = session.basins();
  checks.push_back(
      every_cell(session, "basins: the label of the receiver", "all cells", [&](Index i) {
        return root[std::size_t(i)] != root[std::size_t(tree.receiver(i))] ||
               !tree.is_root(root[std::size_t(i)]);
      }));
  if (session.has_heights() && session.options().depressions) {
    Index pits = 0;
    for (Index i = 0; i < tree.cells(); ++i) pits += tree.is_root(i) && !base(session, i) ? 1 : 0;
    const Index undrained = session.route_stats().undrained;
    checks.push_back({"routing: every cell reaches an outlet or a kept sink", pits == undrained,
                      fmt::format("{} pits left, {} regions without an outlet", pits, undrained)});
    check_fill(session, root, checks);
  }
  if (session.options().combine != Combine::sum || session.options().weights != "unit") return;
  const auto& count = std::get<std::vector<std::int64_t>>(session.accumulation());
  std::int64_t sum = 0;
  for (Index i = 0; i < tree.cells(); ++i)
    if (tree.is_data(i) && tree.is_root(i)) sum += count[std::size_t(i)];
  checks.push_back({"accumulation: the roots add up to all cells", sum == session.valid(),
                    fmt::format("{} of {}", sum, session.valid())});
  checks.push_back(every_cell(session, "accumulation: at least 1, growing downstream", "all cells",
                              [&](Index i) {
                                const Index r = tree.receiver(i);
                                return count[std::size_t(i)] < 1 ||
                                       (r != i && count[std::size_t(r)] <= count[std::size_t(i)]);
                              }));
}

void check_multiple(Session& session, std::vector<Check>& checks) {
  const std::vector<double> share = session.fractions();
  const Index n = session.info().size();
  const auto given = [&](Index i) {
    double sum = 0;
    for (int k = 0; k < kNeighbours; ++k) sum += share[std::size_t(k * n + i)];
    return sum;
  };
  checks.push_back(
      every_cell(session, "multiple flow: shares add up to 1 or 0", "all cells", [&](Index i) {
        const double sum = given(i);
        return sum != 0 && std::abs(sum - 1) > 8 * 0x1p-53;
      }));
  if (session.options().weights != "unit") return;
  const auto& all = std::get<std::vector<double>>(session.accumulation());
  const auto arrives = [&](Index i) {
    return is_data(session.states()[std::size_t(i)]) && given(i) == 0 ? all[std::size_t(i)] : 0;
  };
  double largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, arrives(i));
  const double sum = orderless_sum(n, largest, arrives);
  const double drift = std::abs(sum - double(session.valid())) / double(session.valid());
  checks.push_back({"multiple flow: the roots receive all weight", drift <= 1e-12,
                    fmt::format("{} of {}", sum, session.valid())});
}

}  // namespace

std::vector<Check> verify(Session& session) {
  std::vector<Check> checks;
  if (session.valid() == 0) return {{"cells", true, "the raster holds no data"}};
  if (session.options().single_receiver())
    check_single(session, checks);
  else
    check_multiple(session, checks);
  return checks;
}

}  // namespace terrawave::terrain

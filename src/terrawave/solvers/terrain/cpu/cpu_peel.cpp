#include "terrawave/solvers/terrain/cpu/cpu_peel.hpp"

#include <algorithm>
#include <type_traits>

#include "terrawave/solvers/terrain/cpu/peel_walks.hpp"

namespace terrawave::terrain::cpu {
namespace {

template <class V>
struct Combined {
  static constexpr bool kAnyOrder = std::is_integral_v<V>;  // exact
  static constexpr V kNothing = 0;
  const V* weights;  // nullptr: 1 for each cell
  Combine combine;
  V own(Index c) const { return weights == nullptr ? V(1) : weights[c]; }
  V join(V value, V theirs, Index) const {
    return combine == Combine::sum
               ? value + theirs
               : (combine == Combine::max ? std::max(value, theirs) : std::min(value, theirs));
  }
};

}  // namespace

template <class V>
Index accumulate(const par::Queue& queue, const Grid& grid, const Receivers& receivers,
                 par::View<const V> weights, par::View<V> out, Combine combine) {
  const Combined<V> rule{weights.size > 0 ? weights.data : nullptr, combine};
  return peel(queue, grid, receivers.direction.view().data, receivers.jumps, rule, out.data);
}

template Index accumulate(const par::Queue&, const Grid&, const Receivers&,
                          par::View<const std::int64_t>, par::View<std::int64_t>, Combine);
template Index accumulate(const par::Queue&, const Grid&, const Receivers&, par::View<const double>,
                          par::View<double>, Combine);

}  // namespace terrawave::terrain::cpu

// Blocks of cells for the host: each block evaluates every edge of its cells once, in cache, and
// leaves the cells' rates. Edges between two blocks are evaluated by both, with the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/par/range.hpp"
#include "terrawave/par/view.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"
#include "terrawave/solvers/swe/swe_steps.hpp"

namespace terrawave::swe {

// Cells of a block stand in slots: its own in their order, then the neighbours that others own,
// then one that belongs to nobody. Sizes keep a block's data in the second-level cache.
struct BlockLimits {
  static constexpr LocalIndex slots = 3072;  // own cells and neighbours of one block
  static constexpr LocalIndex group = 32;    // edges that are evaluated together
  // What stands on the right of a boundary edge instead of a slot.
  static constexpr std::uint16_t wall = 0xffff, outflow = 0xfffe;
};

template <class Real>
struct BlockView {
  par::View<const LocalIndex> cell_begin;  // [blocks + 1]
  par::View<const LocalIndex> near_begin;  // [blocks + 1] into `near`
  par::View<const LocalIndex> near;        // local cells
  par::View<const Index> group_begin;      // [blocks + 1] into the edge arrays, in groups
  // [groups * BlockLimits::group] Edges by increasing global id; each block's last group is filled
  // up with edges of the slot that belongs to nobody.
  par::View<const std::uint16_t> left, right;
  par::View<const Real> nx, ny, length;
  par::View<const Real> per_area;  // [owned] 1/m^2
};

// The blocks of one rank: [0, inner) need no ghost, [inner, all) do.
template <class Real>
class BlockPlan {
 public:
  BlockPlan() = default;
  BlockPlan(int threads, const domain::LocalTriMesh& mesh, const std::vector<BoundaryKind>& kinds,
            par::View<const Real> per_area);
  Index blocks() const { return blocks_; }
  Index inner() const { return inner_; }
  BlockView<Real> view() const {
    return {of(cell_begin_), of(near_begin_), of(near_), of(group_begin_), of(left_),
            of(right_),      of(nx_),         of(ny_),   of(length_),      per_area_};
  }

 private:
  template <class T>
  static par::View<const T> of(const std::vector<T>& v) {
    return {v.data(), Index(v.size())};
  }

  Index blocks_ = 0, inner_ = 0;
  std::vector<LocalIndex> cell_begin_, near_begin_, near_;
  std::vector<Index> group_begin_;
  std::vector<std::uint16_t> left_, right_;
  std::vector<Real> nx_, ny_, length_;
  par::View<const Real> per_area_;
};

// Rates of the cells of blocks `range`; rates.crossing holds one number per block, the greatest of
// its cells.
template <class Real>
void evaluate_blocks(const par::HostExec& exec, const Physics<Real>& physics,
                     const BlockView<Real>& blocks, const StateView<Real>& state,
                     const RateView<Real>& rates, par::Range1 range);

}  // namespace terrawave::swe

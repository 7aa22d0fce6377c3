// Along the trees of single-receiver flow on host threads; the same as steps of tree_steps.hpp.
#pragma once

#include "terrawave/solvers/terrain/tree_steps.hpp"

namespace terrawave::terrain::cpu {

// They read host memory and leave tree.donors and tree.path alone. Labels are not the least
// int32_t.
void way_down(const par::Queue& queue, const Grid& grid, const steps::TreeView& tree,
              par::View<double> out);
void carry_up(const par::Queue& queue, const Grid& grid, const steps::TreeView& tree,
              std::int32_t none, par::View<std::int32_t> labels);
// `jumps`: the tree's, by root.
void longest_way(const par::Queue& queue, const Grid& grid, const std::vector<Link>& jumps,
                 const steps::TreeView& tree, par::View<double> out);

}  // namespace terrawave::terrain::cpu

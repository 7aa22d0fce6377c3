#include "terrawave/solvers/fdtd/fdtd_ghosts_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::fdtd {
namespace {

template <class Real, bool kPack>
struct Move {
  PackedBox<Real> box;
  Real* message;
  TW_FUNCTION void operator()(Index i, Index j, Index k) const {
    const Index at[3] = {i + box.low[0], j + box.low[1], k + box.low[2]};
    if (box.axis >= 0 && !box.slab.holds(at[box.axis])) return;
    const Index n = box.axis < 0 ? box.layout.at(at[0], at[1], at[2])
                                 : psi_at(box.layout, box.slab, box.axis, at[0], at[1], at[2]);
    const Index m = i + box.size[0] * (j + box.size[1] * k);
    const Index stride = box.size[0] * box.size[1] * box.size[2];
    for (int a = 0; a < box.arrays; ++a) {
      if constexpr (kPack)
        message[m + a * stride] = box.array[a][n];
      else
        box.array[a][n] = message[m + a * stride];
    }
  }
};

}  // namespace

template <class Exec, class Real>
void pack_box(const Exec& exec, const PackedBox<Real>& box, par::View<Real> message) {
  par::for_each(exec, par::Range3{box.size[0], box.size[1], box.size[2]},
                Move<Real, true>{box, message.data});
}

template <class Exec, class Real>
void unpack_box(const Exec& exec, const PackedBox<Real>& box, par::View<const Real> message) {
  par::for_each(exec, par::Range3{box.size[0], box.size[1], box.size[2]},
                Move<Real, false>{box, const_cast<Real*>(message.data)});
}

template void pack_box(const par::Exec&, const PackedBox<float>&, par::View<float>);
template void pack_box(const par::Exec&, const PackedBox<double>&, par::View<double>);
template void unpack_box(const par::Exec&, const PackedBox<float>&, par::View<const float>);
template void unpack_box(const par::Exec&, const PackedBox<double>&, par::View<const double>);

}  // namespace terrawave::fdtd

#include "terrawave/solvers/fdtd/dft_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::fdtd {
namespace {

template <class Real>
struct AddToSums {
  DftBox<Real> b;
  TW_FUNCTION void operator()(Index i, Index j, Index planes) const {
    const Index k = planes % b.size[2], f = planes / b.size[2];
    const double value =
        static_cast<double>(b.field[b.layout.at(i + b.low[0], j + b.low[1], k + b.low[2])]);
    double* sum = b.sums + 2 * (i + b.size[0] * (j + b.size[1] * planes));
    sum[0] += value * b.phases[2 * f];
    sum[1] += value * b.phases[2 * f + 1];
  }
};

}  // namespace

template <class Exec, class Real>
void add_to_sums(const Exec& exec, const DftBox<Real>& box, Index frequencies) {
  par::for_each(exec, par::Range3{box.size[0], box.size[1], box.size[2] * frequencies},
                AddToSums<Real>{box});
}

template void add_to_sums(const par::Exec&, const DftBox<float>&, Index);
template void add_to_sums(const par::Exec&, const DftBox<double>&, Index);

}  // namespace terrawave::fdtd

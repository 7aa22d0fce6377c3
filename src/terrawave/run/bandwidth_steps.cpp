#include "terrawave/run/bandwidth_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::run {
namespace {

struct Triad {
  par::View<double> a;
  par::View<const double> b, c;
  double s;
  TW_FUNCTION void operator()(Index i) const { a[i] = b[i] + s * c[i]; }
};

}  // namespace

template <class Exec>
void triad(const Exec& exec, par::View<double> a, par::View<const double> b,
           par::View<const double> c, double s) {
  par::for_each_simd(exec, par::Range1{0, a.size}, Triad{a, b, c, s});
}

template void triad(const par::Exec&, par::View<double>, par::View<const double>,
                    par::View<const double>, double);

}  // namespace terrawave::run

#include "terrawave/solvers/fdtd/slides_steps.hpp"

#include "terrawave/par/launch.hpp"
#include "terrawave/solvers/fdtd/fdtd_cells.hpp"

namespace terrawave::fdtd {
namespace {

template <class Real>
TW_FUNCTION Real next(const SlidesGrid<Real>& g, int c, Index n, Real d1, Real d2) {
  return fused(g.k[3 * c + 2][n], d2, fused(g.k[3 * c + 1][n], d1, g.k[3 * c][n] * g.f[c][n]));
}

// H of one cell; ex_up and ey_up are Ex, Ey one cell up.
template <class Real>
TW_FUNCTION void slides_h(const SlidesGrid<Real>& g, Index n, Real ex, Real ey, Real ex_up,
                          Real ey_up) {
  const Index row = g.layout.row;
  const Real ez = g.f[2][n];
  const Real ez_dx = g.f[2][n + 1] - ez, ez_dy = g.f[2][n + row] - ez;
  const Real ey_dx = g.f[1][n + 1] - ey, ex_dy = g.f[0][n + row] - ex;
  const Real hx = next(g, 3, n, ey_up - ey, ez_dy);
  const Real hy = next(g, 4, n, ez_dx, ex_up - ex);
  const Real hz = next(g, 5, n, ex_dy, ey_dx);
  g.f[3][n] = hx;
  g.f[4][n] = hy;
  g.f[5][n] = hz;
}

// E of one cell; hx_down and hy_down are Hx, Hy one cell down.
template <class Real>
TW_FUNCTION void slides_e(const SlidesGrid<Real>& g, Index n, Real hx, Real hy, Real hx_down,
                          Real hy_down) {
  const Index row = g.layout.row;
  const Real hz = g.f[5][n];
  const Real hz_dx = hz - g.f[5][n - 1], hz_dy = hz - g.f[5][n - row];
  const Real hy_dx = hy - g.f[4][n - 1], hx_dy = hx - g.f[3][n - row];
  const Real ex = next(g, 0, n, hz_dy, hy - hy_down);
  const Real ey = next(g, 1, n, hx - hx_down, hz_dx);
  const Real ez = next(g, 2, n, hy_dx, hx_dy);
  g.f[0][n] = ex;
  g.f[1][n] = ey;
  g.f[2][n] = ez;
}

template <class Real, bool kElectric>
struct SlidesCell {
  SlidesGrid<Real> g;
  TW_FUNCTION void operator()(Index i, Index j, Index k) const {
    const Layout& l = g.layout;
    const Index n = l.at(i + l.update_low[0], j + l.update_low[1], k + l.update_low[2]);
    if constexpr (kElectric)
      slides_e(g, n, g.f[3][n], g.f[4][n], g.f[3][n - l.plane], g.f[4][n - l.plane]);
    else
      slides_h(g, n, g.f[0][n], g.f[1][n], g.f[0][n + l.plane], g.f[1][n + l.plane]);
  }
};

template <class Real, bool kElectric>
struct SlidesColumn {
  SlidesGrid<Real> g;
  TW_FUNCTION void operator()(Index i, Index j) const {
    const Layout& l = g.layout;
    Index n = l.at(i + l.update_low[0], j + l.update_low[1], l.update_low[2]);
    if constexpr (kElectric) {
      Real hx_down = g.f[3][n - l.plane], hy_down = g.f[4][n - l.plane];
      for (Index k = l.update_low[2]; k < l.update_high[2]; ++k, n += l.plane) {
        const Real hx = g.f[3][n], hy = g.f[4][n];
        slides_e(g, n, hx, hy, hx_down, hy_down);
        hx_down = hx;
        hy_down = hy;
      }
    } else {
      Real ex = g.f[0][n], ey = g.f[1][n];
      for (Index k = l.update_low[2]; k < l.update_high[2]; ++k, n += l.plane) {
        const Real ex_up = g.f[0][n + l.plane], ey_up = g.f[1][n + l.plane];
        slides_h(g, n, ex, ey, ex_up, ey_up);
        ex = ex_up;
        ey = ey_up;
      }
    }
  }
};

}  // namespace

template <class Exec, class Real>
void slides_step(const Exec& exec, const SlidesGrid<Real>& grid, SlidesMapping mapping) {
  const Layout& l = grid.layout;
  const Index nx = l.update_high[0] - l.update_low[0], ny = l.update_high[1] - l.update_low[1],
              nz = l.update_high[2] - l.update_low[2];
  if (mapping == SlidesMapping::xyz) {
    par::for_each(exec, par::Range3{nx, ny, nz}, SlidesCell<Real, false>{grid});
    par::for_each(exec, par::Range3{nx, ny, nz}, SlidesCell<Real, true>{grid});
  } else {
    par::for_each(exec, par::Range2{nx, ny}, SlidesColumn<Real, false>{grid});
    par::for_each(exec, par::Range2{nx, ny}, SlidesColumn<Real, true>{grid});
  }
}

template void slides_step(const par::Exec&, const SlidesGrid<float>&, SlidesMapping);
template void slides_step(const par::Exec&, const SlidesGrid<double>&, SlidesMapping);

}  // namespace terrawave::fdtd

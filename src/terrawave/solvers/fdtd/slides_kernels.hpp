// Coefficients and fields of the slides' kernels for a model, and their benchmark.
#pragma once

#include <functional>
#include <vector>

#include "terrawave/par/buffer.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"
#include "terrawave/solvers/fdtd/slides_steps.hpp"

namespace terrawave::fdtd {

// A model without absorbing layers, periodic axes, events or probes, on one rank.
template <class Real>
class SlidesSolver {
 public:
  SlidesSolver(const par::Queue& queue, const Model& model);
  void set_field(int component, const std::function<double(Index i, Index j, Index k)>& value);
  void step(SlidesMapping mapping);
  // All entries of a component, x fastest, without ghosts and padding.
  std::vector<double> values(int component) const;
  // Bytes that one step moves: old and new fields, the fields of the curls once, coefficients.
  static constexpr double bytes_per_cell = 36.0 * sizeof(Real);

 private:
  par::Queue queue_;
  Model model_;
  Layout layout_{};
  par::Buffer<Real> fields_[6], coefficients_[18];
  SlidesGrid<Real> grid_;
};

}  // namespace terrawave::fdtd

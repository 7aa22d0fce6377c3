#include "terrawave/solvers/fdtd/materials_table.hpp"

#include <cmath>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::fdtd {

Filling edge_mean(const Material* const cells[4], const double areas[4]) {
  // Equal cells give their own values exactly, whatever the areas.
  bool same = true;
  for (int c = 1; c < 4; ++c)
    same = same && cells[c]->eps_r == cells[0]->eps_r && cells[c]->sigma == cells[0]->sigma;
  if (same) return {kEps0 * cells[0]->eps_r, cells[0]->sigma};
  double area = 0, eps = 0, sigma = 0;
  for (int c = 0; c < 4; ++c) {
    area += areas[c];
    eps += areas[c] * cells[c]->eps_r;
    sigma += areas[c] * cells[c]->sigma;
  }
  return {kEps0 * (eps / area), sigma / area};
}

Filling face_mean(const Material* const cells[2], const double lengths[2]) {
  if (cells[0]->mu_r == cells[1]->mu_r && cells[0]->sigma_m == cells[1]->sigma_m)
    return {kMu0 * cells[0]->mu_r, cells[0]->sigma_m};
  const double l = lengths[0] + lengths[1];
  const double mu = l / (lengths[0] / cells[0]->mu_r + lengths[1] / cells[1]->mu_r);
  const bool lossy = cells[0]->sigma_m > 0 && cells[1]->sigma_m > 0;
  const double loss =
      lossy ? l / (lengths[0] / cells[0]->sigma_m + lengths[1] / cells[1]->sigma_m) : 0;
  return {kMu0 * mu, loss};
}

std::uint32_t FillingTable::index(const Filling& f) {
  const auto [at, fresh] = lookup_.try_emplace(f, std::uint32_t(entries_.size()));
  if (fresh) entries_.push_back(f);
  return at->second;
}

std::uint32_t FillingTable::find(const Filling& f) const {
  const auto at = lookup_.find(f);
  require(at != lookup_.end(), "a filling that was never numbered");
  return at->second;
}

}  // namespace terrawave::fdtd

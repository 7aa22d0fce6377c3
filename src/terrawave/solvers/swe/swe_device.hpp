// The arrays of one rank in the memory of its device, and the views that kernels take of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/halo.hpp"
#include "terrawave/domain/tri_mesh.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/swe/swe_solver.hpp"
#include "terrawave/solvers/swe/swe_steps.hpp"

namespace terrawave::swe {

template <class Real>
std::vector<Real> as(const std::vector<double>& v) {
  return std::vector<Real>(v.begin(), v.end());
}

template <class Real>
class DeviceMesh {
 public:
  DeviceMesh(const par::Queue& queue, const domain::LocalTriMesh& mesh,
             const std::vector<BoundaryKind>& kinds)
      : left_(queue, mesh.edge_left),
        right_(queue, encode_right(mesh, kinds)),
        cell_edge_(queue, encode_cell_edges(mesh)),
        nx_(queue, as<Real>(mesh.edge_nx)),
        ny_(queue, as<Real>(mesh.edge_ny)),
        length_(queue, as<Real>(mesh.edge_length)),
        per_area_(queue, inverse_areas(mesh)) {}
  MeshView<Real> view() const {
    return {left_.cview(),      right_.cview(),    nx_.cview(),      ny_.cview(), length_.cview(),
            cell_edge_.cview(), per_area_.cview(), per_area_.size(), left_.size()};
  }

 private:
  static std::vector<LocalIndex> encode_right(const domain::LocalTriMesh& mesh,
                                              const std::vector<BoundaryKind>& kinds) {
    std::vector<LocalIndex> right = mesh.edge_right;
    for (std::size_t e = 0; e < right.size(); ++e) {
      if (right[e] >= 0) continue;
      const BoundaryKind kind = kinds.at(std::size_t(mesh.edge_group[e]));
      right[e] = kind == BoundaryKind::wall ? ~mesh.edge_left[e] : mesh.edge_left[e];
    }
    return right;
  }
  static std::vector<LocalIndex> encode_cell_edges(const domain::LocalTriMesh& mesh) {
    require(Index(mesh.edges()) * 2 < INT32_MAX, "too many edges on one rank");
    const std::size_t n = std::size_t(mesh.part.owned());
    std::vector<LocalIndex> all(3 * n);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        const LocalIndex e = mesh.cell_edges[c][k];
        all[k * n + c] = mesh.cell_sides[c][k] > 0 ? e : ~e;
      }
    return all;
  }
  static std::vector<Real> inverse_areas(const domain::LocalTriMesh& mesh) {
    std::vector<Real> inverse(std::size_t(mesh.part.owned()));
    for (std::size_t c = 0; c < inverse.size(); ++c) inverse[c] = Real(1.0 / mesh.area[c]);
    return inverse;
  }

  par::Buffer<LocalIndex> left_, right_, cell_edge_;
  par::Buffer<Real> nx_, ny_, length_, per_area_;
};

// Seven arrays over all local cells: h1 q1x q1y h2 q2x q2y bottom.
template <class Real>
class DeviceState {
 public:
  DeviceState(const par::Queue& queue, Index total, const CellFields& initial) {
    const std::array<const std::vector<double>*, 7> from{&initial.h1,    &initial.q1x, &initial.q1y,
                                                         &initial.h2,    &initial.q2x, &initial.q2y,
                                                         &initial.bottom};
    for (std::size_t k = 0; k < from.size(); ++k) {
      arrays_[k] = par::Buffer<Real>(queue, total);
      arrays_[k].fill_bytes(0);
      arrays_[k].upload(as<Real>(*from[k]));
    }
  }
  StateView<Real> view() {
    return {arrays_[0].view(), arrays_[1].view(), arrays_[2].view(), arrays_[3].view(),
            arrays_[4].view(), arrays_[5].view(), arrays_[6].cview()};
  }
  par::View<const Real> cview(int k) const { return arrays_[std::size_t(k)].cview(); }
  std::array<comm::FieldSlice, 6> slices() {
    std::array<comm::FieldSlice, 6> all;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = slice(k);
    return all;
  }
  comm::FieldSlice bottom_slice() { return slice(6); }
  std::vector<Real> download(int k, Index owned) const {
    std::vector<Real> v(static_cast<std::size_t>(owned));
    arrays_[std::size_t(k)].download(std::span<Real>(v));
    return v;
  }
  void upload(int k, const std::vector<Real>& v) { arrays_[std::size_t(k)].upload(v); }
  Real at(int k, Index i) const { return arrays_[std::size_t(k)].at(i); }

 private:
  comm::FieldSlice slice(std::size_t k) {
    return {reinterpret_cast<std::byte*>(arrays_[k].view().data), sizeof(Real)};
  }
  std::array<par::Buffer<Real>, 7> arrays_;
};

// What a step keeps between its phases: edges, or rates where cells evaluate their own edges.
template <class Real>
class DeviceWork {
 public:
  DeviceWork(const par::Queue& queue, const MeshView<Real>& mesh, bool per_cell, Index crossings)
      : crossing(queue, crossings), fastest(queue, 1) {
    if (per_cell) {
      for (auto& r : rates_) r = par::Buffer<Real>(queue, mesh.owned);
      return;
    }
    for (std::size_t k = 0; k < edges_.size(); ++k)
      edges_[k] = par::Buffer<Real>(queue, k < 3 ? mesh.edges : 2 * mesh.edges);
    if (queue.backend() == par::Backend::host) {
      fix_ = par::Buffer<std::uint8_t>(queue, mesh.edges);
      list_ = par::Buffer<LocalIndex>(queue, mesh.edges);
    }
  }
  EdgeView<Real> edges() {
    return {edges_[0].view(), edges_[1].view(), edges_[2].view(),
            edges_[3].view(), edges_[4].view(), edges_[5].view(),
            edges_[6].view(), fix_.view(),      list_.view()};
  }
  RateView<Real> rates() {
    return {rates_[0].view(), rates_[1].view(), rates_[2].view(), rates_[3].view(),
            rates_[4].view(), rates_[5].view(), crossing.view()};
  }
  par::Buffer<Real> crossing;  // 1/s, of each cell or block
  par::Buffer<Real> fastest;   // [1] minus their maximum

 private:
  std::array<par::Buffer<Real>, 7> edges_;
  std::array<par::Buffer<Real>, 6> rates_;
  par::Buffer<std::uint8_t> fix_;
  par::Buffer<LocalIndex> list_;
};

}  // namespace terrawave::swe

#include "terrawave/solvers/fdtd/slides_kernels.hpp"

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Real>
SlidesSolver<Real>::SlidesSolver(const par::Queue& queue, const Model& model)
    : queue_(queue), model_(model) {
  check(model);
  for (const Boundary b : model.boundary)
    require(b == Boundary::pec || b == Boundary::pmc, "slides: walls only");
  require(model.events.empty() && model.probes.empty(), "slides: no events");
  layout_ = make_layout(model, brick_of(model, {1, 1, 1}, 0), 1);
  const HostClasses edges = edge_classes(model, layout_), faces = face_classes(model, layout_);
  std::array<HostAxis, 3> axes;
  for (int a = 0; a < 3; ++a) axes[z(a)] = make_axis(model, layout_, a);
  grid_.layout = layout_;
  for (std::size_t c = 0; c < 6; ++c) {
    const bool electric = c < 3;
    const HostClasses& classes = electric ? edges : faces;
    // H: + along c + 2, - along c + 1; E the other way round.
    const std::size_t plus = electric ? (c + 1) % 3 : (c + 2) % 3;
    const std::size_t minus = electric ? (c + 2) % 3 : (c + 1) % 3;
    std::vector<Real> k[3];
    for (auto& v : k) v.assign(z(layout_.count), Real(0));
    std::vector<Update> updates;
    for (const auto& ids : classes.ids)
      updates.push_back(electric ? edge_update(model.edge_materials[ids[c]], model.dt)
                                 : face_update(model.face_materials[ids[c - 3]], model.dt));
    for (Index l = layout_.update_low[2]; l < layout_.update_high[2]; ++l)
      for (Index j = layout_.update_low[1]; j < layout_.update_high[1]; ++j)
        for (Index i = layout_.update_low[0]; i < layout_.update_high[0]; ++i) {
          const std::size_t n = z(layout_.at(i, j, l));
          const Update& u = updates[classes.index.empty() ? 0 : classes.index[n]];
          const Index at[3] = {i, j, l};
          const HostAxis &p = axes[plus], &m = axes[minus];
          k[0][n] = Real(u.a);
          k[1][n] = Real(u.b * (electric ? p.se : p.sh)[z(at[plus])]);
          k[2][n] = Real(-u.b * (electric ? m.se : m.sh)[z(at[minus])]);
        }
    for (std::size_t q = 0; q < 3; ++q) {
      coefficients_[3 * c + q] = par::Buffer<Real>(queue, k[q]);
      grid_.k[3 * c + q] = coefficients_[3 * c + q].cview().data;
    }
    fields_[c] = par::Buffer<Real>(queue, layout_.count);
    fields_[c].fill_bytes(0);
    grid_.f[c] = fields_[c].view().data;
  }
}

template <class Real>
void SlidesSolver<Real>::set_field(int c, const std::function<double(Index, Index, Index)>& value) {
  std::vector<Real> v(z(layout_.count), Real(0));
  for (Index k = 0; k < model_.extent(2); ++k)
    for (Index j = 0; j < model_.extent(1); ++j)
      for (Index i = 0; i < model_.extent(0); ++i) {
        const Index at[3] = {i, j, k};
        bool exists = true;
        for (int a = 0; a < 3; ++a)
          if ((c < 3 ? a == c : a != c - 3) && at[a] >= model_.grid.cells(a)) exists = false;
        if (exists)
          v[z(layout_.at(i - layout_.origin[0], j - layout_.origin[1], k - layout_.origin[2]))] =
              Real(value(i, j, k));
      }
  fields_[c].upload(v);
}

template <class Real>
void SlidesSolver<Real>::step(SlidesMapping mapping) {
  par::dispatch(queue_, [&](const auto& exec) { slides_step(exec, grid_, mapping); });
}

template <class Real>
std::vector<double> SlidesSolver<Real>::values(int c) const {
  const std::vector<Real> all = fields_[c].download();
  std::vector<double> v;
  for (Index k = layout_.owned_low[2]; k < layout_.owned_high[2]; ++k)
    for (Index j = layout_.owned_low[1]; j < layout_.owned_high[1]; ++j)
      for (Index i = layout_.owned_low[0]; i < layout_.owned_high[0]; ++i)
        v.push_back(double(all[z(layout_.at(i, j, k))]));
  return v;
}

template class SlidesSolver<float>;
template class SlidesSolver<double>;

}  // namespace terrawave::fdtd

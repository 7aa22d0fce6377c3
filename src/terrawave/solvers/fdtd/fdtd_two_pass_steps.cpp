#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::fdtd {
namespace {

template <class Real, bool kElectric>
struct UpdateCell {
  Medium<Real> medium;
  State<Real> state;
  TW_FUNCTION void operator()(Index i, Index j, Index k) const {
    const Layout& l = medium.layout;
    if constexpr (kElectric)
      update_e(medium, state, i + l.update_low[0], j + l.update_low[1], k + l.update_low[2]);
    else
      update_h(medium, state, i + l.update_low[0], j + l.update_low[1], k + l.update_low[2]);
  }
};

// Keeps the values before the pass of every entry that has events.
template <class Real>
struct SaveOld {
  Layout layout;
  State<Real> state;
  EventList list;
  Real* scratch;
  TW_FUNCTION void operator()(Index g) const {
    const Event& e = list.events[list.group[g]];
    scratch[g] = state.f[e.component][layout.at(e.x, e.y, e.z)];
  }
};

template <class Real>
struct ApplyGroup {
  Layout layout;
  State<Real> state;
  EventTables tables;
  EventList list;
  const Real* scratch;
  double* states;
  Index sample_row, record_row;
  TW_FUNCTION void operator()(Index g) const {
    const Event& e = list.events[list.group[g]];
    Real& value = state.f[e.component][layout.at(e.x, e.y, e.z)];
    value = apply_group(tables, list, static_cast<std::int32_t>(g), sample_row, record_row,
                        scratch[g], value, states);
  }
};

template <bool kElectric, class Exec, class Real>
void pass(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
          const EventTables& events, double* event_states, Real* scratch, Index sample_row,
          Index record_row) {
  const Layout& l = medium.layout;
  const EventList& list = events.list[kElectric ? 0 : 1];
  const par::Range1 groups{0, list.groups};
  if (list.groups > 0) par::for_each(exec, groups, SaveOld<Real>{l, state, list, scratch});
  par::for_each(exec,
                par::Range3{l.update_high[0] - l.update_low[0], l.update_high[1] - l.update_low[1],
                            l.update_high[2] - l.update_low[2]},
                UpdateCell<Real, kElectric>{medium, state});
  if (list.groups > 0)
    par::for_each(
        exec, groups,
        ApplyGroup<Real>{l, state, events, list, scratch, event_states, sample_row, record_row});
}

}  // namespace

template <class Exec, class Real>
void two_pass_step(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                   const EventTables& events, double* event_states, Real* scratch, Index sample_row,
                   Index record_row) {
  pass<false>(exec, medium, state, events, event_states, scratch, sample_row, record_row);
  pass<true>(exec, medium, state, events, event_states, scratch, sample_row, record_row);
}

template void two_pass_step(const par::Exec&, const Medium<float>&, const State<float>&,
                            const EventTables&, double*, float*, Index, Index);
template void two_pass_step(const par::Exec&, const Medium<double>&, const State<double>&,
                            const EventTables&, double*, double*, Index, Index);

}  // namespace terrawave::fdtd

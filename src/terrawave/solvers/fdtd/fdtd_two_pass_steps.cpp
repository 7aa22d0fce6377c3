#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

#include <algorithm>
#include <type_traits>

#include "terrawave/par/launch.hpp"

namespace terrawave::fdtd {
namespace {

// Entries of one field that a launch may touch: those of the box, or all others.
struct Scope {
  Index low[3], high[3];
  Part part;
  TW_FUNCTION bool holds(const Event& e) const {
    const bool inside = e.x >= low[0] && e.x < high[0] && e.y >= low[1] && e.y < high[1] &&
                        e.z >= low[2] && e.z < high[2];
    return part == Part::all || inside == (part == Part::core);
  }
};

template <class Real, bool kElectric, bool kLayers>
struct UpdateCell {
  Medium<Real> medium;
  State<Real> state;
  Index low[3];
  TW_FUNCTION void operator()(Index i, Index j, Index k) const {
    if constexpr (kElectric)
      update_e<Real, kLayers>(medium, state, i + low[0], j + low[1], k + low[2]);
    else
      update_h<Real, kLayers>(medium, state, i + low[0], j + low[1], k + low[2]);
  }
};

// Keeps the values before the pass of every entry that has events.
template <class Real>
struct SaveOld {
  Layout layout;
  State<Real> state;
  EventList list;
  Real* scratch;
  Scope scope;
  TW_FUNCTION void operator()(Index g) const {
    const Event& e = list.events[list.group[g]];
    if (scope.holds(e)) scratch[g] = state.f[e.component][layout.at(e.x, e.y, e.z)];
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
  Scope scope;
  TW_FUNCTION void operator()(Index g) const {
    const Event& e = list.events[list.group[g]];
    if (!scope.holds(e)) return;
    Real& value = state.f[e.component][layout.at(e.x, e.y, e.z)];
    value = apply_group(tables, list, static_cast<std::int32_t>(g), sample_row, record_row,
                        scratch[g], value, states);
  }
};

template <bool kElectric, class Exec, class Real>
void update_box(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                const Index (&low)[3], const Index (&high)[3]) {
  const par::Range3 range{high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  if (range.nx <= 0 || range.ny <= 0 || range.nz <= 0) return;
  const auto with = [&](auto layers) {
    par::for_each(exec, range,
                  UpdateCell<Real, kElectric, decltype(layers)::value>{
                      medium, state, {low[0], low[1], low[2]}});
  };
  if (medium.layers)
    with(std::true_type{});
  else
    with(std::false_type{});
}

// Everything but the scope's box: below and above it along z, then y, then x.
template <bool kElectric, class Exec, class Real>
void update_rest(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                 const Scope& core) {
  const Layout& l = medium.layout;
  Index low[3], high[3];
  bool empty = false;
  for (int a = 0; a < 3; ++a) {
    low[a] = l.update_low[a];
    high[a] = l.update_high[a];
    empty = empty || core.low[a] >= core.high[a];
  }
  if (empty) return update_box<kElectric>(exec, medium, state, low, high);
  for (int a = 2; a >= 0; --a) {
    const Index from = low[a], to = high[a];
    high[a] = core.low[a];
    update_box<kElectric>(exec, medium, state, low, high);
    low[a] = core.high[a];
    high[a] = to;
    update_box<kElectric>(exec, medium, state, low, high);
    low[a] = std::max(from, core.low[a]);
    high[a] = core.high[a];
  }
}

template <bool kElectric, class Exec, class Real>
void pass(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
          const EventTables& events, double* event_states, Real* scratch, Index sample_row,
          Index record_row, const Scope& scope) {
  const Layout& l = medium.layout;
  const EventList& list = events.list[kElectric ? 0 : 1];
  const par::Range1 groups{0, list.groups};
  if (list.groups > 0) par::for_each(exec, groups, SaveOld<Real>{l, state, list, scratch, scope});
  if (scope.part == Part::all)
    update_box<kElectric>(exec, medium, state, l.update_low, l.update_high);
  else if (scope.part == Part::core)
    update_box<kElectric>(exec, medium, state, scope.low, scope.high);
  else
    update_rest<kElectric>(exec, medium, state, scope);
  if (list.groups > 0)
    par::for_each(exec, groups,
                  ApplyGroup<Real>{l, state, events, list, scratch, event_states, sample_row,
                                   record_row, scope});
}

Scope scope_of(Part part, const Index (&low)[3], const Index (&high)[3]) {
  return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}, part};
}

}  // namespace

template <class Exec, class Real>
void two_pass_step(const Exec& exec, const Medium<Real>& medium, const State<Real>& state,
                   const EventTables& events, double* event_states, Real* scratch, Index sample_row,
                   Index record_row, Part part, const Core& core) {
  pass<false>(exec, medium, state, events, event_states, scratch, sample_row, record_row,
              scope_of(part, core.h_low, core.h_high));
  pass<true>(exec, medium, state, events, event_states, scratch, sample_row, record_row,
             scope_of(part, core.e_low, core.e_high));
}

template void two_pass_step(const par::Exec&, const Medium<float>&, const State<float>&,
                            const EventTables&, double*, float*, Index, Index, Part, const Core&);
template void two_pass_step(const par::Exec&, const Medium<double>&, const State<double>&,
                            const EventTables&, double*, double*, Index, Index, Part, const Core&);

}  // namespace terrawave::fdtd

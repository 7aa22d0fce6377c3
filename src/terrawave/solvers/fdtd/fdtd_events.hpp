// What happens at single edges (or faces) after the plain update: sources, lumped elements, probes.
//
// An event sees only its own edge: the value before the step (`old`), the value that the plain
// update gives (`linear`) and its own private state. That is what lets every kernel apply it at any
// time level and inside any tile, with the same result.
//
// To add a kind: add it to EventKind, say in event_states() how many doubles of private state it
// carries, and add its case to apply_event(). All arithmetic is in double precision; the result is
// rounded to the field's precision once. Several events on one edge are applied in the order of the
// model's list, each taking the previous one's result as its `linear`.
#pragma once

#include <cmath>
#include <cstdint>

#include "terrawave/base/function.hpp"
#include "terrawave/base/index.hpp"
#include "terrawave/solvers/fdtd/lumped_diode.hpp"

namespace terrawave::fdtd {

// c[] are the event's coefficients, s its signal's sample of this step, old/linear/new the field.
enum class EventKind : std::uint8_t {
  record,      // probe: keeps the value; new = linear
  add,         // soft source: new = linear + c0 s
  set,         // hard source: new = c0 s
  combine,     // new = c0 linear + c1 old + c2 s
  inductor,    // state J: J += c0 old; new = linear - c1 J
  series_rlc,  // states i, vC: see apply_event
  diode        // new solves the diode's equation, see lumped_diode.hpp
};

inline constexpr int kMaxEventStates = 4;

// Doubles of private state that an event of this kind carries from step to step.
TW_FUNCTION int event_states(EventKind kind) {
  switch (kind) {
    case EventKind::inductor:
      return 1;
    case EventKind::series_rlc:
      return 2;
    default:
      return 0;
  }
}

// Coefficients that an event of this kind needs.
TW_FUNCTION int event_coefficients(EventKind kind) {
  switch (kind) {
    case EventKind::record:
      return 0;
    case EventKind::add:
    case EventKind::set:
      return 1;
    case EventKind::inductor:
      return 2;
    case EventKind::combine:
      return 3;
    case EventKind::diode:
      return 4;
    case EventKind::series_rlc:
      return 5;
  }
  return 0;
}

// One event as the kernels see it.
struct Event {
  std::int32_t x = 0, y = 0, z = 0;  // local position in the rank's arrays
  EventKind kind = EventKind::record;
  std::uint8_t component = 0;  // 0..2 Ex Ey Ez, 3..5 Hx Hy Hz
  std::uint8_t owned = 1;      // this rank owns the edge (only then are probes recorded)
  std::uint8_t unused = 0;
  std::int32_t signal = -1;       // column of the sample table; a probe's column of the records
  std::int32_t coefficients = 0;  // first of its coefficients
  std::int32_t state = 0;         // first of its private states
};

// Applies one event. `c` its coefficients, `sample` its signal now, `state` its private state.
template <class Real>
TW_FUNCTION Real apply_event(EventKind kind, const double* c, double sample, Real old, Real linear,
                             double* state) {
  switch (kind) {
    case EventKind::record:
      return linear;
    case EventKind::add:
      return static_cast<Real>(static_cast<double>(linear) + c[0] * sample);
    case EventKind::set:
      return static_cast<Real>(c[0] * sample);
    case EventKind::combine:
      return static_cast<Real>(c[0] * static_cast<double>(linear) +
                               c[1] * static_cast<double>(old) + c[2] * sample);
    case EventKind::inductor:
      state[0] += c[0] * static_cast<double>(old);
      return static_cast<Real>(static_cast<double>(linear) - c[1] * state[0]);
    case EventKind::series_rlc: {
      // Trapezoidal, passive for any dt; Z = L/dt + R/2 + dt/(4C), and the edge's material holds
      // the conductivity l/(2 Z A). c0 = 2L/dt, c1 = b/(2 Z A) with b of edge_update(), c2 = l/2,
      // c3 = 1/Z, c4 = dt/(2C). The states are i and vC.
      const double drive = c[0] * state[0] - state[1];
      const double next = static_cast<double>(linear) - c[1] * drive;
      const double s = (c[2] * (next + static_cast<double>(old)) + drive) * c[3];
      state[0] = s - state[0];
      state[1] += c[4] * s;
      return static_cast<Real>(next);
    }
    case EventKind::diode:
      return static_cast<Real>(
          diode_field(c, static_cast<double>(old), static_cast<double>(linear)));
  }
  return linear;
}

}  // namespace terrawave::fdtd

// When the loop steps and how far: pure functions, no clock, no state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "terrawave/base/index.hpp"

namespace terrawave::run {

// One step towards `next`.
struct Stride {
  double dt = 0;
  bool lands = false;  // the new time is `next` itself, not t + dt rounded
};

// How far to go from t towards next > t when the method allows max_dt > 0:
//   one step where it reaches `next` (to 1e-12 of max_dt), two equal ones where two do, max_dt
//   else.
// So dt is never negative, never above max_dt (1 + 1e-12), and never below max_dt / 2 unless
// `next` itself is nearer: no sliver steps.
Stride stride(double t, double next, double max_dt);

// The first whole step n with n * dt >= time, to 1e-9 of a step. For methods whose dt is fixed.
std::int64_t step_reaching(double time, double dt);

// The first of the increasing `times` that is later than t; +inf where there is none.
double next_after(std::span<const double> times, double t);

// The smallest k * interval that is later than t.
double next_multiple_after(double interval, double t);

// True for the steps after which the state is searched for values that are not finite:
// 1, 2, 4, ... 64, then every 64th.
bool is_checked(std::int64_t step);
// The first checked step after `step`.
std::int64_t next_checked(std::int64_t step);

}  // namespace terrawave::run

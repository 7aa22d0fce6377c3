// Launches: for_each, reductions, scan, select, sort. Included by files of launches only.
//
//   for_each(exec, range, cell)        cell(i), cell(i, j) or cell(i, j, k) for every index
//   for_each_simd(exec, Range1, cell)  the same, telling the host compiler to use SIMD lanes
//   reduce_min/max(exec, n, f, init)   extreme of f(i), as a host value
//   reduce_min_into(exec, n, f, out)   extreme of f(i), left on the device
//   reduce_sum(exec, n, f)             sum of integers f(i): exact, in any order
//   fixed_sum(exec, n, f, exponent)    sum of doubles through integers: see exact_sum.hpp
//   for_each_appended(exec, begin, front, most, cell)   what a list holds while cells add to it
//   exclusive_scan, select_if, sort_pairs: see algorithms.hpp
#pragma once

#include "terrawave/par/algorithms.hpp"
#include "terrawave/par/exec.hpp"
#include "terrawave/par/host/launch.hpp"
#if defined(__CUDACC__)
#include "terrawave/par/cuda/launch.cuh"
#endif

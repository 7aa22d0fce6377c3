// Registers of several numbers that the row updates of the wavefront kernel compute with: AVX-512,
// AVX2 or plain arrays, by what the compiler is told to use. Every operation rounds exactly like
// the scalar one, so results do not depend on the choice.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "terrawave/base/index.hpp"

namespace terrawave::fdtd::wavefront {

// Integer of the size of a number: all bits set for yes, none for no.
template <class Real>
using Flag = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

// Plain arrays.
template <class Real>
struct PlainLanes {
  static constexpr Index width = 4;
  struct V {
    Real at[width];
  };
  struct M {
    Flag<Real> at[width];
  };
  template <class F>
  static V each(const F& f) {
    V r;
    for (Index n = 0; n < width; ++n) r.at[n] = f(n);
    return r;
  }
  static V load(const Real* p) {
    return each([&](Index n) { return p[n]; });
  }
  static M load_flags(const Flag<Real>* p) {
    M r;
    for (Index n = 0; n < width; ++n) r.at[n] = p[n];
    return r;
  }
  static void store(Real* p, V v) {
    for (Index n = 0; n < width; ++n) p[n] = v.at[n];
  }
  static V all(Real x) {
    return each([&](Index) { return x; });
  }
  static V add(V a, V b) {
    return each([&](Index n) { return a.at[n] + b.at[n]; });
  }
  static V sub(V a, V b) {
    return each([&](Index n) { return a.at[n] - b.at[n]; });
  }
  static V mul(V a, V b) {
    return each([&](Index n) { return a.at[n] * b.at[n]; });
  }
  static V fma(V a, V b, V c) {
    return each([&](Index n) { return std::fma(a.at[n], b.at[n], c.at[n]); });
  }
  static V fms(V a, V b, V c) {
    return each([&](Index n) { return std::fma(a.at[n], b.at[n], -c.at[n]); });
  }
  static V add_where(M m, V a, V b) {
    return each([&](Index n) { return m.at[n] != 0 ? a.at[n] + b.at[n] : a.at[n]; });
  }
  static V sub_where(M m, V a, V b) {
    return each([&](Index n) { return m.at[n] != 0 ? a.at[n] - b.at[n] : a.at[n]; });
  }
  static V up(V v, V after) {
    return each([&](Index n) { return n + 1 < width ? v.at[n + 1] : after.at[0]; });
  }
  static V down(V before, V v) {
    return each([&](Index n) { return n > 0 ? v.at[n - 1] : before.at[width - 1]; });
  }
};

// `width` numbers at once; fma a b + c, fms a b - c with one rounding. up: the entries one further,
// the last from `after`; down: the entries one before, the first from `before`.
template <class Real>
struct Lanes : PlainLanes<Real> {};

#if defined(__AVX512F__)

template <>
struct Lanes<float> {
  static constexpr Index width = 16;
  using V = __m512;
  using M = __mmask16;
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static M load_flags(const std::int32_t* p) {
    const __m512i v = _mm512_loadu_si512(p);
    return _mm512_test_epi32_mask(v, v);
  }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  static V all(float x) { return _mm512_set1_ps(x); }
  static V add(V a, V b) { return _mm512_add_ps(a, b); }
  static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
  static V fms(V a, V b, V c) { return _mm512_fmsub_ps(a, b, c); }
  static V add_where(M m, V a, V b) { return _mm512_mask_add_ps(a, m, a, b); }
  static V sub_where(M m, V a, V b) { return _mm512_mask_sub_ps(a, m, a, b); }
  static V up(V v, V after) {
    return _mm512_castsi512_ps(
        _mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(after), _mm512_castps_si512(v), 1));
  }
  static V down(V before, V v) {
    return _mm512_castsi512_ps(
        _mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(v), _mm512_castps_si512(before), 15));
  }
};

template <>
struct Lanes<double> {
  static constexpr Index width = 8;
  using V = __m512d;
  using M = __mmask8;
  static V load(const double* p) { return _mm512_loadu_pd(p); }
  static M load_flags(const std::int64_t* p) {
    const __m512i v = _mm512_loadu_si512(p);
    return _mm512_test_epi64_mask(v, v);
  }
  static void store(double* p, V v) { _mm512_storeu_pd(p, v); }
  static V all(double x) { return _mm512_set1_pd(x); }
  static V add(V a, V b) { return _mm512_add_pd(a, b); }
  static V sub(V a, V b) { return _mm512_sub_pd(a, b); }
  static V mul(V a, V b) { return _mm512_mul_pd(a, b); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V fms(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
  static V add_where(M m, V a, V b) { return _mm512_mask_add_pd(a, m, a, b); }
  static V sub_where(M m, V a, V b) { return _mm512_mask_sub_pd(a, m, a, b); }
  static V up(V v, V after) {
    return _mm512_castsi512_pd(
        _mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(after), _mm512_castpd_si512(v), 1));
  }
  static V down(V before, V v) {
    return _mm512_castsi512_pd(
        _mm512_maskz_alignr_epi64(0xff, _mm512_castpd_si512(v), _mm512_castpd_si512(before), 7));
  }
};

#elif defined(__AVX2__) && defined(__FMA__)

template <>
struct Lanes<float> {
  static constexpr Index width = 8;
  using V = __m256;
  using M = __m256;
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static M load_flags(const std::int32_t* p) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  static V all(float x) { return _mm256_set1_ps(x); }
  static V add(V a, V b) { return _mm256_add_ps(a, b); }
  static V sub(V a, V b) { return _mm256_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
  static V fms(V a, V b, V c) { return _mm256_fmsub_ps(a, b, c); }
  static V add_where(M m, V a, V b) { return _mm256_blendv_ps(a, add(a, b), m); }
  static V sub_where(M m, V a, V b) { return _mm256_blendv_ps(a, sub(a, b), m); }
  static V up(V v, V after) {
    const __m256i a = _mm256_castps_si256(v), b = _mm256_castps_si256(after);
    return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_permute2x128_si256(a, b, 0x21), a, 4));
  }
  static V down(V before, V v) {
    const __m256i a = _mm256_castps_si256(before), b = _mm256_castps_si256(v);
    return _mm256_castsi256_ps(_mm256_alignr_epi8(b, _mm256_permute2x128_si256(a, b, 0x21), 12));
  }
};

template <>
struct Lanes<double> {
  static constexpr Index width = 4;
  using V = __m256d;
  using M = __m256d;
  static V load(const double* p) { return _mm256_loadu_pd(p); }
  static M load_flags(const std::int64_t* p) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(p));
  }
  static void store(double* p, V v) { _mm256_storeu_pd(p, v); }
  static V all(double x) { return _mm256_set1_pd(x); }
  static V add(V a, V b) { return _mm256_add_pd(a, b); }
  static V sub(V a, V b) { return _mm256_sub_pd(a, b); }
  static V mul(V a, V b) { return _mm256_mul_pd(a, b); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V fms(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
  static V add_where(M m, V a, V b) { return _mm256_blendv_pd(a, add(a, b), m); }
  static V sub_where(M m, V a, V b) { return _mm256_blendv_pd(a, sub(a, b), m); }
  static V up(V v, V after) {
    const __m256i a = _mm256_castpd_si256(v), b = _mm256_castpd_si256(after);
    return _mm256_castsi256_pd(_mm256_alignr_epi8(_mm256_permute2x128_si256(a, b, 0x21), a, 8));
  }
  static V down(V before, V v) {
    const __m256i a = _mm256_castpd_si256(before), b = _mm256_castpd_si256(v);
    return _mm256_castsi256_pd(_mm256_alignr_epi8(b, _mm256_permute2x128_si256(a, b, 0x21), 8));
  }
};

#endif

}  // namespace terrawave::fdtd::wavefront

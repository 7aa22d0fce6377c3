// Eight numbers in one SIMD register, and the transposition of eight such. For host code only.
#pragma once

namespace terrawave::swe {

inline constexpr int kEight = 8;

// A record in one register (or two, or four, where registers are smaller).
template <class Real>
struct EightOf;
template <>
struct EightOf<double> {
  typedef double type __attribute__((vector_size(64), may_alias));
  typedef double anywhere __attribute__((vector_size(64), may_alias, aligned(8)));
};
template <>
struct EightOf<float> {
  typedef float type __attribute__((vector_size(32), may_alias));
  typedef float anywhere __attribute__((vector_size(32), may_alias, aligned(4)));
};
template <class Real>
struct Lines {
  using Eight = typename EightOf<Real>::type;
  using Anywhere = typename EightOf<Real>::anywhere;
  // Eight numbers in a row at an address that is a multiple of their size, or at any.
  static Eight& at(Real* p) { return *reinterpret_cast<Eight*>(p); }
  static const Eight& at(const Real* p) { return *reinterpret_cast<const Eight*>(p); }
  static Anywhere& any(Real* p) { return *reinterpret_cast<Anywhere*>(p); }
  static const Anywhere& any(const Real* p) { return *reinterpret_cast<const Anywhere*>(p); }
};

// Lane i of the k-th becomes lane k of the i-th.
template <class V>
[[gnu::always_inline]] inline void transpose(V& a, V& b, V& c, V& d, V& e, V& f, V& g, V& h) {
  const V ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const V ba = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const V cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const V dc = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  const V ef = __builtin_shufflevector(e, f, 0, 8, 2, 10, 4, 12, 6, 14);
  const V fe = __builtin_shufflevector(e, f, 1, 9, 3, 11, 5, 13, 7, 15);
  const V gh = __builtin_shufflevector(g, h, 0, 8, 2, 10, 4, 12, 6, 14);
  const V hg = __builtin_shufflevector(g, h, 1, 9, 3, 11, 5, 13, 7, 15);
  const V ad0 = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  const V ad1 = __builtin_shufflevector(ba, dc, 0, 1, 8, 9, 4, 5, 12, 13);
  const V ad2 = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  const V ad3 = __builtin_shufflevector(ba, dc, 2, 3, 10, 11, 6, 7, 14, 15);
  const V eh0 = __builtin_shufflevector(ef, gh, 0, 1, 8, 9, 4, 5, 12, 13);
  const V eh1 = __builtin_shufflevector(fe, hg, 0, 1, 8, 9, 4, 5, 12, 13);
  const V eh2 = __builtin_shufflevector(ef, gh, 2, 3, 10, 11, 6, 7, 14, 15);
  const V eh3 = __builtin_shufflevector(fe, hg, 2, 3, 10, 11, 6, 7, 14, 15);
  a = __builtin_shufflevector(ad0, eh0, 0, 1, 2, 3, 8, 9, 10, 11);
  b = __builtin_shufflevector(ad1, eh1, 0, 1, 2, 3, 8, 9, 10, 11);
  c = __builtin_shufflevector(ad2, eh2, 0, 1, 2, 3, 8, 9, 10, 11);
  d = __builtin_shufflevector(ad3, eh3, 0, 1, 2, 3, 8, 9, 10, 11);
  e = __builtin_shufflevector(ad0, eh0, 4, 5, 6, 7, 12, 13, 14, 15);
  f = __builtin_shufflevector(ad1, eh1, 4, 5, 6, 7, 12, 13, 14, 15);
  g = __builtin_shufflevector(ad2, eh2, 4, 5, 6, 7, 12, 13, 14, 15);
  h = __builtin_shufflevector(ad3, eh3, 4, 5, 6, 7, 12, 13, 14, 15);
}

}  // namespace terrawave::swe

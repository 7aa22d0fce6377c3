// Registers of the wavefront kernel against the same operations one number at a time.
#include "terrawave/solvers/fdtd/cpu/lanes.hpp"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace terrawave::test {
namespace {

template <class Real>
class FdtdLanes : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FdtdLanes, Reals);

// Same bits, so that the sign of zero counts.
template <class Real>
bool same(Real a, Real b) {
  return std::memcmp(&a, &b, sizeof(Real)) == 0;
}

TYPED_TEST(FdtdLanes, EveryOperationRoundsLikeTheScalarOne) {
  using Real = TypeParam;
  using L = fdtd::wavefront::Lanes<Real>;
  constexpr Index w = L::width;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-20, 20), mantissa(-1, 1);
  for (int round = 0; round < 200; ++round) {
    Real a[w], b[w], c[w], out[w];
    fdtd::wavefront::Flag<Real> flags[w];
    for (Index n = 0; n < w; ++n) {
      a[n] = Real(mantissa(random) * std::exp2(exponent(random)));
      b[n] = Real(mantissa(random) * std::exp2(exponent(random)));
      // Often a sum that cancels, or a zero of either sign.
      c[n] = round % 3 == 0 ? -a[n] * b[n] : Real(mantissa(random));
      if (round % 5 == 0 && n % 2 == 0) c[n] = n % 4 == 0 ? Real(0) : -Real(0);
      flags[n] = (random() & 1) != 0 ? -1 : 0;
    }
    const auto va = L::load(a), vb = L::load(b), vc = L::load(c);
    const auto flag = L::load_flags(flags);
    const auto expect = [&](const char* what, auto value, const auto& scalar) {
      L::store(out, value);
      for (Index n = 0; n < w; ++n) EXPECT_TRUE(same(out[n], Real(scalar(n)))) << what << n;
    };
    expect("all", L::all(a[0]), [&](Index) { return a[0]; });
    expect("add", L::add(va, vb), [&](Index n) { return a[n] + b[n]; });
    expect("sub", L::sub(va, vb), [&](Index n) { return a[n] - b[n]; });
    expect("mul", L::mul(va, vb), [&](Index n) { return a[n] * b[n]; });
    expect("fma", L::fma(va, vb, vc), [&](Index n) { return std::fma(a[n], b[n], c[n]); });
    expect("fms", L::fms(va, vb, vc), [&](Index n) { return std::fma(a[n], b[n], -c[n]); });
    expect("add_where", L::add_where(flag, vc, vb),
           [&](Index n) { return flags[n] != 0 ? c[n] + b[n] : c[n]; });
    expect("sub_where", L::sub_where(flag, vc, vb),
           [&](Index n) { return flags[n] != 0 ? c[n] - b[n] : c[n]; });
    expect("up", L::up(va, vb), [&](Index n) { return n + 1 < w ? a[n + 1] : b[0]; });
    expect("down", L::down(va, vb), [&](Index n) { return n > 0 ? b[n - 1] : a[w - 1]; });
  }
}

}  // namespace
}  // namespace terrawave::test

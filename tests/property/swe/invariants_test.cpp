// What the scheme must keep whatever the data: rest, mass, momentum, a uniform flow.

#include <gtest/gtest.h>

#include "reference/swe_problem.hpp"
#include "terrawave/comm/comm.hpp"

namespace terrawave::swe::test {
namespace {

using domain::RectanglePattern;

// A number in [0, 1) that depends on the place only.
double noise(double x, double y, int salt) {
  std::uint64_t h = std::uint64_t(std::llround((x + 100) * 1e6)) * 0x9e3779b97f4a7c15u +
                    std::uint64_t(std::llround((y + 100) * 1e6)) * 0xbf58476d1ce4e5b9u +
                    std::uint64_t(salt) * 0x94d049bb133111ebu;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return double((h ^ (h >> 31)) >> 11) * 0x1p-53;
}

ProblemSetup random_mesh(bool single = false) {
  ProblemSetup s;
  s.mesh = rectangle(-5, -5, 5, 5, 12, 12, RectanglePattern::right, 0.25);
  s.parameters.density_ratio = 0.98;
  s.single = single;
  return s;
}

double audit_of(SweSolver& solver, std::size_t i) { return solver.audit().at(i).value; }

class Rest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Precisions, Rest, ::testing::Values(false, true));

TEST_P(Rest, LakeOverARandomBottomIsKeptToTheBit) {
  const auto self = comm::make_self();
  ProblemSetup s = random_mesh(GetParam());
  s.levels = true;
  Problem p(*self, s, [](double x, double y) {
    Point c;
    c.bottom = 3 + 2 * noise(x, y, 1);
    c.eta1 = 0.1;
    c.eta2 = -0.6;
    return c;
  });
  const auto before1 = p.values("h1"), before2 = p.values("h2");
  for (int i = 0; i < 200; ++i) p.solver().step(0, p.solver().max_dt());
  for (const char* q : {"q1x", "q1y", "q2x", "q2y"}) EXPECT_EQ(largest_of(p.values(q)), 0) << q;
  EXPECT_EQ(p.values("h1"), before1);
  EXPECT_EQ(p.values("h2"), before2);
}

TEST(Invariants, MassStaysInAClosedBoxOver5000Steps) {
  const auto self = comm::make_self();
  Problem p(*self, random_mesh(), [](double x, double y) {
    Point c;
    c.h2 = 1 + 0.6 * std::exp(-((x - 1) * (x - 1) + y * y));
    c.h1 = 2.2 - c.h2;
    return c;
  });
  const double m1 = audit_of(p.solver(), 0), m2 = audit_of(p.solver(), 1);
  p.solver().advance(5000);
  ASSERT_FALSE(p.solver().find_bad_value());
  EXPECT_LE(std::abs(audit_of(p.solver(), 0) - m1), 1e-15 * m1);
  EXPECT_LE(std::abs(audit_of(p.solver(), 1) - m2), 1e-15 * m2);
}

TEST(Invariants, TotalMomentumIsKeptOverAFlatBottom) {
  const auto self = comm::make_self();
  Problem p(*self, random_mesh(), [](double x, double y) {
    Point c;
    const double r2 = (x - 0.3) * (x - 0.3) + (y + 0.4) * (y + 0.4);
    c.h2 = 1 + 0.4 * std::exp(-4 * r2);
    c.h1 = 2 - c.h2 + 0.1 * std::exp(-4 * r2);
    return c;
  });
  // Two steps: the bump has moved, and has not reached the walls.
  p.solver().advance(2);
  EXPECT_GT(largest_of(p.values("q1x")), 1e-3);
  // Sum of 288 cells' terms of at most 0.1 m^4/s, each with a few roundings of 1e-16.
  EXPECT_LE(std::abs(audit_of(p.solver(), 2)), 1e-14);
  EXPECT_LE(std::abs(audit_of(p.solver(), 3)), 1e-14);
}

TEST(Invariants, UniformFlowThroughOpenSidesIsKeptToTheBit) {
  const auto self = comm::make_self();
  ProblemSetup s = random_mesh();
  s.kinds.assign(s.mesh.groups.size(), BoundaryKind::outflow);
  Problem p(*self, s, [](double, double) {
    Point c;
    c.h1 = 1.3;
    c.h2 = 0.7;
    c.u1x = 0.05;
    c.u1y = 0.02;
    c.u2x = -0.03;
    c.u2y = 0.04;
    return c;
  });
  std::vector<std::vector<double>> before;
  const auto names = {"h1", "q1x", "q1y", "h2", "q2x", "q2y"};
  for (const char* f : names) before.push_back(p.values(f));
  p.solver().advance(200);
  std::size_t i = 0;
  for (const char* f : names) EXPECT_EQ(p.values(f), before[i++]) << f;
}

// T17: the frame of the plane does not matter.
TEST(Invariants, RotatedRunGivesTheRotatedResult) {
  const auto self = comm::make_self();
  const double angle = 37 * std::acos(-1.0) / 180, c = std::cos(angle), s = std::sin(angle);
  const auto state = [](double x, double y) {
    Point p;
    p.bottom = 2 + 0.3 * std::sin(x) * std::cos(y);
    p.h2 = 1 + 0.3 * std::exp(-(x * x + (y - 1) * (y - 1)));
    p.h1 = 2 - p.h2;
    p.u1x = 0.1 * std::cos(y);
    p.u2y = -0.1 * std::sin(x);
    return p;
  };
  ProblemSetup plain = random_mesh();
  ProblemSetup turned = plain;
  for (std::size_t i = 0; i < turned.mesh.x.size(); ++i) {
    const double x = plain.mesh.x[i], y = plain.mesh.y[i];
    turned.mesh.x[i] = c * x - s * y;
    turned.mesh.y[i] = s * x + c * y;
  }
  Problem a(*self, plain, state);
  Problem b(*self, turned, [&](double x, double y) {
    Point p = state(c * x + s * y, -s * x + c * y);
    const Point q = p;
    p.u1x = c * q.u1x - s * q.u1y;
    p.u1y = s * q.u1x + c * q.u1y;
    p.u2x = c * q.u2x - s * q.u2y;
    p.u2y = s * q.u2x + c * q.u2y;
    return p;
  });
  const double ta = a.solver().advance(30), tb = b.solver().advance(30);
  EXPECT_NEAR(ta, tb, 1e-13);
  for (const char* f : {"h1", "h2"}) {
    const auto va = a.values(f), vb = b.values(f);
    for (std::size_t i = 0; i < va.size(); ++i) ASSERT_NEAR(va[i], vb[i], 1e-13) << f;
  }
  const auto ax = a.values("q1x"), ay = a.values("q1y"), bx = b.values("q1x");
  for (std::size_t i = 0; i < ax.size(); ++i) ASSERT_NEAR(c * ax[i] - s * ay[i], bx[i], 1e-13);
}

TEST(Invariants, MirroredRunGivesTheMirroredResult) {
  const auto self = comm::make_self();
  const auto state = [](double x, double y) {
    Point p;
    p.h2 = 1 + 0.3 * std::exp(-((x - 1) * (x - 1) + (y - 1) * (y - 1)));
    p.h1 = 2 - p.h2;
    return p;
  };
  ProblemSetup plain = random_mesh(), mirrored = random_mesh();
  for (double& x : mirrored.mesh.x) x = -x;
  for (auto& t : mirrored.mesh.triangles) std::swap(t[1], t[2]);
  for (auto& e : mirrored.mesh.boundary) std::swap(e.nodes[0], e.nodes[1]);
  Problem a(*self, plain, state);
  Problem b(*self, mirrored, [&](double x, double y) { return state(-x, y); });
  a.solver().advance(30);
  b.solver().advance(30);
  const auto ah = a.values("h2"), bh = b.values("h2"), aq = a.values("q2x"), bq = b.values("q2x");
  for (std::size_t i = 0; i < ah.size(); ++i) {
    ASSERT_NEAR(ah[i], bh[i], 1e-13);
    ASSERT_NEAR(aq[i], -bq[i], 1e-13);
  }
}

TEST(Invariants, PermutedCellNumbersGiveTheSameField) {
  const auto self = comm::make_self();
  const auto state = [](double x, double y) {
    Point p;
    p.bottom = 2 + 0.3 * std::sin(x) * std::cos(y);
    p.h2 = 1 + 0.3 * std::exp(-(x * x + (y - 1) * (y - 1)));
    p.h1 = 2 - p.h2;
    return p;
  };
  ProblemSetup plain = random_mesh(), permuted = random_mesh();
  // Cell c becomes cell place[c].
  std::vector<std::size_t> place(plain.mesh.triangles.size());
  for (std::size_t c = 0; c < place.size(); ++c) place[c] = (c * 101 + 7) % place.size();
  for (std::size_t c = 0; c < place.size(); ++c) {
    auto t = plain.mesh.triangles[c];
    std::rotate(t.begin(), t.begin() + std::ptrdiff_t(c % 3), t.end());
    permuted.mesh.triangles[place[c]] = t;
    permuted.mesh.original_id[place[c]] = plain.mesh.original_id[c];
  }
  Problem a(*self, plain, state), b(*self, permuted, state);
  a.solver().advance(30);
  b.solver().advance(30);
  for (const char* f : {"h1", "h2", "q1x", "q2y"}) {
    const auto va = a.global(f), vb = b.global(f);
    for (std::size_t c = 0; c < place.size(); ++c) ASSERT_NEAR(va[c], vb[place[c]], 1e-13) << f;
  }
}

// Same bits for another numbering of threads, another method, and guarded device memory.
TEST(Invariants, MethodThreadsAndGuardedMemoryGiveTheSameBits) {
  const auto self = comm::make_self();
  for (const bool single : {false, true}) {
    const auto run = [&](Method method, par::Queue queue) {
      ProblemSetup s = random_mesh(single);
      s.parameters.method = method;
      s.queue = queue;
      s.kinds.assign(s.mesh.groups.size(), BoundaryKind::wall);
      s.kinds.back() = BoundaryKind::outflow;
      Problem p(*self, s, [](double x, double y) {
        Point c;
        c.bottom = 2 + 0.5 * noise(x, y, 1);
        c.h1 = 0.05 + 2 * noise(x, y, 2);
        c.h2 = 0.05 + 2 * noise(x, y, 3);
        c.u1x = noise(x, y, 4) - 0.5;
        c.u2y = noise(x, y, 5) - 0.5;
        return c;
      });
      std::vector<std::vector<double>> all;
      p.solver().advance(5);
      for (const char* f : {"h1", "q1x", "q1y", "h2", "q2x", "q2y"}) all.push_back(p.values(f));
      return all;
    };
    const auto reference = run(Method::edges, par::Queue::host(1));
    EXPECT_FALSE(std::isnan(reference[0][0]));
    EXPECT_EQ(run(Method::edges, par::Queue::host(3)), reference);
    EXPECT_EQ(run(Method::cells, par::Queue::host(1)), reference);
    EXPECT_EQ(run(Method::cells, par::Queue::host(2)), reference);
    EXPECT_EQ(run(Method::cells, par::Queue::host(5)), reference);
    EXPECT_EQ(run(Method::edges, par::Queue::guarded_host(2)), reference);
    EXPECT_EQ(run(Method::cells, par::Queue::guarded_host(1)), reference);
  }
}

TEST(Invariants, BadCellIsNamed) {
  const auto self = comm::make_self();
  Problem p(*self, random_mesh(), [](double x, double) {
    Point c;
    if (x > 4) c.u1x = std::nan("");
    return c;
  });
  const auto bad = p.solver().find_bad_value();
  ASSERT_TRUE(bad);
  EXPECT_NE(bad->what.find("q1x is not a finite number in cell"), std::string::npos) << bad->what;
}

}  // namespace
}  // namespace terrawave::swe::test

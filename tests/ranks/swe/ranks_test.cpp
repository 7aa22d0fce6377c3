// T18: the same bits on any number of ranks and for any partition, hiding messages or not.
#include <cstring>

#include <gtest/gtest.h>

#include "reference/swe_problem.hpp"
#include "test_world.hpp"

namespace terrawave::swe::test {
namespace {

constexpr const char* kFields[] = {"h1", "q1x", "q1y", "h2", "q2x", "q2y"};

ProblemSetup base(bool single) {
  ProblemSetup s;
  s.mesh = rectangle(-5, -5, 5, 5, 14, 14, domain::RectanglePattern::right, 0.25);
  s.parameters.density_ratio = 0.98;
  s.single = single;
  s.kinds.assign(s.mesh.groups.size(), BoundaryKind::wall);
  s.kinds.back() = BoundaryKind::outflow;
  return s;
}

struct Result {
  std::vector<std::vector<double>> fields;  // global order
  std::vector<double> audit;
  double time = 0;
};

// The result on every rank, so that all compare.
Result run(comm::Comm& comm, ProblemSetup setup) {
  Problem p(comm, std::move(setup), [](double x, double y) {
    Point c;
    c.bottom = 2 + 0.3 * std::sin(2 * x) * std::cos(y);
    c.h2 = x * x + y * y < 4 ? 1.7 : 0.4;
    c.h1 = 2.2 - c.h2;
    c.u1x = 0.1 * std::cos(y);
    c.u2y = -0.1 * std::sin(x);
    return c;
  });
  Result r;
  r.time = p.solver().advance(25);
  for (const char* f : kFields) {
    std::vector<double> v = p.global(f);
    comm::Bytes bytes(v.size() * sizeof(double));
    std::memcpy(bytes.data(), v.data(), bytes.size());
    comm.broadcast(bytes, 0);
    v.resize(bytes.size() / sizeof(double));
    std::memcpy(v.data(), bytes.data(), bytes.size());
    r.fields.push_back(std::move(v));
  }
  for (const auto& item : p.solver().audit()) r.audit.push_back(item.value);
  return r;
}

void expect_same(const Result& a, const Result& b, const char* what) {
  EXPECT_EQ(a.fields, b.fields) << what;
  EXPECT_EQ(a.audit, b.audit) << what;
  EXPECT_EQ(a.time, b.time) << what;
}

class Ranks : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Precisions, Ranks, ::testing::Values(false, true));

TEST_P(Ranks, AnyNumberAndPartitionGiveTheSameBits) {
  comm::Comm& world = terrawave::test::world();
  const auto self = comm::make_self();
  const Result one = run(*self, base(GetParam()));
  const int ranks = world.size();
  for (const bool overlap : {true, false})
    for (const Method method : {Method::edges, Method::cells}) {
      ProblemSetup s = base(GetParam());
      s.overlap = overlap;
      s.parameters.method = method;
      expect_same(run(world, s), one, "METIS");
    }
  const auto with_owner = [&](const auto& owner_of, const char* what) {
    ProblemSetup s = base(GetParam());
    s.owner.resize(std::size_t(s.mesh.cells()));
    for (std::size_t c = 0; c < s.owner.size(); ++c) s.owner[c] = owner_of(Index(c)) % ranks;
    expect_same(run(world, s), one, what);
  };
  // The last rank owns nothing.
  with_owner([&](Index c) { return int(c % std::max(1, ranks - 1)); }, "an empty rank");
  // Scattered cells: many are shared with the same two ranks, no send list can be one run, and
  // parts of one cell occur: what the paper's ordering cannot do.
  with_owner([&](Index c) { return int((c * 7919) % 101); }, "scattered cells");
  with_owner([&](Index c) { return c == 17 ? 1 : (c < 200 ? 0 : 2); }, "a part of one cell");
}

// A rest that is kept to the bit on N ranks (T1).
TEST_P(Ranks, LakeAtRestStaysAtRest) {
  comm::Comm& world = terrawave::test::world();
  ProblemSetup s = base(GetParam());
  s.levels = true;
  s.kinds.assign(s.mesh.groups.size(), BoundaryKind::wall);
  Problem p(world, s, [](double x, double y) {
    Point c;
    c.bottom = 4 + std::sin(17 * x) * std::cos(23 * y);
    c.eta1 = 0.1;
    c.eta2 = -0.6;
    return c;
  });
  p.solver().advance(50);
  for (const char* q : {"q1x", "q1y", "q2x", "q2y"}) EXPECT_EQ(largest_of(p.values(q)), 0) << q;
}

}  // namespace
}  // namespace terrawave::swe::test

// What must hold for any case: Ampere's law at ports, restarts, order of the same objects.
#include <cmath>
#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "../../reference/fdtd_app_board.hpp"
#include "../../reference/fdtd_app_run.hpp"

namespace terrawave {
namespace {

const char* const kBase = test::kBoard;

// Ampere's law on the gap's edges: what flows out of the gap into the device is the current of the
// source and its resistor less that of the gap's own capacitance, in every step, to rounding.
TEST(Port, CurrentIsThatOfTheElementLessThatOfTheGap) {
  test::FdtdRun r(kBase);
  const auto& b = r.solver->built();
  const fdtd::Waveform w = b.setup.drive;
  while (r.solver->results().size() == 1 && !r.solver->finished())
    r.solver->steps(0, r.dt(), 1 << 20);
  const auto& run = r.solver->results()[0];
  const auto& v = run.series[0];
  const auto& i = run.series[1];
  // Fields are uniform over the width only in the mean: the law holds for the mean current.
  const fdtd::LumpedLoads geometry(b.model.grid, {});
  const auto& gap = b.setup.ports[0].gap;
  const fdtd::MaterialMap& map = b.canvas->around(gap.low, gap.high).map;
  double area = 0, c = 0;
  for (const auto& e : b.setup.ports[0].gap.edges())
    if (e.node[2] == 5) area += geometry.area(e);
  for (const auto& e : b.setup.ports[0].gap.edges())
    if (e.node[2] == 5) c += map.edge(2, e.node).storage * geometry.area(e) / 1e-3;
  const double uniform = map.edge(2, b.setup.ports[0].gap.edges()[0].node).storage * area / 1e-3;
  ASSERT_NEAR(c, uniform, 1e-12 * c);  // equal material under the whole gap
  double worst = 0, peak = 0;
  for (std::size_t n = 0; n + 1 < v.size(); ++n) {
    const double element = (4 * w((double(n + 1) + 0.5) * r.dt()) - (v[n] + v[n + 1]) / 2) / 50;
    const double law = element - c * (v[n + 1] - v[n]) / r.dt();
    worst = std::max(worst, std::abs(i[n + 1] - law));
    peak = std::max(peak, std::abs(law));
  }
  EXPECT_LT(worst, 1e-11 * peak);
}

// A checkpoint in memory.
struct Saved {
  std::map<std::string, sim::FieldBlock> fields;
  std::map<std::string, std::size_t> widths;
  std::string extra;
};

std::size_t width_of(const sim::FieldInfo& f) {
  using Type = sim::FieldInfo::Type;
  const std::size_t one = f.type == Type::float64 || f.type == Type::int64 ? 8
                          : f.type == Type::uint8                          ? 1
                                                                           : 4;
  return one * std::size_t(f.components);
}

Saved save(fdtd::CaseSolver& s) {
  Saved saved;
  for (const auto& f : s.fields()) {
    saved.widths[f.name] = width_of(f);
    saved.fields[f.name] = s.save(f.name);
  }
  saved.extra = s.save_extra();
  return saved;
}

void load(fdtd::CaseSolver& s, const Saved& saved) {
  for (const auto& f : s.fields()) {
    const sim::FieldBlock& block = saved.fields.at(f.name);
    const std::size_t width = saved.widths.at(f.name);
    std::map<GlobalId, std::size_t> at;
    for (std::size_t i = 0; i < block.ids.size(); ++i) at[block.ids[i]] = i;
    s.load(f.name, [&](std::span<const GlobalId> ids) {
      std::vector<std::byte> out(ids.size() * width);
      for (std::size_t i = 0; i < ids.size(); ++i)
        std::memcpy(out.data() + i * width, block.values.data() + at.at(ids[i]) * width, width);
      return out;
    });
  }
  s.load_extra(saved.extra);
}

TEST(Restart, ContinuesWithTheSameBits) {
  test::FdtdRun whole(kBase);
  Saved middle;
  bool taken = false;
  std::int64_t done = 0;
  while (!whole.solver->finished()) {
    done += whole.solver->steps(0, whole.dt(), taken ? 1 << 20 : 7);
    if (!taken && done >= 430) {  // in the second port's run
      middle = save(*whole.solver);
      taken = true;
    }
  }
  test::FdtdRun again(kBase);
  load(*again.solver, middle);
  again.run();
  ASSERT_EQ(again.solver->results().size(), whole.solver->results().size());
  for (std::size_t r = 0; r < 2; ++r)
    EXPECT_EQ(again.solver->results()[r].series, whole.solver->results()[r].series);
  EXPECT_EQ(again.solver->results()[1].energies, whole.solver->results()[1].energies);
  EXPECT_EQ(again.solver->network().s, whole.solver->network().s);
  ASSERT_EQ(again.solver->maps().size(), whole.solver->maps().size());
  for (std::size_t m = 0; m < whole.solver->maps().size(); ++m)
    EXPECT_EQ(again.solver->maps()[m].magnitude, whole.solver->maps()[m].magnitude);
}

// What a restart must not find changed, and what it may.
TEST(Restart, KnowsWhatWatchesAndWhatDrives) {
  const auto print_of = [](const std::string& from, const std::string& to) {
    std::string text(kBase);
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    return test::FdtdRun(text).solver->fingerprint();
  };
  const std::string same = print_of("", "");
  EXPECT_EQ(print_of("steps = 300", "steps = 400"), same);
  EXPECT_EQ(print_of("points = 5", "points = 7"), same);
  EXPECT_NE(print_of("\"8 GHz\"]", "\"9 GHz\"]"), same);
  EXPECT_NE(print_of("fields = [\"E\", \"H\"]", "fields = [\"E\"]"), same);
  EXPECT_NE(print_of("[[dft]]",
                     "[[dft]]\nname = \"more\"\nfrom = [\"2 mm\", \"2 mm\", \"3 mm\"]\n"
                     "to = [\"2 mm\", \"2 mm\", \"3 mm\"]\nfrequencies = [1e9]\n[[dft]]"),
            same);
  EXPECT_NE(print_of("amplitude = \"4 V\"", "amplitude = \"5 V\""), same);
  EXPECT_NE(print_of("amplitude = \"4 V\"", "amplitude = \"4 V\"\nports = [\"out\", \"in\"]"),
            same);
  const std::string probe = "[[probe]]\nname = \"e\"\nkind = \"E\"\ndirection = \"x+\"\nat = ";
  const std::string here = print_of("[[dft]]", probe + "[0.005, 0.006, 0.003]\n[[dft]]");
  EXPECT_NE(here, same);
  EXPECT_NE(print_of("[[dft]]", probe + "[0.006, 0.006, 0.003]\n[[dft]]"), here);
  const std::string source =
      "[[waveform]]\nname = \"w\"\nkind = \"gaussian\"\nwidth = WIDTH\n[[source]]\nname = \"s\"\n"
      "kind = \"electric_dipole\"\nwaveform = \"w\"\ndirection = \"x+\"\nat = [0.005, 0.006, "
      "0.005]\n"
      "[[dft]]";
  const auto with_width = [&](const std::string& width) {
    std::string text = source;
    return print_of("[[dft]]", text.replace(text.find("WIDTH"), 5, width));
  };
  EXPECT_NE(with_width("20e-12"), same);
  EXPECT_NE(with_width("20e-12"), with_width("21e-12"));
  EXPECT_EQ(with_width("20e-12"), with_width("20e-12"));
}

// The times of two runs overlap: each has a .pvd collection of its own.
TEST(Case, EachRunCollectsItsSnapshots) {
  const std::string shot =
      "[[snapshot]]\nname = \"shot\"\nfrom = [0.004, 0.004, 0.003]\nto = [0.012, 0.016, 0.003]\n"
      "every = \"0.1 ns\"\n";
  const auto collections = [](const std::string& text) {
    test::FdtdRun r(text);
    r.run();
    r.solver->write_results();
    std::vector<std::string> found;
    for (const std::string& f : r.solver->files())
      if (f.ends_with(".pvd")) found.push_back(f);
    return found;
  };
  std::string text = kBase + shot;
  EXPECT_EQ(collections(text), (std::vector<std::string>{"shot_in.pvd", "shot_out.pvd"}));
  text.replace(text.find("[drive]"), 7, "[drive]\nports = [\"in\"]");
  EXPECT_EQ(collections(text), std::vector<std::string>{"shot.pvd"});
}

TEST(Case, EveryKernelChoiceGivesTheSameSeries) {
  test::FdtdRun a{std::string(kBase)};
  std::string other(kBase);
  other.replace(other.find("f_max = \"20 GHz\""), 16, "f_max = \"20 GHz\"\nkernels = \"two_pass\"");
  test::FdtdRun b(other);
  a.run();
  b.run();
  EXPECT_EQ(a.solver->results()[0].series, b.solver->results()[0].series);
  EXPECT_EQ(a.solver->results()[1].series, b.solver->results()[1].series);
}

// An edge that gives back more than it takes: noticed, and named with its object and cause.
TEST(Case, GrowthStopsTheRunAndIsNamed) {
  std::string text(kBase);
  text.replace(text.find("steps = 300"), 11, "steps = 100000");
  test::FdtdRun r(text);
  auto built = fdtd::build_case(config::parse(text, "case.toml", fdtd::fdtd_schema()), *r.self);
  built.model.events.push_back(
      {{8, 8, 6}, 0, fdtd::EventKind::combine, -1, {1.4, 0, 0}, "amplifier"});
  fdtd::CaseSolver solver(std::move(built), r.context, testing::TempDir());
  std::int64_t done = 0;
  while (!solver.finished()) done += solver.steps(0, solver.max_dt(), 1 << 20);
  EXPECT_LT(done, 100000);
  const auto bad = solver.find_bad_value();
  ASSERT_TRUE(bad.has_value());
  EXPECT_NE(bad->what.find("the field grows although all sources have ended"), std::string::npos)
      << bad->what;
  EXPECT_NE(bad->what.find("object \"board\""), std::string::npos) << bad->what;
  EXPECT_NE(bad->what.find("\"amplifier\" acts on this edge"), std::string::npos) << bad->what;
}

// The same under a drive that never ends, and faster than the energy is looked at.
TEST(Case, GrowthIsNamedWhileASourceGoesOn) {
  std::string text(kBase);
  text.replace(text.find("steps = 300"), 11, "steps = 100000");
  text.replace(text.find("[drive]"), 7,
               "[[waveform]]\nname = \"s\"\nkind = \"sine\"\nfrequency = \"5 GHz\"\n[drive]\n"
               "waveform = \"s\"");
  for (const double gain : {1.4, 1e3}) {
    test::FdtdRun r(text);
    auto built = fdtd::build_case(config::parse(text, "case.toml", fdtd::fdtd_schema()), *r.self);
    built.model.events.push_back(
        {{8, 8, 6}, 0, fdtd::EventKind::combine, -1, {gain, 0, 0}, "amplifier"});
    fdtd::CaseSolver solver(std::move(built), r.context, testing::TempDir());
    std::int64_t done = 0;
    while (!solver.finished()) done += solver.steps(0, solver.max_dt(), 1 << 20);
    EXPECT_LT(done, 2000);
    const auto bad = solver.find_bad_value();
    ASSERT_TRUE(bad.has_value());
    EXPECT_EQ(bad->what.find("the field grows beyond all bounds: "), 0u) << bad->what;
    if (gain < 2) {
      EXPECT_NE(bad->what.find("\"amplifier\" acts on this edge"), std::string::npos) << bad->what;
    }
  }
}

// A dipole and a probe swap places: in a reciprocal medium the probe sees the same.
TEST(Case, DipolesAreReciprocal) {
  const auto run = [&](const char* source, const char* probe) {
    std::string text(kBase);
    text.erase(text.find("[[port]]"));
    text +=
        std::string("[[waveform]]\nname = \"w\"\nkind = \"gaussian\"\n[[source]]\nname = \"s\"\n") +
        "kind = \"electric_dipole\"\nwaveform = \"w\"\n" + source +
        "\n[[probe]]\nname = \"e\"\nkind = \"E\"\n" + probe + "\n";
    test::FdtdRun r(text);
    r.run();
    return r.series("e");
  };
  const char* a = "direction = \"x+\"\nat = [\"5.5 mm\", \"6 mm\", \"3 mm\"]";
  const char* b = "direction = \"z+\"\nat = [\"11 mm\", \"14 mm\", \"3.75 mm\"]";
  const auto ab = run(a, b), ba = run(b, a);
  // I l of the source times E l of the probe: edges of 1 mm and 0.5 mm.
  double worst = 0, peak = 0;
  for (std::size_t n = 0; n < ab.size(); ++n) {
    worst = std::max(worst, std::abs(ab[n] * 0.5e-3 - ba[n] * 1e-3));
    peak = std::max(peak, std::abs(ab[n] * 0.5e-3));
  }
  EXPECT_GT(peak, 0);
  EXPECT_LT(worst, 1e-9 * peak);
}

}  // namespace
}  // namespace terrawave

// What a two-layer run writes: the same bytes from any number of ranks and after a restart.
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shared_folder.hpp"
#include "terrawave/domain/partition.hpp"
#include "terrawave/domain/rectangle.hpp"
#include "terrawave/domain/renumber.hpp"
#include "terrawave/run/execute.hpp"
#include "terrawave/solvers/swe/swe_output_plan.hpp"
#include "terrawave/solvers/swe/swe_outputs.hpp"
#include "test_world.hpp"

namespace terrawave::test {
namespace {

namespace fs = std::filesystem;

config::Config parse(const std::string& text) {
  config::Schema root("", "");
  root.table(run::run_table());
  root.table(swe::output_table());
  return config::parse(text, "case.toml", root);
}

const char* const kCase = R"(
[run]
solver = "swe"
end_time = 0.3
checkpoint_time = 10
progress = "none"
[output]
interval = 0.1
gauge_interval = 0.02
maps = 2
[[output.gauge]]
name = "centre"
x = 0.1
y = 0.2
[[output.gauge]]
name = "corner"
x = -4.9
y = -4.9
)";

domain::TriMesh square() {
  domain::Rectangle r{-5, -5, 5, 5};
  r.columns = r.rows = 12;
  r.perturbation = 0.2;
  domain::TriMesh mesh = domain::make_rectangle(r);
  domain::renumber(mesh);
  return mesh;
}

// A circular internal dam break.
swe::CellFields dam(const domain::LocalTriMesh& mesh) {
  swe::CellFields f(static_cast<std::size_t>(mesh.part.owned()));
  for (std::size_t i = 0; i < f.h1.size(); ++i) {
    const double x = mesh.center_x[i], y = mesh.center_y[i];
    f.bottom[i] = 5;
    f.h1[i] = x * x + y * y < 2.25 ? 0.5 : 4;
    f.h2[i] = 5 - f.h1[i];
  }
  return f;
}

ExitCode go(comm::Comm& comm, const fs::path& out, const std::string& toml, bool resume = false,
            std::optional<std::int64_t> max_steps = {}) {
  const config::Config config = parse(toml);
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{comm, par::Queue::host(1), log, timers};
  const domain::TriMesh mesh = square();
  const domain::LocalTriMesh local =
      domain::build_local(mesh, domain::partition(mesh, comm.size()), comm.rank());
  const std::vector<swe::BoundaryKind> walls(mesh.groups.size(), swe::BoundaryKind::wall);
  auto solver = swe::make_solver(context, local, mesh.cells(), walls, {}, dam(local));
  swe::SweSolver& swe = *solver;
  run::TimeCase c;
  c.solver = std::move(solver);
  c.end_time = run::require_end_time(config);
  c.max_steps = max_steps;
  run::Options options;
  options.out = out;
  options.resume = resume;
  config::Diagnostics wrong;
  swe::add_outputs(c, config, swe, mesh, context, options, wrong);
  wrong.raise();
  run::Case any = std::move(c);
  return run::execute(any, config, context, options);
}

void expect_same_files(const fs::path& a, const fs::path& b) {
  const auto files = nlohmann::json::parse(read_file(a / "run.json"))["files"];
  EXPECT_EQ(files, nlohmann::json::parse(read_file(b / "run.json"))["files"]);
  EXPECT_GE(files.size(), 6u);
  for (const std::string file : files) {
    EXPECT_FALSE(read_file(a / file).empty()) << file;
    EXPECT_TRUE(read_file(a / file) == read_file(b / file)) << file;
  }
}

TEST(SweOutputs, AnyNumberOfRanksWritesTheSameBytes) {
  const SharedFolder folder(world());
  EXPECT_EQ(go(world(), folder.path() / "together", kCase), ExitCode::done);
  if (world().is_root()) {
    go(*comm::make_self(), folder.path() / "alone", kCase);
    expect_same_files(folder.path() / "alone", folder.path() / "together");
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  }
  world().barrier();
}

TEST(SweOutputs, ARestartWritesTheSameBytes) {
  const SharedFolder folder(world());
  const fs::path stopped = folder.path() / "stopped";
  go(world(), stopped, kCase, false, 9);
  EXPECT_EQ(go(world(), stopped, kCase, true), ExitCode::done);
  if (world().is_root()) {
    go(*comm::make_self(), folder.path() / "whole", kCase);
    expect_same_files(folder.path() / "whole", stopped);
    EXPECT_EQ(read_file(folder.path() / "whole" / "report.json"),
              read_file(stopped / "report.json"));
  }
  world().barrier();
}

TEST(SweOutputs, GaugesOutsideTheMeshAreNamed) {
  const SharedFolder folder(world());
  std::string toml = kCase;
  toml.replace(toml.find("-4.9"), 4, "-9.9");
  try {
    go(world(), folder.path() / "out", toml);
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("case.toml:17:5: error: key \"output.gauge"),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("(-9.9, -4.9), which lies in no cell"), std::string::npos)
        << e.what();
  }
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST(SweOutputs, TimesOutsideTheRunAreNamed) {
  const SharedFolder folder(world());
  std::string toml = kCase;
  toml.replace(toml.find("interval = 0.1"), 14, "times = [0.1, 0.7]");
  try {
    go(world(), folder.path() / "out", toml);
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "case.toml:8:9: error: key \"output.times\": expected times from 0 to "
                  "run.end_time (0.3 s), found 0.7"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace terrawave::test

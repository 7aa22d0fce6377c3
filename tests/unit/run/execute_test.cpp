// The run loop with the toy solver: landing, folders, failure, run.json.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scratch_folder.hpp"
#include "toy_case.hpp"

namespace terrawave::test {
namespace {

namespace fs = std::filesystem;

class Execute : public ::testing::Test {
 protected:
  ToyOutcome go(const ToyRun& r) { return run_toy(*comm_, r); }
  fs::path out() const { return scratch_.path() / "out"; }
  ToyRun toy() const {
    ToyRun r;
    r.out = out();
    r.times = run::output_times(0.03, r.end_time);
    return r;
  }
  nlohmann::json run_json() const { return nlohmann::json::parse(read_file(out() / "run.json")); }

  std::unique_ptr<comm::Comm> comm_ = comm::make_self();
  ScratchFolder scratch_;
};

std::string input_error(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(no InputError)";
}

TEST_F(Execute, LandsOnEveryOutputTime) {
  const ToyRun r = toy();
  const ToyOutcome o = go(r);
  EXPECT_EQ(o.code, ExitCode::done);
  EXPECT_EQ(o.output_times, r.times);
  for (const double dt : o.dts) EXPECT_GT(dt, 0.0);
}

TEST_F(Execute, FixedStepsStayWhole) {
  ToyRun r = toy();
  r.toy.fixed_dt = true;
  r.toy.fixed_step = 1e-3;
  const ToyOutcome o = go(r);
  EXPECT_EQ(o.code, ExitCode::done);
  EXPECT_EQ(o.dts.size(), 200u);
  for (const double dt : o.dts) EXPECT_EQ(dt, 1e-3);
  ASSERT_EQ(o.output_times.size(), r.times.size());
  for (std::size_t k = 0; k < r.times.size(); ++k)
    EXPECT_NEAR(o.output_times[k], r.times[k], 1e-15);
}

TEST_F(Execute, MaxStepsEndsTheRun) {
  ToyRun r = toy();
  r.max_steps = 5;
  EXPECT_EQ(go(r).dts.size(), 5u);
  EXPECT_EQ(run_json()["steps"], 5);
  EXPECT_EQ(run_json()["state"], "done");
}

TEST_F(Execute, RunJsonHoldsWhatIsKnown) {
  const ToyRun r = toy();
  go(r);
  const nlohmann::json j = run_json();
  EXPECT_EQ(j["program"], "terrawave");
  EXPECT_EQ(j["state"], "done");
  EXPECT_EQ(j["solver"], "toy");
  EXPECT_EQ(j["time"], 0.2);
  EXPECT_EQ(j["case"]["run"]["solver"], "toy");
  EXPECT_EQ(j["facts"]["gauge_samples"], j["steps"]);
  EXPECT_EQ(j["files"], nlohmann::json::array({"states.txt"}));
  EXPECT_EQ(j["audits"][0]["name"], "mass");
  EXPECT_LE(std::abs(j["audits"][0]["drift"].get<double>()), 1e-14);
  EXPECT_EQ(j["audit_times"].size(), r.times.size());
  EXPECT_GT(j["throughput"]["cell_updates_per_second"].get<double>(), 0.0);
  EXPECT_TRUE(j["phases"].contains("step"));
  EXPECT_TRUE(j["phases"].contains("output: states"));
  EXPECT_EQ(j["machine"]["ranks"], 1);
}

TEST_F(Execute, ReportCanBeRebuilt) {
  go(toy());
  const std::string page = read_file(out() / "report.html");
  EXPECT_NE(page.find("<h2>Toy</h2>"), std::string::npos);
  EXPECT_NE(page.find("Conserved and watched sums"), std::string::npos);
  fs::remove(out() / "report.html");
  run::rebuild_report(out());
  EXPECT_EQ(read_file(out() / "report.html"), page);
  EXPECT_NE(input_error([&] { run::rebuild_report(scratch_.path()); }).find("holds no run"),
            std::string::npos);
}

TEST_F(Execute, RefusesAFolderOfSomebodyElse) {
  fs::create_directories(out());
  std::ofstream(out() / "thesis.tex") << "precious";
  EXPECT_NE(input_error([&] { go(toy()); }).find("is not empty and holds no run of terrawave"),
            std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(out()), {}), 1);
}

TEST_F(Execute, RefusesAFile) {
  std::ofstream(out()) << "file";
  EXPECT_NE(input_error([&] { go(toy()); }).find("is a file"), std::string::npos);
}

TEST_F(Execute, RefusesAForeignRunJson) {
  fs::create_directories(out());
  std::ofstream(out() / "run.json") << "{\"program\": \"other\"}";
  EXPECT_NE(input_error([&] { go(toy()); }).find("not written by terrawave"), std::string::npos);
  std::ofstream(out() / "run.json") << "not json";
  EXPECT_NE(input_error([&] { go(toy()); }).find("not a run.json of this program"),
            std::string::npos);
}

TEST_F(Execute, ReplacesAnEarlierRunAndLeavesOtherFiles) {
  ToyRun r = toy();
  r.settings.checkpoint_time = 0.1;
  go(r);
  EXPECT_TRUE(fs::exists(out() / "checkpoint.h5"));
  std::ofstream(out() / "notes.txt") << "mine";
  r.settings.checkpoint_time.reset();
  const ToyOutcome o = go(r);
  EXPECT_EQ(o.code, ExitCode::done);
  ASSERT_FALSE(o.log.empty());
  EXPECT_NE(o.log[0].find("replacing the earlier run"), std::string::npos);
  EXPECT_FALSE(fs::exists(out() / "checkpoint.h5"));
  EXPECT_EQ(read_file(out() / "notes.txt"), "mine");
}

TEST_F(Execute, NeverRemovesOutsideItsFolder) {
  std::ofstream(scratch_.path() / "outside.txt") << "mine";
  go(toy());
  nlohmann::json j = run_json();
  j["files"] = {"../outside.txt", (scratch_.path() / "outside.txt").string(), "states.txt"};
  std::ofstream(out() / "run.json") << j.dump();
  EXPECT_EQ(go(toy()).code, ExitCode::done);
  EXPECT_EQ(read_file(scratch_.path() / "outside.txt"), "mine");
}

TEST_F(Execute, NotANumberIsNamedAndLeavesTheState) {
  ToyRun r = toy();
  r.settings.checkpoint_time = 0.05;
  r.toy.poison_step = 20;
  r.toy.poison_cell = 40;
  const ToyOutcome o = go(r);
  EXPECT_EQ(o.code, ExitCode::run_failed);
  const nlohmann::json j = run_json();
  EXPECT_EQ(j["state"], "failed");
  EXPECT_NE(j["message"].get<std::string>().find("u is not a number in cell 40"), std::string::npos)
      << j["message"];
  EXPECT_TRUE(fs::exists(out() / "failed_state.h5"));
  EXPECT_TRUE(fs::exists(out() / "checkpoint.h5")) << "the last good one stays";
  EXPECT_TRUE(fs::exists(out() / "report.html"));
}

TEST_F(Execute, NothingIsLeftOfPartFiles) {
  go(toy());
  for (const auto& entry : fs::directory_iterator(out()))
    EXPECT_NE(entry.path().filename().string().substr(0, 5), ".part") << entry.path();
}

TEST_F(Execute, DryRunWritesNothing) {
  run::Case c = run::OneShotCase{[] { return std::string("{}"); }, {}};
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*comm_, par::Queue::host(1), log, timers};
  run::Options options;
  options.out = out();
  options.dry_run = true;
  EXPECT_EQ(run::execute(c, run::Settings{}, "{}", context, options), ExitCode::done);
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(Execute, OneShotWorkIsRecorded) {
  run::Case c =
      run::OneShotCase{[&] {
                         std::ofstream(out() / "filled.npy") << "x";
                         return std::string("{\"cells\": 12, \"files\": [\"filled.npy\"]}");
                       },
                       {}};
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*comm_, par::Queue::host(1), log, timers};
  run::Options options;
  options.out = out();
  EXPECT_EQ(run::execute(c, run::Settings{}, "{}", context, options), ExitCode::done);
  EXPECT_EQ(run_json()["facts"]["cells"], 12);
  EXPECT_EQ(run_json()["files"][0], "filled.npy");
  EXPECT_FALSE(run_json().contains("steps"));
}

TEST_F(Execute, OneShotInputErrorLeavesNothing) {
  run::Case c = run::OneShotCase{[]() -> std::string { throw InputError("bad raster"); }, {}};
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*comm_, par::Queue::host(1), log, timers};
  run::Options options;
  options.out = out();
  EXPECT_THROW(run::execute(c, run::Settings{}, "{}", context, options), InputError);
  EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace terrawave::test

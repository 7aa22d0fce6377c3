// Restarts and results are the same bits on any number of ranks.
#include <filesystem>

#include <gtest/gtest.h>

#include "test_world.hpp"
#include "toy_case.hpp"

namespace terrawave::test {
namespace {

namespace fs = std::filesystem;

class Restart : public ::testing::Test {
 protected:
  Restart() : folder_(world()) {}

  ToyRun toy(const char* out) const {
    ToyRun r;
    r.out = folder_.path() / out;
    r.end_time = 0.4;
    r.times = run::output_times(0.03, r.end_time);
    return r;
  }
  // The root alone, as if it were the only rank; nothing on the others.
  std::optional<ToyOutcome> alone(const ToyRun& r) {
    std::optional<ToyOutcome> o;
    if (world().is_root()) o = run_toy(*self_, r);
    world().barrier();
    return o;
  }

  SharedFolder folder_;
  std::unique_ptr<comm::Comm> self_ = comm::make_self();
};

TEST_F(Restart, AnyNumberOfRanksWritesTheSameFiles) {
  ToyRun r = toy("together");
  r.settings.checkpoint_time = 0.1;
  const ToyOutcome together = run_toy(world(), r);
  r.out = folder_.path() / "alone";
  const std::optional<ToyOutcome> serial = alone(r);
  EXPECT_EQ(together.code, ExitCode::done);
  if (!serial) return;
  EXPECT_EQ(together.state, serial->state);
  EXPECT_EQ(together.dts, serial->dts);
  for (const char* name : {"states.txt", "checkpoint.h5"})
    EXPECT_TRUE(read_file(folder_.path() / "together" / name) == read_file(r.out / name)) << name;
}

// More ranks than cells: some own nothing.
TEST_F(Restart, RanksWithoutCellsAreLegal) {
  ToyRun r = toy("few");
  r.toy.cells = 2;
  r.settings.checkpoint_time = 0.1;
  EXPECT_EQ(run_toy(world(), r).code, ExitCode::done);
  r.resume = true;
  r.end_time = 0.6;
  EXPECT_EQ(run_toy(world(), r).code, ExitCode::done);
}

struct Stopped {
  const char* name;
  bool write_alone;   // who ran until the stop
  bool resume_alone;  // who went on
};

class RestartAcross : public Restart, public ::testing::WithParamInterface<Stopped> {};

// A failed run leaves outputs later than its last checkpoint: they are dropped and written again.
TEST_P(RestartAcross, EqualsTheUninterruptedRun) {
  const ToyRun whole = toy("whole");
  const std::optional<ToyOutcome> expected = alone(whole);

  ToyRun r = toy("stopped");
  r.settings.checkpoint_time = 0.1;
  r.toy.poison_step = 40;
  std::optional<ToyOutcome> stopped;
  if (GetParam().write_alone)
    stopped = alone(r);
  else
    stopped = run_toy(world(), r);
  if (stopped) {
    EXPECT_EQ(stopped->code, ExitCode::run_failed);
  }
  r.toy.poison_step = -1;
  r.resume = true;
  std::optional<ToyOutcome> resumed;
  if (GetParam().resume_alone)
    resumed = alone(r);
  else
    resumed = run_toy(world(), r);
  if (resumed) {
    EXPECT_EQ(resumed->code, ExitCode::done);
    EXPECT_GT(resumed->resumed_with, 1);
    EXPECT_LT(resumed->dts.size(), 400u);
  }
  if (!expected) return;
  EXPECT_LT(resumed->dts.size(), expected->dts.size());
  EXPECT_EQ(resumed->state, expected->state);
  EXPECT_EQ(read_file(r.out / "states.txt"), read_file(whole.out / "states.txt"));
}

INSTANTIATE_TEST_SUITE_P(Ranks, RestartAcross,
                         ::testing::Values(Stopped{"SameRanks", false, false},
                                           Stopped{"OneThenAll", true, false},
                                           Stopped{"AllThenOne", false, true}),
                         [](const auto& p) { return p.param.name; });

// One rank gets the signal; all stop together, and the run goes on as if nothing had been.
TEST_F(Restart, SignalOnOneRankStopsAll) {
  ToyRun r = toy("signal");
  r.toy.signal_step = 20;
  r.toy.sleep_seconds = 1e-3;
  const ToyOutcome stopped = run_toy(world(), r);
  EXPECT_EQ(stopped.code, ExitCode::interrupted);
  EXPECT_LT(stopped.dts.size(), 60u);
  if (world().is_root()) {
    EXPECT_NE(read_file(r.out / "run.json").find("\"state\": \"interrupted\""), std::string::npos);
  }
  r.toy.signal_step = -1;
  r.toy.sleep_seconds = 0;
  r.resume = true;
  const ToyOutcome resumed = run_toy(world(), r);
  const std::optional<ToyOutcome> expected = alone(toy("whole"));
  EXPECT_EQ(resumed.code, ExitCode::done);
  if (!expected) return;
  EXPECT_EQ(resumed.state, expected->state);
  EXPECT_EQ(read_file(r.out / "states.txt"), read_file(folder_.path() / "whole" / "states.txt"));
}

TEST_F(Restart, NotANumberFailsOnEveryRank) {
  ToyRun r = toy("nan");
  r.toy.poison_step = 4;  // looked for right then, before it spreads
  r.toy.poison_cell = 96;
  EXPECT_EQ(run_toy(world(), r).code, ExitCode::run_failed);
  if (world().is_root()) {
    EXPECT_NE(read_file(r.out / "run.json").find("u is not a number in cell 96"),
              std::string::npos);
  }
}

// The checkpoint of a run whose output failed knows that the record is missing.
TEST_F(Restart, AFullDiskIsOvercome) {
  for (const std::int64_t record : {0, 7}) {
    ToyRun r = toy(record == 0 ? "full0" : "full7");
    r.full_disk_at = record;
    EXPECT_EQ(run_toy(world(), r).code, ExitCode::run_failed);
    r.full_disk_at = -1;
    r.resume = true;
    const ToyOutcome resumed = run_toy(world(), r);
    EXPECT_EQ(resumed.code, ExitCode::done);
    EXPECT_EQ(resumed.resumed_with, record);
    const std::optional<ToyOutcome> expected = alone(toy("whole"));
    if (!expected) continue;
    EXPECT_EQ(resumed.state, expected->state);
    EXPECT_EQ(read_file(r.out / "states.txt"), read_file(folder_.path() / "whole" / "states.txt"));
  }
}

TEST_F(Restart, ExtendedEndTimeIsAllowed) {
  ToyRun r = toy("extended");
  r.settings.checkpoint_time = 10;  // only the last one, at the end
  const std::size_t before = r.times.size();
  run_toy(world(), r);
  r.resume = true;
  r.end_time = 0.5;
  r.times = run::output_times(0.01, r.end_time);  // another plan, too
  const ToyOutcome o = run_toy(world(), r);
  EXPECT_EQ(o.code, ExitCode::done);
  EXPECT_FALSE(o.output_times.empty());
  EXPECT_GT(o.output_times.front(), 0.4);
  EXPECT_EQ(o.resumed_with, std::int64_t(before)) << "all records of the first session stay";
}

}  // namespace
}  // namespace terrawave::test

// [run] from a case file to the program.
#include <gtest/gtest.h>

#include "terrawave/run/run_table.hpp"

namespace terrawave::run {
namespace {

config::Config parse(const std::string& text) {
  config::Schema root("", "");
  root.table(run_table());
  return config::parse(text, "case.toml", root);
}

TEST(Settings, DefaultsStand) {
  const Settings s = read_settings(parse("[run]\nsolver = \"toy\"\n"));
  EXPECT_EQ(s.solver, "toy");
  EXPECT_FALSE(s.end_time || s.max_steps || s.checkpoint_time || s.checkpoint_wall);
  EXPECT_EQ(s.device, "auto");
  EXPECT_FALSE(s.single_precision);
  EXPECT_TRUE(s.overlap);
  EXPECT_EQ(s.progress, Settings::Progress::automatic);
}

TEST(Settings, EverythingIsRead) {
  const Settings s = read_settings(
      parse("[run]\nsolver = \"toy\"\nend_time = \"2 h\"\nmax_steps = 7\ndevice = \"cpu\"\n"
            "precision = \"single\"\nthreads = 3\nout = \"o\"\ncheckpoint_time = \"10 min\"\n"
            "checkpoint_wall_time = 60\noverlap = false\nprogress = \"lines\"\n"));
  EXPECT_EQ(s.end_time, 7200.0);
  EXPECT_EQ(s.max_steps, 7);
  EXPECT_EQ(s.device, "cpu");
  EXPECT_TRUE(s.single_precision);
  EXPECT_EQ(s.threads, 3);
  EXPECT_EQ(s.out, "o");
  EXPECT_EQ(s.checkpoint_time, 600.0);
  EXPECT_EQ(s.checkpoint_wall, 60.0);
  EXPECT_FALSE(s.overlap);
  EXPECT_EQ(s.progress, Settings::Progress::lines);
}

TEST(Settings, EndTimeIsAskedFor) {
  try {
    require_end_time(parse("[run]\nsolver = \"toy\"\n"));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("run.end_time"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace terrawave::run

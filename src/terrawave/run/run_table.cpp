#include "terrawave/run/run_table.hpp"

namespace terrawave::run {

config::Table run_table() {
  using config::Key;
  config::Table t("run", "What to run, for how long and where.");
  t.required = true;
  t.key(Key::text("solver").require().describe("The method: swe, terrain or fdtd."));
  t.key(Key::number("end_time", "s").at_least(0).describe("Simulated time at which the run ends."));
  t.key(Key::integer("max_steps").at_least(0).describe("Ends the run after this many time steps."));
  t.key(Key::text("device")
            .one_of({"auto", "cpu", "cuda"})
            .fallback("auto")
            .describe("Where to compute; auto takes a CUDA device where there is one."));
  t.key(Key::text("precision")
            .one_of({"double", "single"})
            .fallback("double")
            .describe("Floating-point type of the state."));
  t.key(Key::integer("threads").at_least(0).fallback(0).describe(
      "CPU threads of each rank; 0 takes what OpenMP offers."));
  t.key(Key::text("out").describe(
      "Folder of the results, relative to the case file; --out replaces it."));
  t.key(
      Key::number("checkpoint_time", "s")
          .more_than(0)
          .describe("Simulated time between checkpoints. Written after the first step that reaches "
                    "a multiple; steps are not changed by it."));
  t.key(Key::number("checkpoint_wall_time", "s")
            .more_than(0)
            .describe("Wall-clock time between checkpoints."));
  t.key(Key::boolean("overlap").fallback(true).describe(
      "Hide messages between ranks behind work; false is for comparison. Results are the same."));
  t.key(
      Key::text("progress")
          .one_of({"auto", "terminal", "lines", "none"})
          .fallback("auto")
          .describe("How to show progress: one line that is rewritten (terminal), a line every few "
                    "seconds (lines), or not at all."));
  return t;
}

Settings read_settings(const config::Config& config) {
  const config::Config run = config.table("run");
  Settings s;
  s.solver = run.text("solver");
  if (run.has("end_time")) s.end_time = run.number("end_time");
  if (run.has("max_steps")) s.max_steps = run.integer("max_steps");
  s.device = run.text("device");
  s.single_precision = run.text("precision") == "single";
  s.threads = static_cast<int>(run.integer("threads"));
  if (run.has("out")) s.out = run.text("out");
  if (run.has("checkpoint_time")) s.checkpoint_time = run.number("checkpoint_time");
  if (run.has("checkpoint_wall_time")) s.checkpoint_wall = run.number("checkpoint_wall_time");
  s.overlap = run.boolean("overlap");
  const std::string progress = run.text("progress");
  s.progress = progress == "terminal" ? Settings::Progress::terminal
               : progress == "lines"  ? Settings::Progress::lines
               : progress == "none"   ? Settings::Progress::none
                                      : Settings::Progress::automatic;
  return s;
}

double require_end_time(const config::Config& config) {
  const config::Config run = config.table("run");
  if (!run.has("end_time"))
    run.fail("end_time", "expected a time, found none. Add end_time = ... to [run].");
  return run.number("end_time");
}

}  // namespace terrawave::run

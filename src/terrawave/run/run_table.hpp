// The [run] table that every solver's case has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "terrawave/config/config.hpp"

namespace terrawave::run {

// The declared keys of [run]: solver, end_time, max_steps, device, precision, threads, out,
// checkpoint_time, checkpoint_wall_time, overlap, progress.
config::Table run_table();

// [run] as the program uses it. `config` below is the root table.
struct Settings {
  enum class Progress { automatic, terminal, lines, none };
  std::string solver = {};
  std::optional<double> end_time = {};  // s
  std::optional<std::int64_t> max_steps = {};
  std::string device = "auto";  // auto, cpu, cuda
  bool single_precision = false;
  int threads = 0;                             // 0: all
  std::string out = {};                        // "" where not given
  std::optional<double> checkpoint_time = {};  // simulated s between checkpoints
  std::optional<double> checkpoint_wall = {};  // wall-clock s between checkpoints
  bool overlap = true;
  Progress progress = Progress::automatic;
};
Settings read_settings(const config::Config& config);

// run.end_time, or an InputError that asks for it. For solvers that cannot do without.
double require_end_time(const config::Config& config);

}  // namespace terrawave::run

// From a case file on the command line to a checked case.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "terrawave/config/config.hpp"
#include "terrawave/run/case.hpp"

namespace terrawave::app {

struct CaseFile {
  const run::SolverEntry& entry;
  config::Config config;  // the root table, with [run]
};

// Throws InputError with all complaints.
CaseFile load_case(const std::filesystem::path& file, const std::vector<std::string>& overrides);

// What this rank's share needs, against what the device has.
struct MemoryNeed {
  double needed = 0;     // bytes
  double available = 0;  // bytes free for this rank
};
// "needs 1.2 GiB, have 20.3 GiB"
std::string describe(const MemoryNeed& need);
// "1.2 GiB"
std::string bytes_text(double bytes);

}  // namespace terrawave::app

#include "terrawave/app/case_file.hpp"

#include <fmt/format.h>

#include "terrawave/solvers/registry.hpp"

namespace terrawave::app {

CaseFile load_case(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  std::vector<std::string> names;
  for (const run::SolverEntry& entry : solvers()) names.push_back(entry.name);
  const run::SolverEntry* entry = find_solver(config::peek_solver(file, overrides, names));
  require(entry != nullptr, "a solver passed the check but is not in the registry");
  return {*entry, config::load(file, case_schema(*entry), overrides)};
}

std::string bytes_text(double bytes) {
  constexpr double kib = 1024;
  if (bytes < kib * kib) return fmt::format("{:.1f} KiB", bytes / kib);
  if (bytes < kib * kib * kib) return fmt::format("{:.1f} MiB", bytes / (kib * kib));
  return fmt::format("{:.1f} GiB", bytes / (kib * kib * kib));
}

std::string describe(const MemoryNeed& need) {
  return "needs " + bytes_text(need.needed) + ", have " + bytes_text(need.available);
}

}  // namespace terrawave::app

#include "terrawave/solvers/registry.hpp"

#include <algorithm>

#include "terrawave/run/run_table.hpp"
#include "terrawave/solvers/fdtd/fdtd_entry.hpp"
#include "terrawave/solvers/swe/swe_entry.hpp"
#include "terrawave/solvers/terrain/terrain_entry.hpp"

namespace terrawave {

const std::vector<run::SolverEntry>& solvers() {
  static const std::vector<run::SolverEntry> all = {
      swe::swe_entry(),
      terrain::terrain_entry(),
      fdtd::fdtd_entry(),
  };
  return all;
}

const run::SolverEntry* find_solver(std::string_view name) {
  const auto& all = solvers();
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const run::SolverEntry& entry) { return entry.name == name; });
  return it == all.end() ? nullptr : &*it;
}

config::Schema case_schema(const run::SolverEntry& entry) {
  config::Schema schema = entry.schema();
  schema.tables.insert(schema.tables.begin(), run::run_table());
  return schema;
}

}  // namespace terrawave

// The solvers of this program.
#pragma once

#include <string_view>
#include <vector>

#include "terrawave/run/case.hpp"

namespace terrawave {

// In the order of the documentation.
const std::vector<run::SolverEntry>& solvers();

// Null where there is none of that name.
const run::SolverEntry* find_solver(std::string_view name);

// [run] and the solver's own tables: what a case file of this solver may hold.
config::Schema case_schema(const run::SolverEntry& entry);

}  // namespace terrawave

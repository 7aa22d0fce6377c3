// The folder of a run: what may be written where, and what an earlier run left there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "terrawave/run/case.hpp"

namespace terrawave::run {

inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kReportData = "report.json";
inline constexpr const char* kCheckpoint = "checkpoint.h5";
// The state of a run that failed: to look at, not to resume from.
inline constexpr const char* kFailedState = "failed_state.h5";

// Throws InputError where the folder may not be used; see execute.hpp. One rank calls it.
void inspect_folder(const Options& options);

// Creates the folder; without resume, removes the files that run.json of an earlier run names.
// Returns what was done, for the log; "" for a new folder. One rank calls it.
std::string claim_folder(const Options& options);

}  // namespace terrawave::run

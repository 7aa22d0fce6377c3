// One HDF5 file with everything a restart needs, in global order whatever the ranks.
//
//   /                attributes: format, version, solver, time, step, fingerprint
//   /fields/NAME     one data set per field of the solver, shape (global_size[, components]),
//                    chunked, each chunk with a Fletcher-32 checksum
//   /notes           attributes: what the run loop and the outputs ask to be kept
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "terrawave/comm/comm.hpp"
#include "terrawave/sim/solver.hpp"

namespace terrawave::io {

inline constexpr int kCheckpointVersion = 1;

// What stands in a checkpoint beside the fields; the same on every rank.
struct CheckpointHead {
  std::string solver;
  double time = 0;  // s
  std::int64_t step = 0;
  std::string fingerprint;                   // Solver::fingerprint() of the run that wrote it
  std::map<std::string, std::string> notes;  // any bytes
};

// Collective. The root gathers field by field in windows of bounded size and writes; the file gets
// its name when it is complete, so an earlier checkpoint of that name survives until then. The
// same state gives the same bytes on any number of ranks. Throws SharedError where writing fails.
void write_checkpoint(const std::filesystem::path& file, const CheckpointHead& head,
                      sim::Solver& solver, comm::Comm& comm);

// Collective. The head alone. Throws InputError where the file is missing, damaged, not a
// checkpoint, or written by a newer version of the program.
CheckpointHead read_checkpoint_head(const std::filesystem::path& file, comm::Comm& comm);

// Collective. Checks that `file` belongs to `solver` (name, fingerprint, fields), then loads every
// field. Throws InputError that names both sides of each mismatch, before any field is loaded.
void load_checkpoint(const std::filesystem::path& file, sim::Solver& solver, comm::Comm& comm);

// The lines in which two fingerprints differ, as text for the user; "" where they agree.
std::string fingerprint_differences(const std::string& checkpoint, const std::string& present);

}  // namespace terrawave::io

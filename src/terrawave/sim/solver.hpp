// What the run loop knows of a solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terrawave/base/index.hpp"

namespace terrawave::sim {

// One array of the state or of the outputs. The global array has `global_size` entries of
// `components` values; this rank owns the entries named by the solver's numbering.
struct FieldInfo {
  std::string name;       // "h1", CF names where they exist in `standard_name`
  std::string unit;       // "m"
  std::string long_name;  // "thickness of the upper layer"
  enum class Place { cell, node, edge, face, global } place = Place::cell;
  enum class Role { state, derived, constant } role = Role::state;
  enum class Type { float32, float64, int32, int64, uint8 } type = Type::float64;
  Index global_size = 0;
  int components = 1;
};

// Values that this rank owns, with the positions they have in the global array: runs of
// consecutive global entries, so that any number of ranks writes and reads the same file.
struct FieldBlock {
  std::vector<GlobalId> ids;      // global entry of each local one; increasing is not required
  std::vector<std::byte> values;  // ids.size() * components values of the field's type
};

// One conserved or watched quantity.
struct AuditItem {
  std::string name;  // "mass of the upper layer"
  std::string unit;
  double value = 0;
  bool conserved = false;  // drift relative to the first audit is reported
};

// A value that is not finite (or a cell that fails another check), named for the user.
struct BadValue {
  std::string what;  // "h1 is not a number in cell 1204 at (3.2, 4.1): h1 = nan, q1 = ..."
};

struct Work {
  double cells = 0;           // cell updates per step over all ranks
  double bytes_per_cell = 0;  // fewest bytes that a step must move per cell
  double flops_per_cell = 0;  // operations per cell and step
};

// A method that advances a state in time.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string_view name() const = 0;
  // Largest stable step from the present state, over all ranks; +inf where nothing moves.
  virtual double max_dt() = 0;
  // One step from t to t + dt.
  virtual void step(double t, double dt) = 0;
  // Up to `steps` equal steps of dt at once; returns how many were done. Overridden by solvers
  // whose kernels advance several steps in one pass and whose dt does not change.
  virtual std::int64_t steps(double t, double dt, std::int64_t steps) {
    (void)steps;
    step(t, dt);
    return 1;
  }
  virtual std::vector<AuditItem> audit() = 0;            // collective
  virtual std::optional<BadValue> find_bad_value() = 0;  // collective; the first one, by global id
  virtual Work work() const = 0;

  // Checkpoints: every array that a restart needs, in global order; collective.
  virtual std::vector<FieldInfo> fields() const = 0;
  virtual FieldBlock save(std::string_view field) = 0;
  // `read(ids)` returns the values of these global entries; called on every rank.
  using Read = std::function<std::vector<std::byte>(std::span<const GlobalId>)>;
  virtual void load(std::string_view field, const Read& read) = 0;
  // Names what must not change between checkpoint and restart: mesh, physics, precision. Compared
  // as text, line by line, "key = value"; a mismatch is refused naming both sides.
  virtual std::string fingerprint() const = 0;
  // True where dt is a constant of the method (leapfrog): the loop then takes whole steps of
  // max_dt(), t = step * dt, and writes an output after the first step that reaches its time.
  // False: steps are shortened to land exactly on output times.
  virtual bool fixed_dt() const { return false; }
  // True when the solver itself says it is done (decay reached) before the end time.
  virtual bool finished() { return false; }
};

}  // namespace terrawave::sim

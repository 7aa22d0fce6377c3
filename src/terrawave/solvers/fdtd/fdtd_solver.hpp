// The Yee solver: makes the state of a model, advances it with one of several kernels that give the
// same bits, and hands out fields, probe records and checkpoints.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "terrawave/par/view.hpp"
#include "terrawave/sim/context.hpp"
#include "terrawave/sim/solver.hpp"
#include "terrawave/solvers/fdtd/fdtd_layout.hpp"
#include "terrawave/solvers/fdtd/fdtd_model.hpp"

namespace terrawave::fdtd {

// The kernels, all with the same result bit for bit.
enum class Kernel {
  automatic,  // by grid and device
  two_pass,   // portable: an H pass and an E pass
  wavefront,  // CPU: several steps per sweep over memory, SIMD
  zmarch      // CUDA: two to four steps per pass over memory
};
std::string_view kernel_name(Kernel kernel);
Kernel kernel_named(std::string_view name);  // InputError for an unknown one

struct Options {
  Kernel kernel = Kernel::automatic;
  int steps_per_pass = 0;             // T; 0: chosen by the kernel
  std::array<int, 3> ranks{0, 0, 0};  // bricks per axis; 0: chosen
  int shape = -1;                     // of zmarch's blocks, in march_shapes(); -1: chosen
};

// What the probes saw in the steps since the last drain: values[row * probes + probe] after step
// first_step + row (steps are counted from 1).
struct Records {
  std::int64_t first_step = 1;
  std::int64_t rows = 0;
  std::vector<double> values;
};

class FdtdSolver : public sim::Solver {
 public:
  virtual const Model& model() const = 0;
  virtual std::int64_t step_count() const = 0;  // steps done since the start
  // Collective; the same on every rank. Rows kept since the last call; call it at least every
  // record_capacity() steps (steps() never does more than fit).
  virtual Records drain() = 0;
  virtual std::int64_t record_capacity() const = 0;

  // This rank's arrays. Views change with every call of steps(): fetch them anew.
  virtual const Layout& layout() const = 0;
  // component 0..5: Ex Ey Ez Hx Hy Hz; in single or double precision as the context says. Only
  // owned entries (Layout::owned_*) are current.
  virtual bool single_precision() const = 0;
  virtual par::View<const float> field_single(int component) const = 0;
  virtual par::View<const double> field_double(int component) const = 0;
  // Values of this rank's owned entries inside a box of nodes, x fastest, as doubles on the host;
  // empty where the rank owns none of it. `found` is the box they cover.
  virtual std::vector<double> owned_values(int component, const Box& box, Box& found) const = 0;
  // Sets a component from a function of the node, on owned and ghost entries (initial fields).
  virtual void set_field(int component,
                         const std::function<double(Index i, Index j, Index k)>& value) = 0;

  // Total energy, joules: sum of 1/2 (eps |E|^2 + mu |H|^2) over edges and faces, and what
  // inductors and series elements hold. The same on every rank, for any number of them. Collective.
  virtual double energy() = 0;
  virtual Kernel kernel() const = 0;
  virtual int steps_per_pass() const = 0;
  // More about the kernel of a pass, for people; may be empty.
  virtual std::string kernel_description() const = 0;
};

// Precision and device come from the context. Throws InputError for a model that cannot be run.
std::unique_ptr<FdtdSolver> make_solver(Model model, sim::Context& context,
                                        const Options& options = {});

// Bytes of memory that one rank needs at most, without building anything.
double estimate_bytes(const std::array<Index, 3>& cells, const std::array<Boundary, 6>& boundary,
                      const std::array<Cpml, 6>& cpml, bool single_precision, bool cuda, int ranks);

}  // namespace terrawave::fdtd

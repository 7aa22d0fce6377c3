#include "terrawave/solvers/fdtd/fdtd_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/cpu/wavefront.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {
namespace {

constexpr std::pair<Kernel, std::string_view> kKernels[] = {{Kernel::automatic, "auto"},
                                                            {Kernel::two_pass, "two_pass"},
                                                            {Kernel::wavefront, "wavefront"},
                                                            {Kernel::zmarch, "zmarch"}};

bool has_layers(const Model& model) {
  return std::any_of(model.boundary.begin(), model.boundary.end(),
                     [](Boundary b) { return b == Boundary::cpml; });
}

// Whether faces may need more than one class without loss.
bool magnetic(const Model& model) {
  return model.face_materials.size() > 1 || model.face_materials[0].sigma_m != 0;
}

int chosen_steps(Kernel kernel, const Model& model, bool single) {
  if (kernel == Kernel::wavefront) return wavefront_steps(model, single ? 4 : 8);
  if (kernel == Kernel::zmarch) {
    const Index thinnest = std::min({model.extent(0), model.extent(1), model.extent(2)});
    return zmarch_steps(single, has_layers(model) && thinnest < 128, magnetic(model));
  }
  return 1;
}

}  // namespace

std::string_view kernel_name(Kernel kernel) {
  for (const auto& [k, name] : kKernels)
    if (k == kernel) return name;
  return "?";
}

Kernel kernel_named(std::string_view name) {
  for (const auto& [k, n] : kKernels)
    if (n == name) return k;
  throw InputError(
      fmt::format("kernels: expected auto, two_pass, wavefront or zmarch, found {}", name));
}

Options resolve_options(Options o, const Model& model, const sim::Context& context) {
  const bool cuda = context.queue.backend() == par::Backend::cuda;
  const bool single = context.single_precision;
  if (o.kernel == Kernel::automatic) {
    o.kernel = Kernel::two_pass;
    if (!cuda) o.kernel = Kernel::wavefront;
    if (cuda && zmarch_pays(model, single && !magnetic(model))) o.kernel = Kernel::zmarch;
  }
  if (o.kernel == Kernel::wavefront && cuda)
    throw InputError("kernels = \"wavefront\" runs on the CPU; on CUDA use \"zmarch\" or \"auto\"");
  if (o.kernel == Kernel::zmarch && !cuda)
    throw InputError("kernels = \"zmarch\" runs on CUDA; on the CPU use \"wavefront\" or \"auto\"");
  // Other kernels have no shapes.
  if (o.kernel != Kernel::zmarch || !single) o.shape = -1;
  if (o.shape >= 0) {
    require(std::size_t(o.shape) < march_shapes().size(), "fdtd: no such shape of blocks");
    o.steps_per_pass = march_shapes()[std::size_t(o.shape)].steps;
  }
  const int most = o.kernel == Kernel::zmarch ? zmarch_most_steps(single) : kChunk - 1;
  if (o.steps_per_pass < 0 || o.steps_per_pass > most)
    throw InputError(fmt::format("steps per pass: expected 1 to {} with kernel {}, found {}", most,
                                 kernel_name(o.kernel), o.steps_per_pass));
  const int ranks = context.comm.size();
  const int wanted =
      o.steps_per_pass > 0 ? o.steps_per_pass : chosen_steps(o.kernel, model, single);
  const int fits = most_steps_per_pass(model, ranks, o.ranks, wanted);
  if (o.steps_per_pass == 0 && fits > 0) {
    o.steps_per_pass = fits;
    if (fits < wanted)
      context.log.info(
          fmt::format("{} step{} per pass instead of {}: the parts of {} rank{} are too small for "
                      "the ghosts of more",
                      fits, fits == 1 ? "" : "s", wanted, ranks, ranks == 1 ? "" : "s"));
  }
  o.ranks = split_ranks(model, ranks, o.ranks, std::max(1, o.steps_per_pass));
  return o;
}

}  // namespace terrawave::fdtd

// The marching kernels of a build without CUDA: never chosen.
#include "terrawave/base/error.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"
#include "terrawave/solvers/fdtd/cuda/zmarch.hpp"

namespace terrawave::fdtd {

int zmarch_steps(bool, bool, bool) { return 1; }
bool zmarch_pays(const Model&, bool) { return false; }
bool zmarch_marches(const HostClasses&, const HostClasses&, int) { return false; }

template <class Real>
struct Zmarch<Real>::Impl {};
template <class Real>
Zmarch<Real>::Zmarch(const par::Queue&, const Medium<Real>&, const HostClasses&, const HostClasses&,
                     const HostEvents&, int, int, const std::optional<Brick>&) {
  throw LogicError("this build has no CUDA");
}
template <class Real>
Zmarch<Real>::~Zmarch() = default;
template <class Real>
void Zmarch<Real>::run(const Medium<Real>&, const State<Real>&, const State<Real>&,
                       const EventTables&, const double*, double*, Index, Index, int, Part) {}
template <class Real>
std::string Zmarch<Real>::description() const {
  return {};
}

template class Zmarch<float>;
template class Zmarch<double>;

const std::vector<MarchShape>& march_shapes() {
  static const std::vector<MarchShape> none;
  return none;
}
int march_shape(int) { return -1; }
int march_steps(bool) { return 0; }
bool march_runs(const HostClasses&, const HostClasses&) { return false; }

struct Marcher::Impl {};
Marcher::Marcher(const par::Queue&, const Medium<float>&, const HostClasses&, const HostEvents&,
                 int, const std::optional<Brick>&) {
  throw LogicError("this build has no CUDA");
}
Marcher::~Marcher() = default;
void Marcher::run(const Medium<float>&, const State<float>&, const State<float>&,
                  const EventTables&, const double*, double*, Index, Index, Part) {}
void Marcher::write_past_cache(bool) {}
void Marcher::run_only(std::int32_t) {}
Marcher::Summary Marcher::summary() const { return {}; }

}  // namespace terrawave::fdtd

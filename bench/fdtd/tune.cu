// tune_fdtd [SECONDS [CASE [SHAPE]]]: times every shape of the marching kernel against two_pass on
// the grids of `terrawave bench fdtd`, and compares all fields and psi bit by bit after 12 steps.
// Models are set up once per grid, so that a run is short. A line per shape and grid.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/cuda/check.hpp"
#include "terrawave/solvers/fdtd/cuda/march.hpp"
#include "terrawave/solvers/fdtd/fdtd_bench.hpp"
#include "terrawave/solvers/fdtd/fdtd_event_data.hpp"
#include "terrawave/solvers/fdtd/fdtd_two_pass_steps.hpp"

namespace {

using namespace terrawave;

__global__ void count_differences(const std::uint32_t* a, const std::uint32_t* b, Index n,
                                  unsigned long long* out) {
  unsigned long long mine = 0;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += Index(gridDim.x) * blockDim.x)
    mine += a[i] != b[i];
  if (mine != 0) atomicAdd(out, mine);
}
__global__ void fill(float* a, Index n, float scale) {
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += Index(gridDim.x) * blockDim.x) {
    unsigned h = unsigned(i) * 2654435761u;
    h ^= h >> 15;
    a[i] = scale * (float(int(h * 2246822519u)) * 0x1p-31f);
  }
}

// Steps from noise leave zeros of both signs on PEC; steps of a run from rest leave +0 only.
__global__ void clear_signs_of_zero(float* a, Index n) {
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += Index(gridDim.x) * blockDim.x)
    if (a[i] == 0) a[i] = 0;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Arrays {
  fdtd::StateData<float> data;
  template <class F>
  static void each(Arrays& a, Arrays& b, const F& f) {
    for (std::size_t c = 0; c < 6; ++c) f(a.data.f[c], b.data.f[c]);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t q = 0; q < 4; ++q) f(a.data.psi[axis][q], b.data.psi[axis][q]);
  }
};
// The queue works on a stream of its own, which does not wait for the default stream that the
// copies and kernels of this file use, nor that stream for it.
void join() { par::cuda::check(cudaDeviceSynchronize(), "waiting for the device"); }
void copy(Arrays& from, Arrays& to) {
  join();
  Arrays::each(from, to, [](auto& a, auto& b) {
    if (a.size() > 0)
      par::cuda::check(cudaMemcpy(b.view().data, a.cview().data, std::size_t(a.size()) * 4,
                                  cudaMemcpyDeviceToDevice),
                       "copying");
  });
  join();
}
unsigned long long differences(Arrays& x, Arrays& y) {
  join();
  unsigned long long* out = nullptr;
  unsigned long long total = 0;
  par::cuda::check(cudaMalloc(reinterpret_cast<void**>(&out), 8), "allocating");
  par::cuda::check(cudaMemset(out, 0, 8), "clearing");
  Arrays::each(x, y, [&](auto& a, auto& b) {
    if (a.size() > 0)
      count_differences<<<1024, 256>>>(reinterpret_cast<const std::uint32_t*>(a.cview().data),
                                       reinterpret_cast<const std::uint32_t*>(b.cview().data),
                                       a.size(), out);
  });
  par::cuda::check(cudaMemcpy(&total, out, 8, cudaMemcpyDeviceToHost), "comparing");
  par::cuda::check(cudaFree(out), "freeing");
  return total;
}

// What the host makes of a model; seconds of work for the largest grids.
struct Host {
  fdtd::Model model;
  fdtd::Layout layout{};
  std::array<fdtd::HostAxis, 3> axes;
  fdtd::HostClasses edges, faces;
};
Host prepare(const fdtd::BenchCase& what) {
  Host h;
  h.model = fdtd::bench_model(what);
  h.layout = fdtd::make_layout(h.model, fdtd::brick_of(h.model, {1, 1, 1}, 0), 4);
  for (int a = 0; a < 3; ++a) h.axes[std::size_t(a)] = fdtd::make_axis(h.model, h.layout, a);
  h.edges = fdtd::edge_classes(h.model, h.layout);
  h.faces = fdtd::face_classes(h.model, h.layout);
  return h;
}

void tune(const fdtd::BenchCase& what, const Host& host, sim::Context& context, double seconds,
          int only) {
  const double begin = now();
  const par::Queue& queue = context.queue;
  const fdtd::Model& model = host.model;
  const fdtd::Layout& layout = host.layout;
  const auto& axes = host.axes;
  const fdtd::HostClasses &edges = host.edges, &faces = host.faces;
  const fdtd::MediumData<float> medium(queue, model, layout, axes, edges, faces);
  fdtd::EventData<float> events(context.comm, queue, model, layout);
  const auto make = [&] { return Arrays{fdtd::StateData<float>(queue, layout, axes)}; };
  Arrays start = make(), reference = make(), from = make(), to = make();
  const double cells = double(what.cells[0]) * double(what.cells[1]) * double(what.cells[2]);
  const auto two_pass = [&](Arrays& s, std::int64_t steps) {
    for (std::int64_t n = 0; n < steps; ++n)
      par::dispatch(queue, [&](const auto& exec) {
        fdtd::two_pass_step(exec, medium.view, s.data.view, events.tables(), events.states(),
                            events.scratch(), 0, 0);
      });
  };
  join();
  // Fields that satisfy the walls: noise, then steps that clear what stands on them.
  for (std::size_t c = 0; c < 6; ++c)
    fill<<<1024, 256>>>(start.data.f[c].view().data, layout.count, c < 3 ? 1.0f : 0.00265f);
  // Entries outside what steps change are zero.
  for (std::size_t c = 0; c < 6; ++c) {
    const auto plane = std::size_t(layout.plane) * 4, row = std::size_t(layout.row) * 4;
    char* base = reinterpret_cast<char*>(start.data.f[c].view().data);
    const auto zero_planes = [&](Index k0, Index k1) {
      if (k1 > k0) cudaMemset(base + std::size_t(k0) * plane, 0, std::size_t(k1 - k0) * plane);
    };
    const bool e = c < 3;
    // An entry that does not exist: E along its own axis, H across it, behind the last cell.
    const auto high = [&](int a) {
      const bool along = e ? int(c) == a : int(c) - 3 != a;
      return layout.update_high[a] - (along ? 1 : 0);
    };
    zero_planes(0, layout.update_low[2]);
    zero_planes(high(2), layout.size[2]);
    const auto zero_rows = [&](Index j0, Index j1) {
      if (j1 > j0)
        cudaMemset2D(base + std::size_t(j0) * row, plane, 0, std::size_t(j1 - j0) * row,
                     std::size_t(layout.size[2]));
    };
    zero_rows(0, layout.update_low[1]);
    zero_rows(high(1), layout.size[1]);
    const auto zero_columns = [&](Index i0, Index i1) {
      if (i1 > i0)
        cudaMemset2D(base + std::size_t(i0) * 4, row, 0, std::size_t(i1 - i0) * 4,
                     std::size_t(layout.size[1] * layout.size[2]));
    };
    zero_columns(0, layout.update_low[0]);
    zero_columns(high(0), layout.size[0]);
  }
  copy(start, reference);
  two_pass(reference, 3);
  join();
  for (std::size_t c = 0; c < 3; ++c)
    clear_signs_of_zero<<<1024, 256>>>(reference.data.f[c].view().data, layout.count);
  copy(reference, start);
  two_pass(reference, 12);
  queue.synchronize();
  std::printf("# %s: set up in %.1f s\n", what.name.c_str(), now() - begin);
  std::fflush(stdout);
  const auto report = [&](const std::string& name, int steps, const std::string& verdict,
                          const auto& pass) {
    pass();
    queue.synchronize();
    double t0 = now();
    for (int n = 0; n < 4; ++n) pass();
    queue.synchronize();
    const double once = (now() - t0) / 4;
    const int passes = std::max(4, int(seconds / once));
    t0 = now();
    for (int n = 0; n < passes; ++n) pass();
    queue.synchronize();
    const double each = (now() - t0) / passes;
    std::printf("%-32s %-34s %8.2f Gcell-steps/s %9.2f us/step  %s\n", what.name.c_str(),
                name.c_str(), cells * steps / each * 1e-9, each / steps * 1e6, verdict.c_str());
    std::fflush(stdout);
  };
  if (only < 0) {
    copy(start, from);
    report("two_pass", 1, "", [&] { two_pass(from, 1); });
  }
  const auto& shapes = fdtd::march_shapes();
  for (int s = 0; s < int(shapes.size()); ++s) {
    if (only >= 0 && only != s) continue;
    const auto& shape = shapes[std::size_t(s)];
    const std::string name = std::to_string(s) + ": T=" + std::to_string(shape.steps) + " " +
                             std::to_string(shape.warps) + "x" + std::to_string(shape.rows) +
                             " rim " + std::to_string(shape.rim);
    try {
      const double t0 = now();
      fdtd::Marcher marcher(queue, medium.view, edges, events.host(), s);
      const double planned = now() - t0;
      const auto pass = [&] {
        marcher.run(medium.view, from.data.view, to.data.view, events.tables(), events.states(),
                    events.next_states(), 0, 0);
        std::swap(from, to);
      };
      copy(start, from);
      copy(start, to);
      for (int n = 0; n < 12; n += shape.steps) pass();
      queue.synchronize();
      const auto wrong = differences(from, reference);
      const auto sum = marcher.summary();
      char verdict[200];
      std::snprintf(verdict, sizeof verdict, "%s (%llu differ)  %lld B, plan %.2f s",
                    wrong == 0 ? "BITS EQUAL" : "WRONG", wrong,
                    static_cast<long long>(sum.shared_bytes), planned);
      marcher.write_past_cache(true);
      report(name + " past cache", shape.steps, verdict, pass);
      marcher.write_past_cache(false);
      report(name, shape.steps, "", pass);
      if (sum.bodies.size() < 2) continue;
      // What a plane of a tile takes of a multiprocessor, by body.
      for (const auto& body : sum.bodies) {
        marcher.run_only(body.body);
        pass();
        queue.synchronize();
        const double b0 = now();
        for (int n = 0; n < 8; ++n) pass();
        queue.synchronize();
        const double each = (now() - b0) / 8;
        std::printf(
            "    body %2d: %5d tiles, %7lld planes, %9.2f us, %7.3f us a plane on one of %d\n",
            body.body, body.tiles, static_cast<long long>(body.planes), each * 1e6,
            each * 1e6 * queue.info().multiprocessors / double(body.planes),
            queue.info().multiprocessors);
      }
    } catch (const std::exception& e) {
      std::printf("%-32s %-34s failed: %s\n", what.name.c_str(), name.c_str(), e.what());
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.1;
  const std::string wanted = argc > 2 ? argv[2] : "";
  const int only = argc > 3 ? std::atoi(argv[3]) : -1;
  const auto comm = comm::make_self();
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*comm, par::Queue::cuda(), log, timers, true, true};
  const std::array<Index, 3> n{512, 512, 512}, slides{228, 228, 43};
  const fdtd::BenchCase cases[] = {
      {"slides", slides, true, 3, true, fdtd::Kernel::automatic, 0},
      {"256^3 vacuum", {256, 256, 256}, false, 1, true, fdtd::Kernel::automatic, 0},
      {"512^3 vacuum", n, false, 1, true, fdtd::Kernel::automatic, 0},
      {"512^3 materials", n, false, 3, true, fdtd::Kernel::automatic, 0},
      {"512^3 layers", n, true, 1, true, fdtd::Kernel::automatic, 0},
      {"512^3 layers materials", n, true, 3, true, fdtd::Kernel::automatic, 0},
  };
  // The host's work on later grids runs behind the measurements of earlier ones.
  std::vector<std::future<Host>> hosts;
  for (const auto& what : cases)
    hosts.push_back(std::async(std::launch::async, [&what, &wanted] {
      return what.name.find(wanted) != std::string::npos ? prepare(what) : Host{};
    }));
  std::size_t n_case = 0;
  for (const auto& what : cases) {
    const Host host = hosts[n_case++].get();
    if (what.name.find(wanted) != std::string::npos) tune(what, host, context, seconds, only);
  }
}

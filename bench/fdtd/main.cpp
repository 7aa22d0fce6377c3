// bench_fdtd [cpu|cuda] [OUT.json] [SECONDS] [NAME]: the cases of `terrawave bench fdtd`, on their
// own; only those whose name holds NAME.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "terrawave/comm/comm.hpp"
#include "terrawave/run/bandwidth.hpp"
#include "terrawave/solvers/fdtd/fdtd_bench.hpp"

int main(int argc, char** argv) {
  using namespace terrawave;
  const bool cuda = argc > 1 && std::string(argv[1]) == "cuda";
  const double seconds = argc > 3 ? std::atof(argv[3]) : 1.0;
  const auto comm = comm::make_self();
  sim::Log log([](sim::Log::Level, const std::string&) {});
  sim::Timers timers;
  sim::Context context{*comm, cuda ? par::Queue::cuda() : par::Queue::host(), log, timers, true,
                       true};
  const double bandwidth = run::measure_bandwidth(context.queue, *comm).value_or(0);
  std::printf("%s, triad %.4g GB/s\n", context.queue.info().name.c_str(), bandwidth * 1e-9);
  std::vector<fdtd::BenchResult> results;
  for (const auto& what : fdtd::bench_cases(cuda)) {
    if (argc > 4 && what.name.find(argv[4]) == std::string::npos) continue;
    results.push_back(fdtd::run_bench(what, context, seconds, bandwidth));
    std::printf("%s\n", fdtd::bench_row(results.back()).c_str());
    std::fflush(stdout);
    if (argc > 2)
      if (FILE* f = std::fopen(argv[2], "w")) {
        std::fputs(fdtd::bench_json(results).c_str(), f);
        std::fclose(f);
      }
  }
}

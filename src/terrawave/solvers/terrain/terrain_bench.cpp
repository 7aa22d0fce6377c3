#include "terrawave/solvers/terrain/terrain_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>

#include "terrawave/par/memory_count.hpp"
#include "terrawave/solvers/terrain/noise_steps.hpp"
#include "terrawave/solvers/terrain/peel_steps.hpp"
#include "terrawave/solvers/terrain/portable_routing.hpp"
#include "terrawave/solvers/terrain/product_lakes.hpp"
#include "terrawave/solvers/terrain/product_tree.hpp"
#include "terrawave/solvers/terrain/terrain_routing.hpp"

namespace terrawave::terrain {
namespace {

using par::Buffer;
using par::View;

double median_seconds(const par::Queue& queue, int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    queue.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    work();
    queue.synchronize();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + Index(times.size()) / 2, times.end());
  return times[times.size() / 2];
}

// The most memory held at once since construction, by buffers and (on the host) by anything else
// that the work allocates.
class PeakMemory {
 public:
  explicit PeakMemory(const par::Queue& queue) : queue_(queue) {
    par::restart_peak_bytes(queue);
    held_ = double(par::peak_bytes(queue));
    if (queue.backend() != par::Backend::host) return;
    std::ofstream("/proc/self/clear_refs") << 5;  // the high-water mark starts again
    resident_ = status("VmRSS:");
  }
  double bytes() const {
    const auto buffers = double(par::peak_bytes(queue_));
    if (queue_.backend() != par::Backend::host) return buffers;
    return std::max(buffers, held_ + status("VmHWM:") - resident_);
  }

 private:
  // A line of /proc/self/status in bytes; 0 where there is none.
  static double status(const std::string& key) {
    std::ifstream in("/proc/self/status");
    std::string word;
    double kib = 0;
    while (in >> word)
      if (word == key && in >> kib) return kib * 1024;
    return 0;
  }
  const par::Queue& queue_;
  double held_ = 0;
  double resident_ = 0;
};

double copy_rate(const par::Queue& queue) {
  const Index n = queue.backend() == par::Backend::cuda ? Index{1} << 29 : Index{1} << 27;
  Buffer<std::uint8_t> a(queue, n), b(queue, n);
  a.fill_bytes(1);
  b.copy_from(a);  // page faults
  const double s = median_seconds(queue, 5, [&] { b.copy_from(a); });
  return 2.0 * double(n) / s;
}

// One raster and its measurements.
class Sheet {
 public:
  using Print = std::function<void(const std::string&)>;
  Sheet(const par::Queue& queue, Index side, const BenchOptions& options, BenchResult& result,
        const Print& print)
      : queue_(queue),
        options_(options),
        result_(result),
        print_(print),
        grid_(grid_of(side)),
        z_(queue, grid_.cells()),
        state_(queue, states(side)),
        sums_(queue, grid_.cells()) {
    par::dispatch(queue, [&](const auto& exec) {
      steps::make_noise(exec, steps::Noise{}, 0, 0, side, side, z_.view());
    });
    queue.synchronize();
  }

  void run() {
    time("receivers (D8)", 4 + 1 + 1, [&](BenchEntry&) { receivers_ = steepest(); });
    accumulation();
    for (const bool flats : {false, true}) {
      const std::string suffix = flats ? "" : ", flats by index";
      routing("carve" + suffix, RouteMode::carve, flats);
      if (!flats) routing("jump" + suffix, RouteMode::jump, flats);
    }
    Buffer<float> filled(queue_, grid_.cells());
    time("fill", 4 + 1 + 4,
         [&](BenchEntry&) { fill(queue_, grid_, z_.cview(), state_.cview(), filled.view()); });
    time("fill + directions (flats resolved) + accumulation", 4 + 1 + 8, [&](BenchEntry& e) {
      const Routed routed = route(queue_, grid_, z_.cview(), state_.cview(), RouteMode::fill);
      accumulate<std::int64_t>(queue_, grid_, routed.receivers, {}, sums_.view());
      e.rounds = routed.stats.rounds;
    });
    time("carve + accumulation, flats by index", 4 + 1 + 8, [&](BenchEntry& e) {
      const Routed routed =
          route(queue_, grid_, z_.cview(), state_.cview(), RouteMode::carve, false);
      accumulate<std::int64_t>(queue_, grid_, routed.receivers, {}, sums_.view());
      e.rounds = routed.stats.rounds;
    });
    along_flow();
  }

 private:
  static Grid grid_of(Index side) {
    Grid g;
    g.rows = g.cols = side;
    return g;
  }
  static std::vector<std::uint8_t> states(Index side) {
    std::vector<std::uint8_t> state(std::size_t(side * side), std::uint8_t(CellState::valid));
    for (Index i = 0; i < side; ++i)
      for (const Index c : {i, (side - 1) * side + i, i * side, i * side + side - 1})
        state[std::size_t(c)] = std::uint8_t(CellState::outlet);
    return state;
  }

  // `moved`: bytes per cell that the step cannot avoid to read or write.
  void time(const std::string& name, double moved, const std::function<void(BenchEntry&)>& work) {
    BenchEntry e;
    e.name = name;
    e.side = grid_.rows;
    const auto cells = double(grid_.cells());
    work(e);  // page faults, code upload
    queue_.synchronize();
    const PeakMemory memory(queue_);
    e.seconds = median_seconds(queue_, options_.repeats, [&] { work(e); });
    e.bytes_per_cell = memory.bytes() / cells;
    e.cells_per_second = cells / e.seconds;
    e.bandwidth_share = moved * cells / e.seconds / result_.copy_bytes_per_second;
    result_.entries.push_back(e);
    if (print_) print_(to_text(e));
  }

  Receivers steepest() const {
    return steepest_receivers(queue_, grid_, z_.cview(), state_.cview(), FlatRule::by_index);
  }

  void accumulation() {
    time("receivers + accumulation", 4 + 1 + 8, [&](BenchEntry&) {
      accumulate<std::int64_t>(queue_, grid_, steepest(), {}, sums_.view());
    });
    time("accumulation", 1 + 8, [&](BenchEntry&) {
      accumulate<std::int64_t>(queue_, grid_, receivers_, {}, sums_.view());
    });
    time("accumulation, peeling without tiles (portable)", 1 + 8, [&](BenchEntry&) {
      portable::accumulate<std::int64_t>(queue_, grid_, receivers_, {}, sums_.view(), Combine::sum);
    });
    if (!options_.published) return;
    for (const bool ping_pong : {true, false}) {
      const std::string how = ping_pong ? "per-cell ping-pong" : "state copied each round";
      time("rake and compress, " + how, 1 + 8, [&](BenchEntry& e) {
        const steps::RakeCompress done = par::dispatch(queue_, [&](const auto& exec) {
          return steps::rake_compress(exec, view_of(grid_, {}), receivers_.direction.cview(),
                                      sums_.view(), ping_pong);
        });
        e.rounds = done.rounds;
      });
    }
  }

  void routing(const std::string& name, RouteMode mode, bool flats) {
    time(name, 4 + 1 + 1, [&](BenchEntry& e) {
      const Routed routed = route(queue_, grid_, z_.cview(), state_.cview(), mode, flats);
      e.rounds = routed.stats.rounds;
      e.note = std::to_string(routed.stats.pits) + " pits";
    });
  }

  // Products from and to the host's memory, transfers included.
  void along_flow() {
    const std::vector<Direction> direction =
        route(queue_, grid_, z_.cview(), state_.cview(), RouteMode::carve, false)
            .receivers.direction.download();
    const std::vector<float> ground = z_.download();
    Buffer<float> filled(queue_, grid_.cells());
    fill(queue_, grid_, z_.cview(), state_.cview(), filled.view());
    const std::vector<float> surface = filled.download();
    filled = {};
    const std::vector<std::uint8_t> state = state_.download();
    const std::vector<double> row_area(std::size_t(grid_.rows), 1.0);
    const LakeInput<float> lakes = {ground, surface, state, direction, row_area};
    const auto time_on = [&](const TileQueue& on, const std::string& how) {
      time_products(on, direction, how);
      time("lakes" + how, 4 + 4 + 1 + 1 + 4, [&](BenchEntry& e) {
        e.note = std::to_string(find_lakes(on, grid_, lakes).lakes.size()) + " lakes";
      });
    };
    time_on(queue_, "");
    if (queue_.backend() == par::Backend::host)
      time_on(TileQueue::with_kernels(queue_), ", by the kernels of GPUs");
  }
  void time_products(const TileQueue& on, const std::vector<Direction>& direction,
                     const std::string& how) {
    time("tree of the flow" + how, 1, [&](BenchEntry&) { FlowTree(on, grid_, direction, {}); });
    const FlowTree tree(on, grid_, direction, {});
    time("length to the outlet" + how, 1 + 8, [&](BenchEntry&) { length_downstream(tree); });
    time("longest way from a divide" + how, 1 + 8, [&](BenchEntry&) { length_upstream(tree); });
    // Streams where a tree's labels and orders have something to find: one cell in 64.
    std::vector<std::uint8_t> stream(direction.size(), 0);
    for (std::size_t i = 0; i < stream.size(); i += 64) stream[i] = 1;
    time("first stream cell on the way down" + how, 1 + 1 + 4,
         [&](BenchEntry&) { first_marked_downstream(tree, stream); });
    time("Strahler's order" + how, 1 + 1 + 4, [&](BenchEntry&) { strahler_order(tree, stream); });
  }

  const par::Queue& queue_;
  const BenchOptions& options_;
  BenchResult& result_;
  const Print& print_;
  Grid grid_;
  Buffer<float> z_;
  Buffer<std::uint8_t> state_;
  Buffer<std::int64_t> sums_;
  Receivers receivers_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}
std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

}  // namespace

BenchResult bench(const par::Queue& queue, const BenchOptions& options,
                  const std::function<void(const std::string&)>& print) {
  BenchResult result;
  result.device = queue.info().name;
  result.copy_bytes_per_second = copy_rate(queue);
  for (const Index side : options.sides) {
    // Heights, states, directions and sums, and the most that one method holds beside them.
    const double need = double(side) * double(side) * (14 + (options.published ? 90 : 40));
    if (need > double(queue.info().memory_free)) {
      BenchEntry left_out;
      left_out.name = "left out: needs more memory than is free";
      left_out.side = side;
      result.entries.push_back(left_out);
      if (print) print(to_text(left_out));
      continue;
    }
    Sheet(queue, side, options, result, print).run();
  }
  return result;
}

std::string to_json(const BenchResult& result, const std::string& when, const std::string& commit) {
  std::string out = "{\n  \"solver\": \"terrain\",\n  \"date\": " + quoted(when) +
                    ",\n  \"commit\": " + quoted(commit) +
                    ",\n  \"device\": " + quoted(result.device) +
                    ",\n  \"copy_bytes_per_second\": " + number(result.copy_bytes_per_second) +
                    ",\n  \"entries\": [";
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    const BenchEntry& e = result.entries[i];
    out += std::string(i > 0 ? "," : "") + "\n    {\"name\": " + quoted(e.name) +
           ", \"side\": " + std::to_string(e.side) + ", \"seconds\": " + number(e.seconds) +
           ", \"cells_per_second\": " + number(e.cells_per_second) +
           ", \"rounds\": " + std::to_string(e.rounds) +
           ", \"bytes_per_cell\": " + number(e.bytes_per_cell) +
           ", \"bandwidth_share\": " + number(e.bandwidth_share) + ", \"note\": " + quoted(e.note) +
           "}";
  }
  return out + "\n  ]\n}\n";
}

std::string to_text(const BenchEntry& e) {
  char line[200];
  std::snprintf(line, sizeof line,
                "%6lld  %-52s %10.3f ms %9.1f Mcell/s %3d rounds %6.1f B/cell  %s",
                static_cast<long long>(e.side), e.name.c_str(), e.seconds * 1e3,
                e.cells_per_second / 1e6, e.rounds, e.bytes_per_cell, e.note.c_str());
  return line;
}

}  // namespace terrawave::terrain

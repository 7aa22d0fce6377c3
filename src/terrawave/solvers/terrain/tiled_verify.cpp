// The invariants of product_verify over tiles, from what the rings show.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "terrawave/solvers/terrain/product_sums.hpp"
#include "terrawave/solvers/terrain/tiled_jumps.hpp"
#include "terrawave/solvers/terrain/tiled_products.hpp"

namespace terrawave::terrain {
namespace {

// Where a cell's flow ends, found along the flow itself.
struct Ending {
  Index root = -1;
  std::int64_t base = 0;
};

class Verifier {
 public:
  explicit Verifier(TiledSession& session) : session_(session) {}

  // prepare(m) gives a functor bool(Index i, Index a): is the cell (position in the tile, in
  // `around`) bad? Only cells with data are asked.
  template <class Prepare>
  Check every_cell(const std::string& name, const std::string& good, const Prepare& prepare) {
    constexpr Index none = std::numeric_limits<Index>::max();
    Index first = none;
    for_tiles(session_, [&](std::size_t m, Index tile) {
      const auto bad = prepare(m);
      const TileShape shape = session_.reader().shape(tile);
      const auto direction = session_.store().get<Direction>(tile, "directions");
      for (Index i = 0; i < shape.inside.size(); ++i) {
        const Index a = shape.around_of(i);
        if (direction[std::size_t(i)] != kNoDirection && bad(i, a))
          first = std::min(first, shape.global(a));
      }
    });
    first = session_.comm().min(first);
    if (first == none) return {name, true, good};
    return {name, false,
            fmt::format("not in row {}, column {}", first / session_.info().cols,
                        first % session_.info().cols)};
  }

  std::vector<Check> single() {
    session_.label();
    find_endings();
    checks_.push_back(every_cell("basins: the label of the receiver", "all cells", [&](auto m) {
      const Index tile = session_.rings().tile(m);
      auto label = session_.store().template get<Index>(tile, "basins");
      auto ending = session_.store().template get<Ending>(tile, "verify.ending");
      return [label = std::move(label), ending = std::move(ending)](Index i, Index) {
        return label[std::size_t(i)] != ending[std::size_t(i)].root;
      };
    }));
    if (session_.has_heights() && session_.options().depressions) {
      check_pits();
      with_height_type(session_.info(), [&]<class T>(T) { check_fill<T>(); });
    }
    if (session_.options().combine == Combine::sum && session_.options().weights == "unit")
      check_counts();
    for (const Index tile : session_.rings().tiles()) session_.store().drop(tile, "verify.ending");
    return checks_;
  }

  std::vector<Check> multiple() {
    session_.fractions();
    checks_.push_back(
        every_cell("multiple flow: shares add up to 1 or 0", "all cells", [&](std::size_t m) {
          auto given = given_of(m);
          return [given = std::move(given)](Index, Index a) {
            const double sum = given[std::size_t(a)];
            return sum != 0 && std::abs(sum - 1) > 8 * 0x1p-53;
          };
        }));
    if (session_.options().weights != "unit") return checks_;
    session_.accumulate();
    double largest = 0;
    const auto for_roots = [&](const auto& take) {
      for_tiles(session_, [&](std::size_t m, Index tile) {
        const std::vector<double> given = given_of(m);
        const auto all = session_.store().get<double>(tile, "accumulation");
        const auto direction = session_.store().get<Direction>(tile, "directions");
        const TileShape shape = session_.reader().shape(tile);
        for (Index i = 0; i < shape.inside.size(); ++i)
          if (direction[std::size_t(i)] != kNoDirection &&
              given[std::size_t(shape.around_of(i))] == 0)
            take(all[std::size_t(i)]);
      });
    };
    for_roots([&](double v) { largest = std::max(largest, v); });
    largest = session_.comm().max(largest);
    OrderlessSum sum(largest);
    for_roots([&](double v) { sum.add(v); });
    sum.parts() = session_.comm().sum(sum.parts());
    const double drift =
        std::abs(sum.value() - double(session_.valid())) / double(session_.valid());
    checks_.push_back({"multiple flow: the roots receive all weight", drift <= 1e-12,
                       fmt::format("{} of {}", sum.value(), session_.valid())});
    return checks_;
  }

 private:
  std::vector<double> given_of(std::size_t m) {
    const auto share = session_.store().get<double>(session_.rings().tile(m), "fractions");
    const std::size_t n = share.size() / kNeighbours;
    std::vector<double> given(n, 0.0);
    for (std::size_t k = 0; k < kNeighbours; ++k)
      for (std::size_t a = 0; a < n; ++a) given[a] += share[k * n + a];
    return given;
  }

  // Marks base cells in a tile; roots of directions that were read are all base cells.
  std::vector<std::uint8_t> bases(std::size_t m) {
    const Index tile = session_.rings().tile(m);
    std::vector<std::uint8_t> base;
    if (!session_.has_heights()) {
      for (const Direction d : session_.store().get<Direction>(tile, "directions"))
        base.push_back(d == kRoot ? 1 : 0);
      return base;
    }
    with_height_type(session_.info(), [&]<class T>(T) {
      const Block<T> block = session_.ground<T>(m);
      for (const std::uint8_t state : block.cut(block.state))
        base.push_back(is_base(state) ? 1 : 0);
    });
    return base;
  }

  void find_endings() {
    sweep_up<Ending>(
        session_.rings(), session_.store(), "verify.ending",
        [&](std::size_t m) { return session_.bits(m); }, Ending{},
        [&](std::size_t m) {
          return [shape = session_.reader().shape(session_.rings().tile(m)),
                  base = bases(m)](Index a) {
            return Ending{shape.global(a), base[std::size_t(shape.inside_of(a))]};
          };
        },
        [](std::size_t) { return [](Index, Hop, Ending below) { return below; }; });
  }

  void check_pits() {
    Index pits = 0;
    with_height_type(session_.info(), [&]<class T>(T) {
      for_tiles(session_, [&](std::size_t m, Index tile) {
        const Block<T> block = session_.ground<T>(m);
        const auto direction = session_.store().get<Direction>(tile, "directions");
        for (Index i = 0; i < block.inside.size(); ++i)
          pits += direction[std::size_t(i)] == kRoot &&
                          !is_base(block.state[std::size_t(block.around_of(i))])
                      ? 1
                      : 0;
        pits -= Index(jumps_of(session_.store(), tile).out.size());
      });
    });
    pits = session_.comm().sum(pits);
    const Index undrained = session_.route().undrained;
    checks_.push_back({"routing: every cell reaches an outlet or a kept sink", pits == undrained,
                       fmt::format("{} pits left, {} regions without an outlet", pits, undrained)});
  }

  template <class T>
  void check_fill() {
    session_.fill();
    Surface<T> surface(session_.reader(), session_.rings(), session_.store());
    TiledStats ignored;
    surface.fill(session_.queue(), ignored);
    const auto blocks = [&](std::size_t m) {
      return std::pair(session_.ground<T>(m), surface.block(m));
    };
    checks_.push_back(every_cell("fill: never below the ground", "all cells", [&](std::size_t m) {
      return [b = blocks(m)](Index, Index a) {
        return b.second.z[std::size_t(a)] < b.first.z[std::size_t(a)];
      };
    }));
    checks_.push_back(every_cell("fill: outlets and kept sinks keep their height", "all of them",
                                 [&](std::size_t m) {
                                   return [b = blocks(m)](Index, Index a) {
                                     return is_base(b.first.state[std::size_t(a)]) &&
                                            b.second.z[std::size_t(a)] != b.first.z[std::size_t(a)];
                                   };
                                 }));
    const auto endings = [&](std::size_t m) {
      return session_.store().get<Ending>(session_.rings().tile(m), "verify.ending");
    };
    checks_.push_back(every_cell(
        "fill: not above the ground and the lowest neighbour", "all drained cells",
        [&](std::size_t m) {
          return [b = blocks(m), ending = endings(m)](Index i, Index a) {
            if (is_base(b.first.state[std::size_t(a)]) || ending[std::size_t(i)].base == 0)
              return false;
            double lowest = INFINITY;
            for (int k = 0; k < kNeighbours; ++k) {
              const Index n = b.first.grid.neighbour(a, k);
              if (n >= 0 && is_data(b.first.state[std::size_t(n)]))
                lowest = std::min(lowest, double(b.second.z[std::size_t(n)]));
            }
            return double(b.second.z[std::size_t(a)]) !=
                   std::max(double(b.first.z[std::size_t(a)]), lowest);
          };
        }));
    if (session_.options().mode == RouteMode::jump) return;  // jumps cross passes without a path
    sweep_up<double>(
        session_.rings(), session_.store(), "verify.highest",
        [&](std::size_t m) { return session_.bits(m); }, 0.0,
        [&](std::size_t m) {
          return
              [block = session_.ground<T>(m)](Index a) { return double(block.z[std::size_t(a)]); };
        },
        [&](std::size_t m) {
          return [block = session_.ground<T>(m)](Index a, Hop, double below) {
            return std::max(double(block.z[std::size_t(a)]), below);
          };
        },
        sizeof(T) + 1);
    checks_.push_back(every_cell("routing: each path climbs to the filled surface and no higher",
                                 "all drained cells", [&](std::size_t m) {
                                   return [b = surface.block(m), ending = endings(m),
                                           highest = session_.store().get<double>(
                                               session_.rings().tile(m), "verify.highest")](
                                              Index i, Index a) {
                                     return ending[std::size_t(i)].base != 0 &&
                                            highest[std::size_t(i)] != double(b.z[std::size_t(a)]);
                                   };
                                 }));
    for (const Index tile : session_.rings().tiles()) session_.store().drop(tile, "verify.highest");
  }

  void check_counts() {
    session_.accumulate();
    std::int64_t sum = 0;
    for_tiles(session_, [&](std::size_t, Index tile) {
      const auto count = session_.store().get<std::int64_t>(tile, "accumulation");
      const auto direction = session_.store().get<Direction>(tile, "directions");
      for (std::size_t i = 0; i < count.size(); ++i)
        if (direction[i] == kRoot) sum += count[i];
      const TileShape shape = session_.reader().shape(tile);
      for (const TileJump& jump : jumps_of(session_.store(), tile).out)  // drain on
        sum -= count[std::size_t(shape.inside_of(shape.around_at(jump.root)))];
    });
    sum = session_.comm().sum(sum);
    checks_.push_back({"accumulation: the roots add up to all cells", sum == session_.valid(),
                       fmt::format("{} of {}", sum, session_.valid())});
    const auto ring = ring_of<std::int64_t>(session_, "accumulation");
    count_at_targets();
    checks_.push_back(
        every_cell("accumulation: at least 1, growing downstream", "all cells", [&](std::size_t m) {
          FlowBits flow = session_.bits(m);
          auto count = flow.shape.join(
              session_.store().get<std::int64_t>(session_.rings().tile(m), "accumulation"),
              ring->ring(m));
          auto beyond = session_.store().template get<std::int64_t>(session_.rings().tile(m),
                                                                    "verify.beyond");
          return [flow = std::move(flow), count = std::move(count), beyond = std::move(beyond)](
                     Index, Index a) {
            const auto c = std::size_t(a);
            if (count[c] < 1) return true;
            if (flow.gives[c] == 0) {
              const TileJump* jump = flow.jumps.from(flow.shape.global(a));
              return jump != nullptr &&
                     beyond[std::size_t(jump - flow.jumps.out.data())] <= count[c];
            }
            const Index row = a / flow.shape.around.cols;
            const Index to = neighbour8(flow.shape, row, a - row * flow.shape.around.cols,
                                        std::countr_zero(flow.gives[c]));
            return count[std::size_t(to)] <= count[c];
          };
        }));
  }

  // "verify.beyond": the accumulation at the target of each jump of a tile.
  void count_at_targets() {
    Mail<JumpValue<std::int64_t>> mail(session_.rings());
    for_tiles(session_, [&](std::size_t, Index tile) {
      const auto count = session_.store().get<std::int64_t>(tile, "accumulation");
      const TileShape shape = session_.reader().shape(tile);
      for (const TileJump& jump : jumps_of(session_.store(), tile).in)
        mail.send(session_.tiling().tile_of(jump.root),
                  {jump, count[std::size_t(shape.inside_of(shape.around_at(jump.target)))]});
    });
    mail.exchange();
    for_tiles(session_, [&](std::size_t m, Index tile) {
      const TileJumps jumps = jumps_of(session_.store(), tile);
      std::vector<std::int64_t> beyond(jumps.out.size());
      for (const auto& letter : mail.take(m))
        beyond[std::size_t(jumps.from(letter.jump.root) - jumps.out.data())] = letter.value;
      session_.store().put(tile, "verify.beyond", beyond);
    });
  }

  TiledSession& session_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> verify_tiled(TiledSession& session) {
  session.route();
  if (session.valid() == 0) return {{"cells", true, "the raster holds no data"}};
  Verifier verifier(session);
  return session.options().single_receiver() ? verifier.single() : verifier.multiple();
}

}  // namespace terrawave::terrain

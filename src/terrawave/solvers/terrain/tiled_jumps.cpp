#include "terrawave/solvers/terrain/tiled_jumps.hpp"

#include "terrawave/solvers/terrain/tiled_mail.hpp"

namespace terrawave::terrain {
namespace {

constexpr const char* kOut = "jumps.out";
constexpr const char* kIn = "jumps.in";

}  // namespace

std::vector<TileJump> jump_tile(const TileFlow& flow, const Tiling& tiling,
                                const std::vector<JumpStart>& starts,
                                const std::vector<InnerWay>& inner) {
  const domain::Window& w = flow.window;
  const auto global = [&](Index i) {
    return (w.row + i / w.cols) * tiling.cols + w.col + i % w.cols;
  };
  std::vector<TileJump> jumps;
  std::vector<std::uint8_t> turned(inner.size(), 0);
  for (const JumpStart& start : starts) {
    const Index from =
        (start.cell / tiling.cols - w.row) * w.cols + start.cell % tiling.cols - w.col;
    Index target = start.target;
    // Out of an inner basin: the basins on its way out drain into it now, pass by pass.
    for (std::size_t at = way_of(inner, flow.root[std::size_t(from)]); at < inner.size();) {
      turned[at] = 1;
      jumps.push_back({global(inner[at].pit), target});
      target = global(inner[at].from);
      at = inner[at].to < 0 ? inner.size() : way_of(inner, inner[at].to);
    }
    jumps.push_back({start.basin, target});
  }
  for (std::size_t at = 0; at < inner.size(); ++at)
    if (turned[at] == 0) jumps.push_back({global(inner[at].pit), global(inner[at].across)});
  return jumps;
}

Index keep_jumps(const Rings& rings, TileStore& store,
                 const std::function<std::vector<TileJump>(std::size_t m)>& jumps) {
  const Tiling& tiling = rings.tiling();
  Mail<TileJump> out(rings), in(rings);
  Index count = 0;
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      TileJumps own;
      for (const TileJump& jump : jumps(m)) {
        ++count;
        const Index from = tiling.tile_of(jump.root);
        const Index to = tiling.tile_of(jump.target);
        if (from == rings.tile(m))
          own.out.push_back(jump);
        else
          out.send(from, jump);
        if (to == rings.tile(m))
          own.in.push_back(jump);
        else
          in.send(to, jump);
      }
      store.put(rings.tile(m), kOut, own.out);
      store.put(rings.tile(m), kIn, own.in);
    }
  });
  out.exchange();
  in.exchange();
  together(rings.comm(), [&] {
    for (std::size_t m = 0; m < rings.count(); ++m) {
      TileJumps own = jumps_of(store, rings.tile(m));
      for (const TileJump& jump : out.take(m)) own.out.push_back(jump);
      for (const TileJump& jump : in.take(m)) own.in.push_back(jump);
      own.sort();
      store.put(rings.tile(m), kOut, own.out);
      store.put(rings.tile(m), kIn, own.in);
    }
  });
  return rings.comm().sum(count);
}

TileJumps jumps_of(const TileStore& store, Index tile) {
  if (!store.has(tile, kOut)) return {};
  return {store.get<TileJump>(tile, kOut), store.get<TileJump>(tile, kIn)};
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/tiled_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/solvers/terrain/tiled_makers.hpp"
#include "terrawave/solvers/terrain/tiled_write.hpp"

namespace terrawave::terrain {

using nlohmann::json;

Made made(const json& facts, std::string text) { return {facts.dump(), std::move(text)}; }

domain::CellType index_type(const TiledSession& session) {
  return session.info().size() < (Index(1) << 31) ? domain::CellType::i32 : domain::CellType::i64;
}
domain::Cells as_type(domain::CellType type, const std::vector<Index>& values) {
  if (type == domain::CellType::i64) return values;
  return std::vector<std::int32_t>(values.begin(), values.end());
}

std::vector<Direction> tile_directions(TiledSession& session, Index tile) {
  return session.store().get<Direction>(tile, "directions");
}

std::vector<double> tile_amounts(TiledSession& session, Index tile) {
  if (!session.integers()) return session.store().get<double>(tile, "accumulation");
  const auto values = session.store().get<std::int64_t>(tile, "accumulation");
  return {values.begin(), values.end()};
}

Made real_product(TiledSession& session, const Step& step, const char* name,
                  const std::string& what) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  Index count = 0;
  for_tiles(session, [&](std::size_t, Index tile) {
    for (const double v : session.store().get<double>(tile, name))
      if (!std::isnan(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
        ++count;
      }
  });
  low = session.comm().min(low) + 0.0;  // zeros without a sign
  high = session.comm().max(high) + 0.0;
  count = session.comm().sum(count);
  write_tiles(session, step.out, domain::CellType::f64, kNoValue,
              [&](std::size_t, Index tile) { return session.store().get<double>(tile, name); });
  if (count == 0) return made({{"cells", 0}}, what + ": no cell holds a value");
  return made({{"cells", count}, {"min", low}, {"max", high}},
              fmt::format("{}: {} to {}", what, low, high));
}

namespace {

Made make_verify(TiledSession& session, const Step& step) {
  return verify_made(verify_tiled(session), [&](const std::string& text) {
    if (!step.out.empty() && session.comm().is_root()) io::write_text(step.out, text);
  });
}

struct Maker {
  const char* op;
  Made (*make)(TiledSession&, const Step&);
};
constexpr Maker makers[] = {{"fill", make_tiled_fill},     {"carve", make_tiled_breach},
                            {"breach", make_tiled_breach}, {"jump", make_tiled_flow},
                            {"flow", make_tiled_flow},     {"accumulate", make_tiled_accumulation},
                            {"basins", make_tiled_basins}, {"streams", make_tiled_streams},
                            {"order", make_tiled_order},   {"length", make_tiled_length},
                            {"hand", make_tiled_hand},     {"slope", make_tiled_slope},
                            {"lakes", make_tiled_lakes},   {"watershed", make_tiled_watershed},
                            {"verify", make_verify}};

}  // namespace

Made make_tiled_product(TiledSession& session, const Step& step) {
  for (const Maker& maker : makers)
    if (step.op == maker.op) return maker.make(session, step);
  throw LogicError("no such product");
}

}  // namespace terrawave::terrain

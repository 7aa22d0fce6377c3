#include "terrawave/solvers/terrain/codec_directions.hpp"

#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"

namespace terrawave::terrain {
namespace {

struct Kind {
  std::string_view name;
  std::array<int, 9> code;  // E, SE, S, SW, W, NW, N, NE, root
  domain::CellType type;
  double nodata;
};

constexpr std::array<Kind, 6> kinds = {{
    {"esri", {1, 2, 4, 8, 16, 32, 64, 128, 0}, domain::CellType::u8, 255},
    {"taudem", {1, 8, 7, 6, 5, 4, 3, 2, 0}, domain::CellType::i16, -32768},
    {"grass", {8, 7, 6, 5, 4, 3, 2, 1, 0}, domain::CellType::i16, -32768},
    {"whitebox", {2, 4, 8, 16, 32, 64, 128, 1, 0}, domain::CellType::u8, 255},
    {"ldd", {6, 3, 2, 1, 4, 7, 8, 9, 5}, domain::CellType::u8, 255},
    {"richdem", {5, 6, 7, 8, 1, 2, 3, 4, 0}, domain::CellType::u8, 255},
}};

const Kind& kind_of(Codes codes) { return kinds[std::size_t(codes)]; }

// The direction of a code, or -1.
int direction_of(const Kind& kind, double value) {
  for (int k = 0; k < 9; ++k)
    if (value == kind.code[std::size_t(k)]) return k;
  if (kind.name == "grass" && value < 0 && value >= -8 && value == std::trunc(value)) return kRoot;
  return -1;
}

// The neighbour by which a root on the edge of the map drains out, or -1 inside.
int way_out(Index row, Index col, Index rows, Index cols) {
  if (row == 0) return 6;
  if (row == rows - 1) return 2;
  if (col == 0) return 4;
  return col == cols - 1 ? 0 : -1;
}

// Distinct values that are no codes of the kind, with the first place of each and how many.
struct Strange {
  Index row = 0, col = 0, count = 0;
};
using Strangers = std::map<double, Strange>;

Strangers strangers(const domain::Raster& raster, const std::vector<std::uint8_t>& valid,
                    const Kind& kind, std::size_t most) {
  Strangers found;
  for (Index i = 0; i < raster.info.size(); ++i) {
    if (valid[std::size_t(i)] == 0) continue;
    const double value = domain::value_at(raster.cells, i);
    if (direction_of(kind, value) >= 0) continue;
    const auto at = found.find(value);
    if (at != found.end())
      ++at->second.count;
    else if (found.size() < most)
      found[value] = {i / raster.info.cols, i % raster.info.cols, 1};
  }
  return found;
}

std::optional<double> nodata_of(const domain::Raster& raster, const Kind& kind) {
  return raster.info.nodata ? raster.info.nodata : std::optional(kind.nodata);
}

[[noreturn]] void refuse(const domain::Raster& raster, const Kind& kind, const Strangers& bad) {
  std::string list;
  for (const auto& [value, where] : bad)
    list += fmt::format("{}{} ({} cell{}, first at row {}, column {})", list.empty() ? "" : ", ",
                        value, where.count, where.count == 1 ? "" : "s", where.row, where.col);
  std::string fits;
  for (const Kind& other : kinds) {
    const auto valid = domain::valid_cells(raster.cells, nodata_of(raster, other));
    if (strangers(raster, valid, other, 1).empty()) fits += fmt::format(" {}", other.name);
  }
  throw InputError(fmt::format(
      "{}: error: expected direction codes of kind {}, found {}{}; {}", raster.info.name, kind.name,
      list, bad.size() == 8 ? ", ..." : "",
      fits.empty() ? "the raster is of none of the known kinds: is it a raster of directions?"
                   : "it could be of kind" + fits));
}

}  // namespace

std::string_view name_of(Codes codes) { return kind_of(codes).name; }

std::optional<Codes> codes_named(std::string_view name) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (kinds[k].name == name) return Codes(k);
  return std::nullopt;
}

std::vector<std::string> code_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

domain::Raster encode_directions(std::span<const Direction> direction,
                                 const domain::RasterInfo& like, Codes codes,
                                 std::optional<domain::Window> part) {
  const domain::Window w = part.value_or(like.whole());
  const Kind& kind = kind_of(codes);
  domain::Raster raster;
  raster.info = like;
  raster.info.type = kind.type;
  raster.info.nodata = kind.nodata;
  raster.info.rows = w.rows;
  raster.info.cols = w.cols;
  raster.cells = domain::make_cells(kind.type, w.size());
  std::visit(
      [&](auto& out) {
        using T = typename std::decay_t<decltype(out)>::value_type;
        for (Index i = 0; i < w.size(); ++i) {
          const Direction d = direction[std::size_t(i)];
          double code = d == kNoDirection ? kind.nodata : kind.code[d];
          if (codes == Codes::grass && d == kRoot)
            if (const int k = way_out(w.row + i / w.cols, w.col + i % w.cols, like.rows, like.cols);
                k >= 0)
              code = -kind.code[std::size_t(k)];
          out[std::size_t(i)] = static_cast<T>(code);
        }
      },
      raster.cells);
  return raster;
}

Decoded decode_directions(const domain::Raster& raster, Codes codes) {
  const Kind& kind = kind_of(codes);
  const auto valid = domain::valid_cells(raster.cells, nodata_of(raster, kind));
  if (const Strangers bad = strangers(raster, valid, kind, 8); !bad.empty())
    refuse(raster, kind, bad);
  const Index rows = raster.info.rows;
  const Index cols = raster.info.cols;
  Decoded decoded;
  decoded.direction.assign(std::size_t(raster.info.size()), kNoDirection);
  for (Index i = 0; i < raster.info.size(); ++i) {
    if (valid[std::size_t(i)] == 0) continue;
    int d = direction_of(kind, domain::value_at(raster.cells, i));
    if (d < kNeighbours) {
      const Index row = i / cols + kRowStep[d];
      const Index col = i % cols + kColStep[d];
      const bool outside = row < 0 || row >= rows || col < 0 || col >= cols;
      if (outside || valid[std::size_t(row * cols + col)] == 0) {
        d = kRoot;
        ++decoded.led_out;
      }
    }
    decoded.direction[std::size_t(i)] = Direction(d);
  }
  return decoded;
}

}  // namespace terrawave::terrain

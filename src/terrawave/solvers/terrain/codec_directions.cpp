#include "terrawave/solvers/terrain/codec_directions.hpp"

#include <algorithm>
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

std::optional<double> nodata_of(const domain::RasterInfo& info, const Kind& kind) {
  return info.nodata ? info.nodata : std::optional(kind.nodata);
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

std::vector<StrangeCode> strange_codes(const domain::Cells& cells, const domain::RasterInfo& map,
                                       const domain::Window& part, Codes codes, std::size_t most) {
  const Kind& kind = kind_of(codes);
  const auto valid = domain::valid_cells(cells, nodata_of(map, kind));
  std::map<double, StrangeCode> found;
  for (Index i = 0; i < part.size(); ++i) {
    if (valid[std::size_t(i)] == 0) continue;
    const double value = domain::value_at(cells, i);
    if (direction_of(kind, value) >= 0) continue;
    const auto at = found.find(value);
    if (at != found.end())
      ++at->second.count;
    else if (found.size() < most)
      found[value] = {value, (part.row + i / part.cols) * map.cols + part.col + i % part.cols, 1};
  }
  std::vector<StrangeCode> list;
  for (const auto& [value, strange] : found) list.push_back(strange);
  return list;
}

void count_codes(const domain::Cells& cells, const domain::RasterInfo& map, Codes codes,
                 std::vector<StrangeCode>& values) {
  const auto valid = domain::valid_cells(cells, nodata_of(map, kind_of(codes)));
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] == 0) continue;
    const double value = domain::value_at(cells, Index(i));
    for (StrangeCode& s : values) s.count += s.value == value ? 1 : 0;
  }
}

void refuse_codes(const domain::RasterInfo& map, Codes codes, std::vector<StrangeCode> strange,
                  const std::vector<Codes>& fitting) {
  std::sort(strange.begin(), strange.end(),
            [](const StrangeCode& a, const StrangeCode& b) { return a.value < b.value; });
  std::string list;
  for (const StrangeCode& s : strange)
    list += fmt::format("{}{} ({} cell{}, first at row {}, column {})", list.empty() ? "" : ", ",
                        s.value, s.count, s.count == 1 ? "" : "s", s.first / map.cols,
                        s.first % map.cols);
  std::string fits;
  for (const Codes other : fitting) fits += fmt::format(" {}", name_of(other));
  throw InputError(fmt::format(
      "{}: error: expected direction codes of kind {}, found {}{}; {}", map.name, name_of(codes),
      list, strange.size() == kStrangeCodes ? ", ..." : "",
      fits.empty() ? "the raster is of none of the known kinds: is it a raster of directions?"
                   : "it could be of kind" + fits));
}

Decoded decode_part(const domain::Cells& cells, const domain::RasterInfo& map,
                    const domain::Window& around, const domain::Window& inside, Codes codes) {
  const Kind& kind = kind_of(codes);
  const auto valid = domain::valid_cells(cells, nodata_of(map, kind));
  Decoded decoded;
  decoded.direction.assign(std::size_t(inside.size()), kNoDirection);
  for (Index i = 0; i < inside.size(); ++i) {
    const Index r = inside.row - around.row + i / inside.cols;
    const Index c = inside.col - around.col + i % inside.cols;
    const Index at = r * around.cols + c;
    if (valid[std::size_t(at)] == 0) continue;
    int d = direction_of(kind, domain::value_at(cells, at));
    if (d >= 0 && d < kNeighbours) {
      const Index row = r + kRowStep[d];
      const Index col = c + kColStep[d];
      const bool outside = row < 0 || row >= around.rows || col < 0 || col >= around.cols;
      if (outside || valid[std::size_t(row * around.cols + col)] == 0) {
        d = kRoot;
        ++decoded.led_out;
      }
    }
    decoded.direction[std::size_t(i)] = Direction(d);
  }
  return decoded;
}

Decoded decode_directions(const domain::Raster& raster, Codes codes) {
  const domain::Window whole = raster.info.whole();
  auto strange = strange_codes(raster.cells, raster.info, whole, codes, kStrangeCodes);
  if (!strange.empty()) {
    std::vector<Codes> fitting;
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (strange_codes(raster.cells, raster.info, whole, Codes(k), 1).empty())
        fitting.push_back(Codes(k));
    refuse_codes(raster.info, codes, std::move(strange), fitting);
  }
  return decode_part(raster.cells, raster.info, whole, whole, codes);
}

}  // namespace terrawave::terrain

#include "terrawave/solvers/terrain/product_states.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/solvers/terrain/product_session.hpp"

namespace terrawave::terrain {
namespace {

// Marks cells of a mask raster that are neither 0 nor nodata.
void mark(const std::string& name, const char* role, const domain::RasterInfo& like,
          CellState mark_as, std::vector<std::uint8_t>& states) {
  const domain::Raster mask = read_alike(name, like, role);
  const auto valid = domain::valid_cells(mask.cells, mask.info.nodata);
  for (Index i = 0; i < like.size(); ++i)
    if (valid[std::size_t(i)] != 0 && domain::value_at(mask.cells, i) != 0 &&
        is_data(states[std::size_t(i)]))
      states[std::size_t(i)] = std::uint8_t(mark_as);
}

template <class T>
std::optional<T> hole_of(const domain::RasterInfo& info) {
  const auto hole = domain::representable(info.type, info.nodata);
  if (!hole || std::isnan(*hole)) return std::nullopt;
  return static_cast<T>(*hole);
}

}  // namespace

std::vector<Index> listed_cells(const std::string& list, const domain::RasterInfo& info) {
  std::vector<Index> cells;
  std::stringstream in(list);
  for (std::string pair; std::getline(in, pair, ';');) {
    std::smatch m;
    if (!std::regex_match(pair, m, std::regex("\\s*(\\d{1,10})\\s*,\\s*(\\d{1,10})\\s*")))
      throw InputError("--keep-sinks: expected \"row,col;row,col\", found \"" + pair + "\"");
    const Index row = std::stoll(m[1]);
    const Index col = std::stoll(m[2]);
    if (row >= info.rows || col >= info.cols)
      throw InputError(fmt::format(
          "--keep-sinks: row {}, column {} lies outside {} ({} rows, {} columns, from 0)", row, col,
          info.name, info.rows, info.cols));
    cells.push_back(row * info.cols + col);
  }
  return cells;
}

Heights heights_of(const domain::Raster& dem) {
  return std::visit(
      [&](const auto& v) -> Heights {
        using T = typename std::decay_t<decltype(v)>::value_type;
        if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t>)
          throw InputError(
              fmt::format("{}: error: expected heights of type u8, i16, u16, i32, f32 or f64, "
                          "found {}; convert "
                          "them with gdal_translate -ot Int32 (or Float64) first",
                          dem.info.name, domain::name_of(dem.info.type)));
        else
          return std::span<const T>(v);
      },
      dem.cells);
}

Borders borders_of(const FlowOptions& options) {
  Borders borders;
  borders.nodata_drains = options.nodata_drains;
  const bool edge = options.outlets == "edge";
  borders.north = borders.south = borders.west = borders.east = edge;
  if (!edge) borders.nodata_drains = false;
  for (const std::string& side : options.closed) {
    const bool all = side == "all";
    if (!all && side != "north" && side != "south" && side != "west" && side != "east")
      throw InputError("--closed: expected north, south, west, east or all, found \"" + side +
                       "\"");
    if (all || side == "north") borders.north = false;
    if (all || side == "south") borders.south = false;
    if (all || side == "west") borders.west = false;
    if (all || side == "east") borders.east = false;
  }
  return borders;
}

std::vector<std::uint8_t> cell_states(const domain::Raster& dem, const Grid& grid,
                                      const FlowOptions& options) {
  const domain::RasterInfo& info = dem.info;
  const Borders borders = borders_of(options);
  std::vector<std::uint8_t> states = std::visit(
      [&](auto heights) {
        using T = std::remove_const_t<typename decltype(heights)::element_type>;
        auto made = make_states<T>(grid, heights, hole_of<T>(info), borders);
        if constexpr (std::is_floating_point_v<T>)
          for (std::size_t i = 0; i < made.size(); ++i)
            if (is_data(made[i]) && std::isinf(heights[i]))
              throw InputError(
                  fmt::format("{}: error: the height in row {}, column {} is infinite; mark such "
                              "cells as nodata",
                              info.name, Index(i) / info.cols, Index(i) % info.cols));
        return made;
      },
      heights_of(dem));
  if (options.outlets != "edge" && options.outlets != "none")
    mark(options.outlets, "mask of outlets", info, CellState::outlet, states);
  if (!options.keep_sinks.empty()) {
    const bool listed = std::regex_match(options.keep_sinks, std::regex("[0-9,; \t]+"));
    if (listed) {
      for (const Index cell : listed_cells(options.keep_sinks, info)) {
        std::uint8_t& state = states[std::size_t(cell)];
        if (!is_data(state))
          throw InputError(fmt::format("--keep-sinks: row {}, column {} of {} is nodata",
                                       cell / info.cols, cell % info.cols, info.name));
        state = std::uint8_t(CellState::sink);
      }
    } else {
      mark(options.keep_sinks, "mask of kept sinks", info, CellState::sink, states);
    }
  }
  const bool data = std::any_of(states.begin(), states.end(), [](auto s) { return is_data(s); });
  const bool base = std::any_of(states.begin(), states.end(), [](auto s) { return is_base(s); });
  if (data && !base && options.depressions)
    throw InputError(info.name +
                     ": error: no cell lets flow out: every edge is closed or looped and there is "
                     "no mask of outlets or kept sink; give --outlets FILE or --keep-sinks");
  return states;
}

}  // namespace terrawave::terrain

// Direction rasters of other programs, read and written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terrawave/domain/raster.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

//            E   SE  S   SW  W   NW  N   NE  root
// esri       1   2   4   8   16  32  64  128 0     (ArcGIS Flow Direction)
// taudem     1   8   7   6   5   4   3   2   0     (TauDEM D8FlowDir)
// grass      8   7   6   5   4   3   2   1   0     (r.watershed; negative where flow leaves the
// map) whitebox   2   4   8   16  32  64  128 1   0     (WhiteboxTools D8Pointer) ldd        6   3
// 2   1   4   7   8   9   5     (PCRaster local drain direction) richdem    5   6   7   8   1   2
// 3   4   0     (RichDEM)
enum class Codes { esri, taudem, grass, whitebox, ldd, richdem };

std::string_view name_of(Codes codes);
std::optional<Codes> codes_named(std::string_view name);
std::vector<std::string> code_names();

// Codes of the directions, with the nodata value customary for the kind. GRASS: roots on the edge
// of the map get the negative code of the way out. With `part`, the directions are those of that
// window of the map `like`, and the raster holds its cells.
domain::Raster encode_directions(std::span<const Direction> direction,
                                 const domain::RasterInfo& like, Codes codes,
                                 std::optional<domain::Window> part = {});

struct Decoded {
  std::vector<Direction> direction;
  Index led_out = 0;  // cells whose code pointed off the map or into nodata: roots now
};
// Throws InputError with the offending values, where they stand, and the kinds that the raster
// could be, when a value is no code of this kind.
Decoded decode_directions(const domain::Raster& raster, Codes codes);

// The same in parts. A value that is no code of a kind:
struct StrangeCode {
  double value = 0;
  Index first = 0;  // linear index in the map
  Index count = 0;
};
inline constexpr std::size_t kStrangeCodes = 8;  // values that a message names
// Those that a window of the map holds, of different values the first `most` in row order.
std::vector<StrangeCode> strange_codes(const domain::Cells& cells, const domain::RasterInfo& map,
                                       const domain::Window& part, Codes codes, std::size_t most);
// Adds to the count of each of these values what such a window holds of it.
void count_codes(const domain::Cells& cells, const domain::RasterInfo& map, Codes codes,
                 std::vector<StrangeCode>& values);
// Throws the InputError of decode_directions. `fitting`: kinds that have all values of the map.
[[noreturn]] void refuse_codes(const domain::RasterInfo& map, Codes codes,
                               std::vector<StrangeCode> strange, const std::vector<Codes>& fitting);
// The directions of a window from the cells of one around it: a ring wide, cut off at the edges of
// the map. Expects codes only.
Decoded decode_part(const domain::Cells& cells, const domain::RasterInfo& map,
                    const domain::Window& around, const domain::Window& inside, Codes codes);

}  // namespace terrawave::terrain

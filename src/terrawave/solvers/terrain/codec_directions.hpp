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

}  // namespace terrawave::terrain

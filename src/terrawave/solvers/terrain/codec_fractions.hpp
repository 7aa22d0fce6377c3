// Fractions of flow to the eight neighbours, as `terrain flow --mfd` writes them: a raster of eight
// bands, to E, SE, S, SW, W, NW, N and NE.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "terrawave/io/raster.hpp"
#include "terrawave/solvers/terrain/grid.hpp"

namespace terrawave::terrain {

inline constexpr const char* kNeighbourNames[kNeighbours] = {"E", "SE", "S", "SW",
                                                             "W", "NW", "N", "NE"};

// What the cells of a window give, by whatever was read.
struct DecodedShares {
  std::vector<double> fractions;     // to neighbour k: fractions[k * cells + cell]
  std::vector<std::uint8_t> states;  // valid, outlet (gives nothing) or nodata
  Index led_out = 0;  // cells that give to beyond the map or to nodata, even in part: outlets now
};

// The bands of such a file.
class FractionBands {
 public:
  // Throws InputError for a file without eight bands.
  explicit FractionBands(const std::string& name);
  const domain::RasterInfo& info() const { return bands_[0]->info(); }
  // Eight values for each cell of a window, neighbour by neighbour, NaN where a band holds nothing.
  // read(source) gives a band's cells of the window.
  template <class Read>
  std::vector<double> values(const Read& read) const {
    std::vector<double> all;
    for (const auto& band : bands_) append(read(*band), all);
    return all;
  }

 private:
  void append(const domain::Cells& cells, std::vector<double>& all) const;
  std::vector<std::unique_ptr<io::RasterSource>> bands_;
};

// The first cell of a window whose values are no fractions: there must be all eight or none, none
// negative, with a sum of 0 or (within 1e-6, the rounding of single precision) of 1.
struct StrangeFractions {
  Index cell = -1;   // linear index in the map; -1: none
  std::string what;  // "-0.2 to SE"
};
StrangeFractions strange_fractions(const std::vector<double>& values, const domain::RasterInfo& map,
                                   const domain::Window& window);
[[noreturn]] void refuse_fractions(const domain::RasterInfo& map, const StrangeFractions& strange);

// From the values of a window around: a ring wide, over looped edges too, cut off at the edges of
// the map. `wrap_rows`, `wrap_cols`: the window's own opposite edges meet.
DecodedShares decode_fractions(const std::vector<double>& values, const domain::Window& around,
                               const domain::Window& inside, bool wrap_rows, bool wrap_cols);

}  // namespace terrawave::terrain

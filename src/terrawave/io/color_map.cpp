// Colour maps as short tables, interpolated linearly.
#include <algorithm>
#include <cmath>
#include <span>

#include "terrawave/io/report.hpp"

namespace terrawave::io {
namespace {

using Color = std::array<std::uint8_t, 3>;

constexpr Color kNoData = {225, 225, 225};

// Even steps of lightness from dark violet to light yellow; readable with every colour vision.
constexpr Color kSequential[] = {{38, 20, 72},   {50, 51, 122},  {44, 88, 142},  {33, 122, 143},
                                 {40, 155, 133}, {92, 186, 106}, {164, 209, 75}, {240, 229, 92}};
// Dark blue, white, dark red: equal lightness on both sides of zero.
constexpr Color kDiverging[] = {{20, 56, 120},   {49, 110, 176},  {125, 170, 213},
                                {203, 222, 238}, {247, 247, 247}, {248, 216, 197},
                                {233, 154, 118}, {199, 78, 60},   {122, 18, 36}};
// Lowland green over brown to snow.
constexpr Color kTerrain[] = {{38, 94, 70},    {86, 135, 84},  {150, 170, 104}, {206, 194, 136},
                              {186, 150, 104}, {146, 110, 84}, {170, 156, 148}, {248, 248, 248}};
// Neighbouring numbers look different; grey-free.
constexpr Color kCategories[] = {{31, 119, 180},  {255, 157, 62}, {66, 150, 86},   {200, 70, 72},
                                 {140, 104, 186}, {150, 110, 90}, {226, 132, 190}, {120, 170, 60},
                                 {60, 180, 190},  {240, 205, 80}, {90, 90, 160},   {180, 200, 230}};

std::span<const Color> table_of(ColorMap map) {
  switch (map) {
    case ColorMap::sequential:
      return kSequential;
    case ColorMap::diverging:
      return kDiverging;
    case ColorMap::terrain:
      return kTerrain;
    case ColorMap::categories:
      return kCategories;
  }
  return kSequential;
}

}  // namespace

Color color_of(ColorMap map, double value, double low, double high) {
  if (!std::isfinite(value)) return kNoData;
  const std::span<const Color> table = table_of(map);
  if (map == ColorMap::categories) {
    const auto n = static_cast<std::int64_t>(table.size());
    const auto k = static_cast<std::int64_t>(value) % n;
    return table[static_cast<std::size_t>(k < 0 ? k + n : k)];
  }
  const double span = high > low ? high - low : 1.0;
  const double at =
      std::clamp((value - low) / span, 0.0, 1.0) * static_cast<double>(table.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), table.size() - 2);
  const double part = at - static_cast<double>(k);
  Color c{};
  for (std::size_t i = 0; i < 3; ++i)
    c[i] = static_cast<std::uint8_t>(
        std::lround(table[k][i] + part * (double(table[k + 1][i]) - double(table[k][i]))));
  return c;
}

}  // namespace terrawave::io

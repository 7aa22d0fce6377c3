// Synthetic terrain: fractal value noise from an integer hash. Each cell's height depends on its
// row, its column and the seed alone, so any tile on any device makes the same bits.
#pragma once

#include <cstdint>

#include "terrawave/par/exec.hpp"

namespace terrawave::terrain::steps {

struct Noise {
  std::uint32_t seed = 1;
  int octaves = 10;         // wavelengths 2, 4, ... 2^octaves cells
  double amplitude = 1000;  // of the longest wave [m]; each shorter one has half of it
};

// z[(row - row0) * cols + (col - col0)] for a tile of `rows` x `cols` cells.
template <class Exec>
void make_noise(const Exec& exec, const Noise& noise, Index row0, Index col0, Index rows,
                Index cols, par::View<float> z);

}  // namespace terrawave::terrain::steps

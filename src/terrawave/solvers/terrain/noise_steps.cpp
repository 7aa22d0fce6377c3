#include "terrawave/solvers/terrain/noise_steps.hpp"

#include "terrawave/par/launch.hpp"

namespace terrawave::terrain::steps {
namespace {

// Mixes all bits (the finaliser of MurmurHash3).
TW_FUNCTION std::uint32_t mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}
// Value at a lattice point, in [0, 1).
TW_FUNCTION double lattice(std::uint32_t seed, Index row, Index col) {
  const std::uint32_t h = mix(seed ^ mix(std::uint32_t(row) + 0x9e3779b9u * std::uint32_t(col)));
  return double(mix(h ^ std::uint32_t(col))) * 0x1p-32;
}
TW_FUNCTION double smooth(double t) { return t * t * (3.0 - 2.0 * t); }

struct NoiseCell {
  Noise noise;
  Index row0, col0, cols;
  par::View<float> z;
  TW_FUNCTION void operator()(Index i, Index j) const {
    double height = 0;
    double amplitude = noise.amplitude;
    for (int octave = noise.octaves; octave >= 1; --octave) {
      const Index wave = Index{1} << octave;
      const Index row = (row0 + j) >> octave;
      const Index col = (col0 + i) >> octave;
      const double inverse = 1.0 / double(wave);
      const double v = smooth(double((row0 + j) - row * wave) * inverse);
      const double u = smooth(double((col0 + i) - col * wave) * inverse);
      const std::uint32_t seed = noise.seed * 64u + std::uint32_t(octave);
      const double a = lattice(seed, row, col);
      const double b = lattice(seed, row, col + 1);
      const double c = lattice(seed, row + 1, col);
      const double d = lattice(seed, row + 1, col + 1);
      const double north = a + u * (b - a);
      const double south = c + u * (d - c);
      height += amplitude * (north + v * (south - north));
      amplitude *= 0.5;
    }
    z[j * cols + i] = float(height);
  }
};

}  // namespace

template <class Exec>
void make_noise(const Exec& exec, const Noise& noise, Index row0, Index col0, Index rows,
                Index cols, par::View<float> z) {
  par::for_each(exec, par::Range2{cols, rows}, NoiseCell{noise, row0, col0, cols, z});
}

template void make_noise(const par::Exec&, const Noise&, Index, Index, Index, Index,
                         par::View<float>);

}  // namespace terrawave::terrain::steps

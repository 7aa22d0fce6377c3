// Directions over flats on CUDA, as cpu/cpu_flats.cpp finds them on host threads: breadth-first
// search in words of 64 cells, distances modulo 3, keys compared by their differences to the cell's
// own. Here every thread has a row of a tile of 64 x 64 cells, and a launch is one step.
//
// Steps are one-hot: plane s % 3 holds the cells at step s. The cells reached at step s are set in
// plane s % 3 by the thread of their row alone and found from plane (s - 1) % 3, which no thread
// changes meanwhile, so a launch has no races but those of its queue (cells of older steps in that
// plane have no neighbours left to reach).
//
// These are the bodies of the kernels, for one thread each, so that tests run them on the CPU in
// any order (tests/unit/terrain); flat_search.cu launches them.
#pragma once

#include "terrawave/solvers/terrain/device_cells.hpp"

namespace terrawave::terrain::cuda {

using Word = std::uint64_t;
inline constexpr int kWordSide = 64;

// Words of a raster: tile by tile, and in a tile row by row (bit i: column i).
struct WordGrid {
  GridView grid;
  Index across;  // tiles side by side

  TW_FUNCTION explicit WordGrid(const GridView& g)
      : grid(g), across((g.cols + kWordSide - 1) / kWordSide) {}
  TW_FUNCTION Index tiles() const { return across * ((grid.rows + kWordSide - 1) / kWordSide); }
  TW_FUNCTION Index words() const { return tiles() * kWordSide; }
  TW_FUNCTION Index tile(Index row, Index col) const { return row / kWordSide * across + col; }
  TW_FUNCTION Index word(Index row, Index col) const {
    return tile(row, col) * kWordSide + row % kWordSide;
  }
  TW_FUNCTION int width(Index col) const {
    const Index left = grid.cols - col * kWordSide;
    return left < kWordSide ? int(left) : kWordSide;
  }
  // A row, or a column of tiles, that may lie one beyond the raster; -1 where nothing is.
  TW_FUNCTION Index wrapped_row(Index row) const {
    if (grid.loop_rows) row = row < 0 ? grid.rows - 1 : (row >= grid.rows ? 0 : row);
    return row < grid.rows ? row : -1;
  }
  TW_FUNCTION Index wrapped_col(Index col) const {
    if (grid.loop_cols) col = col < 0 ? across - 1 : (col >= across ? 0 : col);
    return col < across ? col : -1;
  }
};

// Word i of a raster by its place. `row` may lie beyond the last row of the raster.
struct Place {
  Index row, col;  // row of cells, column of tiles
};
TW_FUNCTION Place place_of(const WordGrid& g, Index word) {
  const Index tile = word / kWordSide;
  const Index down = row_of(tile, g.across);
  return {down * kWordSide + word % kWordSide, tile - down * g.across};
}

// A word, and for each of its cells the one a column further west and east.
struct Three {
  Word west = 0, mid = 0, east = 0;
};
TW_FUNCTION Three three_of(const WordGrid& g, const Word* plane, Index row, Index col) {
  row = g.wrapped_row(row);
  if (row < 0) return {};
  Three t;
  t.mid = plane[g.word(row, col)];
  t.west = t.mid << 1;
  t.east = t.mid >> 1;
  if (const Index w = g.wrapped_col(col - 1); w >= 0)
    t.west |= plane[g.word(row, w)] >> (g.width(w) - 1) & 1;
  if (const Index e = g.wrapped_col(col + 1); e >= 0)
    t.east |= (plane[g.word(row, e)] & 1) << (g.width(col) - 1);
  return t;
}

struct FlatSearch {
  Word* planes[3];
  std::int32_t* queued;   // the last step that a tile was queued for
  std::int32_t* list[2];  // tiles to visit at even and at odd steps
  std::int32_t* count;    // how many: 3, by step % 3
};

TW_FUNCTION void queue_tile(const FlatSearch& s, Index tile, int step) {
  const std::int32_t seen = atomics::load(&s.queued[tile]);
  // Only this step is written meanwhile: who fails to claim the tile finds it queued.
  if (seen == step || !atomics::claim(&s.queued[tile], seen, step)) return;
  s.list[step & 1][atomics::add(&s.count[step % 3], 1)] = std::int32_t(tile);
}

// Queues for `step` the tiles that the cells of `front`, a word, can reach.
TW_FUNCTION void queue_around(const WordGrid& g, const FlatSearch& s, const Place& at, Word front,
                              int step) {
  if (front == 0) return;
  const int r = int(at.row % kWordSide);
  const bool to_west = (front & 1) != 0;
  const bool to_east = (front >> (g.width(at.col) - 1) & 1) != 0;
  const Index west = to_west ? g.wrapped_col(at.col - 1) : -1;
  const Index east = to_east ? g.wrapped_col(at.col + 1) : -1;
  for (int down = -1; down <= 1; ++down) {
    if (down < 0 && r != 0) continue;
    if (down > 0 && r != kWordSide - 1 && at.row + 1 != g.grid.rows) continue;
    const Index row = g.wrapped_row(at.row + down);
    if (row < 0) continue;
    queue_tile(s, g.tile(row, at.col), step);
    if (west >= 0) queue_tile(s, g.tile(row, west), step);
    if (east >= 0) queue_tile(s, g.tile(row, east), step);
  }
}

// One step of a search: row i % 64 of entry i / 64 of the step's list.
TW_FUNCTION void advance(const WordGrid& g, const Word* domain, const FlatSearch& s, Index i,
                         int step) {
  const Index word = Index(s.list[step & 1][i / kWordSide]) * kWordSide + i % kWordSide;
  const Word open = domain[word] & ~(s.planes[0][word] | s.planes[1][word] | s.planes[2][word]);
  if (open == 0) return;
  const Place at = place_of(g, word);
  const Word* const before = s.planes[(step - 1) % 3];
  const Three above = three_of(g, before, at.row - 1, at.col);
  const Three here = three_of(g, before, at.row, at.col);
  const Three below = three_of(g, before, at.row + 1, at.col);
  Word reached = above.mid | here.west | here.east | below.mid;
  if (g.grid.step == 1) reached |= above.west | above.east | below.west | below.east;
  const Word fresh = reached & open;
  if (fresh == 0) return;
  s.planes[step % 3][word] |= fresh;
  queue_around(g, s, at, fresh, step + 1);
}

// What a cell without a lower neighbour is, in a byte; 0 for all others.
enum FlatFlag : std::uint8_t { kStuck = 1, kLowEdge = 2, kBesideHigh = 4 };
inline constexpr int kEdgeShift = 3;  // above: the first neighbour of equal height that drains

// Sets the byte of a cell, and *uneven where a neighbour that is stuck as well is not level with
// it: distances modulo 3 do not serve then.
template <class T>
TW_FUNCTION void flag_cell(const GridView& g, const T* z, const std::uint8_t* state,
                           const Direction* direction, std::uint8_t* flags, std::int32_t* uneven,
                           Index row, Index col) {
  const auto stuck = [&](Index c) { return direction[c] == kRoot && !is_base(state[c]); };
  const Index c = row * g.cols + col;
  if (!stuck(c)) {
    flags[c] = 0;
    return;
  }
  const T here = z[c];
  unsigned flag = kStuck;
  for (int k = 0; k < kNeighbours; k += g.step) {
    const Index n = g.neighbour(row, col, k);
    if (n < 0 || !is_data(state[n])) continue;
    const T there = z[n];
    if (there > here) flag |= kBesideHigh;
    if (there == here && (flag & kLowEdge) == 0 && !stuck(n))
      flag |= kLowEdge | unsigned(k) << kEdgeShift;
    if (!(there == here) && stuck(n)) atomics::store(uneven, 1);
  }
  flags[c] = std::uint8_t(flag);
}

// The planes of a raster's flats.
struct FlatWords {
  const std::uint8_t* flags;
  Word* domain;  // stuck cells
  Word* edge;    // those on a low edge
  FlatSearch toward, away;
};

// Bits of the 64 flags of a word, or fewer.
TW_FUNCTION Word bits_of(const std::uint8_t* flags, int count, int bit) {
  Word bits = 0;
  for (int c = 0; c < count; ++c) bits |= Word(flags[c] >> bit & 1) << c;
  return bits;
}

// Word i of the planes from the flags, and the first tiles to visit.
TW_FUNCTION void pack_word(const WordGrid& g, const FlatWords& f, Index i) {
  const Place at = place_of(g, i);
  Word stuck = 0;
  Word low = 0;
  Word high = 0;
  if (at.row < g.grid.rows) {
    const std::uint8_t* const flags = f.flags + at.row * g.grid.cols + at.col * kWordSide;
    const int width = g.width(at.col);
    stuck = bits_of(flags, width, 0);
    if (stuck != 0) {
      low = bits_of(flags, width, 1);
      high = bits_of(flags, width, 2);
    }
  }
  f.domain[i] = stuck;
  f.edge[i] = low;
  const Word seeds[2] = {low, high};
  const FlatSearch* const searches[2] = {&f.toward, &f.away};
  for (int k = 0; k < 2; ++k) {
    const FlatSearch& s = *searches[k];
    s.planes[0][i] = s.planes[2][i] = 0;
    s.planes[1][i] = seeds[k];
    queue_around(g, s, at, seeds[k], 2);
  }
}

// Steps modulo 3 of the cells of a word, seen from the cells or from a neighbour.
struct Residue {
  Word at[3];
  TW_FUNCTION Word equals(const Residue& o) const {
    return ~(at[0] ^ o.at[0]) & ~(at[1] ^ o.at[1]) & ~(at[2] ^ o.at[2]);
  }
  // Where this one is one step further than the other.
  TW_FUNCTION Word follows(const Residue& o) const {
    return (at[1] & o.at[0]) | (at[2] & o.at[1]) | (at[0] & o.at[2]);
  }
};
struct ResidueRow {
  Three at[3];
  TW_FUNCTION Residue shifted(int columns) const {
    if (columns < 0) return {{at[0].west, at[1].west, at[2].west}};
    if (columns > 0) return {{at[0].east, at[1].east, at[2].east}};
    return {{at[0].mid, at[1].mid, at[2].mid}};
  }
};
TW_FUNCTION ResidueRow residues(const WordGrid& g, const FlatSearch& s, Index row, Index col) {
  return {{three_of(g, s.planes[0], row, col), three_of(g, s.planes[1], row, col),
           three_of(g, s.planes[2], row, col)}};
}

TW_FUNCTION int first_bit(Word word) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

// Directions of the cells of word i that the low edge reaches: on the edge the neighbour that
// drains, elsewhere the first neighbour of least key. Such a cell has a neighbour one step closer
// to the edge, so the least difference of keys, 2 (toward' - toward) - (away' - away), is -3, -2 or
// -1. Neighbours are taken from the last to the first.
TW_FUNCTION void choose_word(const WordGrid& g, const FlatWords& f, Direction* direction, Index i) {
  const Word reached = f.toward.planes[0][i] | f.toward.planes[1][i] | f.toward.planes[2][i];
  if (reached == 0) return;
  const Place at = place_of(g, i);
  const Index first = at.row * g.grid.cols + at.col * kWordSide;
  const Word edge = f.edge[i];
  for (Word left = edge; left != 0; left &= left - 1) {
    const int c = first_bit(left);
    direction[first + c] = Direction(f.flags[first + c] >> kEdgeShift);
  }
  const Word inner = reached & ~edge;
  if (inner == 0) return;
  ResidueRow toward[3];
  ResidueRow away[3];
  for (int r = 0; r < 3; ++r) {
    toward[r] = residues(g, f.toward, at.row + r - 1, at.col);
    away[r] = residues(g, f.away, at.row + r - 1, at.col);
  }
  const Residue my_toward = toward[1].shifted(0);
  const Residue my_away = away[1].shifted(0);
  Word is3 = 0;
  Word is2 = 0;
  Word bits[3] = {0, 0, 0};
  for (int k = kNeighbours - g.grid.step; k >= 0; k -= g.grid.step) {
    const int r = row_step(k) + 1;
    const Residue its_toward = toward[r].shifted(col_step(k));
    const Residue its_away = away[r].shifted(col_step(k));
    const Word closer = my_toward.follows(its_toward);
    const Word deeper = its_away.follows(my_away);
    const Word by3 = closer & deeper;
    const Word by2 = closer & its_away.equals(my_away);
    const Word by1 = (closer & my_away.follows(its_away)) | (its_toward.equals(my_toward) & deeper);
    const Word take = by3 | (by2 & ~is3) | (by1 & ~is2);
    is3 |= by3;
    is2 |= by2 | by3;
    for (int b = 0; b < 3; ++b) bits[b] = (k >> b & 1) != 0 ? bits[b] | take : bits[b] & ~take;
  }
  for (Word left = inner; left != 0; left &= left - 1) {
    const int c = first_bit(left);
    direction[first + c] =
        Direction((bits[0] >> c & 1) | (bits[1] >> c & 1) << 1 | (bits[2] >> c & 1) << 2);
  }
}

}  // namespace terrawave::terrain::cuda

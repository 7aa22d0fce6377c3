// Makes random products of one piece twice, on one host thread and on another queue or by other
// code, and compares files, facts and words.
#pragma once

#include "reference/tiled_products_compare.hpp"

namespace terrawave::terrain::reference {

struct WholeProduct {
  Made made;
  std::string refused;
};

// Writes c.step.out.
inline WholeProduct make_whole(const TileQueue& on, const ProductCase& c) {
  WholeProduct whole;
  try {
    Session session(on, c.on.raster, c.on.options, {});
    whole.made = make_product(session, c.step);
  } catch (const InputError& e) {
    whole.refused = e.what();
  }
  return whole;
}

inline void compare_whole(const TileQueue& on, ProductCase c, const std::filesystem::path& folder) {
  const std::string end = c.step.out;
  c.step.out = (folder / ("one" + end)).string();
  const WholeProduct one = make_whole(par::Queue::host(1), c);
  c.step.out = (folder / ("other" + end)).string();
  const WholeProduct other = make_whole(on, c);
  const std::string said =
      c.step.op + " " + end + ", rule " + std::to_string(int(c.on.options.rule));
  ASSERT_EQ(one.refused, other.refused) << said;
  ASSERT_EQ(one.made.facts, other.made.facts) << said;
  ASSERT_EQ(one.made.text, other.made.text) << said;
  if (!one.refused.empty()) return;
  ASSERT_TRUE(bytes_of(folder / ("one" + end)) == bytes_of(folder / ("other" + end))) << said;
}

}  // namespace terrawave::terrain::reference

#include "terrawave/solvers/swe/swe_schema.hpp"

#include "terrawave/solvers/swe/swe_output_plan.hpp"

namespace terrawave::swe {
namespace {

using config::Key;
using config::Table;

Table domain_table() {
  Table rectangle("rectangle", "A rectangle cut into triangles, where no mesh file is given.");
  rectangle.key(Key::number("west", "m").fallback(0.0).describe("Western side."))
      .key(Key::number("south", "m").fallback(0.0).describe("Southern side."))
      .key(Key::number("east", "m").fallback(1.0).describe("Eastern side."))
      .key(Key::number("north", "m").fallback(1.0).describe("Northern side."))
      .key(Key::text("pattern")
               .one_of({"right", "criss-cross", "equilateral"})
               .fallback("equilateral")
               .describe("How boxes are cut: along one diagonal, along both, or into rows of "
                         "(nearly) equilateral triangles."))
      .key(Key::integer("cells").at_least(1).describe(
          "Wanted number of triangles; met within 1 % where the shape allows it."))
      .key(Key::integer("columns").at_least(1).describe("Boxes along x, with `rows`."))
      .key(Key::integer("rows").at_least(1).describe("Boxes along y, with `columns`."))
      .key(Key::number("perturbation")
               .at_least(0)
               .at_most(0.3)
               .fallback(0.0)
               .describe("Each node moves at random by up to this share of its shortest edge."))
      .key(Key::integer("seed").at_least(0).fallback(1).describe("Seed of the random moves."));
  Table domain("domain", "The mesh: a file, or the built-in rectangle.");
  domain.required = true;
  domain.key(Key::text("mesh").describe("A Gmsh (.msh) or UGRID (.nc) file."))
      .key(Key::text("crs").describe(
          "Reference system of the mesh's coordinates, such as EPSG:32630; needed where rasters "
          "are in another one."))
      .table(rectangle);
  return domain;
}

Table& add_fields(Table& table, bool with_defaults) {
  const auto formula = [&](const char* name, const char* fallback, const char* doc) {
    Key key = Key::text(name).describe(doc);
    if (with_defaults && fallback != nullptr) key.fallback(fallback);
    table.key(key);
  };
  formula("bottom", nullptr, "Depth of the bottom below the datum, m: a formula of x and y.");
  formula("surface", "0", "Height of the free surface above the datum, m: a formula.");
  formula("interface", nullptr,
          "Height of the interface between the layers above the datum, m: a formula; below the "
          "surface, above the bottom.");
  formula("u1x", "0", "Velocity of the upper layer in x, m/s: a formula.");
  formula("u1y", "0", "Velocity of the upper layer in y, m/s: a formula.");
  formula("u2x", "0", "Velocity of the lower layer in x, m/s: a formula.");
  formula("u2y", "0", "Velocity of the lower layer in y, m/s: a formula.");
  return table;
}

Table swe_table() {
  Table initial("initial",
                "The state at the start, everywhere. Formulas know x, y (m), _pi, _e and the usual "
                "functions, comparisons and `a ? b : c`.");
  add_fields(initial, true);
  Table region(
      "region",
      "Replaces fields inside a shape. The first region that holds a cell's centre counts.", true);
  region
      .key(Key::text("shape").one_of({"circle", "box", "polygon"}).require().describe("Its form."))
      .key(Key::numbers("center", "m").size(2).describe("Of a circle: x, y."))
      .key(Key::number("radius", "m").more_than(0).describe("Of a circle."))
      .key(Key::numbers("box", "m").size(4).describe("Of a box: west, south, east, north."))
      .key(Key::numbers("polygon", "m").describe("Of a polygon: x, y of each corner in turn."));
  add_fields(region, false);
  Table raster("raster",
               "Takes a field from a raster, bilinearly sampled at the cells' centres; before "
               "regions.",
               true);
  raster
      .key(Key::text("field")
               .one_of({"bottom", "surface", "interface", "u1x", "u1y", "u2x", "u2y"})
               .require()
               .describe("The field."))
      .key(Key::text("file").require().describe(
          "Whatever GDAL reads, also NETCDF:file:variable, or .npy."))
      .key(Key::integer("band").at_least(0).fallback(0).describe("1-based; 0: the only one."))
      .key(Key::number("scale").fallback(1.0).describe(
          "Factor of the raster's values: -1 turns heights into depths."))
      .key(Key::text("crs").describe("Reference system of the raster where it names none."))
      .key(Key::text("fill")
               .one_of({"refuse", "value"})
               .fallback("refuse")
               .describe("What to do where a cell lies on nodata or outside the raster."))
      .key(Key::number("fill_value", "m").fallback(0.0).describe("With fill = \"value\"."))
      .key(Key::number("least", "m")
               .describe("Smaller values are raised to this one, and counted in the log: keeps the "
                         "bottom below "
                         "the interface near coasts."));
  Table swe("swe", "Two-layer shallow water, improved Roe scheme, first order, both layers wet.");
  swe.required = true;
  swe.key(Key::number("g", "m s-2").more_than(0).fallback(9.81).describe("Gravity."))
      .key(Key::number("density_ratio")
               .at_least(0)
               .less_than(1)
               .fallback(0.98)
               .describe("Density of the upper layer over that of the lower one."))
      .key(Key::number("cfl").more_than(0).at_most(1).fallback(0.9).describe(
          "Share of the largest stable time step."))
      .key(Key::text("method")
               .one_of({"auto", "edges", "cells"})
               .fallback("auto")
               .describe("Evaluate each edge once and store it, or let cells evaluate their edges "
                         "(on a CPU block by block, each edge once); the bits are the same."))
      .table(initial)
      .table(region)
      .table(raster);
  return swe;
}

}  // namespace

config::Schema schema() {
  Table boundary("boundary", "What happens at a named boundary; walls where nothing is said.",
                 true);
  boundary
      .key(Key::text("name").require().describe(
          "A physical group of the mesh file; west, east, south or north of a rectangle."))
      .key(Key::text("kind")
               .one_of({"wall", "outflow"})
               .require()
               .describe("A wall that nothing passes, or free outflow."));
  return config::Schema("", "")
      .table(domain_table())
      .table(swe_table())
      .table(boundary)
      .table(output_table());
}

}  // namespace terrawave::swe

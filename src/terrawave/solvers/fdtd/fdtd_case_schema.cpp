// The keys of an fdtd case.
#include "terrawave/solvers/fdtd/fdtd_case.hpp"

namespace terrawave::fdtd {

using config::Key;
using config::Table;

namespace {

Key point(const char* name, const char* doc) {
  return Key::numbers(name, "m").size(3).describe(doc);
}
Key direction(const char* doc) {
  return Key::text("direction").one_of({"x+", "x-", "y+", "y-", "z+", "z-"}).describe(doc);
}

Table domain_table() {
  Table t("domain", "The grid. Either cell and cells, or the lines of an axis, or its regions.");
  t.required = true;
  t.key(Key::numbers("cell", "m").size(3).describe("Spacing along x, y, z of a uniform grid."));
  t.key(Key::numbers("cells").size(3).describe("Number of cells along x, y, z."));
  t.key(Key::numbers("origin", "m")
            .size(3)
            .fallback_list("[0, 0, 0]")
            .describe("First corner of a grid given by cell and cells."));
  for (const char* axis : {"x", "y", "z"})
    t.key(Key::numbers(std::string("lines_") + axis, "m")
              .describe(std::string("All grid lines of ") + axis + ", increasing."));
  t.key(Key::number("max_ratio")
            .at_least(1)
            .at_most(2)
            .fallback(1.3)
            .describe("Largest allowed ratio of neighbouring cells."));
  Table r("region",
          "A stretch of an axis with a target spacing; coarse stretches grade toward fine.", true);
  r.key(Key::text("axis").one_of({"x", "y", "z"}).require().describe("The axis."));
  r.key(Key::number("from", "m").require().describe("Begin; a grid line."));
  r.key(Key::number("to", "m").require().describe("End; a grid line."));
  r.key(Key::number("cell", "m").more_than(0).require().describe("Largest spacing in it."));
  t.table(r);
  return t;
}

Table fdtd_table() {
  Table t("fdtd", "The method.");
  t.required = true;
  t.key(Key::number("f_max", "Hz")
            .more_than(0)
            .require()
            .describe("Highest frequency of interest; the grid must resolve it, and pulses reach "
                      "up to it."));
  t.key(Key::number("courant").more_than(0).at_most(1).fallback(0.95).describe(
      "dt as a part of the true stability limit of the grid."));
  t.key(
      Key::number("dt", "s").more_than(0).describe("Time step instead; refused above the limit."));
  t.key(Key::number("min_cells_per_wavelength")
            .at_least(4)
            .fallback(10.0)
            .describe("The run is refused where a material resolves f_max with fewer cells."));
  t.key(
      Key::text("background").fallback("vacuum").describe("Material of cells without an object."));
  t.key(Key::text("kernels")
            .one_of({"auto", "two_pass", "wavefront", "zmarch"})
            .fallback("auto")
            .describe("The kernel; all give the same bits."));
  t.key(Key::integer("steps_per_pass")
            .at_least(0)
            .at_most(64)
            .fallback(0)
            .describe("Steps that a pass over memory advances; 0: chosen."));
  Table s("stop", "When the run ends: at the first of these.");
  s.key(Key::integer("steps").at_least(1).describe("After this many steps (of each driven port)."));
  s.key(Key::number("time", "s").more_than(0).describe("At this time (of each driven port)."));
  s.key(Key::number("decay_db")
            .more_than(0)
            .describe("When the energy of fields and elements and every port's signal have fallen "
                      "by this much "
                      "below their peaks."));
  s.key(Key::number("min_time", "s")
            .at_least(0)
            .fallback(0.0)
            .describe("Not by decay before this time."));
  t.table(s);
  return t;
}

Table boundary_table() {
  Table t("boundary", "What lies at the faces of the grid; every face needs one.", true);
  t.required = true;
  t.key(Key::texts("faces")
            .one_of({"all", "x-", "x+", "y-", "y+", "z-", "z+"})
            .require()
            .describe("The faces; later entries win."));
  t.key(Key::text("kind")
            .one_of({"pec", "pmc", "periodic", "cpml"})
            .require()
            .describe(
                "Electric wall, magnetic wall, periodic, or absorbing layer (inside the grid)."));
  t.key(Key::integer("layers").at_least(1).at_most(100).fallback(10).describe("CPML: cells."));
  t.key(Key::number("order").at_least(1).at_most(6).fallback(3.0).describe("CPML: grading."));
  t.key(Key::number("sigma_factor")
            .more_than(0)
            .at_most(5)
            .fallback(1.0)
            .describe("CPML: conductivity over its optimum."));
  t.key(Key::number("kappa_max").at_least(1).at_most(50).fallback(1.0).describe("CPML: stretch."));
  t.key(
      Key::number("alpha_frequency", "Hz")
          .at_least(0)
          .describe("CPML: below it near fields pass into the layer instead of turning back, and "
                    "waves are absorbed less; default: fdtd.f_max / 50. Beside boards and antennas "
                    "up to c / (2 pi w), w the model's width; 0 for lines that run into the layer "
                    "and are driven down to 0 Hz."));
  t.key(Key::number("eps_r").at_least(1).fallback(1.0).describe(
      "CPML: relative permittivity of the medium that touches it."));
  return t;
}

Table material_table() {
  Table t("material", "Materials by name; \"vacuum\" and \"pec\" exist always.", true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(Key::number("eps_r").at_least(1).fallback(1.0).describe("Relative permittivity."));
  t.key(Key::number("sigma", "S/m").at_least(0).fallback(0.0).describe("Conductivity."));
  t.key(Key::number("mu_r").at_least(1).fallback(1.0).describe("Relative permeability."));
  t.key(
      Key::number("sigma_m", "ohm/m").at_least(0).fallback(0.0).describe("Magnetic conductivity."));
  t.key(Key::boolean("pec").fallback(false).describe("A perfect conductor."));
  return t;
}

Table object_table() {
  Table t("object", "Bodies and metal sheets. Later objects win over earlier ones.", true);
  t.key(Key::text("name").require().describe("Its name in the geometry report."));
  t.key(Key::text("kind")
            .one_of({"box", "sphere", "cylinder", "cone", "plate", "polygon", "disc", "path", "stl",
                     "voxels"})
            .require()
            .describe("The shape."));
  t.key(Key::text("material").describe("The material (voxels: see materials)."));
  t.key(Key::integer("priority").fallback(0).describe("Higher wins; equal: the later one."));
  t.key(Key::boolean("allow_empty").fallback(false).describe("May own nothing."));
  t.key(Key::boolean("clip").fallback(false).describe("May reach beyond the grid."));
  t.key(point("from",
              "box, plate: a corner; cylinder, cone: centre of the first end; voxels: first "
              "corner."));
  t.key(point("to", "box, plate: the other corner; cylinder, cone: centre of the other end."));
  t.key(point("centre", "sphere: its centre; disc: its centre."));
  t.key(Key::number("radius", "m").more_than(0).describe("sphere, cylinder, cone, disc."));
  t.key(Key::number("end_radius", "m").at_least(0).describe("cone: at its end `to`."));
  t.key(Key::number("inner_radius", "m").at_least(0).fallback(0.0).describe("disc: of its hole."));
  t.key(Key::text("normal")
            .one_of({"x", "y", "z"})
            .fallback("z")
            .describe("polygon, disc, path: axis across its plane."));
  t.key(Key::number("at", "m").describe("polygon, path: position along the normal."));
  t.key(Key::number("thickness", "m")
            .at_least(0)
            .fallback(0.0)
            .describe("polygon, disc, path: 0 is a sheet, else it reaches from `at` upward."));
  t.key(
      Key::numbers("points", "m")
          .describe("polygon, path: u1, v1, u2, v2, ... with (u, v) = (x, y), (x, z) or (y, z)."));
  t.key(Key::number("width", "m").more_than(0).describe("path: its width."));
  t.key(Key::boolean("round").fallback(false).describe("path: round ends and corners."));
  t.key(Key::text("file").describe("stl, voxels: the file, relative to the case."));
  t.key(Key::number("length_unit", "m")
            .more_than(0)
            .fallback(1e-3)
            .describe("stl: length of one unit of its coordinates."));
  t.key(Key::text("dataset").describe("voxels: data set of an HDF5 file (else the file is raw)."));
  t.key(Key::numbers("count").size(3).describe("voxels: voxels along x, y, z of a raw file."));
  t.key(Key::integer("bytes").at_least(1).at_most(2).fallback(1).describe(
      "voxels: bytes per voxel of a raw file."));
  t.key(Key::numbers("voxel", "m").size(3).describe("voxels: sides of a voxel."));
  t.key(Key::numbers("labels").describe("voxels: labels in the file that are used."));
  t.key(Key::texts("materials").describe("voxels: material of each of the labels."));
  t.key(Key::numbers("scale")
            .size(3)
            .fallback_list("[1, 1, 1]")
            .describe("Scales about the origin; before the rotation."));
  t.key(Key::numbers("rotate_axis")
            .size(3)
            .fallback_list("[0, 0, 1]")
            .describe("Axis of the rotation, through the origin."));
  t.key(Key::number("rotate", "degree").fallback(0.0).describe("Angle, right-handed."));
  t.key(Key::numbers("translate", "m")
            .size(3)
            .fallback_list("[0, 0, 0]")
            .describe("Shift; after the rotation."));
  return t;
}

Table waveform_table() {
  Table t("waveform", "Time courses of sources, by name.", true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(Key::text("kind")
            .one_of({"gaussian", "differentiated", "modulated", "sine", "ricker", "samples"})
            .require()
            .describe("The shape."));
  t.key(Key::number("width", "s")
            .more_than(0)
            .describe("w of exp(-((t-delay)/w)^2); default: 10 % of the spectrum at fdtd.f_max."));
  t.key(Key::number("delay", "s").at_least(0).describe("Time of the peak; default 4.5 widths."));
  t.key(Key::number("frequency", "Hz")
            .more_than(0)
            .describe("modulated, sine: carrier; ricker: peak of its spectrum."));
  t.key(Key::number("phase", "degree").fallback(0.0).describe("modulated, sine."));
  t.key(Key::number("ramp", "s").at_least(0).fallback(0.0).describe("sine: length of its start."));
  t.key(Key::text("file").describe("samples: two columns, time in s and value."));
  return t;
}

Table source_table() {
  Table t("source", "What drives the fields, besides ports.", true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(Key::text("kind")
            .one_of({"electric_dipole", "magnetic_dipole", "voltage", "current"})
            .require()
            .describe("The kind."));
  t.key(Key::text("waveform").require().describe("Name of its waveform."));
  t.key(direction("Of a dipole; voltage, current: toward the positive end.").require());
  t.key(Key::number("amplitude")
            .fallback(1.0)
            .describe("A (electric dipole, current), V (magnetic dipole, voltage); hard dipoles: "
                      "V/m and A/m."));
  t.key(point("at", "Dipoles: the nearest edge or face of this direction carries it."));
  t.key(point("from", "voltage, current: a corner of the gap."));
  t.key(point("to", "voltage, current: the other corner."));
  t.key(Key::number("resistance", "ohm")
            .at_least(0)
            .describe("voltage: in series (0, the default, is a hard source); current: in parallel "
                      "(default: none)."));
  t.key(Key::boolean("hard").fallback(false).describe("Dipoles: sets the field, not its source."));
  return t;
}

Table lumped_table() {
  Table t("lumped", "Lumped elements across a gap between two conductors.", true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(Key::text("kind")
            .one_of({"resistor", "inductor", "capacitor", "series_rlc", "parallel_rlc", "diode"})
            .require()
            .describe("The element."));
  t.key(direction("Along the element; a diode's anode is at the tail.").require());
  t.key(point("from", "A corner of the gap.").require());
  t.key(point("to", "The other corner.").require());
  t.key(Key::number("R", "ohm").more_than(0).describe("Resistance."));
  t.key(Key::number("L", "H").more_than(0).describe("Inductance."));
  t.key(Key::number("C", "F").more_than(0).describe("Capacitance; diode: of its junction."));
  t.key(Key::number("saturation_current", "A").more_than(0).fallback(1e-14).describe("diode."));
  t.key(Key::number("ideality").at_least(0.5).at_most(10).fallback(1.0).describe("diode."));
  t.key(Key::number("temperature", "K").more_than(0).fallback(298.0).describe("diode."));
  return t;
}

Table port_table() {
  Table t("port", "Ports: gaps with a source and a matched resistor; one run drives each.", true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(point("from", "A corner of the gap between the two conductors.").require());
  t.key(point("to", "The other corner.").require());
  t.key(direction("From the reference conductor to the signal conductor.").require());
  t.key(Key::number("impedance", "ohm")
            .more_than(0)
            .fallback(50.0)
            .describe("Reference impedance, and the resistor in the gap."));
  t.key(Key::text("line")
            .one_of({"x+", "x-", "y+", "y-", "z+", "z-"})
            .describe("Direction of the line into the device; voltage and current are then taken "
                      "`distance` away "
                      "from the gap."));
  t.key(Key::number("distance", "m").at_least(0).describe("From the gap to the measuring plane."));
  t.key(Key::number("shift", "m")
            .fallback(0.0)
            .describe("Moves the reference plane this much further into the device."));
  t.key(Key::number("eps_eff").at_least(1).describe("Effective permittivity for the shift."));
  t.key(Key::boolean("gap_capacitance")
            .fallback(false)
            .describe(
                "Leave the capacitance of the gap's cells in the device (false: corrected away)."));
  return t;
}

Table drive_table() {
  Table t("drive", "How the ports are driven.");
  t.key(Key::texts("ports").describe(
      "Names of the driven ports; default: all, one after the other."));
  t.key(Key::text("waveform").describe("Name; default: a Gaussian up to fdtd.f_max."));
  t.key(Key::number("amplitude", "V").more_than(0).fallback(1.0).describe("Source voltage."));
  t.key(Key::number("tolerance")
            .at_least(0)
            .fallback(0.02)
            .describe("Warn where power out exceeds power in, or S_ij and S_ji differ, by more "
                      "than this."));
  return t;
}

Table spectrum_table() {
  Table t("spectrum", "Frequencies of S-parameters and of probe spectra.");
  t.key(Key::number("f_min", "Hz").at_least(0).describe("First; default f_max/points."));
  t.key(Key::number("f_max", "Hz").more_than(0).describe("Last; default fdtd.f_max."));
  t.key(Key::integer("points").at_least(1).at_most(100000).fallback(201).describe("How many."));
  return t;
}

Table probe_table() {
  Table t("probe", "Time series, written to probes.csv (and their spectra to spectra.csv).", true);
  t.key(Key::text("name").require().describe("Its name; the column's head."));
  t.key(Key::text("kind")
            .one_of({"E", "H", "voltage", "current"})
            .require()
            .describe("A field component at a point, a voltage along a line, or a current through "
                      "a rectangle."));
  t.key(
      direction("E, H: component; voltage: toward its positive end; current: positive.").require());
  t.key(point("at", "E, H: the nearest edge or face."));
  t.key(point("from", "voltage: one end; current: a corner of what the loop encloses."));
  t.key(point("to", "voltage: the other end; current: the other corner."));
  return t;
}

Table dft_table() {
  Table t(
      "dft",
      "Phasors at points, planes and boxes, written to dft.h5: X(f) = dt sum x(t) exp(-j 2 pi f "
      "t). x, y, z in it are nodes; components stand where the grid has them, Ex half a cell "
      "beyond its node along x, Hx half a cell along y and z, the others by cyclic order.",
      true);
  t.key(Key::text("name").require().describe("Its name."));
  t.key(point("from", "A corner.").require());
  t.key(point("to", "The other corner; equal for a point.").require());
  t.key(Key::numbers("frequencies", "Hz").require().describe("The frequencies."));
  t.key(Key::texts("fields").one_of({"E", "H"}).fallback_list("[\"E\"]").describe("Which fields."));
  t.key(Key::integer("every").at_least(1).describe(
      "Steps between samples; default: as many as four samples in a period of f_max allow."));
  return t;
}

Table snapshot_table() {
  Table t("snapshot", "Fields at times, for ParaView.", true);
  t.key(Key::text("name").require().describe("Its name; begins the files' names."));
  t.key(point("from", "A corner.").require());
  t.key(point("to", "The other corner; equal along one axis for a plane.").require());
  t.key(Key::texts("fields").one_of({"E", "H"}).fallback_list("[\"E\"]").describe("Which fields."));
  t.key(Key::number("every", "s").more_than(0).require().describe("Time between snapshots."));
  t.key(Key::number("start", "s").at_least(0).fallback(0.0).describe("First time."));
  t.key(Key::number("stop", "s").at_least(0).describe("Last time."));
  t.key(Key::integer("stride").at_least(1).fallback(1).describe("Keep every n-th node."));
  t.key(Key::text("format")
            .one_of({"vtk", "hdf5"})
            .fallback("vtk")
            .describe(".vtr files, or one HDF5 file."));
  return t;
}

Table output_table() {
  Table t("output", "Other files.");
  t.key(Key::boolean("geometry")
            .fallback(true)
            .describe("Write geometry.vtp: the metal edges with the object that owns each."));
  return t;
}

}  // namespace

config::Schema fdtd_schema() {
  config::Schema root("", "A three-dimensional electromagnetic field problem.");
  root.table(domain_table()).table(fdtd_table()).table(boundary_table());
  root.table(material_table()).table(object_table()).table(waveform_table());
  root.table(source_table()).table(lumped_table()).table(port_table()).table(drive_table());
  root.table(spectrum_table()).table(probe_table()).table(dft_table()).table(snapshot_table());
  root.table(output_table());
  return root;
}

}  // namespace terrawave::fdtd

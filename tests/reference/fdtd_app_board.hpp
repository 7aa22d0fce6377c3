// A small board with two ports, a diode and a series RLC: the case that property and rank tests
// run.
#pragma once

namespace terrawave::test {

inline const char* kBoard = R"(
[fdtd]
f_max = "20 GHz"
[fdtd.stop]
steps = 300
[domain]
cell = ["1 mm", "1 mm", "0.5 mm"]
cells = [16, 20, 12]
[[boundary]]
faces = ["all"]
kind = "cpml"
layers = 4
[[material]]
name = "board"
eps_r = 2.2
[[object]]
name = "board"
kind = "box"
material = "board"
from = ["0 mm", "0 mm", "2.5 mm"]
to = ["16 mm", "20 mm", "3.5 mm"]
[[object]]
name = "ground"
kind = "plate"
material = "pec"
from = ["4 mm", "4 mm", "2.5 mm"]
to = ["12 mm", "16 mm", "2.5 mm"]
[[object]]
name = "strip"
kind = "plate"
material = "pec"
from = ["7 mm", "4 mm", "3.5 mm"]
to = ["9 mm", "16 mm", "3.5 mm"]
[[port]]
name = "in"
from = ["7 mm", "4 mm", "2.5 mm"]
to = ["9 mm", "4 mm", "3.5 mm"]
direction = "z+"
[[port]]
name = "out"
from = ["7 mm", "16 mm", "2.5 mm"]
to = ["9 mm", "16 mm", "3.5 mm"]
direction = "z+"
impedance = 75
[[lumped]]
name = "D"
kind = "diode"
direction = "z+"
from = ["8 mm", "10 mm", "2.5 mm"]
to = ["8 mm", "10 mm", "3.5 mm"]
[[lumped]]
name = "RLC"
kind = "series_rlc"
direction = "z+"
from = ["7 mm", "12 mm", "2.5 mm"]
to = ["9 mm", "12 mm", "3.5 mm"]
R = 10
L = "1 nH"
C = "1 pF"
[drive]
amplitude = "4 V"
[spectrum]
points = 5
[[dft]]
name = "plane"
from = ["2 mm", "2 mm", "3 mm"]
to = ["14 mm", "18 mm", "3 mm"]
frequencies = ["2 GHz", "8 GHz"]
fields = ["E", "H"]
)";

}  // namespace terrawave::test

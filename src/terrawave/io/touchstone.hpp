// Touchstone version 1 files (.sNp) of S-parameters.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

namespace terrawave::io {

struct Touchstone {
  std::vector<double> frequencies;  // Hz, increasing
  int ports = 1;
  // s[f][row * ports + column]: wave leaving port `row` for a unit wave into port `column`.
  std::vector<std::vector<std::complex<double>>> s;
  double impedance = 50;  // ohm, of every port
  std::vector<std::string> comments;
};

// "# Hz S RI R 50"; two-port lines hold S11 S21 S12 S22, larger matrices stand row by row with at
// most four numbers a line (Touchstone specification 1.1).
std::string write_touchstone_text(const Touchstone& data);
void write_touchstone(const std::filesystem::path& file, const Touchstone& data);
// Reads version 1 with units Hz, kHz, MHz, GHz and formats RI, MA, DB. `ports` from the extension.
// Throws InputError naming file and line.
Touchstone read_touchstone(const std::filesystem::path& file);

}  // namespace terrawave::io

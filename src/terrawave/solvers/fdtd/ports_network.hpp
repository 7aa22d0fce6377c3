// From time series at ports to S-parameters.
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace terrawave::fdtd {

using Complex = std::complex<double>;

// X(f) = dt sum x_n exp(-j 2 pi f t_n), t_n = (first + n + offset) dt, summed in order.
std::vector<Complex> spectrum_of(const std::vector<double>& series, double dt, double first,
                                 double offset, const std::vector<double>& frequencies);

// What one port saw in one run; voltage and current into the device, per frequency.
struct PortSpectra {
  std::vector<Complex> voltage, current;
};

struct PortReference {
  double impedance = 50;
  double gap_admittance_c = 0;  // F: j w C V is added to the current (the gap's own capacitance)
  double shift = 0;             // m, into the device
  double eps_eff = 1;
};

// Power waves with real impedance Z: a = (V + Z I)/(2 sqrt Z) into the device,
// b = (V - Z I)/(2 sqrt Z) out of it, moved by the reference plane's shift l:
// a -> a exp(-j k l), b -> b exp(+j k l), k = 2 pi f sqrt(eps_eff)/c.
struct Waves {
  std::vector<Complex> a, b;
};
Waves power_waves(const PortSpectra& port, const PortReference& reference,
                  const std::vector<double>& frequencies);

// s[f][row * ports + column]; NaN where column's port was not driven. Every run drives one port and
// leaves a column of A and of B, the waves into and out of all ports. With all columns S = B A^-1:
// what the other ports' resistors reflect back, because a line's impedance is never quite theirs,
// is part of A and does not count as the device's. Until then a column is b_i / a_j, as if they
// reflected nothing.
struct Network {
  int ports = 0;
  std::vector<double> frequencies;
  std::vector<std::vector<Complex>> s;
  Network() = default;
  Network(int n, std::vector<double> f);
  // The waves of all ports in the run that drove one of them.
  void set_column(int driven, const std::vector<Waves>& waves);
  bool complete() const;

 private:
  std::vector<std::vector<Complex>> a_, b_;  // as s
};

// The same network with every port referred to `impedance` instead of its own (real, ohm). From
// V = sqrt(Z) (a + b), I = (a - b) / sqrt(Z): a' = p a + q b and b' = q a + p b with
// p, q = (sqrt(Z / Z') +- sqrt(Z' / Z)) / 2, so S' = (Q + P S) (P + Q S)^-1 with diagonal P and Q.
Network renormalised(const Network& network, const std::vector<double>& own, double impedance);

// Power out over power in, worst over frequencies and over what goes into the ports together: the
// largest eigenvalue of S^H S. 1 is lossless. Not of an incomplete network.
struct Passivity {
  double worst = 0;
  double frequency = 0;
};
Passivity passivity(const Network& network);
// |S_ij - S_ji|, worst.
struct Reciprocity {
  double worst = 0;
  double frequency = 0;
  int i = 0, j = 0;
};
Reciprocity reciprocity(const Network& network);

}  // namespace terrawave::fdtd

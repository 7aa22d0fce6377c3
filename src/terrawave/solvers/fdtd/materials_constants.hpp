// Constants of the vacuum, SI (CODATA 2018; c exact).
#pragma once

namespace terrawave::fdtd {

inline constexpr double kLightSpeed = 299792458.0;                         // m/s
inline constexpr double kMu0 = 1.25663706212e-6;                           // H/m
inline constexpr double kEps0 = 1.0 / (kMu0 * kLightSpeed * kLightSpeed);  // F/m
inline constexpr double kElementaryCharge = 1.602176634e-19;               // C
inline constexpr double kBoltzmann = 1.380649e-23;                         // J/K

}  // namespace terrawave::fdtd

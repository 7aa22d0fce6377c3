// Notices a field that grows although nothing drives it.
#pragma once

#include <cmath>
#include <string>

namespace terrawave::fdtd {

// A passive model cannot gain energy once its sources have ended. Rounding and the half-step
// between E and H make the sampled energy ripple by far less than a factor 2.
class GrowthDetector {
 public:
  explicit GrowthDetector(double sources_end = 0) : sources_end_(sources_end) {}

  // True when the energy at t tells that the run diverges.
  bool grows(double t, double energy) {
    if (!std::isfinite(energy)) return true;
    if (t <= sources_end_) {
      peak_ = std::fmax(peak_, energy);
      return false;
    }
    if (!(least_ >= 0)) least_ = energy;
    least_ = std::fmin(least_, energy);
    times_ = energy > 4 * least_ && energy > last_ ? times_ + 1 : 0;
    last_ = energy;
    peak_ = std::fmax(peak_, energy);
    // Three checks in a row, and above anything that could be rounding noise of the pulse.
    return times_ >= 3 && energy > 1e-10 * peak_ && energy > 16 * least_ && energy >= peak_;
  }
  double peak() const { return peak_; }
  void restore(double peak) { peak_ = peak; }

 private:
  double sources_end_;
  double peak_ = 0;
  double least_ = -1;
  double last_ = 0;
  int times_ = 0;
};

}  // namespace terrawave::fdtd

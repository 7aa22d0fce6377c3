#include "terrawave/run/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace terrawave::run {
namespace {

// The audited conserved sum that has drifted most.
std::string worst_drift(const Record& r) {
  double worst = -1;
  for (std::size_t k = 0; k < r.audit_items.size(); ++k)
    if (r.audit_items[k].conserved) worst = std::max(worst, std::abs(drift(r, k)));
  return worst < 0 ? "" : fmt::format("drift {:.1e}", worst);
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string with_prefix(double value, const std::string& unit) {
  static constexpr std::array<const char*, 6> kPrefix{"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  while (std::abs(value) >= 999.5 && k + 1 < kPrefix.size()) {
    value /= 1000;
    ++k;
  }
  return fmt::format("{:.3g} {}{}", value, kPrefix[k], unit);
}

std::string duration(double s) {
  if (!std::isfinite(s)) return "?";
  if (s < 59.95) return fmt::format("{:.1f} s", s);
  const auto whole = static_cast<long long>(std::llround(s));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

std::string progress_line(const Record& r, double dt, double seconds_left, std::size_t width) {
  struct Part {
    std::string text;
    int worth;  // the least worthy go first where the terminal is narrow
  };
  std::string time = fmt::format("t = {:.6g}", r.time);
  if (std::isfinite(r.end_time)) time += fmt::format(" of {:.6g}", r.end_time);
  std::vector<Part> parts{
      {fmt::format("step {}", r.step), 3}, {time + " s", 6}, {fmt::format("dt {:.3g} s", dt), 2}};
  if (r.cells_per_second() > 0) {
    parts.push_back({with_prefix(r.cells_per_second(), "cells/s"), 4});
    parts.push_back({fmt::format("{:.3g} GB/s", r.bytes_per_second() * 1e-9), 1});
    if (r.bandwidth)
      parts.back().text +=
          fmt::format(" ({:.0f} % of bandwidth)", 100 * r.bytes_per_second() / *r.bandwidth);
  }
  if (const std::string drift = worst_drift(r); !drift.empty()) parts.push_back({drift, 0});
  if (std::isfinite(seconds_left)) parts.push_back({duration(seconds_left) + " left", 5});

  const auto line = [&] {
    std::string all;
    for (const Part& p : parts) all += (all.empty() ? "" : ", ") + p.text;
    return all;
  };
  while (line().size() > width && parts.size() > 1)
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const Part& p, const Part& q) { return p.worth < q.worth; }));
  return line().substr(0, width);
}

Progress::Progress(Settings::Progress kind, bool is_root) {
  using Kind = Settings::Progress;
  active_ = is_root && kind != Kind::none;
  terminal_ = kind == Kind::terminal || (kind == Kind::automatic && isatty(STDERR_FILENO) == 1);
}

std::size_t Progress::width() const {
  // The last column stays free: some terminals wrap there.
  return terminal_ ? std::max<std::size_t>(terminal_width(), 2) - 1 : std::string::npos;
}

void Progress::show(const std::string& line) {
  if (!active_) return;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace terrawave::run

#include "terrawave/run/common_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/run/progress.hpp"
#include "terrawave/run/version.hpp"

namespace terrawave::run {
namespace {

using Rows = std::vector<std::vector<std::string>>;

void add_summary(io::Report& report, const Record& r) {
  report.heading("The run");
  Rows rows;
  rows.push_back({"state", r.message.empty() ? r.state : r.state + ": " + r.message});
  if (r.stepped) {
    rows.push_back({"simulated time", fmt::format("{:.6g} s in {} steps", r.time, r.step)});
    rows.push_back({"time step", fmt::format("{:.4g} to {:.4g} s", r.dt_min, r.dt_max)});
  }
  rows.push_back({"wall time", duration(r.wall_seconds + r.earlier_seconds)});
  if (r.stepped && r.cells_per_second() > 0) {
    std::string speed = with_prefix(r.cells_per_second(), "cell updates/s");
    if (r.bytes_per_second() > 0) speed += ", " + with_prefix(r.bytes_per_second(), "B/s");
    if (r.bandwidth)
      speed +=
          fmt::format(" ({:.0f} % of the measured {})", 100 * r.bytes_per_second() / *r.bandwidth,
                      with_prefix(*r.bandwidth, "B/s"));
    rows.push_back({"speed", speed});
  }
  rows.push_back(
      {"computed on", r.device + fmt::format(", {} rank{}", r.ranks, r.ranks == 1 ? "" : "s")});
  rows.push_back({"precision", r.single_precision ? "single" : "double"});
  rows.push_back({"program", "terrawave " + version() + " (" + git_commit() + ")"});
  rows.push_back({"started", r.started});
  report.table({"", ""}, rows);
}

void add_audits(io::Report& report, const Record& r) {
  if (r.audits.empty() || r.audit_items.empty()) return;
  report.heading("Conserved and watched sums");
  Rows rows;
  io::Chart chart{"time [s]", "change relative to the start", {}};
  for (std::size_t k = 0; k < r.audit_items.size(); ++k) {
    const sim::AuditItem& item = r.audit_items[k];
    rows.push_back({item.name, item.unit, fmt::format("{:.15g}", r.audits.front().values[k]),
                    fmt::format("{:.15g}", r.audits.back().values[k]),
                    item.conserved ? fmt::format("{:.1e}", drift(r, k)) : "not conserved"});
    if (!item.conserved) continue;
    io::Curve curve{item.name, {}, {}};
    const double first = r.audits.front().values[k];
    for (const AuditPoint& p : r.audits) {
      curve.x.push_back(p.time);
      curve.y.push_back(first != 0 ? (p.values[k] - first) / std::abs(first) : p.values[k] - first);
    }
    chart.curves.push_back(std::move(curve));
  }
  report.table({"sum", "unit", "first", "last", "drift"}, rows);
  if (!chart.curves.empty() && r.audits.size() > 2)
    report.chart("Drift of the conserved sums; of a sum that starts at zero, its change.", chart);
}

void add_timings(io::Report& report, const Record& r) {
  if (r.phases.empty()) return;
  report.heading("Timings");
  std::vector<std::pair<std::string, sim::Timers::Entry>> phases(r.phases.begin(), r.phases.end());
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  Rows rows;
  for (const auto& [name, e] : phases)
    rows.push_back(
        {name, fmt::format("{:.3f}", e.seconds), std::to_string(e.count),
         fmt::format("{:.1f}", r.wall_seconds > 0 ? 100 * e.seconds / r.wall_seconds : 0)});
  report.table({"phase", "seconds", "times", "% of wall time"}, rows);
}

// The leaves of the case as rows "table.key".
void flatten(const nlohmann::ordered_json& j, const std::string& path, Rows& rows) {
  if (j.is_object()) {
    for (const auto& [key, value] : j.items())
      flatten(value, path.empty() ? key : path + "." + key, rows);
  } else if (j.is_array() && !j.empty() && j.front().is_object()) {
    for (std::size_t k = 0; k < j.size(); ++k)
      flatten(j[k], path + "[" + std::to_string(k) + "]", rows);
  } else {
    rows.push_back({path, j.is_string() ? j.get<std::string>() : j.dump()});
  }
}

}  // namespace

std::string report_title(const Record& record) { return record.solver + ": " + record.state; }

void add_common_sections(io::Report& report, const Record& record) {
  add_summary(report, record);
  add_audits(report, record);
  add_timings(report, record);
  Rows rows;
  flatten(nlohmann::ordered_json::parse(record.case_json), "", rows);
  if (rows.empty()) return;
  report.heading("The case");
  report.table({"key", "value (SI units)"}, rows);
}

}  // namespace terrawave::run

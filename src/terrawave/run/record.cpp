#include "terrawave/run/record.hpp"

#include <cmath>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "terrawave/base/error.hpp"
#include "terrawave/run/version.hpp"

namespace terrawave::run {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

// Peak resident memory of this process, bytes.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

Json audits_json(const Record& r) {
  Json list = Json::array();
  for (std::size_t k = 0; k < r.audit_items.size(); ++k) {
    const sim::AuditItem& item = r.audit_items[k];
    Json a = {{"name", item.name}, {"unit", item.unit}, {"conserved", item.conserved}};
    if (!r.audits.empty()) {
      a["first"] = number(r.audits.front().values[k]);
      a["last"] = number(r.audits.back().values[k]);
      if (item.conserved) a["drift"] = number(drift(r, k));
    }
    Json values = Json::array();
    for (const AuditPoint& p : r.audits) values.push_back(number(p.values[k]));
    a["values"] = std::move(values);
    list.push_back(std::move(a));
  }
  return list;
}

Json throughput_json(const Record& r) {
  Json t = {{"cells", number(r.work.cells)},
            {"bytes_per_cell", number(r.work.bytes_per_cell)},
            {"flops_per_cell", number(r.work.flops_per_cell)},
            {"stepping_seconds", number(r.stepping_seconds)},
            {"cell_updates_per_second", number(r.cells_per_second())},
            {"bytes_per_second", number(r.bytes_per_second())}};
  if (r.bandwidth) {
    t["measured_bandwidth"] = number(*r.bandwidth);
    t["share_of_bandwidth"] = number(r.bytes_per_second() / *r.bandwidth);
  }
  return t;
}

Json phases_json(const Record& r) {
  Json phases = Json::object();
  for (const auto& [name, entry] : r.phases)
    phases[name] = {{"seconds", entry.seconds}, {"count", entry.count}};
  return phases;
}

double as_number(const Json& j) { return j.is_number() ? j.get<double>() : std::nan(""); }

void read_audits(const Json& j, Record& r) {
  for (const Json& t : j.at("audit_times"))
    r.audits.push_back({as_number(t.at("time")), t.at("step").get<std::int64_t>(), {}});
  for (const Json& a : j.at("audits")) {
    r.audit_items.push_back({a.at("name"), a.at("unit"), 0, a.at("conserved")});
    for (std::size_t i = 0; i < r.audits.size(); ++i)
      r.audits[i].values.push_back(as_number(a.at("values").at(i)));
  }
}

}  // namespace

double Record::cells_per_second() const {
  return stepping_seconds > 0 ? work.cells * static_cast<double>(steps_done()) / stepping_seconds
                              : 0;
}

double Record::bytes_per_second() const { return cells_per_second() * work.bytes_per_cell; }

double drift(const Record& record, std::size_t k) {
  if (record.audits.empty()) return 0;
  const double first = record.audits.front().values[k];
  const double change = record.audits.back().values[k] - first;
  return first != 0 ? change / std::abs(first) : change;
}

std::string to_json(const Record& r) {
  Json j;
  j["program"] = "terrawave";
  j["version"] = version();
  j["commit"] = git_commit();
  j["state"] = r.state;
  if (!r.message.empty()) j["message"] = r.message;
  j["solver"] = r.solver;
  j["started"] = r.started;
  j["wall_seconds"] = number(r.wall_seconds);
  j["machine"] = {{"device", r.device},
                  {"backend", r.backend},
                  {"ranks", r.ranks},
                  {"threads", r.threads},
                  {"precision", r.single_precision ? "single" : "double"},
                  {"overlap", r.overlap},
                  {"peak_memory_bytes", peak_memory()}};
  if (r.stepped) {
    j["time"] = number(r.time);
    j["end_time"] = number(r.end_time);
    j["steps"] = r.step;
    j["first_step"] = r.first_step;
    j["earlier_wall_seconds"] = number(r.earlier_seconds);
    j["dt_min"] = number(r.dt_min);
    j["dt_max"] = number(r.dt_max);
    j["checkpoints"] = r.checkpoints;
    j["throughput"] = throughput_json(r);
  }
  j["phases"] = phases_json(r);
  j["audits"] = audits_json(r);
  Json times = Json::array();
  for (const AuditPoint& p : r.audits)
    times.push_back({{"time", number(p.time)}, {"step", p.step}});
  j["audit_times"] = std::move(times);
  j["files"] = r.files;
  j["facts"] = Json::parse(r.facts_json);
  j["case"] = Json::parse(r.case_json);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Record from_json(const std::string& text, const std::string& file) {
  try {
    const Json j = Json::parse(text);
    if (j.at("program") != "terrawave") throw InputError(file + ": not written by terrawave");
    Record r;
    r.solver = j.at("solver");
    r.state = j.at("state");
    r.message = j.value("message", "");
    r.started = j.at("started");
    r.wall_seconds = as_number(j.at("wall_seconds"));
    const Json& m = j.at("machine");
    r.device = m.at("device");
    r.backend = m.at("backend");
    r.ranks = m.at("ranks");
    r.threads = m.at("threads");
    r.single_precision = m.at("precision") == "single";
    r.overlap = m.at("overlap");
    r.stepped = j.contains("steps");
    if (r.stepped) {
      r.time = as_number(j.at("time"));
      r.end_time = as_number(j.at("end_time"));
      r.step = j.at("steps");
      r.first_step = j.at("first_step");
      r.earlier_seconds = as_number(j.at("earlier_wall_seconds"));
      r.dt_min = as_number(j.at("dt_min"));
      r.dt_max = as_number(j.at("dt_max"));
      r.checkpoints = j.at("checkpoints");
      const Json& t = j.at("throughput");
      r.work = {as_number(t.at("cells")), as_number(t.at("bytes_per_cell")),
                as_number(t.at("flops_per_cell"))};
      r.stepping_seconds = as_number(t.at("stepping_seconds"));
      if (t.contains("measured_bandwidth")) r.bandwidth = as_number(t.at("measured_bandwidth"));
    }
    for (const auto& [name, e] : j.at("phases").items())
      r.phases[name] = {as_number(e.at("seconds")), e.at("count").get<std::int64_t>()};
    read_audits(j, r);
    r.files = j.at("files").get<std::vector<std::string>>();
    r.facts_json = j.at("facts").dump();
    r.case_json = j.at("case").dump();
    return r;
  } catch (const Json::exception& e) {
    throw InputError(file + ": not a run.json of this program: " + e.what());
  }
}

}  // namespace terrawave::run

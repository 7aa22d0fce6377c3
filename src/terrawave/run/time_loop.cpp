#include "terrawave/run/time_loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/io/checkpoint.hpp"
#include "terrawave/run/bandwidth.hpp"
#include "terrawave/run/folder.hpp"
#include "terrawave/run/schedule.hpp"

namespace terrawave::run {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::int64_t kNoStep = std::numeric_limits<std::int64_t>::max();
constexpr double kSyncSeconds = 0.1;   // the ranks talk about signals and the clock this often
constexpr double kAuditSeconds = 30;   // and audit at least this often
constexpr double kNewsSeconds = 2;     // and bring run.json up to date at most this often
constexpr double kBandwidthAfter = 1;  // shorter runs do not pay for the measurement
constexpr std::size_t kMostAudits = 4000;

std::string audits_text(const std::vector<AuditPoint>& audits) {
  // Bits, not digits: the drift after a restart is the drift without one.
  std::string bytes;
  const auto put = [&](const auto& v) {
    bytes.append(reinterpret_cast<const char*>(&v), sizeof(v));
  };
  for (const AuditPoint& p : audits) {
    if (p.timed) continue;
    put(p.time);
    put(p.step);
    put(std::int64_t(p.values.size()));
    for (const double v : p.values) put(v);
  }
  return bytes;
}

std::vector<AuditPoint> audits_of(const std::string& bytes) {
  std::vector<AuditPoint> audits;
  std::size_t at = 0;
  const auto take = [&](auto& v) {
    if (at + sizeof(v) > bytes.size()) throw InputError("the checkpoint's audits are damaged");
    std::memcpy(&v, bytes.data() + at, sizeof(v));
    at += sizeof(v);
  };
  while (at < bytes.size()) {
    AuditPoint p;
    std::int64_t n = 0;
    take(p.time);
    take(p.step);
    take(n);
    for (std::int64_t k = 0; k < n; ++k) take(p.values.emplace_back());
    audits.push_back(std::move(p));
  }
  return audits;
}

// Of each output: how many records its files hold, and whether the one due at the checkpoint's time
// is still missing (writing it failed).
struct Written {
  std::int64_t records = 0;
  bool missing = false;
};

std::map<std::string, Written> written_of(const std::string& note) {
  std::map<std::string, Written> all;
  std::istringstream in(note);
  std::string name;
  while (std::getline(in, name, '\t')) {
    Written w;
    in >> w.records >> w.missing;
    in.ignore();
    all[name] = w;
  }
  return all;
}

// The first text that is not empty, by rank; the same on every rank.
std::string first_text(comm::Comm& comm, const std::string& mine) {
  const auto* bytes = reinterpret_cast<const std::byte*>(mine.data());
  for (const comm::Bytes& b : comm.all_gather({bytes, mine.size()}))
    if (!b.empty()) return {reinterpret_cast<const char*>(b.data()), b.size()};
  return "";
}

}  // namespace

TimeLoop::TimeLoop(TimeCase& c, const Settings& settings, sim::Context& context,
                   const Options& options, Record& record)
    : case_(c),
      solver_(*c.solver),
      settings_(settings),
      context_(context),
      options_(options),
      record_(record),
      progress_(settings.progress, context.comm.is_root()),
      next_output_(c.outputs.size(), 0),
      records_(c.outputs.size(), 0),
      next_checkpoint_time_(settings.checkpoint_time.value_or(kNever)) {
  if (solver_.fixed_dt()) fixed_dt_ = solver_.max_dt();
  record_.end_time = c.end_time;
  record_.stepped = true;
  record_.work = solver_.work();
}

void TimeLoop::resume() {
  const std::filesystem::path file = options_.out / kCheckpoint;
  const io::CheckpointHead head = io::read_checkpoint_head(file, context_.comm);
  io::load_checkpoint(file, solver_, context_.comm);
  record_.time = start_time_ = head.time;
  record_.step = record_.first_step = head.step;
  const auto note = [&](const char* key) {
    const auto it = head.notes.find(key);
    return it == head.notes.end() ? std::string() : it->second;
  };
  record_.audits = audits_of(note("audits"));
  if (case_.load_extra) case_.load_extra(note("outputs"));
  const std::map<std::string, Written> written = written_of(note("written"));
  for (std::size_t k = 0; k < case_.outputs.size(); ++k) {
    const Output& output = case_.outputs[k];
    const auto it = written.find(output.name);
    const Written w = it == written.end() ? Written{} : it->second;
    // The times may be others than before: those that are past stay past.
    while (next_output_[k] < output.times.size() && reached(output.times[next_output_[k]]))
      ++next_output_[k];
    if (w.missing && next_output_[k] > 0) --next_output_[k];
    records_[k] = w.records;
    if (output.resume) output.resume(w.records);
  }
  if (settings_.checkpoint_time)
    next_checkpoint_time_ = next_multiple_after(*settings_.checkpoint_time, record_.time);
  next_sync_ = record_.step + 1;
  resumed_ = true;
}

bool TimeLoop::run() {
  // However the run ends, its last words start on a clean line.
  struct Clean {
    Progress& line;
    ~Clean() { line.clear(); }
  } const clean{progress_};
  if (!resumed_) {
    look_for_bad_values();
    audit(false);
    write_outputs();
  } else {
    write_outputs();  // one whose writing failed, if any
    const std::vector<sim::AuditItem> items = solver_.audit();
    record_.audit_items = items;
    for (const AuditPoint& p : record_.audits)
      if (p.values.size() != items.size())
        throw io::SharedError("the checkpoint's audits are not those of this solver");
  }
  while (!at_end()) {
    advance();
    const bool due = outputs_due();
    if (due || is_checked(record_.step)) look_for_bad_values();
    if (due) {
      audit(false);
      write_outputs();
    }
    checkpoint_if_due();
    if (record_.step >= next_sync_ && stop_requested()) {
      checkpoint(kCheckpoint);
      return false;
    }
  }
  look_for_bad_values();
  if (record_.audits.empty() || record_.audits.back().step != record_.step) audit(false);
  if (settings_.checkpoint_time || settings_.checkpoint_wall || resumed_) checkpoint(kCheckpoint);
  now_ = elapsed();
  flush_outputs();
  return true;
}

bool TimeLoop::reached(double time) const {
  if (!std::isfinite(time)) return false;
  if (fixed_dt_ > 0) return record_.step >= step_reaching(time, fixed_dt_);
  return record_.time >= time;
}

bool TimeLoop::at_end() {
  return reached(case_.end_time) || (case_.max_steps && record_.step >= *case_.max_steps) ||
         solver_.finished();
}

double TimeLoop::next_event() const {
  double next = case_.end_time;
  for (std::size_t k = 0; k < case_.outputs.size(); ++k)
    if (next_output_[k] < case_.outputs[k].times.size())
      next = std::min(next, case_.outputs[k].times[next_output_[k]]);
  return next;
}

void TimeLoop::advance() {
  if (fixed_dt_ > 0)
    advance_fixed();
  else
    advance_variable();
  if (case_.after_step) {
    const auto scope = context_.timers.time("after step");
    case_.after_step(record_.time, record_.step);
  }
}

void TimeLoop::advance_variable() {
  const auto begin = Clock::now();
  const auto scope = context_.timers.time("step");
  const double limit = solver_.max_dt();
  if (!(limit > 0)) give_up(fmt::format("the largest stable time step is {:.6g} s", limit));
  const double next = next_event();
  if (limit == kNever && next == kNever)
    throw io::SharedError("nothing moves and the case has no end time");
  const Stride s = stride(record_.time, next, limit);
  if (!(record_.time + s.dt > record_.time) && !s.lands)
    give_up(fmt::format("the time step fell to {:.6g} s: time no longer advances", limit));
  // On a GPU this only starts the step; the next max_dt() waits for it, so the sum is right.
  solver_.step(record_.time, s.dt);
  record_.time = s.lands ? next : record_.time + s.dt;
  ++record_.step;
  last_dt_ = s.dt;
  record_.dt_min = record_.steps_done() == 1 ? s.dt : std::min(record_.dt_min, s.dt);
  record_.dt_max = std::max(record_.dt_max, s.dt);
  record_.stepping_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t TimeLoop::last_step_of_stride() const {
  const double next = std::min(next_event(), next_checkpoint_time_);
  std::int64_t last = std::isfinite(next) ? step_reaching(next, fixed_dt_) : kNoStep;
  if (case_.max_steps) last = std::min(last, *case_.max_steps);
  last = std::min({last, next_checked(record_.step), std::max(next_sync_, record_.step + 1)});
  return std::max(last, record_.step + 1);
}

void TimeLoop::advance_fixed() {
  const auto begin = Clock::now();
  if (!(fixed_dt_ > 0) || !std::isfinite(fixed_dt_)) give_up("the time step is not a number");
  const std::int64_t last = last_step_of_stride();
  const auto scope = context_.timers.time("step");
  while (record_.step < last) {
    const double t = static_cast<double>(record_.step) * fixed_dt_;
    const std::int64_t done = solver_.steps(t, fixed_dt_, last - record_.step);
    require(done >= 1 && done <= last - record_.step, "Solver::steps did not keep to its steps");
    record_.step += done;
    if (case_.after_step) break;  // it wants to see every stop the solver makes
  }
  context_.queue.synchronize();  // or the clock would see launches, not work
  record_.time = static_cast<double>(record_.step) * fixed_dt_;
  last_dt_ = record_.dt_min = record_.dt_max = fixed_dt_;
  record_.stepping_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
}

void TimeLoop::look_for_bad_values() {
  const auto scope = context_.timers.time("check");
  const std::optional<sim::BadValue> mine = solver_.find_bad_value();
  if (context_.comm.max(std::int64_t{mine.has_value()}) == 0) return;
  const std::string what = first_text(context_.comm, mine ? mine->what : std::string());
  throw BadState(fmt::format("step {}, t = {:.6g} s: {}", record_.step, record_.time, what));
}

void TimeLoop::give_up(const std::string& otherwise) {
  look_for_bad_values();
  throw BadState("step " + std::to_string(record_.step) + ": " + otherwise);
}

bool TimeLoop::outputs_due() const {
  for (std::size_t k = 0; k < case_.outputs.size(); ++k)
    if (next_output_[k] < case_.outputs[k].times.size() &&
        reached(case_.outputs[k].times[next_output_[k]]))
      return true;
  return false;
}

void TimeLoop::write_outputs() {
  bool wrote = false;
  for (std::size_t k = 0; k < case_.outputs.size(); ++k) {
    const Output& output = case_.outputs[k];
    // Times closer together than a fixed step share one record each: none is left out.
    while (next_output_[k] < output.times.size() && reached(output.times[next_output_[k]])) {
      const auto scope = context_.timers.time("output: " + output.name);
      output.write(record_.time, record_.step);
      ++next_output_[k];
      ++records_[k];
      wrote = true;
    }
  }
  if (wrote) news(false);
}

void TimeLoop::flush_outputs() {
  for (const Output& output : case_.outputs)
    if (output.flush) output.flush();
}

void TimeLoop::audit(bool timed) {
  const auto scope = context_.timers.time("audit");
  record_.audit_items = solver_.audit();
  AuditPoint point{record_.time, record_.step, {}, timed};
  for (const sim::AuditItem& item : record_.audit_items) point.values.push_back(item.value);
  if (timed && record_.audits.size() >= kMostAudits) return;
  record_.audits.push_back(std::move(point));
}

void TimeLoop::checkpoint(const char* name) {
  const auto scope = context_.timers.time("checkpoint");
  io::CheckpointHead head;
  head.solver = std::string(solver_.name());
  head.time = record_.time;
  head.step = record_.step;
  head.fingerprint = solver_.fingerprint();
  head.notes["audits"] = audits_text(record_.audits);
  head.notes["written"] = written_text();
  flush_outputs();
  if (case_.save_extra) head.notes["outputs"] = case_.save_extra();
  io::write_checkpoint(options_.out / name, head, solver_, context_.comm);
  ++record_.checkpoints;
  news(true);
}

std::string TimeLoop::written_text() const {
  std::string text;
  for (std::size_t k = 0; k < case_.outputs.size(); ++k) {
    const Output& output = case_.outputs[k];
    const bool missing =
        next_output_[k] < output.times.size() && reached(output.times[next_output_[k]]);
    text += output.name + '\t' + std::to_string(records_[k]) + (missing ? " 1\n" : " 0\n");
  }
  return text;
}

void TimeLoop::checkpoint_if_due() {
  if (!reached(next_checkpoint_time_)) return;
  look_for_bad_values();
  checkpoint(kCheckpoint);
  next_checkpoint_time_ = next_multiple_after(*settings_.checkpoint_time, record_.time);
  if (fixed_dt_ > 0)
    while (reached(next_checkpoint_time_)) next_checkpoint_time_ += *settings_.checkpoint_time;
}

bool TimeLoop::stop_requested() {
  std::array<double, 2> news_of_all{elapsed(), signals_.received() != 0 ? 1.0 : 0.0};
  context_.comm.max(std::span<double>(news_of_all));
  const double passed = std::max(news_of_all[0] - now_, 1e-9);
  now_ = news_of_all[0];
  const double wanted = static_cast<double>(sync_length_) * kSyncSeconds / passed;
  sync_length_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1,
                                          std::min<std::int64_t>(2 * sync_length_, 1 << 20));
  next_sync_ = record_.step + sync_length_;
  if (news_of_all[1] > 0) return true;
  if (now_ - last_audit_ > kAuditSeconds) {
    audit(true);
    last_audit_ = now_;
  }
  if (settings_.checkpoint_wall && now_ - last_checkpoint_ >= *settings_.checkpoint_wall) {
    look_for_bad_values();
    checkpoint(kCheckpoint);
    last_checkpoint_ = now_;
  }
  if (!bandwidth_asked_ && now_ > kBandwidthAfter) {
    bandwidth_asked_ = true;
    record_.bandwidth = measure_bandwidth(context_.queue, context_.comm);
  }
  show_progress();
  return false;
}

void TimeLoop::show_progress() {
  if (now_ - last_progress_ < progress_.interval()) return;
  last_progress_ = now_;
  progress_.show(progress_line(record_, last_dt_, seconds_left(), progress_.width()));
}

void TimeLoop::news(bool at_once) {
  if (!on_news || (!at_once && now_ - last_news_ < kNewsSeconds)) return;
  last_news_ = now_;
  on_news();
}

double TimeLoop::seconds_left() const {
  const auto done = static_cast<double>(record_.steps_done());
  double share = 0;  // of what is to be done in this session
  if (std::isfinite(record_.end_time) && record_.end_time > start_time_)
    share = (record_.time - start_time_) / (record_.end_time - start_time_);
  if (case_.max_steps && *case_.max_steps > record_.first_step)
    share = std::max(share, done / static_cast<double>(*case_.max_steps - record_.first_step));
  return share > 0 ? now_ * (1 - share) / share : kNever;
}

double TimeLoop::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

}  // namespace terrawave::run

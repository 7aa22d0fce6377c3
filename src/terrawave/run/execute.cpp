#include "terrawave/run/execute.hpp"

#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/collective.hpp"
#include "terrawave/io/report.hpp"
#include "terrawave/run/common_report.hpp"
#include "terrawave/run/folder.hpp"
#include "terrawave/run/record.hpp"
#include "terrawave/run/time_loop.hpp"

namespace terrawave::run {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file.string() + ": cannot be read");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// One execution: what it needs, what it knows, how it ends.
class Execution {
 public:
  Execution(const Settings& settings, const std::string& case_json, sim::Context& context,
            const Options& options)
      : settings_(settings), context_(context), options_(options) {
    const par::DeviceInfo info = context.queue.info();
    record_.started = utc_now();
    record_.case_json = case_json;
    record_.device = info.name;
    record_.backend = context.queue.backend() == par::Backend::cuda ? "cuda" : "cpu";
    record_.ranks = context.comm.size();
    record_.threads = context.queue.threads();
    record_.single_precision = context.single_precision;
    record_.overlap = context.overlap;
  }

  ExitCode run(TimeCase& c) {
    record_.solver = std::string(c.solver->name());
    report_ = c.report;
    facts_ = c.facts_json;
    outputs_ = &c.outputs;
    TimeLoop loop(c, settings_, context_, options_, record_);
    loop.on_news = [this] { write_run_file(); };
    if (options_.resume) loop.resume();  // refuses a misfit before anything is written
    claim();
    try {
      const bool to_the_end = loop.run();
      record_.state = to_the_end ? "done" : "interrupted";
      if (!to_the_end) record_.message = "stopped by a signal; continue with --resume";
      finish();
      if (to_the_end) return ExitCode::done;
      context_.log.warning(fmt::format(
          "interrupted at t = {:.6g} s; the checkpoint is written, continue with --resume",
          record_.time));
      return ExitCode::interrupted;
    } catch (const BadState& e) {
      return fail(e.what(), [&] { loop.checkpoint(kFailedState); });
    } catch (const io::SharedError& e) {
      return fail(e.what(), [&] { loop.checkpoint(kCheckpoint); });
    } catch (const std::exception& e) {
      if (context_.comm.size() == 1) return fail(e.what(), [&] { loop.checkpoint(kCheckpoint); });
      note_lonely_failure(e.what());
      throw;
    }
  }

  ExitCode run(OneShotCase& c, const std::string& solver) {
    record_.solver = solver;
    report_ = c.report;
    if (options_.resume)
      throw InputError("--resume: a " + solver + " case has no time to resume at");
    claim();
    try {
      const std::string facts = [&] {
        const auto scope = context_.timers.time("work");
        return c.work();
      }();
      if (!facts.empty()) record_.facts_json = facts;
      take_files_from_facts();
      record_.state = "done";
      finish();
      return ExitCode::done;
    } catch (const io::SharedError& e) {
      return fail(e.what(), {});
    } catch (const InputError&) {
      discard();
      throw;
    } catch (const std::exception& e) {
      if (context_.comm.size() == 1) return fail(e.what(), {});
      note_lonely_failure(e.what());
      throw;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void claim() {
    std::string said;
    io::on_root(context_.comm, [&] {
      inspect_folder(options_);
      if (options_.resume) remember_earlier_session();
      made_folder_ = !std::filesystem::exists(options_.out);
      said = claim_folder(options_);
    });
    if (!said.empty()) context_.log.info(said);
    write_run_file();
  }

  // The earlier session's wall time; what it wrote stays listed.
  void remember_earlier_session() {
    const std::filesystem::path file = options_.out / kRunFile;
    if (!std::filesystem::exists(file)) return;
    const Record earlier = from_json(read_text(file), file.string());
    record_.earlier_seconds = earlier.earlier_seconds + earlier.wall_seconds;
  }

  // An input error found at work: leave the folder as it was found.
  void discard() {
    if (!context_.comm.is_root()) return;
    std::error_code ignored;
    std::filesystem::remove(options_.out / kRunFile, ignored);
    if (made_folder_ && std::filesystem::is_empty(options_.out, ignored))
      std::filesystem::remove(options_.out, ignored);
  }

  void collect() {
    record_.wall_seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    record_.phases = context_.timers.entries();
    if (outputs_ != nullptr) {
      record_.files.clear();
      for (const Output& o : *outputs_) {
        record_.files.insert(record_.files.end(), o.files.begin(), o.files.end());
        if (!o.list_files) continue;
        const std::vector<std::string> more = o.list_files();
        record_.files.insert(record_.files.end(), more.begin(), more.end());
      }
    }
    if (facts_) record_.facts_json = facts_();
  }

  // A one-shot case names its files in its facts.
  void take_files_from_facts() {
    const auto facts = nlohmann::json::parse(record_.facts_json);
    if (!facts.contains("files")) return;
    for (const auto& f : facts["files"])
      if (f.is_string()) record_.files.push_back(f.get<std::string>());
  }

  // Collective.
  void write_run_file() {
    collect();
    io::on_root(context_.comm, [&] { io::write_text(options_.out / kRunFile, to_json(record_)); });
  }

  void finish() {
    write_run_file();
    io::on_root(context_.comm, [&] { write_report(); });
  }

  void write_report() {
    io::Report report(report_title(record_));
    if (report_) report_(report);
    report.save(options_.out / kReportData);
    add_common_sections(report, record_);
    report.write(options_.out / kReportFile);
  }

  // All ranks are here. Whatever can still be saved is saved.
  ExitCode fail(const std::string& why, const std::function<void()>& save_state) {
    record_.state = "failed";
    record_.message = why;
    context_.log.warning("the run failed: " + why);
    try {
      if (save_state) save_state();
    } catch (const std::exception& e) {
      context_.log.warning(std::string("its state could not be saved: ") + e.what());
    }
    try {
      finish();
    } catch (const std::exception& e) {
      context_.log.warning(std::string("run.json or the report could not be written: ") + e.what());
    }
    return ExitCode::run_failed;
  }

  // Only this rank knows, so no collective call is possible: notes what can be noted. The program
  // must end all ranks.
  void note_lonely_failure(const std::string& why) {
    record_.state = "failed";
    record_.message = "rank " + std::to_string(context_.comm.rank()) + ": " + why;
    if (!context_.comm.is_root()) return;
    try {
      io::write_text(options_.out / kRunFile, to_json(record_));
    } catch (const std::exception&) {
      // The first error is the one to tell.
    }
  }

  const Settings& settings_;
  sim::Context& context_;
  const Options& options_;
  Record record_;
  bool made_folder_ = false;
  const std::vector<Output>* outputs_ = nullptr;
  std::function<void(io::Report&)> report_;
  std::function<std::string()> facts_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

void check_folder(const Options& options, comm::Comm& comm) {
  io::on_root(comm, [&] { inspect_folder(options); });
}

ExitCode execute(Case& c, const Settings& settings, const std::string& case_json,
                 sim::Context& context, const Options& options) {
  if (options.dry_run) return ExitCode::done;
  check_folder(options, context.comm);
  Execution execution(settings, case_json, context, options);
  if (auto* one_shot = std::get_if<OneShotCase>(&c))
    return execution.run(*one_shot, settings.solver);
  return execution.run(std::get<TimeCase>(c));
}

std::filesystem::path rebuild_report(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kRunFile;
  if (!std::filesystem::exists(file))
    throw InputError(folder.string() + ": holds no run of terrawave (no run.json)");
  const Record record = from_json(read_text(file), file.string());
  io::Report report(report_title(record));
  if (std::filesystem::exists(folder / kReportData))
    report = io::Report::load(folder / kReportData);
  add_common_sections(report, record);
  report.write(folder / kReportFile);
  return folder / kReportFile;
}

}  // namespace terrawave::run

#include "terrawave/run/folder.hpp"

#include <fstream>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include "terrawave/run/record.hpp"

namespace terrawave::run {
namespace fs = std::filesystem;
namespace {

// The nearest folder above that exists: where the new one would be made.
fs::path existing_parent(fs::path p) {
  p = fs::absolute(p);
  while (!p.empty() && !fs::exists(p) && p != p.parent_path()) p = p.parent_path();
  return p;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Only names below the folder are ever removed.
bool stays_inside(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name)
    if (part == "..") return false;
  return true;
}

void remove_earlier(const fs::path& folder, const Record& earlier) {
  std::vector<std::string> names = earlier.files;
  for (const char* own : {kRunFile, kReportFile, kReportData, kCheckpoint, kFailedState})
    names.emplace_back(own);
  for (const std::string& name : names) {
    std::error_code error;
    if (!stays_inside(name) || fs::is_directory(folder / name, error)) continue;
    fs::remove(folder / name, error);
    if (error)
      throw InputError("cannot replace " + (folder / name).string() + ": " + error.message());
  }
}

// What a killed run had begun (io/atomic_file.hpp) and nobody will finish.
void remove_part_files(const fs::path& folder) {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename().string().starts_with(".part-"))
      parts.push_back(entry.path());
  std::error_code ignored;
  for (const fs::path& p : parts) fs::remove(p, ignored);
}

}  // namespace

void inspect_folder(const Options& options) {
  const fs::path& folder = options.out;
  if (folder.empty()) throw InputError("no folder for the results: give one with --out DIR");
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw InputError(folder.string() +
                     ": is a file, the results need a folder. Give another with --out DIR.");
  const fs::path parent = existing_parent(folder);
  if (!fs::is_directory(parent) || access(parent.c_str(), W_OK | X_OK) != 0)
    throw InputError(folder.string() + ": cannot be written: " + parent.string() +
                     " is not a writable folder");
  const bool has_run = fs::exists(folder / kRunFile);
  if (options.resume) {
    if (fs::exists(folder / kCheckpoint)) return;
    throw InputError(folder.string() + ": holds no checkpoint (" + kCheckpoint +
                     ") to resume from. Start the run without --resume.");
  }
  if (has_run)
    from_json(read_text(folder / kRunFile), (folder / kRunFile).string());
  else if (fs::exists(folder) && !fs::is_empty(folder))
    throw InputError(folder.string() +
                     ": is not empty and holds no run of terrawave (no run.json), so nothing in it "
                     "is touched. Give another folder with --out DIR.");
}

std::string claim_folder(const Options& options) {
  const fs::path& folder = options.out;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": cannot be created: " + error.message());
  remove_part_files(folder);
  if (options.resume || !fs::exists(folder / kRunFile)) return "";
  const Record earlier = from_json(read_text(folder / kRunFile), (folder / kRunFile).string());
  remove_earlier(folder, earlier);
  return "replacing the earlier run in " + folder.string() + " (" + earlier.solver + ", " +
         earlier.state + ", started " + earlier.started + ")";
}

}  // namespace terrawave::run

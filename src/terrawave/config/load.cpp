#include <algorithm>

#include "terrawave/config/config.hpp"
#include "terrawave/config/describe.hpp"
#include "terrawave/config/node.hpp"

namespace terrawave::config {
namespace {

Value with_overrides(std::string_view toml, const std::string& file_name,
                     const std::vector<std::string>& overrides, Diagnostics& all) {
  Value root = read_toml(toml, file_name);
  for (const std::string& setting : overrides) apply_override(root, setting, all);
  return root;
}

Config checked(std::string_view toml, const std::string& file_name, const Schema& schema,
               const std::vector<std::string>& overrides) {
  Diagnostics all;
  const Value root = with_overrides(toml, file_name, overrides, all);
  std::shared_ptr<const Config::Node> node =
      check(root, schema, std::filesystem::path(file_name).parent_path(), all);
  all.raise();
  return Config(std::move(node));
}

}  // namespace

Config load(const std::filesystem::path& file, const Schema& schema,
            const std::vector<std::string>& overrides) {
  return checked(read_case_file(file), file.string(), schema, overrides);
}

Config parse(std::string_view toml, const std::string& file_name, const Schema& schema,
             const std::vector<std::string>& overrides) {
  return checked(toml, file_name, schema, overrides);
}

std::string peek_solver(const std::filesystem::path& file,
                        const std::vector<std::string>& overrides,
                        const std::vector<std::string>& known) {
  Diagnostics all;
  Value root = with_overrides(read_case_file(file), file.string(), overrides, all);
  all.raise();
  // Only run.solver is checked here; everything else waits for the solver's schema.
  Key key = Key::text("solver").require().one_of(known);
  const Schema schema = Schema("", "").table(Table("run", "").key(std::move(key)));
  Member* run = root.find("run");
  std::erase_if(root.members, [](const Member& m) { return m.name != "run"; });
  run = root.find("run");
  if (!run) {
    root.members.push_back({"run", root.source, Value{}});
    run = &root.members.back();
    run->value.source = root.source;
  }
  std::erase_if(run->value.members, [](const Member& m) { return m.name != "solver"; });
  const Config config(check(root, schema, {}, all));
  all.raise();
  return config.table("run").text("solver");
}

}  // namespace terrawave::config

// A checked case: typed access to the values of a TOML file after all checks of a Schema passed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "terrawave/base/error.hpp"
#include "terrawave/config/schema.hpp"

namespace terrawave::config {

// Where a value was written.
struct Source {
  std::string file;
  int line = 0;
  int column = 0;
};

// One complaint; printed as "file:line:col: error: message".
struct Diagnostic {
  Source source;
  std::string message;  // "key \"swe.cfl\": expected a number in (0, 1], found 3. Use ..."
};

// Collects complaints so that a user sees all at once; raise() throws one InputError with all.
class Diagnostics {
 public:
  void error(Source source, std::string message);
  bool any() const { return !errors_.empty(); }
  const std::vector<Diagnostic>& errors() const { return errors_; }
  void raise() const;  // throws InputError when any(); sorted by file, line, column

 private:
  std::vector<Diagnostic> errors_;
};

// One table of a checked case. Cheap to copy. Numbers are in the key's SI unit.
class Config {
 public:
  // Each throws LogicError for a key that the schema does not declare.
  bool has(std::string_view key) const;      // written in the file, or has a default
  bool written(std::string_view key) const;  // in the file or by an override
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

  // The sub-table `name`; defaults where the file has none.
  Config table(std::string_view name) const;
  bool has_table(std::string_view name) const;  // written in the file
  // The entries of the array of tables `name`, in file order.
  std::vector<Config> tables(std::string_view name) const;

  // Where the key (or, for "", this table) stands in the file, for errors found later.
  Source source(std::string_view key = "") const;
  // "swe.cfl", "boundary[2].kind": how messages name the key.
  std::string path(std::string_view key = "") const;
  // Throws InputError "file:line:col: error: key "...": message".
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  // Adds the same to `all` instead.
  void complain(Diagnostics& all, std::string_view key, const std::string& message) const;

  // The folder of the case file: relative paths in it are relative to this.
  std::filesystem::path folder() const;
  std::filesystem::path file_path(
      std::string_view key) const;  // text(key) resolved against folder()
  // The resolved table, defaults included, as JSON text (for run.json).
  std::string to_json() const;

  struct Node;
  explicit Config(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

// Reads and checks `file` against `schema` after applying `overrides` ("swe.cfl=0.3").
// Throws InputError with every complaint, each as file:line:col.
Config load(const std::filesystem::path& file, const Schema& schema,
            const std::vector<std::string>& overrides = {});
Config parse(std::string_view toml, const std::string& file_name, const Schema& schema,
             const std::vector<std::string>& overrides = {});

// The value of run.solver in a case file, read before its schema is known. Where `known` is not
// empty, any other name is refused.
std::string peek_solver(const std::filesystem::path& file,
                        const std::vector<std::string>& overrides = {},
                        const std::vector<std::string>& known = {});

// A complete, commented template of a case; `explain` text of a key; the reference page (Markdown).
std::string write_template(const Schema& schema,
                           const std::vector<std::string>& example_values = {});
std::string explain(const Schema& schema, std::string_view key);
std::string write_reference(const Schema& schema, std::string_view title);

}  // namespace terrawave::config

// What stands behind a Config: one checked table.
#pragma once

#include <map>
#include <variant>

#include "terrawave/config/document.hpp"

namespace terrawave::config {

using Data = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                          std::vector<std::string>>;

struct Entry {
  Data data;
  Source source;  // of the value, or of the table where the value is a default
  bool written = false;
};

struct Config::Node {
  std::shared_ptr<const Schema> schema;  // the whole schema, kept alive for `table`
  const Table* table = nullptr;
  std::string path;  // "boundary[2]"; "" for the root
  Source source;
  bool written = false;
  std::filesystem::path folder;
  std::map<std::string, Entry, std::less<>> entries;
  std::map<std::string, std::vector<std::shared_ptr<const Node>>, std::less<>> children;
};

// Checks the document against the schema; complaints go to `all`, also for what is absent.
std::shared_ptr<const Config::Node> check(const Value& root, const Schema& schema,
                                          const std::filesystem::path& folder, Diagnostics& all);

}  // namespace terrawave::config

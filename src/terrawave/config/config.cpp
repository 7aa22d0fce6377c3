#include "terrawave/config/config.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "terrawave/config/describe.hpp"
#include "terrawave/config/node.hpp"

namespace terrawave::config {
namespace {

[[noreturn]] void undeclared(const Config::Node& node, std::string_view what,
                             std::string_view name) {
  throw LogicError(fmt::format("the schema of [{}] has no {} \"{}\"", node.path, what, name));
}

const Key& declared(const Config::Node& node, std::string_view key) {
  if (const Key* found = find_key(*node.table, key)) return *found;
  undeclared(node, "key", key);
}

const Entry* entry_of(const Config::Node& node, std::string_view key) {
  const auto it = node.entries.find(key);
  return it == node.entries.end() ? nullptr : &it->second;
}

template <class T>
const T& value_of(const Config::Node& node, std::string_view key) {
  declared(node, key);
  const Entry* entry = entry_of(node, key);
  if (!entry)
    throw LogicError(
        fmt::format("the key \"{}\" has no value: ask has() first", join(node.path, key)));
  const T* value = std::get_if<T>(&entry->data);
  if (!value)
    throw LogicError(fmt::format("the key \"{}\" has another type", join(node.path, key)));
  return *value;
}

const std::vector<std::shared_ptr<const Config::Node>>& children(const Config::Node& node,
                                                                 std::string_view name) {
  const auto it = node.children.find(name);
  if (it == node.children.end()) undeclared(node, "table", name);
  return it->second;
}

}  // namespace

bool Config::has(std::string_view key) const {
  declared(*node_, key);
  return entry_of(*node_, key) != nullptr;
}

bool Config::written(std::string_view key) const {
  declared(*node_, key);
  const Entry* entry = entry_of(*node_, key);
  return entry != nullptr && entry->written;
}

bool Config::boolean(std::string_view key) const { return value_of<bool>(*node_, key); }
std::int64_t Config::integer(std::string_view key) const {
  return value_of<std::int64_t>(*node_, key);
}
double Config::number(std::string_view key) const { return value_of<double>(*node_, key); }
std::string Config::text(std::string_view key) const { return value_of<std::string>(*node_, key); }
std::vector<double> Config::numbers(std::string_view key) const {
  return value_of<std::vector<double>>(*node_, key);
}
std::vector<std::string> Config::texts(std::string_view key) const {
  return value_of<std::vector<std::string>>(*node_, key);
}

Config Config::table(std::string_view name) const {
  const auto& found = children(*node_, name);
  if (find_table(*node_->table, name)->array) undeclared(*node_, "single table", name);
  return Config(found.front());
}

bool Config::has_table(std::string_view name) const {
  const auto& found = children(*node_, name);
  return !found.empty() && found.front()->written;
}

std::vector<Config> Config::tables(std::string_view name) const {
  const auto& found = children(*node_, name);
  if (!find_table(*node_->table, name)->array) undeclared(*node_, "array of tables", name);
  std::vector<Config> all;
  for (const auto& node : found) all.emplace_back(node);
  return all;
}

Source Config::source(std::string_view key) const {
  if (key.empty()) return node_->source;
  const Entry* entry = entry_of(*node_, key);
  if (entry) return entry->source;
  const auto child = node_->children.find(key);
  if (child != node_->children.end() && !child->second.empty())
    return child->second.front()->source;
  return node_->source;
}

std::string Config::path(std::string_view key) const { return join(node_->path, key); }

void Config::complain(Diagnostics& all, std::string_view key, const std::string& message) const {
  if (key.empty() || find_table(*node_->table, key))
    all.error(source(key), fmt::format("table [{}]: {}", path(key), message));
  else
    all.error(source(key), fmt::format("key {}: {}", in_quotes(path(key)), message));
}

void Config::fail(std::string_view key, const std::string& message) const {
  Diagnostics all;
  complain(all, key, message);
  all.raise();
  throw LogicError("a complaint was lost");
}

std::filesystem::path Config::folder() const { return node_->folder; }

std::filesystem::path Config::file_path(std::string_view key) const {
  const std::filesystem::path file = text(key);
  return file.is_absolute() ? file : node_->folder / file;
}

}  // namespace terrawave::config

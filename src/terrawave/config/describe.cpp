#include "terrawave/config/describe.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "terrawave/config/document.hpp"
#include "terrawave/config/hints.hpp"

namespace terrawave::config {
namespace {

bool is_list(const Key& key) { return key.type == Type::numbers || key.type == Type::texts; }

void collect(const Table& table, const std::string& path, std::vector<Place>& places) {
  if (!path.empty()) places.push_back({path, &table, nullptr});
  for (const Key& key : table.keys) places.push_back({join(path, key.name), &table, &key});
  for (const Table& child : table.tables) collect(child, join(path, child.name), places);
}

}  // namespace

const Key* find_key(const Table& table, std::string_view name) {
  const auto it = std::find_if(table.keys.begin(), table.keys.end(),
                               [&](const Key& key) { return key.name == name; });
  return it == table.keys.end() ? nullptr : &*it;
}

const Table* find_table(const Table& table, std::string_view name) {
  const auto it = std::find_if(table.tables.begin(), table.tables.end(),
                               [&](const Table& child) { return child.name == name; });
  return it == table.tables.end() ? nullptr : &*it;
}

std::string unit_of(const Key& key) { return key.unit == "1" ? "" : key.unit; }

std::string range_of(const Key& key) {
  std::string text;
  if (key.low && key.high)
    text = fmt::format("in {}{}, {}{}", key.low_open ? '(' : '[', *key.low, *key.high,
                       key.high_open ? ')' : ']');
  else if (key.low)
    text = fmt::format("{} {}", key.low_open ? ">" : ">=", *key.low);
  else if (key.high)
    text = fmt::format("{} {}", key.high_open ? "<" : "<=", *key.high);
  if (!text.empty() && !unit_of(key).empty()) text += " " + unit_of(key);
  return text;
}

std::string type_name(const Key& key) {
  const std::string count = key.length ? fmt::format("{} ", *key.length) : "";
  switch (key.type) {
    case Type::boolean:
      return "true or false";
    case Type::integer:
      return "whole number";
    case Type::number:
      return "number";
    case Type::text:
      return "text";
    case Type::numbers:
      return "list of " + count + "numbers";
    case Type::texts:
      return "list of " + count + "texts";
  }
  return {};
}

std::string expectation(const Key& key) {
  if (key.type == Type::boolean) return "true or false";
  if (!key.choices.empty()) {
    if (key.type == Type::texts) return "a " + type_name(key) + ", each " + any_of(key.choices);
    return any_of(key.choices);
  }
  std::string text = "a " + type_name(key);
  const std::string range = range_of(key);
  if (!range.empty())
    text += (is_list(key) ? ", each " : " ") + range;
  else if (!unit_of(key).empty())
    text += " in " + unit_of(key);
  return text;
}

std::string join(std::string_view path, std::string_view name) {
  if (path.empty()) return std::string(name);
  if (name.empty()) return std::string(path);
  return fmt::format("{}.{}", path, name);
}

std::string header_of(const Table& table, std::string_view path) {
  return table.array ? fmt::format("[[{}]]", path) : fmt::format("[{}]", path);
}

std::vector<Place> places_of(const Schema& schema) {
  std::vector<Place> places;
  collect(schema, "", places);
  return places;
}

std::string wrapped(std::string_view text, std::string_view prefix, std::size_t width) {
  std::string out;
  std::string line(prefix);
  std::istringstream words{std::string(text)};
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(prefix);
      first = true;
    }
    line += (first ? "" : " ") + word;
  }
  return first && out.empty() ? out : out + line + "\n";
}

}  // namespace terrawave::config

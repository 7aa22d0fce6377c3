// `terrawave explain`, and the reference pages.
#include <algorithm>

#include <fmt/format.h>

#include "terrawave/config/describe.hpp"
#include "terrawave/config/document.hpp"
#include "terrawave/config/hints.hpp"

namespace terrawave::config {
namespace {

std::string home_of(const Place& place) {
  const std::size_t dot = place.path.rfind('.');
  if (dot == std::string::npos) return "";
  return place.path.substr(0, dot);
}

std::string default_of(const Key& key) {
  if (key.required) return "none, must be given";
  return key.fallback_toml.empty() ? "none" : key.fallback_toml;
}

std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

std::string explain_key(const Place& place) {
  const Key& key = *place.key;
  std::string out = place.path + "\n" + wrapped(key.doc, "  ") + "\n";
  out += fmt::format("  type     {}\n", type_name(key));
  if (!unit_of(key).empty())
    out += fmt::format("  unit     {}; or a text with a unit of that kind\n", unit_of(key));
  if (!range_of(key).empty()) out += fmt::format("  range    {}\n", range_of(key));
  if (!key.choices.empty()) out += fmt::format("  choices  {}\n", any_of(key.choices));
  out += fmt::format("  default  {}\n", default_of(key));
  const std::string home = home_of(place);
  out += fmt::format("  where    {}\n",
                     home.empty() ? "before the first table" : header_of(*place.table, home));
  return out;
}

std::string explain_table(const Place& place) {
  const Table& table = *place.table;
  std::string out = header_of(table, place.path) + (table.required ? "  (required)" : "") + "\n" +
                    wrapped(table.doc, "  ") + "\n";
  std::size_t width = 0;
  for (const Key& key : table.keys) width = std::max(width, key.name.size());
  for (const Key& key : table.keys)
    out += fmt::format("  {:<{}}  {}\n", key.name, width, first_sentence(key.doc));
  for (const Table& child : table.tables)
    out += fmt::format("  {}  {}\n", header_of(child, join(place.path, child.name)),
                       first_sentence(child.doc));
  return out;
}

// "boundary[2].kind" and "[[boundary]]" as people copy them from messages and files.
std::string plain_name(std::string_view key) {
  std::string name;
  bool inside = false;
  const bool header = !key.empty() && key.front() == '[';
  for (const char c : key) {
    if (c == '[') inside = true;
    if (c != '[' && c != ']' && (!inside || header)) name += c;
    if (c == ']') inside = false;
  }
  return name;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// --- the reference page ---

std::string cell(std::string text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string key_row(const Key& key) {
  std::string values = type_name(key);
  if (!key.choices.empty()) values += ": " + any_of(key.choices);
  if (!range_of(key).empty())
    values += " " + range_of(key);
  else if (!unit_of(key).empty())
    values += " in " + unit_of(key);
  const std::string standard = key.required ? "required" : code(key.fallback_toml);
  return fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(values), cell(standard),
                     cell(key.doc));
}

void reference_table(const Table& table, const std::string& path, std::string& out) {
  if (!path.empty()) {
    out += fmt::format("\n## `{}`\n\n{}", header_of(table, path), wrapped(table.doc, ""));
    if (table.required)
      out += table.array ? "At least one must be given.\n" : "This table must be given.\n";
  }
  if (!table.keys.empty()) {
    out += "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Key& key : table.keys) out += key_row(key);
  }
  for (const Table& child : table.tables) reference_table(child, join(path, child.name), out);
}

}  // namespace

std::string explain(const Schema& schema, std::string_view key) {
  const std::string name = plain_name(key);
  const std::vector<Place> places = places_of(schema);
  std::vector<std::string> names;
  std::string exact, by_last_part;
  for (const Place& place : places) {
    const std::string text = place.key ? explain_key(place) : explain_table(place);
    if (place.path == name) exact += (exact.empty() ? "" : "\n") + text;
    if (last_part(place.path) == name) by_last_part += (by_last_part.empty() ? "" : "\n") + text;
    names.push_back(place.path);
    names.push_back(last_part(place.path));
  }
  if (!exact.empty()) return exact;
  if (!by_last_part.empty()) return by_last_part;
  const std::vector<std::string> close = nearest(name, names, 3);
  std::string message = "error: there is no key or table " + in_quotes(name);
  if (!close.empty()) message += "; did you mean " + any_of(close) + "?";
  throw InputError(message);
}

std::string write_reference(const Schema& schema, std::string_view title) {
  std::string out = fmt::format("# {}\n", title);
  reference_table(schema, "", out);
  return out;
}

}  // namespace terrawave::config

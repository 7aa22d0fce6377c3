// The only file that knows toml++.
#include <algorithm>

// toml++ 3.3 asserts what it then handles as an error ("[1"), and with NDEBUG even assumes it.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

Source source_of(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Value convert(const toml::node& node, const std::string& file) {
  Value v;
  v.source = source_of(node.source(), file);
  if (const auto* table = node.as_table()) {
    v.kind = Value::Kind::table;
    for (const auto& [key, child] : *table)
      v.members.push_back(
          {std::string(key.str()), source_of(key.source(), file), convert(child, file)});
  } else if (const auto* array = node.as_array()) {
    v.kind = Value::Kind::array;
    for (const toml::node& item : *array) v.items.push_back(convert(item, file));
  } else if (const auto* text = node.as_string()) {
    v.kind = Value::Kind::text;
    v.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    v.kind = Value::Kind::integer;
    v.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    v.kind = Value::Kind::number;
    v.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    v.kind = Value::Kind::boolean;
    v.boolean = boolean->get();
  } else {
    v.kind = Value::Kind::date;
  }
  return v;
}

// A dotted key of many thousand parts would overflow the stack of the recursive walks over the
// tables it makes; no case needs more than a few. Returns the line of such a key, or 0.
int line_of_endless_key(std::string_view text) {
  constexpr int most_parts = 64;
  int line = 1;
  int dots = 0;
  bool after_dot = false;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '\n' || c == ',' || c == '=' || c == '{' || c == '[') dots = 0;
    if (c == '.' && !after_dot && ++dots > most_parts) return line;
    if (c != ' ' && c != '\t') after_dot = c == '.';
  }
  return 0;
}

// "Error while parsing key-value pair: ..." reads better without its start.
std::string without_prefix(std::string_view what) {
  constexpr std::string_view prefix = "Error while parsing ";
  if (what.substr(0, prefix.size()) == prefix) what.remove_prefix(prefix.size());
  return std::string(what);
}

}  // namespace

Value read_toml(std::string_view text, const std::string& file_name) {
  Diagnostics all;
  if (const int line = line_of_endless_key(text); line > 0) {
    all.error({file_name, line, 1}, "not valid here: a key with more than 64 parts");
    all.raise();
  }
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    all.error(source_of(result.error().source(), file_name),
              "not valid TOML: " + without_prefix(result.error().description()));
    all.raise();
  }
  Value root = convert(result.table(), file_name);
  root.source = {file_name, 1, 1};
  return root;
}

std::optional<Value> read_toml_value(std::string_view text, const Source& source) {
  if (text.find('\n') != std::string_view::npos || line_of_endless_key(text) > 0)
    return std::nullopt;
  const toml::parse_result result = toml::parse("x = " + std::string(text));
  if (!result || result.table().size() != 1 || !result.table().contains("x")) return std::nullopt;
  Value v = convert(*result.table().get("x"), source.file);
  const auto stamp = [&](auto&& self, Value& value) -> void {
    value.source = source;
    for (Value& item : value.items) self(self, item);
    for (Member& member : value.members) {
      member.source = source;
      self(self, member.value);
    }
  };
  stamp(stamp, v);
  return v;
}

}  // namespace terrawave::config

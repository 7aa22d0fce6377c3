#include "terrawave/config/schema.hpp"

#include "terrawave/base/error.hpp"
#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

Key make(std::string name, Type type, std::string unit = "1") {
  Key key;
  key.name = std::move(name);
  key.type = type;
  key.unit = std::move(unit);
  return key;
}

}  // namespace

Key Key::boolean(std::string name) { return make(std::move(name), Type::boolean); }
Key Key::integer(std::string name) { return make(std::move(name), Type::integer); }
Key Key::number(std::string name, std::string unit) {
  return make(std::move(name), Type::number, std::move(unit));
}
Key Key::text(std::string name) { return make(std::move(name), Type::text); }
Key Key::numbers(std::string name, std::string unit) {
  return make(std::move(name), Type::numbers, std::move(unit));
}
Key Key::texts(std::string name) { return make(std::move(name), Type::texts); }

Key& Key::require() {
  required = true;
  return *this;
}
Key& Key::fallback(bool value) {
  fallback_toml = value ? "true" : "false";
  return *this;
}
Key& Key::fallback(int value) {
  fallback_toml = std::to_string(value);
  return *this;
}
Key& Key::fallback(double value) {
  fallback_toml = number_toml(value);
  return *this;
}
Key& Key::fallback(const char* value) {
  fallback_toml = in_quotes(value);
  return *this;
}
Key& Key::fallback_list(std::string toml) {
  fallback_toml = std::move(toml);
  return *this;
}
Key& Key::at_least(double bound) {
  low = bound;
  low_open = false;
  return *this;
}
Key& Key::more_than(double bound) {
  low = bound;
  low_open = true;
  return *this;
}
Key& Key::at_most(double bound) {
  high = bound;
  high_open = false;
  return *this;
}
Key& Key::less_than(double bound) {
  high = bound;
  high_open = true;
  return *this;
}
Key& Key::one_of(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}
Key& Key::size(int n) {
  length = n;
  return *this;
}
Key& Key::describe(std::string text) {
  doc = std::move(text);
  return *this;
}

}  // namespace terrawave::config

// A commented case file with every key of a schema.
#include <map>

#include <fmt/format.h>

#include "terrawave/config/describe.hpp"
#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

// Some value that passes the range of the key, for a key that must be given and has no default.
double number_in_range(const Key& key) {
  const double low = key.low.value_or(key.high ? *key.high - 1 : 0);
  const double high = key.high.value_or(low + 2);
  if (low == high) return low;
  const double inside = key.type == Type::integer ? low + 1 : 0.5 * (low + high);
  return key.low && !key.low_open ? low : inside;
}

std::string placeholder(const Key& key) {
  const std::string text = key.choices.empty() ? "\"\"" : in_quotes(key.choices.front());
  const auto list = [&](const std::string& item) {
    std::string items;
    for (int i = 0; i < key.length.value_or(0); ++i) items += (i > 0 ? ", " : "") + item;
    return "[" + items + "]";
  };
  switch (key.type) {
    case Type::boolean:
      return "false";
    case Type::integer:
      return fmt::format("{:.0f}", number_in_range(key));
    case Type::number:
      return number_toml(number_in_range(key));
    case Type::text:
      return text;
    case Type::numbers:
      return list(number_toml(number_in_range(key)));
    case Type::texts:
      return list(text);
  }
  return {};
}

class TemplateWriter {
 public:
  explicit TemplateWriter(const std::vector<std::string>& example_values) {
    for (const std::string& setting : example_values) {
      const std::size_t equals = setting.find('=');
      require(equals != std::string::npos, "an example value is KEY=VALUE");
      std::string value = setting.substr(equals + 1);
      if (!read_toml_value(value, {})) value = in_quotes(value);
      examples_[setting.substr(0, equals)] = value;
    }
  }

  std::string write(const Schema& schema) {
    out_ =
        "# Lines that start with \"#\" directly before a key show its default or, where it has "
        "none,\n"
        "# some value. Remove the \"#\" to set the key. Numbers are in the unit named; a text "
        "such\n"
        "# as \"2.4 GHz\" or \"1.6 mm\" brings its own.\n";
    table(schema, "", true);
    return out_;
  }

 private:
  void table(const Table& t, const std::string& path, bool active) {
    if (!path.empty()) {
      out_ += "\n" + wrapped(t.doc, "# ") + (active ? "" : "#") + header_of(t, path) + "\n";
    }
    for (const Key& k : t.keys) key(k, path, active);
    for (const Table& child : t.tables) {
      const std::string child_path = join(path, child.name);
      table(child, child_path, active && (child.required || has_example(child_path)));
    }
  }

  void key(const Key& k, const std::string& path, bool active) {
    const auto example = examples_.find(join(path, k.name));
    const bool given = example != examples_.end();
    std::string facts = expectation(k);
    if (k.required) facts += "; must be given";
    std::string value = given ? example->second : k.fallback_toml;
    if (value.empty()) value = placeholder(k);
    if (!k.required && k.fallback_toml.empty()) facts += "; no default";
    if (given && !k.fallback_toml.empty()) facts += "; default " + k.fallback_toml;
    out_ += wrapped(k.doc + " (" + facts + ")", "# ");
    out_ += fmt::format("{}{} = {}\n", active && (k.required || given) ? "" : "#", k.name, value);
  }

  bool has_example(const std::string& path) const {
    const auto next = examples_.lower_bound(path + ".");
    return next != examples_.end() && next->first.compare(0, path.size() + 1, path + ".") == 0;
  }

  std::map<std::string, std::string> examples_;
  std::string out_;
};

}  // namespace

std::string write_template(const Schema& schema, const std::vector<std::string>& example_values) {
  return TemplateWriter(example_values).write(schema);
}

}  // namespace terrawave::config

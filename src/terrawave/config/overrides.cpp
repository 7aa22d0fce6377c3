// --set KEY=VALUE on a document.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "terrawave/config/document.hpp"

namespace terrawave::config {
namespace {

struct Step {
  std::string name;
  std::optional<std::size_t> index;
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// "boundary[0].kind" as steps; nothing where it is malformed.
std::optional<std::vector<Step>> steps_of(std::string_view key) {
  constexpr std::size_t deepest = 16;
  std::vector<Step> steps;
  while (true) {
    const std::size_t dot = key.find('.');
    std::string_view part = key.substr(0, dot);
    Step step;
    if (const std::size_t bracket = part.find('['); bracket != std::string_view::npos) {
      std::size_t index = 0;
      const char* begin = part.data() + bracket + 1;
      const char* end = part.data() + part.size();
      const auto [stop, code] = std::from_chars(begin, end, index);
      if (code != std::errc{} || stop + 1 != end || *stop != ']') return std::nullopt;
      step.index = index;
      part = part.substr(0, bracket);
    }
    if (!is_name(part) || steps.size() == deepest) return std::nullopt;
    step.name = std::string(part);
    steps.push_back(std::move(step));
    if (dot == std::string_view::npos) return steps;
    key.remove_prefix(dot + 1);
  }
}

Value empty_table(const Source& source) {
  Value table;
  table.source = source;
  return table;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Value value_of(std::string_view text, const Source& source) {
  Value value;
  if (std::optional<Value> toml = read_toml_value(text, source)) {
    value = std::move(*toml);
  } else {
    value.kind = Value::Kind::text;
    value.text = std::string(text);
    value.source = source;
  }
  if (value.kind != Value::Kind::text) value.bare = std::string(text);
  return value;
}

// The member `step.name` of `table`, made where it is absent; null after a complaint.
Value* descend(Value& table, const Step& step, const Source& source, Diagnostics& all) {
  Member* member = table.find(step.name);
  if (!step.index) {
    if (!member) {
      table.members.push_back({step.name, source, empty_table(source)});
      member = &table.members.back();
    }
    return &member->value;
  }
  const std::size_t size =
      member && member->value.kind == Value::Kind::array ? member->value.items.size() : 0;
  if (*step.index < size) return &member->value.items[*step.index];
  all.error(source, size == 0 ? fmt::format("the file has no [[{}]]", step.name)
                              : fmt::format("the file has {} entries of \"{}\", counted from 0",
                                            size, step.name));
  return nullptr;
}

}  // namespace

void apply_override(Value& root, const std::string& setting, Diagnostics& all) {
  const Source source{"--set " + setting, 0, 0};
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    all.error(source, "expected KEY=VALUE, as in swe.cfl=0.5");
    return;
  }
  const std::string_view key = trimmed(std::string_view(setting).substr(0, equals));
  const std::optional<std::vector<Step>> steps = steps_of(key);
  if (!steps) {
    all.error(source, fmt::format("{} is not a key; expected one as in swe.cfl or boundary[0].kind",
                                  in_quotes(key)));
    return;
  }
  Value* at = &root;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    if (at->kind != Value::Kind::table) {
      all.error(source, fmt::format("{} is not a table", in_quotes((*steps)[i - 1].name)));
      return;
    }
    at = descend(*at, (*steps)[i], source, all);
    if (!at) return;
  }
  *at = value_of(trimmed(std::string_view(setting).substr(equals + 1)), source);
}

}  // namespace terrawave::config

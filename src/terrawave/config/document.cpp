#include "terrawave/config/document.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace terrawave::config {

const Member* Value::find(std::string_view name) const {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const Member& member) { return member.name == name; });
  return it == members.end() ? nullptr : &*it;
}

Member* Value::find(std::string_view name) {
  return const_cast<Member*>(std::as_const(*this).find(name));
}

bool Value::is_array_of_tables() const {
  return kind == Kind::array && std::all_of(items.begin(), items.end(), [](const Value& item) {
           return item.kind == Kind::table;
         });
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string number_toml(double value) {
  require(std::isfinite(value), "a number of a case is not finite");
  return fmt::format("{}", value);
}

std::string show_found(const Value& value) {
  constexpr std::size_t longest = 40;
  switch (value.kind) {
    case Value::Kind::boolean:
      return value.boolean ? "true" : "false";
    case Value::Kind::integer:
      return fmt::format("{}", value.integer);
    case Value::Kind::number:
      return fmt::format("{}", value.number);
    case Value::Kind::date:
      return "a date or time";
    case Value::Kind::array:
      return value.items.empty() ? "an empty list" : "a list";
    case Value::Kind::table:
      return "a table";
    case Value::Kind::text:
      break;
  }
  if (value.text.size() <= longest) return "the text " + in_quotes(value.text);
  std::size_t end = longest;  // do not cut a UTF-8 sequence
  while (end > 0 && (static_cast<unsigned char>(value.text[end]) & 0xc0) == 0x80) --end;
  return "the text " + in_quotes(value.text.substr(0, end) + "...");
}

std::string read_case_file(const std::filesystem::path& file) {
  constexpr std::uintmax_t largest = 16 << 20;
  const std::string name = file.string();
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError(name + ": error: no such file; give the path of a case file");
  if (status.type() == std::filesystem::file_type::directory)
    throw InputError(name + ": error: expected a case file, found a folder");
  if (status.type() != std::filesystem::file_type::regular)
    throw InputError(name + ": error: expected a case file, found something that is not a file");
  if (std::filesystem::file_size(file, code) > largest)
    throw InputError(name + ": error: over 16 MiB long, which no case file is");
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in && !in.eof()) throw InputError(name + ": error: cannot be read; check its permissions");
  return text.str();
}

}  // namespace terrawave::config

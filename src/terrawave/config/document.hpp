// A TOML document as plain values with positions, so that toml++ stays in one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terrawave/config/config.hpp"

namespace terrawave::config {

struct Member;

struct Value {
  enum class Kind { boolean, integer, number, text, date, array, table };
  Kind kind = Kind::table;
  Source source;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<Value> items;         // of an array
  std::vector<Member> members;      // of a table, sorted by name
  std::optional<std::string> bare;  // as typed after --set, where it need not be TOML

  const Member* find(std::string_view name) const;
  Member* find(std::string_view name);
  bool is_array_of_tables() const;  // every item a table; also for an empty array
};

struct Member {
  std::string name;
  Source source;  // of the name
  Value value;
};

// Reads a whole document. Throws InputError "file:line:col: error: not valid TOML: ...".
Value read_toml(std::string_view text, const std::string& file_name);
// Reads one value ("0.3", "[1, 2]"); nothing where `text` is not exactly one TOML value.
std::optional<Value> read_toml_value(std::string_view text, const Source& source);

// How messages show a value that was found: `3`, `the text "abc"`, `a table`.
std::string show_found(const Value& value);
// Text in double quotes with TOML's escapes.
std::string in_quotes(std::string_view text);
// The shortest TOML text that reads back as the same number.
std::string number_toml(double value);

// The bytes of a regular file. Throws InputError that says what is wrong.
std::string read_case_file(const std::filesystem::path& file);

// Sets `key=value` in the document ("swe.cfl=0.3", "boundary[0].kind=wall").
void apply_override(Value& root, const std::string& setting, Diagnostics& all);

}  // namespace terrawave::config

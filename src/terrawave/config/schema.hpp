// Declared keys: the one table from which parsing, errors, `new`, `explain` and the reference
// pages are derived.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terrawave::config {

enum class Type { boolean, integer, number, text, numbers, texts };

// One key. Built fluently:
//   Key::number("dt", "s").more_than(0).fallback(0.1).describe("Time step.")
struct Key {
  std::string name;  // inside its table: "cfl"
  Type type = Type::text;
  std::string unit;  // SI unit of the value; "" or "1" = dimensionless. Strings with other units
                     // are converted.
  bool required = false;
  std::string fallback_toml;  // default as TOML text; "" where there is none
  std::optional<double> low, high;
  bool low_open = false, high_open = false;  // true: the bound itself is not allowed
  std::vector<std::string> choices;          // for text(s)
  std::optional<int> length;                 // for numbers/texts: exact length
  std::string doc;

  static Key boolean(std::string name);
  static Key integer(std::string name);
  static Key number(std::string name, std::string unit = "1");
  static Key text(std::string name);
  static Key numbers(std::string name, std::string unit = "1");
  static Key texts(std::string name);

  Key& require();
  Key& fallback(bool value);
  Key& fallback(int value);
  Key& fallback(double value);
  Key& fallback(const char* value);
  Key& fallback_list(std::string toml);  // "[0, 0, 1]"
  Key& at_least(double bound);
  Key& more_than(double bound);
  Key& at_most(double bound);
  Key& less_than(double bound);
  Key& one_of(std::vector<std::string> values);
  Key& size(int n);
  Key& describe(std::string text);
};

// A table of keys, "[swe]", or an array of tables, "[[boundary]]". Tables may nest:
// a child "probe" of the table "output" is "[output.probe]" or, as array, "[[output.probe]]".
struct Table {
  std::string name;
  std::string doc;
  bool array = false;
  bool required = false;
  std::vector<Key> keys;
  std::vector<Table> tables;

  Table(std::string table_name, std::string table_doc, bool is_array = false)
      : name(std::move(table_name)), doc(std::move(table_doc)), array(is_array) {}
  Table& key(Key k) {
    keys.push_back(std::move(k));
    return *this;
  }
  Table& table(Table t) {
    tables.push_back(std::move(t));
    return *this;
  }
};

// Everything a case file of one solver may hold: the root table (name "").
using Schema = Table;

}  // namespace terrawave::config

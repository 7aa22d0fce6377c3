// How messages, `explain` and the reference pages speak of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "terrawave/config/schema.hpp"

namespace terrawave::config {

const Key* find_key(const Table& table, std::string_view name);
const Table* find_table(const Table& table, std::string_view name);

// "in (0, 1]", "> 0 s", ""; with the unit unless it is 1.
std::string range_of(const Key& key);
// What a message says that the key takes: "a number in (0, 1]", "one of "wall", "open"".
std::string expectation(const Key& key);
// The same without articles, for tables: "number", "list of 3 numbers".
std::string type_name(const Key& key);
// "s", or "" for a plain number.
std::string unit_of(const Key& key);
// "swe" and "cfl" -> "swe.cfl"; "" and "swe" -> "swe".
std::string join(std::string_view path, std::string_view name);
// "[swe]", or "[[boundary]]" for an array.
std::string header_of(const Table& table, std::string_view path);

// One table of a schema with its path ("output.probe"), or one key of it.
struct Place {
  std::string path;
  const Table* table = nullptr;
  const Key* key = nullptr;  // null: the table itself
};
// All tables, each followed by its keys, then by its own tables; the root's keys come first.
std::vector<Place> places_of(const Schema& schema);

// `text` broken into lines of at most `width` characters, each after `prefix`.
std::string wrapped(std::string_view text, std::string_view prefix, std::size_t width = 96);

}  // namespace terrawave::config

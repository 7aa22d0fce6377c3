// Walks a document along its schema: every value checked, every complaint collected.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "terrawave/config/describe.hpp"
#include "terrawave/config/hints.hpp"
#include "terrawave/config/node.hpp"
#include "terrawave/config/units.hpp"

namespace terrawave::config {
namespace {

using NodePtr = std::shared_ptr<Config::Node>;

class Checker {
 public:
  Checker(const Schema& schema, std::filesystem::path folder, Diagnostics& all)
      : schema_(std::make_shared<const Schema>(schema)), folder_(std::move(folder)), all_(all) {}

  NodePtr root(const Value& value) { return table(*schema_, &value, "", value.source); }

 private:
  // `value` is null for a table that the file does not have.
  NodePtr table(const Table& declared, const Value* value, const std::string& path,
                const Source& where) {
    auto node = std::make_shared<Config::Node>();
    node->schema = schema_;
    node->table = &declared;
    node->path = path;
    node->source = where;
    node->written = value != nullptr;
    node->folder = folder_;
    for (const Key& key : declared.keys) {
      const Member* member = value ? value->find(key.name) : nullptr;
      if (std::optional<Entry> entry = entry_of(key, member, *node))
        node->entries.emplace(key.name, std::move(*entry));
    }
    for (const Table& child : declared.tables)
      node->children[child.name] = children_of(child, value, *node);
    if (value) refuse_unknown(declared, *value, path);
    return node;
  }

  std::optional<Entry> entry_of(const Key& key, const Member* member, const Config::Node& node) {
    if (member) {
      const std::optional<Data> data = read(key, member->value, join(node.path, key.name));
      if (!data) return std::nullopt;
      return Entry{*data, member->value.source, true};
    }
    if (!key.fallback_toml.empty()) return Entry{fallback(key), node.source, false};
    if (key.required && node.written)
      all_.error(node.source, fmt::format("key {}: missing; expected {}",
                                          in_quotes(join(node.path, key.name)), expectation(key)));
    return std::nullopt;
  }

  std::vector<std::shared_ptr<const Config::Node>> children_of(const Table& child,
                                                               const Value* value,
                                                               const Config::Node& parent) {
    const std::string path = join(parent.path, child.name);
    const Member* member = value ? value->find(child.name) : nullptr;
    if (!member) {
      if (child.required && parent.written) missing_table(child, path, parent.source);
      if (child.array) return {};
      return {table(child, nullptr, path, parent.source)};
    }
    const Value& found = member->value;
    if (!child.array) {
      if (found.kind == Value::Kind::table) return {table(child, &found, path, found.source)};
      const bool several = found.is_array_of_tables() && !found.items.empty();
      all_.error(found.source, several ? fmt::format("table [{0}]: expected one table, found an "
                                                     "array of tables; write [{0}], once",
                                                     path)
                                       : fmt::format("table [{0}]: expected a table, found {1}; "
                                                     "write [{0}] on a line of its own",
                                                     path, show_found(found)));
      return {table(child, nullptr, path, parent.source)};
    }
    if (!found.is_array_of_tables()) {
      all_.error(found.source, fmt::format("table [[{0}]]: expected an array of tables, found {1}; "
                                           "write [[{0}]] before each entry",
                                           path, show_found(found)));
      return {};
    }
    if (found.items.empty() && child.required) missing_table(child, path, found.source);
    std::vector<std::shared_ptr<const Config::Node>> entries;
    for (std::size_t i = 0; i < found.items.size(); ++i)
      entries.push_back(
          table(child, &found.items[i], fmt::format("{}[{}]", path, i), found.items[i].source));
    return entries;
  }

  void missing_table(const Table& child, const std::string& path, const Source& where) {
    std::vector<std::string> needed;
    for (const Key& key : child.keys)
      if (key.required) needed.push_back(key.name);
    std::string message = fmt::format("table {}: missing", header_of(child, path));
    if (!needed.empty())
      message += fmt::format("; it needs {} {}", needed.size() == 1 ? "the key" : "the keys",
                             joined(needed, ", "));
    all_.error(where, message);
  }

  // --- names that the schema does not have ---

  void refuse_unknown(const Table& declared, const Value& value, const std::string& path) {
    for (const Member& member : value.members) {
      if (find_key(declared, member.name) || find_table(declared, member.name)) continue;
      const bool is_table = member.value.kind == Value::Kind::table ||
                            (member.value.is_array_of_tables() && !member.value.items.empty());
      const std::string full = join(path, member.name);
      const std::string what = is_table ? fmt::format("table [{}]: no such table", full)
                                        : fmt::format("key {}: no such key", in_quotes(full));
      all_.error(member.source, what + advice(declared, member.name, path, is_table));
    }
  }

  std::string advice(const Table& declared, const std::string& name, const std::string& path,
                     bool is_table) {
    std::vector<std::string> names;
    for (const Key& key : declared.keys) names.push_back(key.name);
    for (const Table& child : declared.tables) names.push_back(child.name);
    const std::vector<std::string> close = nearest(name, names);
    if (!close.empty()) {
      if (const Table* child = find_table(declared, close.front()))
        return "; did you mean " + header_of(*child, join(path, child->name)) + "?";
      return "; did you mean " + in_quotes(close.front()) + "?";
    }
    std::vector<std::string> elsewhere;
    if (!is_table) find_elsewhere(*schema_, "", name, elsewhere);
    if (!elsewhere.empty()) return "; it belongs to " + joined(elsewhere, " or ");
    return "; " + known(declared, path);
  }

  static void find_elsewhere(const Table& declared, const std::string& path,
                             const std::string& name, std::vector<std::string>& found) {
    for (const Table& child : declared.tables) {
      const std::string child_path = join(path, child.name);
      if (find_key(child, name)) found.push_back(header_of(child, child_path));
      find_elsewhere(child, child_path, name, found);
    }
  }

  static std::string known(const Table& declared, const std::string& path) {
    constexpr std::size_t most = 12;
    std::vector<std::string> names;
    for (const Key& key : declared.keys) names.push_back(key.name);
    for (const Table& child : declared.tables)
      names.push_back(header_of(child, join(path, child.name)));
    const std::string where = path.empty() ? "a case" : "[" + path + "]";
    if (names.empty()) return where + " takes no keys";
    const bool more = names.size() > most;
    if (more) names.resize(most);
    return fmt::format("{} takes {}{}", where, joined(names, ", "), more ? ", ..." : "");
  }

  // --- values ---

  Data fallback(const Key& key) {
    const std::optional<Value> value = read_toml_value(key.fallback_toml, {});
    require(value.has_value(), "the default of a key is not TOML");
    Diagnostics mine;
    std::swap(mine, all_);
    const std::optional<Data> data = read(key, *value, key.name);
    std::swap(mine, all_);
    if (!data || mine.any())
      throw LogicError("the default of the key " + in_quotes(key.name) + " fails its own checks: " +
                       (mine.any() ? mine.errors().front().message : ""));
    return *data;
  }

  std::optional<Data> read(const Key& key, const Value& value, const std::string& path) {
    switch (key.type) {
      case Type::boolean:
        if (value.kind != Value::Kind::boolean) return wrong(key, value, path);
        return Data{value.boolean};
      case Type::integer:
        return read_integer(key, value, path);
      case Type::number:
        if (const auto number = read_number(key, value, path)) return Data{*number};
        return std::nullopt;
      case Type::text:
        if (const auto text = read_text(key, value, path)) return Data{*text};
        return std::nullopt;
      case Type::numbers:
        return read_list<double>(key, value, path, &Checker::read_number);
      case Type::texts:
        return read_list<std::string>(key, value, path, &Checker::read_text);
    }
    return std::nullopt;
  }

  std::nullopt_t wrong(const Key& key, const Value& value, const std::string& path,
                       const std::string& why = "") {
    all_.error(value.source,
               fmt::format("key {}: expected {}, found {}{}{}", in_quotes(path), expectation(key),
                           show_found(value), why.empty() ? "" : "; ", why));
    return std::nullopt;
  }

  static bool in_range(const Key& key, double x) {
    if (key.low && !(key.low_open ? x > *key.low : x >= *key.low)) return false;
    return !key.high || (key.high_open ? x < *key.high : x <= *key.high);
  }

  std::optional<Data> read_integer(const Key& key, const Value& value, const std::string& path) {
    constexpr double exact = 9007199254740992.0;  // 2^53: up to here a float names one integer
    std::int64_t i = value.integer;
    if (value.kind == Value::Kind::number && std::abs(value.number) <= exact &&
        value.number == std::trunc(value.number))
      i = static_cast<std::int64_t>(value.number);
    else if (value.kind != Value::Kind::integer)
      return wrong(key, value, path);
    if (!in_range(key, static_cast<double>(i))) return wrong(key, value, path);
    return Data{i};
  }

  std::optional<double> read_number(const Key& key, const Value& value, const std::string& path) {
    double x = 0;
    if (value.kind == Value::Kind::integer)
      x = static_cast<double>(value.integer);
    else if (value.kind == Value::Kind::number)
      x = value.number;
    else if (value.kind == Value::Kind::text) {
      const Units::Result result = units_.convert(value.text, key.unit);
      if (!result.value) return wrong(key, value, path, result.complaint);
      x = *result.value;
      if (!in_range(key, x))
        return wrong(key, value, path, fmt::format("that is {} {}", x, unit_of(key)));
    } else {
      return wrong(key, value, path);
    }
    if (!std::isfinite(x)) return wrong(key, value, path, "it must be finite");
    if (!in_range(key, x)) return wrong(key, value, path);
    return x;
  }

  std::optional<std::string> read_text(const Key& key, const Value& value,
                                       const std::string& path) {
    const bool plain = value.kind == Value::Kind::text;
    const bool number = value.kind == Value::Kind::integer || value.kind == Value::Kind::number;
    if (!plain && !value.bare)
      return wrong(key, value, path, number && key.choices.empty() ? "write it in quotes" : "");
    const std::string& text = plain ? value.text : *value.bare;
    if (text.find('\0') != std::string::npos)
      return wrong(key, value, path, "a text cannot hold a zero byte");
    const auto& choices = key.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      const std::vector<std::string> close = nearest(text, choices);
      return wrong(key, value, path,
                   close.empty() ? "" : "did you mean " + in_quotes(close[0]) + "?");
    }
    return text;
  }

  template <class T>
  std::optional<Data> read_list(const Key& key, const Value& value, const std::string& path,
                                std::optional<T> (Checker::*read_one)(const Key&, const Value&,
                                                                      const std::string&)) {
    if (value.kind != Value::Kind::array) return wrong(key, value, path);
    if (key.length && value.items.size() != static_cast<std::size_t>(*key.length))
      return wrong(key, value, path, fmt::format("it has {} entries", value.items.size()));
    Key one = key;  // complaints about an entry speak of one value
    one.type = key.type == Type::numbers ? Type::number : Type::text;
    one.length.reset();
    std::vector<T> list;
    for (std::size_t i = 0; i < value.items.size(); ++i)
      if (auto item = (this->*read_one)(one, value.items[i], fmt::format("{}[{}]", path, i)))
        list.push_back(std::move(*item));
    if (list.size() != value.items.size()) return std::nullopt;
    return Data{std::move(list)};
  }

  std::shared_ptr<const Schema> schema_;
  std::filesystem::path folder_;
  Diagnostics& all_;
  Units units_;
};

}  // namespace

std::shared_ptr<const Config::Node> check(const Value& root, const Schema& schema,
                                          const std::filesystem::path& folder, Diagnostics& all) {
  return Checker(schema, folder, all).root(root);
}

}  // namespace terrawave::config

#include <nlohmann/json.hpp>

#include "terrawave/config/node.hpp"

namespace terrawave::config {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Config::Node& node) {
  Json out = Json::object();
  for (const Key& key : node.table->keys)
    if (const auto it = node.entries.find(key.name); it != node.entries.end())
      std::visit([&](const auto& value) { out[key.name] = value; }, it->second.data);
  for (const Table& child : node.table->tables) {
    const auto& found = node.children.at(child.name);
    if (child.array) {
      Json list = Json::array();
      for (const auto& entry : found) list.push_back(json_of(*entry));
      if (!list.empty()) out[child.name] = std::move(list);
    } else if (found.front()->written || !found.front()->entries.empty()) {
      out[child.name] = json_of(*found.front());
    }
  }
  return out;
}

}  // namespace

std::string Config::to_json() const {
  return json_of(*node_).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace terrawave::config

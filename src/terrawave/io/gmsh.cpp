#include "terrawave/io/gmsh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/gmsh_kinds.hpp"
#include "terrawave/io/gmsh_scanner.hpp"

namespace terrawave::io {
namespace {

using domain::RawMesh;

std::string counted(Index n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// UTF-8 without control characters: names go to messages, reports and JSON.
bool printable(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned head = byte(i);
    const int more = head < 0x80 ? 0 : head >= 0xf0 ? 3 : head >= 0xe0 ? 2 : 1;
    if (head < 0x20 || head == 0x7f || (head >= 0x80 && head < 0xc2) || head > 0xf4) return false;
    unsigned code = more == 0 ? head : head & (0x3fU >> more);
    for (int k = 1; k <= more; ++k) {
      if ((byte(i + std::size_t(k)) & 0xc0U) != 0x80U) return false;
      code = code << 6 | (byte(i + std::size_t(k)) & 0x3fU);
    }
    // Overlong forms, surrogates, beyond Unicode.
    if ((more == 2 && code < 0x800) || (more == 3 && code < 0x10000) || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
      return false;
    i += 1 + std::size_t(more);
  }
  return true;
}

class Reader {
 public:
  explicit Reader(GmshScanner scanner) : in_(std::move(scanner)) {}

  RawMesh read() {
    header();
    while (!in_.done()) {
      const std::string_view name = in_.line();
      if (name.size() < 2 || name[0] != '$' || name.starts_with("$End"))
        in_.fail_found("a section such as $Nodes", name);
      section(std::string(name.substr(1)));
    }
    for (const char* needed : {"Nodes", "Elements"})
      if (!seen_.contains(needed))
        in_.fail(fmt::format("the file has no section ${}: was it cut short?", needed));
    finish();
    return std::move(mesh_);
  }

 private:
  void header() {
    in_.done();
    const std::string_view first = in_.line();
    if (first == "$NOD" || first == "$ELM")
      in_.fail("MSH version 1 is not read. Save it again as MSH 4.1 or 2.2 (gmsh -format msh41)");
    if (first != "$MeshFormat")
      in_.fail_found("$MeshFormat, with which every MSH file begins", first);
    const double version = in_.text_real("a version number");
    const std::string shown = fmt::format("{}", version);
    if (version != 2.2 && version != 4.1)
      in_.fail(
          fmt::format("expected MSH version 2.2 or 4.1, found {}. Save it again (gmsh -save "
                      "-format msh41 -o NEW.msh OLD.msh)",
                      shown));
    v4_ = version == 4.1;
    const std::int64_t binary = in_.text_int("0 (ASCII) or 1 (binary)");
    if (binary != 0 && binary != 1)
      in_.fail(fmt::format("expected 0 (ASCII) or 1 (binary), found {}", binary));
    const std::int64_t size = in_.text_int("8 (bytes of a number)");
    if (size != 8) in_.fail(fmt::format("expected numbers of 8 bytes, found {}", size));
    if (binary == 1) {
      in_.end_line();
      in_.expect_binary(false);
      const auto one = in_.raw<std::int32_t>("the number 1, which tells the byte order");
      if (one != 1 && one != 0x01000000)
        in_.fail(fmt::format("expected the number 1, which tells the byte order, found {}", one));
      in_.expect_binary(one != 1);
    }
    in_.end_section("MeshFormat", false);
  }

  void section(const std::string& name) {
    const bool known =
        name == "PhysicalNames" || name == "Entities" || name == "Nodes" || name == "Elements";
    if (known && !seen_.insert(name).second)
      in_.fail(fmt::format("section ${} is there twice", name));
    if (name == "PartitionedEntities") refuse_partitioned();
    if (name == "PhysicalNames")
      physical_names();
    else if (name == "Entities" && v4_)
      entities();
    else if (name == "Nodes")
      v4_ ? nodes_4() : nodes_2();
    else if (name == "Elements")
      v4_ ? elements_4() : elements_2();
    in_.end_section(name, !known || (name == "Entities" && !v4_));
  }

  [[noreturn]] void refuse_partitioned() const {
    in_.fail(
        "this mesh is cut into partitions. Save it whole (Gmsh: Unpartition mesh); the cells are "
        "shared among ranks when the run starts");
  }

  void physical_names() {
    const std::int64_t n = in_.count(in_.text_int("a number of names"), 5, "a number of names");
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t dim = in_.text_int("the dimension of a physical group (0 to 3)");
      if (dim < 0 || dim > 3)
        in_.fail(fmt::format("expected the dimension of a physical group (0 to 3), found {}", dim));
      const std::int64_t tag = in_.text_int("the number of a physical group");
      const std::string_view rest = in_.line();
      if (rest.size() < 2 || rest.front() != '"' || rest.back() != '"')
        in_.fail_found("a name in double quotes", rest);
      const std::string_view name = rest.substr(1, rest.size() - 2);
      if (!printable(name)) in_.fail_found("a name of printable UTF-8 characters", name);
      names_[{int(dim), tag}] = name;
    }
    // Named curves without lines are worth a warning later: they get a group now.
    for (const auto& [key, name] : names_)
      if (key.first == 1) group_of(key.second);
  }

  // Which physical groups each curve and surface is in.
  void entities() {
    in_.end_line();
    std::int64_t counts[4];
    for (auto& n : counts)
      n = in_.count(in_.size("a number of entities"), 1, "a number of entities");
    for (int dim = 0; dim < 4; ++dim)
      for (std::int64_t i = 0; i < counts[dim]; ++i) {
        const std::int64_t tag = in_.int32("the number of an entity");
        for (int k = 0; k < (dim == 0 ? 3 : 6); ++k) in_.real("a bound of an entity");
        const std::int64_t groups = in_.size("a number of physical groups");
        for (std::int64_t g = 0; g < groups; ++g) {
          const std::int64_t group = std::abs(in_.int32("the number of a physical group"));
          if (dim == 1) curve(tag, group);
        }
        if (dim == 0) continue;
        const std::int64_t bounds = in_.size("a number of bounding entities");
        for (std::int64_t b = 0; b < bounds; ++b) in_.int32("the number of a bounding entity");
      }
  }

  void curve(std::int64_t tag, std::int64_t group) {
    const auto [at, fresh] = curves_.emplace(tag, group);
    if (!fresh && at->second != group)
      in_.fail(
          fmt::format("curve {} is in the physical groups \"{}\" and \"{}\". A boundary edge has "
                      "one name: keep "
                      "the curve in one group",
                      tag, name_of(at->second), name_of(group)));
  }

  std::string name_of(std::int64_t group) const {
    const auto found = names_.find({1, group});
    return found == names_.end() ? std::to_string(group) : found->second;
  }

  // The position in mesh_.groups of a physical curve; 0 for none.
  int group_of(std::int64_t physical) {
    if (physical == 0) return 0;
    const auto known = groups_.find(physical);
    if (known != groups_.end()) return known->second;
    const std::string name = name_of(physical);
    const auto same = std::find(mesh_.groups.begin(), mesh_.groups.end(), name);
    const int group = int(same - mesh_.groups.begin());
    if (same == mesh_.groups.end()) mesh_.groups.push_back(name);
    groups_[physical] = group;
    return group;
  }

  void node(std::int64_t tag) {
    if (mesh_.node_id.size() >= std::size_t(std::numeric_limits<LocalIndex>::max() / 4))
      in_.fail("too many nodes");
    mesh_.node_id.push_back(tag);
  }
  void point() {
    mesh_.x.push_back(in_.real("the x coordinate of a node"));
    mesh_.y.push_back(in_.real("the y coordinate of a node"));
    z_.push_back(in_.real("the z coordinate of a node"));
  }

  void nodes_2() {
    const std::int64_t n =
        in_.count(in_.text_int("a number of nodes"), in_.binary() ? 28 : 8, "a number of nodes");
    if (in_.binary()) in_.end_line();
    for (std::int64_t i = 0; i < n; ++i) {
      node(in_.int32("the number of a node"));
      point();
    }
  }

  void nodes_4() {
    in_.end_line();
    const std::int64_t blocks = in_.size("a number of node blocks");
    const std::int64_t total = in_.size("a number of nodes");
    in_.size("the lowest node number");
    in_.size("the highest node number");
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = in_.int32("the dimension of an entity (0 to 3)");
      if (dim < 0 || dim > 3)
        in_.fail(fmt::format("expected the dimension of an entity (0 to 3), found {}", dim));
      in_.int32("the number of an entity");
      const std::int64_t parametric = in_.int32("0 or 1 (parametric coordinates follow)");
      const std::int64_t n =
          in_.count(in_.size("a number of nodes"), in_.binary() ? 32 : 8, "a number of nodes");
      for (std::int64_t i = 0; i < n; ++i) node(in_.size("the number of a node"));
      for (std::int64_t i = 0; i < n; ++i) {
        point();
        for (std::int64_t k = 0; parametric != 0 && k < dim; ++k)
          in_.real("a parametric coordinate");
      }
    }
    if (std::int64_t(mesh_.node_id.size()) != total)
      in_.fail(fmt::format("the blocks of $Nodes hold {} nodes, but its first line says {}",
                           mesh_.node_id.size(), total));
  }

  const GmshKind& kind(std::int64_t number) const {
    const GmshKind* found = find_gmsh_kind(number);
    if (found == nullptr) in_.fail(fmt::format("unknown kind of element: {}", number));
    return *found;
  }

  // Takes the nodes of one element. Lines keep their physical group for later.
  void element(const GmshKind& of, std::int64_t id, std::int64_t physical) {
    std::array<std::int64_t, 3> nodes{};
    for (int k = 0; k < of.nodes; ++k) {
      const std::int64_t n =
          v4_ ? in_.size("the number of a node") : in_.int32("the number of a node");
      if (k < 3) nodes[std::size_t(k)] = n;
    }
    if (of.number == gmsh_triangle) {
      if (mesh_.cell_id.size() >= std::size_t(std::numeric_limits<LocalIndex>::max() / 4))
        in_.fail("too many triangles");
      mesh_.cell_id.push_back(id);
      cell_nodes_.push_back(nodes);
    } else if (of.number == gmsh_line && physical != 0) {
      mesh_.lines.push_back({{0, 0}, group_of(physical), id});
      line_nodes_.push_back({nodes[0], nodes[1]});
    } else {
      ++others_[of.number];
    }
  }

  void tags_2(std::int64_t count, std::int64_t& physical) {
    if (count < 0 || count > 1'000'000)
      in_.fail(fmt::format("expected a number of tags, found {}", count));
    for (std::int64_t t = 0; t < count; ++t) {
      const std::int64_t tag = in_.int32("a tag of an element");
      if (t == 0) physical = std::abs(tag);
      if (t == 2 && tag > 0) refuse_partitioned();
    }
  }

  void elements_2() {
    const std::int64_t n = in_.count(in_.text_int("a number of elements"), in_.binary() ? 8 : 6,
                                     "a number of elements");
    if (in_.binary()) in_.end_line();
    for (std::int64_t done = 0; done < n;) {
      std::int64_t id = 0, run = 1, tags = 0, physical = 0;
      if (!in_.binary()) id = in_.int32("the number of an element");
      const GmshKind& of = kind(in_.int32("a kind of element"));
      if (in_.binary()) run = in_.int32("a number of elements");
      if (run < 1 || run > n - done)
        in_.fail(fmt::format("expected a block of 1 to {} elements, found {}", n - done, run));
      tags = in_.int32("a number of tags");
      for (std::int64_t i = 0; i < run; ++i) {
        physical = 0;
        if (in_.binary()) id = in_.int32("the number of an element");
        tags_2(tags, physical);
        element(of, id, physical);
      }
      done += run;
    }
  }

  void elements_4() {
    in_.end_line();
    const std::int64_t blocks = in_.size("a number of element blocks");
    const std::int64_t total = in_.size("a number of elements");
    in_.size("the lowest element number");
    in_.size("the highest element number");
    std::int64_t done = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dim = in_.int32("the dimension of an entity (0 to 3)");
      const std::int64_t entity = in_.int32("the number of an entity");
      const GmshKind& of = kind(in_.int32("a kind of element"));
      const std::int64_t n = in_.count(in_.size("a number of elements"), in_.binary() ? 16 : 4,
                                       "a number of elements");
      const auto found = curves_.find(entity);
      const std::int64_t physical = dim == 1 && found != curves_.end() ? found->second : 0;
      for (std::int64_t i = 0; i < n; ++i)
        element(of, in_.size("the number of an element"), physical);
      done += n;
    }
    if (done != total)
      in_.fail(fmt::format("the blocks of $Elements hold {} elements, but its first line says {}",
                           done, total));
  }

  void finish() {
    refuse_other_kinds();
    if (others_.contains(gmsh_point))
      mesh_.notes.push_back(
          counted(others_[gmsh_point], "point was passed over", "points were passed over"));
    if (others_.contains(gmsh_line))
      mesh_.notes.push_back(counted(others_[gmsh_line], "line in no physical curve was",
                                    "lines in no physical curve were") +
                            " passed over");
    mesh_.source = in_.source();
    resolve_nodes();
    check_flat();
  }

  void refuse_other_kinds() const {
    std::string list;
    for (const auto& [number, n] : others_) {
      if (number == gmsh_point || number == gmsh_line) continue;
      const GmshKind& of = kind(number);
      list += (list.empty() ? "" : ", ") + counted(n, of.one, of.many);
    }
    if (!list.empty())
      throw InputError(fmt::format(
          "{}: error: expected triangles of 3 nodes only, found {}. Mesh again in two dimensions, "
          "first order, without recombination",
          in_.source(), list));
  }

  void resolve_nodes() {
    std::vector<std::pair<std::int64_t, LocalIndex>> by_tag(mesh_.node_id.size());
    for (std::size_t i = 0; i < by_tag.size(); ++i) by_tag[i] = {mesh_.node_id[i], LocalIndex(i)};
    if (!std::is_sorted(by_tag.begin(), by_tag.end())) std::sort(by_tag.begin(), by_tag.end());
    for (std::size_t i = 1; i < by_tag.size(); ++i)
      if (by_tag[i].first == by_tag[i - 1].first)
        throw InputError(fmt::format("{}: error: node {} is there twice in $Nodes", in_.source(),
                                     by_tag[i].first));
    const bool dense = !by_tag.empty() && by_tag.back().first - by_tag.front().first ==
                                              std::int64_t(by_tag.size()) - 1;
    const auto find = [&](std::int64_t tag, const char* what, std::int64_t id) {
      if (dense && tag >= by_tag.front().first && tag <= by_tag.back().first)
        return by_tag[std::size_t(tag - by_tag.front().first)].second;
      const auto found = std::lower_bound(by_tag.begin(), by_tag.end(),
                                          std::pair(tag, std::numeric_limits<LocalIndex>::min()));
      if (found == by_tag.end() || found->first != tag)
        throw InputError(fmt::format("{}: error: {} {} uses node {}, which $Nodes does not have",
                                     in_.source(), what, id, tag));
      return found->second;
    };
    mesh_.triangles.resize(cell_nodes_.size());
    for (std::size_t c = 0; c < cell_nodes_.size(); ++c)
      for (std::size_t k = 0; k < 3; ++k)
        mesh_.triangles[c][k] = find(cell_nodes_[c][k], "triangle", mesh_.cell_id[c]);
    for (std::size_t l = 0; l < line_nodes_.size(); ++l)
      for (std::size_t k = 0; k < 2; ++k)
        mesh_.lines[l].nodes[k] = find(line_nodes_[l][k], "line", mesh_.lines[l].id);
  }

  // Only where triangles are: a file may keep construction points off the plane.
  void check_flat() const {
    double low = std::numeric_limits<double>::infinity(), high = -low, extent = 0;
    LocalIndex first = -1;
    for (const auto& t : mesh_.triangles)
      for (const LocalIndex i : t) {
        const auto n = std::size_t(i);
        if (first < 0) first = i;
        low = std::min(low, z_[n]);
        high = std::max(high, z_[n]);
        extent = std::max({extent, std::abs(mesh_.x[n] - mesh_.x[std::size_t(first)]),
                           std::abs(mesh_.y[n] - mesh_.y[std::size_t(first)])});
      }
    if (first >= 0 && high - low > 1e-9 * extent)
      throw InputError(
          fmt::format("{}: error: expected a flat mesh, found z from {} to {}. Put all nodes at z "
                      "= 0; give the "
                      "bottom as a raster or a formula in the case file",
                      in_.source(), low, high));
  }

  GmshScanner in_;
  RawMesh mesh_;
  bool v4_ = false;
  std::set<std::string> seen_;
  std::map<std::pair<int, std::int64_t>, std::string> names_;  // (dimension, number) to name
  std::map<std::int64_t, std::int64_t> curves_;                // entity to physical group
  std::map<std::int64_t, int> groups_;                         // physical group to mesh_.groups
  std::map<int, Index> others_;                                // kinds passed over, counted
  std::vector<double> z_;
  std::vector<std::array<std::int64_t, 3>> cell_nodes_;
  std::vector<std::array<std::int64_t, 2>> line_nodes_;
};

}  // namespace

RawMesh parse_gmsh(std::string source, std::string bytes) {
  return Reader(GmshScanner(std::move(source), std::move(bytes))).read();
}

RawMesh read_gmsh(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  std::string bytes;
  if (in) {
    bytes.resize(std::size_t(std::max<std::streamoff>(0, in.tellg())));
    in.seekg(0);
    in.read(bytes.data(), std::streamsize(bytes.size()));
  }
  if (!in) throw InputError(fmt::format("{}: error: cannot read the file", file.string()));
  return parse_gmsh(file.string(), std::move(bytes));
}

}  // namespace terrawave::io

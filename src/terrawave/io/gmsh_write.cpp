#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "terrawave/io/gmsh.hpp"
#include "terrawave/io/gmsh_kinds.hpp"

namespace terrawave::io {
namespace {

using domain::TriMesh;

// Text and, in binary files, values in this machine's byte order.
class Writer {
 public:
  Writer(const TriMesh& mesh, bool binary) : mesh_(mesh), binary_(binary) {
    for (const auto& e : mesh.boundary)
      if (e.group != 0) lines_.push_back(e);
    // By group, as blocks of 4.1 need them; inside a group in mesh order.
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const auto& a, const auto& b) { return a.group < b.group; });
  }

  std::string version_22() {
    header("2.2");
    names();
    text("$Nodes\n{}\n", mesh_.nodes());
    for (Index n = 0; n < mesh_.nodes(); ++n) {
      ints({n + 1});
      point(n);
    }
    end_data();
    text("$EndNodes\n$Elements\n{}\n", Index(lines_.size()) + mesh_.cells());
    Index id = 1;
    // One tag pair: physical group and entity.
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      const auto& e = lines_[l];
      if (binary_) {
        if (l == 0) ints({gmsh_line, Index(lines_.size()), 2});
        ints({id++, e.group, e.group, e.nodes[0] + 1, e.nodes[1] + 1});
      } else {
        text("{} 1 2 {} {} {} {}\n", id++, e.group, e.group, e.nodes[0] + 1, e.nodes[1] + 1);
      }
    }
    if (binary_ && mesh_.cells() > 0) ints({gmsh_triangle, mesh_.cells(), 2});
    for (const auto& t : mesh_.triangles) {
      if (binary_)
        ints({id++, 1, 1, t[0] + 1, t[1] + 1, t[2] + 1});
      else
        text("{} 2 2 1 1 {} {} {}\n", id++, t[0] + 1, t[1] + 1, t[2] + 1);
    }
    end_data();
    out_ += "$EndElements\n";
    return std::move(out_);
  }

  std::string version_41() {
    header("4.1");
    names();
    entities();
    out_ += "$Nodes\n";
    sizes({1, mesh_.nodes(), 1, mesh_.nodes()});
    block_head({2, 1, 0}, mesh_.nodes());
    for (Index n = 0; n < mesh_.nodes(); ++n) sizes({n + 1});
    for (Index n = 0; n < mesh_.nodes(); ++n) point(n);
    end_data();
    out_ += "$EndNodes\n$Elements\n";
    const auto groups = groups_with_lines();
    const Index total = Index(lines_.size()) + mesh_.cells();
    sizes({Index(groups.size()) + 1, total, 1, total});
    Index id = 1;
    for (const int g : groups) {
      const auto [begin, end] = lines_of(g);
      block_head({1, g, gmsh_line}, end - begin);
      for (auto e = begin; e != end; ++e) sizes({id++, e->nodes[0] + 1, e->nodes[1] + 1});
    }
    block_head({2, 1, gmsh_triangle}, mesh_.cells());
    for (const auto& t : mesh_.triangles) sizes({id++, t[0] + 1, t[1] + 1, t[2] + 1});
    end_data();
    out_ += "$EndElements\n";
    return std::move(out_);
  }

 private:
  template <class... A>
  void text(fmt::format_string<A...> format, A&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(args)...);
  }
  template <class T>
  void raw(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }
  // A row of values: 4-byte integers, 8-byte integers, or reals.
  void ints(std::initializer_list<Index> values) {
    for (const Index v : values) binary_ ? raw(std::int32_t(v)) : text("{} ", v);
  }
  void sizes(std::initializer_list<Index> values) {
    for (const Index v : values) binary_ ? raw(v) : text("{} ", v);
    if (!binary_) out_.back() = '\n';
  }
  void reals(std::initializer_list<double> values) {
    for (const double v : values) binary_ ? raw(v) : text("{} ", v);
  }
  void block_head(std::initializer_list<Index> entity, Index count) {
    ints(entity);
    sizes({count});
  }
  void point(Index n) {
    reals({mesh_.x[std::size_t(n)], mesh_.y[std::size_t(n)], 0.0});
    if (!binary_) out_.back() = '\n';
  }
  void end_data() {
    if (binary_) out_ += '\n';
  }

  void header(const char* version) {
    text("$MeshFormat\n{} {} 8\n", version, binary_ ? 1 : 0);
    if (binary_) {
      raw(std::int32_t(1));
      out_ += '\n';
    }
    out_ += "$EndMeshFormat\n";
  }

  void names() {
    const Index named = Index(mesh_.groups.size()) - 1;
    text("$PhysicalNames\n{}\n", named + 1);
    for (std::size_t g = 1; g < mesh_.groups.size(); ++g) text("1 {} \"{}\"\n", g, mesh_.groups[g]);
    out_ += "2 1 \"domain\"\n$EndPhysicalNames\n";
  }

  std::vector<int> groups_with_lines() const {
    std::vector<int> groups;
    for (const auto& e : lines_)
      if (groups.empty() || groups.back() != e.group) groups.push_back(e.group);
    return groups;
  }
  using LineIterator = std::vector<TriMesh::BoundaryEdge>::const_iterator;
  std::pair<LineIterator, LineIterator> lines_of(int group) const {
    TriMesh::BoundaryEdge key;
    key.group = group;
    return std::equal_range(lines_.begin(), lines_.end(), key,
                            [](const auto& a, const auto& b) { return a.group < b.group; });
  }

  // One curve per named boundary, one surface.
  void entities() {
    const auto groups = groups_with_lines();
    out_ += "$Entities\n";
    sizes({0, Index(groups.size()), 1, 0});
    const auto entity = [&](Index tag, const std::array<double, 4>& box) {
      ints({tag});
      reals({box[0], box[1], 0.0, box[2], box[3], 0.0});
      binary_ ? sizes({1}) : ints({1});
      ints({tag});
      sizes({0});
    };
    for (const int g : groups) {
      const auto [begin, end] = lines_of(g);
      std::array<double, 4> box = start_box();
      for (auto e = begin; e != end; ++e)
        for (const LocalIndex n : e->nodes) grow(box, n);
      entity(g, box);
    }
    std::array<double, 4> box = start_box();
    for (LocalIndex n = 0; n < LocalIndex(mesh_.nodes()); ++n) grow(box, n);
    entity(1, box);
    end_data();
    out_ += "$EndEntities\n";
  }
  static std::array<double, 4> start_box() { return {1e300, 1e300, -1e300, -1e300}; }
  void grow(std::array<double, 4>& box, LocalIndex n) const {
    const double x = mesh_.x[std::size_t(n)], y = mesh_.y[std::size_t(n)];
    box = {std::min(box[0], x), std::min(box[1], y), std::max(box[2], x), std::max(box[3], y)};
  }

  const TriMesh& mesh_;
  bool binary_;
  std::vector<TriMesh::BoundaryEdge> lines_;
  std::string out_;
};

}  // namespace

std::string format_gmsh(const TriMesh& mesh, GmshVersion version, bool binary) {
  Writer writer(mesh, binary);
  return version == GmshVersion::v22 ? writer.version_22() : writer.version_41();
}

}  // namespace terrawave::io

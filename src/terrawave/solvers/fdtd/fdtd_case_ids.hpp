// Material ids of edges and faces, from the objects on the grid and the elements on it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>

#include "terrawave/solvers/fdtd/fdtd_case.hpp"

namespace terrawave::fdtd {

// Answers FillIds. Id 0 is metal (edges) or what does not exist (faces), the fillings of the survey
// follow in its order, then the edges with elements.
class IdSource {
 public:
  IdSource(const GridLines& lines, std::shared_ptr<Canvas> canvas, const Survey& survey);

  // Of edge `component` at a node: is it metal; what fills it.
  bool metal(int component, const Cell& n) const;
  Filling edge(int component, const Cell& n) const;
  void add_metal(const EdgeId& e) { extra_metal_.insert(e); }
  void set_own(const EdgeId& e, std::uint16_t id) { own_[e] = id; }

  void fill_edges(int component, const Box& box, std::span<std::uint16_t> ids) const;
  void fill_faces(int component, const Box& box, std::span<std::uint16_t> ids) const;

  std::size_t edges() const { return edges_.entries().size(); }
  std::size_t faces() const { return faces_.entries().size(); }

 private:
  // Ids that fillings of one object's material have, by order in the raster; 0: not looked up yet.
  using ByOrder = std::vector<std::uint16_t>;
  std::uint16_t find(const MaterialMap& map, int component, const Cell& n, bool face,
                     ByOrder& by_order) const;
  bool exists(int component, const Cell& n, bool face) const;

  GridLines lines_;
  std::shared_ptr<Canvas> canvas_;
  FillingTable edges_, faces_;
  std::set<EdgeId> extra_metal_;
  std::map<EdgeId, std::uint16_t> own_;
};

}  // namespace terrawave::fdtd

#include "terrawave/solvers/fdtd/fdtd_case_ids.hpp"

namespace terrawave::fdtd {
namespace {

template <class F>
void for_box(const Box& box, const F& f) {
  std::size_t at = 0;
  for (Index k = box.low[2]; k < box.high[2]; ++k)
    for (Index j = box.low[1]; j < box.high[1]; ++j)
      for (Index i = box.low[0]; i < box.high[0]; ++i) f(Cell{i, j, k}, at++);
}

Cell last_node(const Box& box) { return {box.high[0] - 1, box.high[1] - 1, box.high[2] - 1}; }

}  // namespace

IdSource::IdSource(const GridLines& lines, std::shared_ptr<Canvas> canvas, const Survey& survey)
    : lines_(lines), canvas_(std::move(canvas)) {
  for (const Filling& f : survey.edges) edges_.index(f);
  for (const Filling& f : survey.faces) faces_.index(f);
}

bool IdSource::metal(int component, const Cell& n) const {
  return extra_metal_.count({component, n}) > 0 || canvas_->around(n, n).map.metal(component, n);
}

Filling IdSource::edge(int component, const Cell& n) const {
  return canvas_->around(n, n).map.edge(component, n);
}

std::uint16_t IdSource::find(const MaterialMap& map, int component, const Cell& n, bool face,
                             ByOrder& by_order) const {
  const int order = map.common_order(component, n, face);
  if (order >= 0 && by_order[std::size_t(order)] != 0) return by_order[std::size_t(order)];
  const auto id = std::uint16_t(face ? faces_.find(map.face(component, n))
                                     : edges_.find(map.edge(component, n)));
  if (order >= 0) by_order[std::size_t(order)] = id;
  return id;
}

// Does the edge (face) that starts at n lie in the grid?
bool IdSource::exists(int component, const Cell& n, bool face) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const Index cells = Index(lines_[a].size()) - 1;
    const bool spans = (int(a) == component) != face;
    if (n[a] < 0 || n[a] > cells - (spans ? 1 : 0)) return false;
  }
  return true;
}

void IdSource::fill_edges(int component, const Box& box, std::span<std::uint16_t> ids) const {
  const MaterialMap& map = canvas_->around(box.low, last_node(box), true).map;
  ByOrder by_order(map.orders(), 0);
  for_box(box, [&](const Cell& n, std::size_t at) {
    ids[at] = 0;
    if (!exists(component, n, false) || map.metal(component, n) ||
        (!extra_metal_.empty() && extra_metal_.count({component, n}) > 0))
      return;
    if (!own_.empty()) {
      const auto own = own_.find({component, n});
      if (own != own_.end()) {
        ids[at] = own->second;
        return;
      }
    }
    ids[at] = find(map, component, n, false, by_order);
  });
}

void IdSource::fill_faces(int component, const Box& box, std::span<std::uint16_t> ids) const {
  const MaterialMap& map = canvas_->around(box.low, last_node(box), true).map;
  ByOrder by_order(map.orders(), 0);
  for_box(box, [&](const Cell& n, std::size_t at) {
    ids[at] = exists(component, n, true) ? find(map, component, n, true, by_order) : 0;
  });
}

}  // namespace terrawave::fdtd

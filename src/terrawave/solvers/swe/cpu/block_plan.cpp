// Cuts a rank's cells into blocks.
#include <algorithm>
#include <utility>

#include "terrawave/solvers/swe/swe_blocks.hpp"

namespace terrawave::swe {
namespace {

constexpr LocalIndex kNone = -1;

class Builder {
 public:
  Builder(const domain::LocalTriMesh& mesh, const std::vector<BoundaryKind>& kinds)
      : mesh_(mesh), kinds_(kinds), slot_(std::size_t(mesh.part.total()), kNone) {}

  // Blocks of about `size` cells; fewer where their neighbours would not fit.
  void cut(LocalIndex begin, LocalIndex end, LocalIndex size) {
    while (begin < end) {
      const LocalIndex last = std::min(end, begin + size);
      begin = take(begin, last);
    }
  }

  std::vector<LocalIndex> cell_begin, near_begin{0}, near;
  std::vector<Index> group_begin{0};
  std::vector<std::uint16_t> left, right;
  std::vector<LocalIndex> edge;  // kNone where it fills a group

 private:
  LocalIndex other(LocalIndex e, LocalIndex c) const {
    const auto i = std::size_t(e);
    return mesh_.edge_left[i] == c ? mesh_.edge_right[i] : mesh_.edge_left[i];
  }

  // 1 where the cell gets a new slot.
  LocalIndex touch(LocalIndex c) {
    if (c < 0 || slot_[std::size_t(c)] != kNone) return 0;
    slot_[std::size_t(c)] = 0;
    touched_.push_back(c);
    return 1;
  }

  // The first cell that is left for the next block.
  LocalIndex take(LocalIndex begin, LocalIndex end) {
    LocalIndex c = begin;
    LocalIndex slots = 0;
    for (; c < end; ++c) {
      // A cell takes a slot and at most three for its neighbours.
      if (slots + 4 > BlockLimits::slots) break;
      slots += touch(c);
      for (const LocalIndex e : mesh_.cell_edges[std::size_t(c)]) slots += touch(other(e, c));
    }
    number(begin, c);
    add_edges(begin, c);
    for (const LocalIndex t : touched_) slot_[std::size_t(t)] = kNone;
    touched_.clear();
    cell_begin.push_back(begin);
    near_begin.push_back(LocalIndex(near.size()));
    group_begin.push_back(Index(left.size()) / BlockLimits::group);
    return c;
  }

  void number(LocalIndex begin, LocalIndex end) {
    std::sort(touched_.begin(), touched_.end());
    next_ = end - begin;
    for (const LocalIndex t : touched_) {
      const bool own = t >= begin && t < end;
      slot_[std::size_t(t)] = own ? t - begin : next_++;
      if (!own) near.push_back(t);
    }
  }

  void add_edges(LocalIndex begin, LocalIndex end) {
    edges_.clear();
    for (LocalIndex c = begin; c < end; ++c)
      for (const LocalIndex e : mesh_.cell_edges[std::size_t(c)]) {
        const LocalIndex n = other(e, c);
        const bool again = n >= begin && n < end && mesh_.edge_left[std::size_t(e)] != c;
        if (!again) edges_.push_back(e);
      }
    std::sort(edges_.begin(), edges_.end(), [&](LocalIndex a, LocalIndex b) {
      return mesh_.edge_global[std::size_t(a)] < mesh_.edge_global[std::size_t(b)];
    });
    for (const LocalIndex e : edges_) {
      left.push_back(slot_of(mesh_.edge_left[std::size_t(e)]));
      right.push_back(right_of(e));
      edge.push_back(e);
    }
    while (left.size() % std::size_t(BlockLimits::group) != 0) {
      left.push_back(std::uint16_t(next_));
      right.push_back(std::uint16_t(next_));
      edge.push_back(kNone);
    }
  }
  std::uint16_t slot_of(LocalIndex c) const { return std::uint16_t(slot_[std::size_t(c)]); }
  std::uint16_t right_of(LocalIndex e) const {
    const LocalIndex r = mesh_.edge_right[std::size_t(e)];
    if (r >= 0) return slot_of(r);
    const BoundaryKind kind = kinds_.at(std::size_t(mesh_.edge_group[std::size_t(e)]));
    return kind == BoundaryKind::wall ? BlockLimits::wall : BlockLimits::outflow;
  }

  const domain::LocalTriMesh& mesh_;
  const std::vector<BoundaryKind>& kinds_;
  std::vector<LocalIndex> slot_;     // of each local cell in the present block
  std::vector<LocalIndex> touched_;  // cells that have one
  std::vector<LocalIndex> edges_;
  LocalIndex next_ = 0;  // the first free slot
};

// As large as the cache takes, but a few for each thread.
LocalIndex block_size(LocalIndex cells, int threads) {
  const LocalIndex most = BlockLimits::slots - BlockLimits::slots / 12;
  const LocalIndex blocks = (cells / most / threads + 1) * threads;
  return std::max<LocalIndex>(64, (cells + blocks - 1) / blocks);
}

template <class Real>
std::vector<Real> pick(const std::vector<double>& values, const std::vector<LocalIndex>& edge,
                       Real otherwise) {
  std::vector<Real> v(edge.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = edge[i] == kNone ? otherwise : Real(values[std::size_t(edge[i])]);
  return v;
}

}  // namespace

template <class Real>
BlockPlan<Real>::BlockPlan(int threads, const domain::LocalTriMesh& mesh,
                           const std::vector<BoundaryKind>& kinds, par::View<const Real> per_area)
    : per_area_(per_area) {
  Builder b(mesh, kinds);
  const LocalIndex inner = mesh.part.inner, owned = mesh.part.owned();
  b.cut(0, inner, block_size(inner, threads));
  inner_ = Index(b.cell_begin.size());
  b.cut(inner, owned, block_size(owned - inner, threads));
  blocks_ = Index(b.cell_begin.size());
  b.cell_begin.push_back(owned);
  nx_ = pick<Real>(mesh.edge_nx, b.edge, 1);
  ny_ = pick<Real>(mesh.edge_ny, b.edge, 0);
  length_ = pick<Real>(mesh.edge_length, b.edge, 1);
  cell_begin_ = std::move(b.cell_begin);
  near_begin_ = std::move(b.near_begin);
  near_ = std::move(b.near);
  group_begin_ = std::move(b.group_begin);
  left_ = std::move(b.left);
  right_ = std::move(b.right);
}

template class BlockPlan<float>;
template class BlockPlan<double>;

}  // namespace terrawave::swe

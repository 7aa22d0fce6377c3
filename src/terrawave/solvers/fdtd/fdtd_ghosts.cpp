#include "terrawave/solvers/fdtd/fdtd_ghosts.hpp"

#include <algorithm>

namespace terrawave::fdtd {
namespace {

// Boxes of a message for the local range [from, to) of `axis`: fields, then psi of each axis.
template <class Real>
std::vector<PackedBox<Real>> boxes(const Model& model, const Brick& brick, const Layout& layout,
                                   const std::array<HostAxis, 3>& axes, int depth, int axis,
                                   Index from, Index to) {
  PackedBox<Real> fields;
  fields.layout = layout;
  fields.arrays = 6;
  for (int a = 0; a < 3; ++a) {
    const auto u = std::size_t(a);
    Index low = layout.owned_low[a], high = layout.owned_high[a];
    if (a < axis) {  // ghosts of earlier axes travel along
      low -= brick.ghost_low[u] ? depth : 0;
      high += brick.ghost_high[u] ? depth : 0;
    }
    fields.low[a] = a == axis ? from : low;
    fields.size[a] = (a == axis ? to : high) - fields.low[a];
  }
  std::vector<PackedBox<Real>> all{fields};
  for (int a = 0; a < 3; ++a) {
    // Layers by global entry: both sides of a message cut the same boxes.
    const auto u = std::size_t(a);
    const Index n = model.grid.cells(a);
    const bool has_low = model.boundary[2 * u] == Boundary::cpml;
    const bool has_high = model.boundary[2 * u + 1] == Boundary::cpml;
    const Index ranges[2][2] = {{0, has_low ? model.cpml[2 * u].layers : 0},
                                {n - (has_high ? model.cpml[2 * u + 1].layers : 0), n}};
    for (const auto& range : ranges) {
      PackedBox<Real> box = fields;
      box.axis = a;
      box.slab = axes[u].slab;
      box.arrays = 4;
      const Index low = std::max(box.low[a], range[0] - layout.origin[a]);
      const Index high = std::min(box.low[a] + box.size[a], range[1] - layout.origin[a]);
      if (high <= low) continue;
      box.low[a] = low;
      box.size[a] = high - low;
      all.push_back(box);
    }
  }
  return all;
}

template <class Real>
Index total(const std::vector<PackedBox<Real>>& boxes) {
  Index n = 0;
  for (const auto& b : boxes) n += b.count();
  return n;
}

template <class Real>
void fill_arrays(PackedBox<Real>& box, const State<Real>& state) {
  for (int a = 0; a < box.arrays; ++a)
    box.array[a] = box.axis < 0 ? state.f[a] : state.psi[box.axis][a];
}

}  // namespace

template <class Real>
Ghosts<Real>::Ghosts(comm::Comm& comm, const par::Queue& queue, const Model& model,
                     const std::array<int, 3>& ranks, const Brick& brick, const Layout& layout,
                     const std::array<HostAxis, 3>& axes, int depth)
    : comm_(&comm), queue_(queue) {
  const int rank = comm.rank();
  const std::array<int, 3> at{rank % ranks[0], rank / ranks[0] % ranks[1],
                              rank / (ranks[0] * ranks[1])};
  const std::array<int, 3> stride{1, ranks[0], ranks[0] * ranks[1]};
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = std::size_t(axis);
    const Index low = layout.owned_low[axis], high = layout.owned_high[axis];
    const auto peer = [&](int step) {
      const int there = (at[a] + step + ranks[a]) % ranks[a];
      return rank + (there - at[a]) * stride[a];
    };
    const auto add = [&](int to, int step, Index send, Index receive) {
      Side side;
      side.axis = axis;
      side.peer = to;
      side.send_tag = 700 + 2 * axis + (step > 0 ? 1 : 0);
      side.receive_tag = 700 + 2 * axis + (step > 0 ? 0 : 1);
      side.send = boxes<Real>(model, brick, layout, axes, depth, axis, send, send + depth);
      side.receive = boxes<Real>(model, brick, layout, axes, depth, axis, receive, receive + depth);
      side.outgoing = par::Buffer<Real>(queue, total(side.send));
      side.incoming = par::Buffer<Real>(queue, total(side.receive));
      if (to != rank) {
        side.out_bytes = par::PinnedBytes(queue, side.outgoing.bytes());
        side.in_bytes = par::PinnedBytes(queue, side.incoming.bytes());
      }
      sides_.push_back(std::move(side));
    };
    if (brick.ghost_low[a]) add(peer(-1), -1, low, low - depth);
    if (brick.ghost_high[a]) add(peer(1), 1, high - depth, high);
  }
}

template <class Real>
void Ghosts<Real>::pack(Side& side, const State<Real>& state) {
  Index at = 0;
  for (PackedBox<Real> box : side.send) {
    fill_arrays(box, state);
    const par::View<Real> message{side.outgoing.view().data + at, box.count()};
    par::dispatch(*queue_, [&](const auto& exec) { pack_box(exec, box, message); });
    at += box.count();
  }
}

template <class Real>
void Ghosts<Real>::unpack(Side& side, const State<Real>& state, const par::Buffer<Real>& from) {
  Index at = 0;
  for (PackedBox<Real> box : side.receive) {
    fill_arrays(box, state);
    const par::View<const Real> message{from.view().data + at, box.count()};
    par::dispatch(*queue_, [&](const auto& exec) { unpack_box(exec, box, message); });
    at += box.count();
  }
}

template <class Real>
void Ghosts<Real>::exchange(const State<Real>& state) {
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Side*> here;
    for (Side& s : sides_)
      if (s.axis == axis) here.push_back(&s);
    if (here.empty()) continue;
    par::QueueImpl& impl = queue_->impl();
    bool messages = false;
    for (Side* s : here) pack(*s, state);
    impl.lane_synchronize();  // the last exchange's uploads have left the pinned memory
    for (Side* s : here) {
      if (s->peer == comm_->rank()) continue;
      messages = true;
      comm_->post_receive({s->in_bytes.data(), s->in_bytes.size()}, s->peer, s->receive_tag);
    }
    if (messages) {
      impl.lane_after_queue();
      for (Side* s : here)
        if (s->peer != comm_->rank())
          impl.lane_download(s->out_bytes.data(), s->outgoing.view().data, s->outgoing.bytes());
      impl.lane_synchronize();
      for (Side* s : here)
        if (s->peer != comm_->rank())
          comm_->post_send({s->out_bytes.data(), s->out_bytes.size()}, s->peer, s->send_tag);
      comm_->wait_all();
      for (Side* s : here)
        if (s->peer != comm_->rank())
          impl.lane_upload(s->incoming.view().data, s->in_bytes.data(), s->incoming.bytes());
      impl.queue_after_lane();
    }
    for (std::size_t n = 0; n < here.size(); ++n) {
      // With itself: what leaves at one end of the axis enters at the other.
      const bool self = here[n]->peer == comm_->rank();
      unpack(*here[n], state, self ? here[here.size() - 1 - n]->outgoing : here[n]->incoming);
    }
  }
}

template <class Real>
Index Ghosts<Real>::bytes_sent() const {
  Index n = 0;
  for (const Side& s : sides_)
    if (s.peer != comm_->rank()) n += Index(s.outgoing.bytes());
  return n;
}

template class Ghosts<float>;
template class Ghosts<double>;

}  // namespace terrawave::fdtd

#include "terrawave/solvers/fdtd/fdtd_ghosts.hpp"

#include <algorithm>

namespace terrawave::fdtd {
namespace {

using Direction = std::array<int, 3>;  // -1, 0 or 1 along each axis

// Boxes of a message: the owned entries next to the sides named by `direction` (or, for `ghosts`,
// the ghosts behind them), all owned ones along the other axes. Fields, then psi of each axis.
template <class Real>
std::vector<PackedBox<Real>> boxes(const Model& model, const Layout& layout,
                                   const std::array<HostAxis, 3>& axes, int depth,
                                   const Direction& direction, bool ghosts) {
  PackedBox<Real> fields;
  fields.layout = layout;
  fields.arrays = 6;
  for (int a = 0; a < 3; ++a) {
    const Index low = layout.owned_low[a], high = layout.owned_high[a];
    const int side = direction[std::size_t(a)];
    fields.low[a] = low;
    fields.size[a] = side == 0 ? high - low : depth;
    if (side < 0 && ghosts) fields.low[a] = low - depth;
    if (side > 0) fields.low[a] = ghosts ? high : high - depth;
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
  const auto number = [](const Direction& d) { return d[0] + 1 + 3 * (d[1] + 1 + 3 * (d[2] + 1)); };
  std::array<std::size_t, 27> side_of{};
  for (int n = 0; n < 27; ++n) {
    const Direction d{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    bool needed = n != 13;
    std::array<int, 3> there{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (d[a] < 0) needed = needed && brick.ghost_low[a];
      if (d[a] > 0) needed = needed && brick.ghost_high[a];
      there[a] = (at[a] + d[a] + ranks[a]) % ranks[a];
    }
    if (!needed) continue;
    Side side;
    side.peer = there[0] + ranks[0] * (there[1] + ranks[1] * there[2]);
    // A message is named by the way it goes; what comes from a side goes the other way.
    side.send_tag = 700 + n;
    side.receive_tag = 700 + number({-d[0], -d[1], -d[2]});
    side.send = boxes<Real>(model, layout, axes, depth, d, false);
    side.receive = boxes<Real>(model, layout, axes, depth, d, true);
    side.outgoing = par::Buffer<Real>(queue, total(side.send));
    if (side.peer != rank) {
      side.incoming = par::Buffer<Real>(queue, total(side.receive));
      side.out_bytes = par::PinnedBytes(queue, side.outgoing.bytes());
      side.in_bytes = par::PinnedBytes(queue, side.incoming.bytes());
    }
    side_of[std::size_t(n)] = sides_.size();
    sides_.push_back(std::move(side));
  }
  // A brick next to itself has ghosts on both ends of that axis, so both sides exist.
  for (Side& s : sides_) s.opposite = side_of[std::size_t(s.receive_tag - 700)];
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
bool Ghosts<Real>::messages() const {
  return std::ranges::any_of(sides_, [this](const Side& s) { return remote(s); });
}

template <class Real>
void Ghosts<Real>::start(const State<Real>& state) {
  par::QueueImpl& impl = queue_->impl();
  for (Side& s : sides_) pack(s, state);
  if (!messages()) return;
  impl.lane_synchronize();  // the last exchange's uploads have left the pinned memory
  for (Side& s : sides_)
    if (remote(s))
      comm_->post_receive({s.in_bytes.data(), s.in_bytes.size()}, s.peer, s.receive_tag);
  impl.lane_after_queue();
  for (Side& s : sides_)
    if (remote(s))
      impl.lane_download(s.out_bytes.data(), s.outgoing.view().data, s.outgoing.bytes());
  impl.lane_synchronize();
  for (Side& s : sides_)
    if (remote(s)) comm_->post_send({s.out_bytes.data(), s.out_bytes.size()}, s.peer, s.send_tag);
}

template <class Real>
void Ghosts<Real>::finish(const State<Real>& state) {
  par::QueueImpl& impl = queue_->impl();
  if (messages()) {
    comm_->wait_all();
    for (Side& s : sides_)
      if (remote(s))
        impl.lane_upload(s.incoming.view().data, s.in_bytes.data(), s.incoming.bytes());
    impl.queue_after_lane();
  }
  // With itself: what leaves at one end of an axis enters at the other.
  for (Side& s : sides_) unpack(s, state, remote(s) ? s.incoming : sides_[s.opposite].outgoing);
}

template <class Real>
Index Ghosts<Real>::bytes_sent() const {
  Index n = 0;
  for (const Side& s : sides_)
    if (remote(s)) n += Index(s.outgoing.bytes());
  return n;
}

template class Ghosts<float>;
template class Ghosts<double>;

}  // namespace terrawave::fdtd

// The halo exchange: pack on the device, stage through pinned host memory, one message per peer.
#include "terrawave/comm/halo.hpp"

#include <algorithm>
#include <utility>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/halo_steps.hpp"

namespace terrawave::comm {
namespace {

constexpr int kTag = 7041;
constexpr std::size_t kAlign = 8;  // every field starts on a multiple of this inside a message

std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// One side (sent or received) of one peer's entities.
struct List {
  explicit List(const par::Queue& queue, const std::vector<LocalIndex>& indices)
      : count(Index(indices.size())), first(indices.empty() ? 0 : indices.front()) {
    contiguous = true;
    for (Index i = 0; i < count; ++i)
      contiguous = contiguous && indices[std::size_t(i)] == first + i;
    if (!contiguous) device = par::Buffer<LocalIndex>(queue, indices);
  }
  Index count;
  LocalIndex first;
  bool contiguous;
  par::Buffer<LocalIndex> device;  // empty where contiguous

  std::size_t message_bytes(std::span<const FieldSlice> fields) const {
    std::size_t n = 0;
    for (const FieldSlice& f : fields) n += aligned(std::size_t(count) * f.bytes);
    return n;
  }
};

struct Side {
  std::vector<List> lists;         // one per peer
  par::PinnedBytes host;           // every message, one after the other
  par::Buffer<std::byte> device;   // the same, for lists that are gathered or spread
  std::vector<std::size_t> start;  // where each peer's message begins; one more at the end

  void reserve(const par::Queue& queue, std::span<const FieldSlice> fields) {
    start.assign(1, 0);
    for (const List& list : lists) start.push_back(start.back() + list.message_bytes(fields));
    if (host.size() < start.back()) host = par::PinnedBytes(queue, start.back());
    if (std::size_t(device.size()) < start.back())
      device = par::Buffer<std::byte>(queue, Index(start.back()));
  }
  std::span<std::byte> message(std::size_t peer) const {
    return {host.data() + start[peer], start[peer + 1] - start[peer]};
  }
};

}  // namespace

struct Halo::Impl {
  Comm& comm;
  par::Queue queue;
  bool overlap;
  std::vector<int> ranks;
  Side out, in;
  std::vector<FieldSlice> fields;  // of the exchange under way
  bool started = false;

  Impl(Comm& c, const par::Queue& q, const std::vector<Peer>& peers, bool o)
      : comm(c), queue(q), overlap(o) {
    for (const Peer& peer : peers) {
      ranks.push_back(peer.rank);
      out.lists.emplace_back(queue, peer.send);
      in.lists.emplace_back(queue, peer.receive);
    }
    require(std::is_sorted(ranks.begin(), ranks.end()), "halo peers must be sorted by rank");
  }

  // Sent values to pinned memory: a plain copy of a run, else gathered on the device first.
  void pack_all() {
    auto& impl = queue.impl();
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      const List& list = out.lists[p];
      if (!list.contiguous) gather(p, list);
    }
    impl.lane_after_queue();
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      const List& list = out.lists[p];
      std::size_t at = out.start[p];
      for (const FieldSlice& f : fields) {
        const std::size_t n = std::size_t(list.count) * f.bytes;
        const std::byte* from = list.contiguous ? f.data + std::size_t(list.first) * f.bytes
                                                : out.device.view().data + at;
        if (n > 0) impl.lane_download(out.host.data() + at, from, n);
        at += aligned(n);
      }
    }
  }
  void gather(std::size_t p, const List& list) {
    std::size_t at = out.start[p];
    for (const FieldSlice& f : fields) {
      par::dispatch(queue, [&](const auto& exec) {
        pack(exec, f.data, f.bytes, list.device.view(), out.device.view().data + at);
      });
      at += aligned(std::size_t(list.count) * f.bytes);
    }
  }

  void send_all() {
    queue.impl().lane_synchronize();
    for (std::size_t p = 0; p < ranks.size(); ++p) comm.post_send(out.message(p), ranks[p], kTag);
  }
  void complete() {
    if (queue.backend() == par::Backend::cuda) send_all();
    comm.wait_all();
    unpack_all();
  }

  void unpack_all() {
    // The lane already waits for whatever read the ghosts before start().
    auto& impl = queue.impl();
    for (std::size_t p = 0; p < ranks.size(); ++p) {
      const List& list = in.lists[p];
      std::size_t at = in.start[p];
      for (const FieldSlice& f : fields) {
        const std::size_t n = std::size_t(list.count) * f.bytes;
        std::byte* to = list.contiguous ? f.data + std::size_t(list.first) * f.bytes
                                        : in.device.view().data + at;
        if (n > 0) impl.lane_upload(to, in.host.data() + at, n);
        at += aligned(n);
      }
    }
    impl.queue_after_lane();
    for (std::size_t p = 0; p < ranks.size(); ++p)
      if (!in.lists[p].contiguous) spread(p, in.lists[p]);
  }
  void spread(std::size_t p, const List& list) {
    std::size_t at = in.start[p];
    for (const FieldSlice& f : fields) {
      par::dispatch(queue, [&](const auto& exec) {
        unpack(exec, in.device.view().data + at, f.bytes, list.device.view(), f.data);
      });
      at += aligned(std::size_t(list.count) * f.bytes);
    }
  }
};

Halo::Halo(Comm& comm, const par::Queue& queue, std::vector<Peer> peers, bool overlap)
    : impl_(std::make_unique<Impl>(comm, queue, peers, overlap)) {}
Halo::~Halo() = default;
Halo::Halo(Halo&&) noexcept = default;
Halo& Halo::operator=(Halo&&) noexcept = default;

void Halo::start(std::span<const FieldSlice> fields) {
  Impl& h = *impl_;
  require(!h.started, "Halo::start before the last exchange finished");
  h.started = true;
  h.fields.assign(fields.begin(), fields.end());
  if (h.ranks.empty()) return;
  h.in.reserve(h.queue, fields);
  h.out.reserve(h.queue, fields);
  h.queue.impl().lane_synchronize();  // the last exchange may still read the receive buffer
  for (std::size_t p = 0; p < h.ranks.size(); ++p)
    h.comm.post_receive(h.in.message(p), h.ranks[p], kTag);
  h.pack_all();
  // Launches return at once on a GPU: there the messages leave in finish(), while the work that
  // needs no ghosts runs. On the host that work blocks, so the messages must leave before it.
  if (h.queue.backend() == par::Backend::host) h.send_all();
  if (!h.overlap) {
    h.complete();
    h.queue.synchronize();
  }
}

void Halo::finish() {
  Impl& h = *impl_;
  require(h.started, "Halo::finish without start");
  h.started = false;
  if (!h.ranks.empty() && h.overlap) h.complete();
}

int Halo::contiguous_peers() const {
  return int(std::count_if(impl_->out.lists.begin(), impl_->out.lists.end(),
                           [](const List& l) { return l.contiguous; }));
}
int Halo::peers() const { return int(impl_->ranks.size()); }
Index Halo::bytes_sent(Index bytes_per_element) const {
  Index n = 0;
  for (const List& l : impl_->out.lists) n += l.count * bytes_per_element;
  return n;
}

}  // namespace terrawave::comm

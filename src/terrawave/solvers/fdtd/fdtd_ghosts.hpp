// Exchange of ghost entries between bricks, and with itself where one rank spans a periodic axis.
#pragma once

#include <optional>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/fdtd/fdtd_ghosts_steps.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Fields and psi to `depth` entries on every side that has ghosts. Each of up to 26 neighbours gets
// a message of its own, so that all can be under way at once: start(), work that touches neither
// ghosts nor messages, finish().
template <class Real>
class Ghosts {
 public:
  Ghosts() = default;
  Ghosts(comm::Comm& comm, const par::Queue& queue, const Model& model,
         const std::array<int, 3>& ranks, const Brick& brick, const Layout& layout,
         const std::array<HostAxis, 3>& axes, int depth);

  bool any() const { return !sides_.empty(); }
  // Whether any of them come from another rank.
  bool messages() const;
  // Packs what neighbours need and posts the messages; `state` may then be worked on away from its
  // ghosts.
  void start(const State<Real>& state);
  // Waits for the messages; ghosts of `state` become what their owners held at start().
  void finish(const State<Real>& state);
  Index bytes_sent() const;

 private:
  struct Side {
    int peer = 0;
    int send_tag = 0, receive_tag = 0;
    std::size_t opposite = 0;                    // the side in the other direction; itself only
    std::vector<PackedBox<Real>> send, receive;  // arrays are filled in per exchange
    par::Buffer<Real> outgoing, incoming;
    par::PinnedBytes out_bytes, in_bytes;
  };
  bool remote(const Side& side) const { return side.peer != comm_->rank(); }
  void pack(Side& side, const State<Real>& state);
  void unpack(Side& side, const State<Real>& state, const par::Buffer<Real>& from);

  comm::Comm* comm_ = nullptr;
  std::optional<par::Queue> queue_;
  std::vector<Side> sides_;  // by direction
};

}  // namespace terrawave::fdtd

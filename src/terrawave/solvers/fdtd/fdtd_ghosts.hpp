// Exchange of ghost entries between bricks, and with itself where one rank spans a periodic axis.
#pragma once

#include <optional>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/buffer.hpp"
#include "terrawave/solvers/fdtd/fdtd_ghosts_steps.hpp"
#include "terrawave/solvers/fdtd/fdtd_setup.hpp"

namespace terrawave::fdtd {

// Fields and psi to `depth` entries on every side that has ghosts: x first, then y with the ghosts
// of x, then z with both, so that corners travel without messages of their own.
template <class Real>
class Ghosts {
 public:
  Ghosts() = default;
  Ghosts(comm::Comm& comm, const par::Queue& queue, const Model& model,
         const std::array<int, 3>& ranks, const Brick& brick, const Layout& layout,
         const std::array<HostAxis, 3>& axes, int depth);

  bool any() const { return !sides_.empty(); }
  // Collective over neighbours. All ghosts of `state` become what their owners hold.
  void exchange(const State<Real>& state);
  Index bytes_sent() const;

 private:
  struct Side {
    int axis = 0;
    int peer = 0;
    int send_tag = 0, receive_tag = 0;
    std::vector<PackedBox<Real>> send, receive;  // arrays are filled in per exchange
    par::Buffer<Real> outgoing, incoming;
    par::PinnedBytes out_bytes, in_bytes;
  };
  void pack(Side& side, const State<Real>& state);
  void unpack(Side& side, const State<Real>& state, const par::Buffer<Real>& from);

  comm::Comm* comm_ = nullptr;
  std::optional<par::Queue> queue_;
  std::vector<Side> sides_;  // by axis; low side first
};

}  // namespace terrawave::fdtd

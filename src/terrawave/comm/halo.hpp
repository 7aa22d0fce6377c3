// Exchange of ghost values: start, do the work that needs no ghosts, finish.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "terrawave/comm/comm.hpp"
#include "terrawave/par/buffer.hpp"

namespace terrawave::comm {

// What one peer gets and gives, in local numbering. Both sides list the same entities in the same
// order. A list that is a run of consecutive indices is moved as one copy, any other is gathered.
struct Peer {
  int rank = 0;
  std::vector<LocalIndex> send;
  std::vector<LocalIndex> receive;
};

// One array that takes part: element i lies at data + i * stride bytes, `bytes` of it move.
// Structure-of-arrays fields pass one FieldSlice per component (stride == bytes).
struct FieldSlice {
  std::byte* data = nullptr;  // device memory of the halo's queue
  std::size_t bytes = 0;      // 4 or 8
};

// One message per peer and exchange carries all fields. Peers are kept sorted by rank; a rank
// without cells has no peers. With CUDA the messages are staged through pinned host memory.
class Halo {
 public:
  Halo(Comm& comm, const par::Queue& queue, std::vector<Peer> peers, bool overlap);
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  // Packs the sent values and posts the messages. With overlap = false it also finishes.
  void start(std::span<const FieldSlice> fields);
  // Waits for the messages and stores the ghosts, ordered on the queue.
  void finish();
  // Number of peers whose send list is one contiguous run, and of all.
  int contiguous_peers() const;
  int peers() const;
  // Bytes sent per exchange of fields of this many bytes per element in all.
  Index bytes_sent(Index bytes_per_element) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace terrawave::comm

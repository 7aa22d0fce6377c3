// Messages between ranks. Nothing here knows what a mesh is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "terrawave/base/exact_sum.hpp"

namespace terrawave::comm {

using Bytes = std::vector<std::byte>;

// A group of ranks. Every collective call must be made by all ranks in the same order.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_root() const { return rank() == 0; }

  virtual void barrier() = 0;
  // Element-wise over ranks, in place; exact whatever the order.
  virtual void min(std::span<double> values) = 0;
  virtual void max(std::span<double> values) = 0;
  virtual void min(std::span<std::int64_t> values) = 0;
  virtual void max(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  // Copies rank `root`'s bytes to all (sizes may differ before; equal after).
  virtual void broadcast(Bytes& bytes, int root) = 0;
  // Every rank's bytes, by rank, on the root; empty elsewhere.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine, int root) = 0;
  // Every rank's bytes, by rank, on all ranks.
  virtual std::vector<Bytes> all_gather(std::span<const std::byte> mine) = 0;
  // outgoing[r] goes to rank r; returns what each rank sent here, by rank.
  virtual std::vector<Bytes> exchange(const std::vector<Bytes>& outgoing) = 0;

  // Point to point, non-blocking; buffers must live until wait_all. Tags order nothing.
  virtual void post_receive(std::span<std::byte> into, int from, int tag) = 0;
  virtual void post_send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual void wait_all() = 0;

  // Ranks on this rank's host, to give each a GPU of its own.
  virtual int local_rank() const { return 0; }
  virtual int local_size() const { return 1; }

  // Conveniences over the virtuals.
  double min(double value) { return min(std::span(&value, 1)), value; }
  double max(double value) { return max(std::span(&value, 1)), value; }
  std::int64_t min(std::int64_t value) { return min(std::span(&value, 1)), value; }
  std::int64_t max(std::int64_t value) { return max(std::span(&value, 1)), value; }
  std::int64_t sum(std::int64_t value) { return sum(std::span(&value, 1)), value; }
  FixedSum sum(FixedSum value) {
    std::int64_t parts[2] = {value.high, value.low};
    sum(std::span<std::int64_t>(parts));
    return {parts[0], parts[1]};
  }
};

// The group of one.
std::unique_ptr<Comm> make_self();

// Owns MPI_Init/MPI_Finalize; world() is all ranks, or the group of one where the build has no MPI.
class Environment {
 public:
  Environment(int* argc, char*** argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  Comm& world() { return *world_; }

  // For a rank that must end early. all_arrive: true when every rank calls it within `seconds`, so
  // that all can end in order; false where others go on and would wait for this one for ever.
  bool all_arrive(double seconds);
  // Ends all ranks at once with this exit code.
  [[noreturn]] void abort(int code);

 private:
  struct Ending;
  std::unique_ptr<Comm> world_;
  std::unique_ptr<Ending> ending_;
};

}  // namespace terrawave::comm

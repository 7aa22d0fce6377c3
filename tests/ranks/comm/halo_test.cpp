// Collectives and halo exchange on any number of ranks: contiguous and general lists, ranks without
// cells, several fields of 4 and 8 bytes in one message, blocking and overlapping, plain and
// guarded host memory, and CUDA where there is one.
#include "terrawave/comm/halo.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "test_world.hpp"

namespace terrawave::comm {
namespace {

// A random ownership of `cells` on `ranks` (the last rank owns nothing when there are several) and,
// for each pair of ranks, the cells of the one that the other sees as ghosts. The same everywhere.
struct World {
  std::vector<int> owner;
  std::vector<std::vector<std::vector<int>>> ghosts;  // [owner][reader] -> cells in message order

  World(int cells, int ranks, unsigned seed, bool shuffled) : owner(std::size_t(cells)) {
    std::mt19937 random(seed);
    const int owners = std::max(1, ranks - 1);
    for (int c = 0; c < cells; ++c) owner[std::size_t(c)] = c * owners / cells;
    ghosts.assign(std::size_t(ranks), std::vector<std::vector<int>>(std::size_t(ranks)));
    for (int c = 0; c < cells; ++c)
      for (int r = 0; r < owners; ++r)
        if (r != owner[std::size_t(c)] && random() % 3 == 0)
          ghosts[std::size_t(owner[std::size_t(c)])][std::size_t(r)].push_back(c);
    if (!shuffled) return;
    for (auto& row : ghosts)
      for (auto& list : row) std::shuffle(list.begin(), list.end(), random);
  }
};

// Local numbering: owned cells in order, then ghosts in scrambled or message order.
struct Local {
  std::vector<int> cells;
  std::vector<Peer> peers;
  std::size_t owned = 0;

  Local(const World& world, int rank, int ranks, bool scatter) {
    for (std::size_t c = 0; c < world.owner.size(); ++c)
      if (world.owner[c] == rank) cells.push_back(int(c));
    owned = cells.size();
    for (int r = 0; r < ranks; ++r)
      for (const int c : world.ghosts[std::size_t(r)][std::size_t(rank)]) cells.push_back(c);
    if (scatter) std::reverse(cells.begin() + std::ptrdiff_t(owned), cells.end());
    for (int r = 0; r < ranks; ++r) {
      Peer peer;
      peer.rank = r;
      peer.send = positions(world.ghosts[std::size_t(rank)][std::size_t(r)], 0, owned);
      peer.receive =
          positions(world.ghosts[std::size_t(r)][std::size_t(rank)], owned, cells.size());
      if (!peer.send.empty() || !peer.receive.empty()) peers.push_back(peer);
    }
  }
  std::vector<LocalIndex> positions(const std::vector<int>& wanted, std::size_t from,
                                    std::size_t to) const {
    std::vector<LocalIndex> p;
    for (const int c : wanted)
      for (std::size_t i = from; i < to; ++i)
        if (cells[i] == c) p.push_back(LocalIndex(i));
    return p;
  }
};

float value4(int cell, int round) { return float(cell) * 2.0f + float(round); }
double value8(int cell, int round) { return double(cell) / 3.0 + double(round); }

void exchange_on(const par::Queue& queue, bool overlap, bool shuffled, bool scatter) {
  Comm& comm = test::world();
  const World world(97, comm.size(), 5, shuffled);
  const Local local(world, comm.rank(), comm.size(), scatter);
  Halo halo(comm, queue, local.peers, overlap);
  for (int round = 0; round < 3; ++round) {
    std::vector<float> a(local.cells.size(), -1.0f);
    std::vector<double> b(local.cells.size(), -1.0);
    for (std::size_t i = 0; i < local.owned; ++i) {
      a[i] = value4(local.cells[i], round);
      b[i] = value8(local.cells[i], round);
    }
    par::Buffer<float> fa(queue, a);
    par::Buffer<double> fb(queue, b);
    const FieldSlice slices[] = {{reinterpret_cast<std::byte*>(fa.view().data), 4},
                                 {reinterpret_cast<std::byte*>(fb.view().data), 8},
                                 {reinterpret_cast<std::byte*>(fa.view().data), 4}};
    halo.start(slices);
    halo.finish();
    a = fa.download();
    b = fb.download();
    for (std::size_t i = 0; i < local.cells.size(); ++i) {
      ASSERT_EQ(a[i], value4(local.cells[i], round)) << "cell " << local.cells[i];
      ASSERT_EQ(b[i], value8(local.cells[i], round)) << "cell " << local.cells[i];
    }
  }
}

TEST(Halo, GhostsEqualTheirOwnersOnEveryPath) {
  std::vector<par::Queue> queues = {par::Queue::host(1), par::Queue::guarded_host(1)};
  if (par::Queue::cuda_device_count() > 0)
    queues.push_back(
        par::Queue::cuda(test::world().local_rank() % par::Queue::cuda_device_count()));
  for (const par::Queue& queue : queues)
    for (const bool overlap : {true, false})
      for (const bool shuffled : {true, false})
        for (const bool scatter : {true, false}) exchange_on(queue, overlap, shuffled, scatter);
}

TEST(Comm, CollectivesAreExact) {
  Comm& comm = test::world();
  const std::int64_t rank = comm.rank(), size = comm.size();
  EXPECT_EQ(comm.sum(rank + 1), size * (size + 1) / 2);
  EXPECT_EQ(comm.min(rank), 0);
  EXPECT_EQ(comm.max(double(rank)), double(size - 1));
  EXPECT_EQ(comm.sum(FixedSum{rank, 1}), (FixedSum{size * (size - 1) / 2, size}));

  // Rank r sends r * 10 + q bytes of value r to rank q; rank 0 sends nothing to anyone.
  std::vector<Bytes> out(static_cast<std::size_t>(size));
  for (std::int64_t q = 0; q < size; ++q)
    if (rank > 0) out[std::size_t(q)].assign(std::size_t(rank * 10 + q), std::byte(rank));
  const std::vector<Bytes> in = comm.exchange(out);
  ASSERT_EQ(std::int64_t(in.size()), size);
  for (std::int64_t r = 0; r < size; ++r)
    EXPECT_EQ(in[std::size_t(r)], Bytes(std::size_t(r == 0 ? 0 : r * 10 + rank), std::byte(r)));

  const Bytes mine(std::size_t(rank), std::byte(7));
  const auto all = comm.all_gather(mine);
  for (std::int64_t r = 0; r < size; ++r) EXPECT_EQ(std::int64_t(all[std::size_t(r)].size()), r);
  EXPECT_EQ(comm.gather(mine, 0).size(), std::size_t(comm.is_root() ? size : 0));
  Bytes shared = comm.is_root() ? Bytes(5, std::byte(3)) : Bytes();
  comm.broadcast(shared, 0);
  EXPECT_EQ(shared, Bytes(5, std::byte(3)));
}

}  // namespace
}  // namespace terrawave::comm

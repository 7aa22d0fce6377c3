// Groups of threads.
#include "terrawave/comm/threads.hpp"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "terrawave/base/error.hpp"

namespace terrawave::comm {
namespace {

Bytes bytes_of(const std::string& text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// EXPECT_ may be called by any thread.
TEST(Threads, CollectivesJoinTheValuesOfAllRanks) {
  for (const int count : {1, 2, 5}) {
    int calls = 0;
    run_on_threads(count, [&](Comm& comm) {
      if (comm.is_root()) ++calls;
      EXPECT_EQ(comm.size(), count);
      for (int round = 0; round < 50; ++round) {
        EXPECT_EQ(comm.sum(std::int64_t(comm.rank() + 1)), count * (count + 1) / 2);
        EXPECT_EQ(comm.min(double(round - comm.rank())), round - count + 1);
        EXPECT_EQ(comm.max(std::int64_t(comm.rank())), count - 1);
        const std::string mine(std::size_t(comm.rank()), 'x');
        for (const auto& all : {comm.all_gather(bytes_of(mine)), comm.gather(bytes_of(mine), 0)}) {
          if (all.empty()) {
            EXPECT_FALSE(comm.is_root());
            continue;
          }
          for (int r = 0; r < count; ++r) EXPECT_EQ(all[std::size_t(r)].size(), std::size_t(r));
        }
        Bytes said = bytes_of(comm.rank() == count - 1 ? "last" : "");
        comm.broadcast(said, count - 1);
        EXPECT_EQ(text_of(said), "last");
        std::vector<Bytes> outgoing;
        for (int to = 0; to < count; ++to)
          outgoing.push_back(bytes_of(std::to_string(comm.rank()) + ">" + std::to_string(to)));
        const std::vector<Bytes> got = comm.exchange(outgoing);
        for (int from = 0; from < count; ++from)
          EXPECT_EQ(text_of(got[std::size_t(from)]),
                    std::to_string(from) + ">" + std::to_string(comm.rank()));
        comm.barrier();
      }
    });
    EXPECT_EQ(calls, 1);
  }
}

// Many times: a rank that has all its messages ends while others still wait for theirs.
TEST(Threads, MessagesArriveByTheirTags) {
  const auto round = [](Comm& comm) {
    const int next = (comm.rank() + 1) % 3;
    const int before = (comm.rank() + 2) % 3;
    const Bytes first = bytes_of("first " + std::to_string(comm.rank()));
    const Bytes second = bytes_of("other " + std::to_string(comm.rank()));
    Bytes a(first.size()), b(second.size());
    comm.post_receive(b, before, 2);
    comm.post_receive(a, before, 1);
    comm.post_send(first, next, 1);
    comm.post_send(second, next, 2);
    comm.wait_all();
    EXPECT_EQ(text_of(a), "first " + std::to_string(before));
    EXPECT_EQ(text_of(b), "other " + std::to_string(before));
  };
  for (int i = 0; i < 500 && !HasFailure(); ++i) run_on_threads(3, round);
}

TEST(Threads, AMessageFromARankThatEndedIsNoticed) {
  EXPECT_THROW(run_on_threads(2,
                              [](Comm& comm) {
                                Bytes into(1);
                                if (comm.is_root()) comm.post_receive(into, 1, 0);
                                comm.wait_all();
                              }),
               LogicError);
}

TEST(Threads, ARankThatThrowsEndsThoseThatWaitForIt) {
  for (const int bad : {0, 2}) {
    try {
      run_on_threads(4, [bad](Comm& comm) {
        comm.barrier();
        if (comm.rank() == bad) throw InputError("row 3 is bad");
        comm.barrier();
      });
      FAIL() << "nothing was thrown";
    } catch (const InputError& e) {
      EXPECT_STREQ(e.what(), "row 3 is bad");
    }
  }
}

TEST(Threads, ARankThatReturnsEarlyIsNoticed) {
  EXPECT_THROW(run_on_threads(2,
                              [](Comm& comm) {
                                if (comm.is_root()) comm.barrier();
                              }),
               LogicError);
}

}  // namespace
}  // namespace terrawave::comm

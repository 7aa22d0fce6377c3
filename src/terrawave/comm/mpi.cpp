// The MPI transport; the only file that includes mpi.h.
#define OMPI_SKIP_MPICXX 1
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>

#include <mpi.h>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"

namespace terrawave::comm {
namespace {

// MPI counts are int: longer messages are refused before they are cut.
int count_of(std::size_t n) {
  require(n <= std::size_t(std::numeric_limits<int>::max()), "an MPI message is over 2 GiB");
  return static_cast<int>(n);
}

class Mpi final : public Comm {
 public:
  explicit Mpi(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank_);
    MPI_Comm_size(node, &local_size_);
    MPI_Comm_free(&node);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }
  void barrier() override { MPI_Barrier(comm_); }
  void min(std::span<double> v) override { reduce(v, MPI_DOUBLE, MPI_MIN); }
  void max(std::span<double> v) override { reduce(v, MPI_DOUBLE, MPI_MAX); }
  void min(std::span<std::int64_t> v) override { reduce(v, MPI_INT64_T, MPI_MIN); }
  void max(std::span<std::int64_t> v) override { reduce(v, MPI_INT64_T, MPI_MAX); }
  void sum(std::span<std::int64_t> v) override { reduce(v, MPI_INT64_T, MPI_SUM); }

  void broadcast(Bytes& bytes, int root) override {
    std::int64_t n = static_cast<std::int64_t>(bytes.size());
    MPI_Bcast(&n, 1, MPI_INT64_T, root, comm_);
    bytes.resize(static_cast<std::size_t>(n));
    MPI_Bcast(bytes.data(), count_of(bytes.size()), MPI_BYTE, root, comm_);
  }

  std::vector<Bytes> gather(std::span<const std::byte> mine, int root) override {
    const std::vector<int> counts = all_counts(mine.size());
    const std::vector<int> starts = starts_of(counts);
    Bytes all(rank_ == root ? static_cast<std::size_t>(starts.back()) : 0);
    MPI_Gatherv(mine.data(), count_of(mine.size()), MPI_BYTE, all.data(), counts.data(),
                starts.data(), MPI_BYTE, root, comm_);
    return rank_ == root ? split(all, starts) : std::vector<Bytes>{};
  }

  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    const std::vector<int> counts = all_counts(mine.size());
    const std::vector<int> starts = starts_of(counts);
    Bytes all(static_cast<std::size_t>(starts.back()));
    MPI_Allgatherv(mine.data(), count_of(mine.size()), MPI_BYTE, all.data(), counts.data(),
                   starts.data(), MPI_BYTE, comm_);
    return split(all, starts);
  }

  std::vector<Bytes> exchange(const std::vector<Bytes>& outgoing) override {
    require(static_cast<int>(outgoing.size()) == size_, "exchange needs one message per rank");
    std::vector<int> send_counts(outgoing.size());
    std::transform(outgoing.begin(), outgoing.end(), send_counts.begin(),
                   [](const Bytes& b) { return count_of(b.size()); });
    std::vector<int> receive_counts(outgoing.size());
    MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, comm_);
    const std::vector<int> send_starts = starts_of(send_counts);
    const std::vector<int> receive_starts = starts_of(receive_counts);
    Bytes out;
    out.reserve(static_cast<std::size_t>(send_starts.back()));
    for (const Bytes& b : outgoing) out.insert(out.end(), b.begin(), b.end());
    Bytes in(static_cast<std::size_t>(receive_starts.back()));
    MPI_Alltoallv(out.data(), send_counts.data(), send_starts.data(), MPI_BYTE, in.data(),
                  receive_counts.data(), receive_starts.data(), MPI_BYTE, comm_);
    return split(in, receive_starts);
  }

  void post_receive(std::span<std::byte> into, int from, int tag) override {
    requests_.emplace_back();
    MPI_Irecv(into.data(), count_of(into.size()), MPI_BYTE, from, tag, comm_, &requests_.back());
  }
  void post_send(std::span<const std::byte> bytes, int to, int tag) override {
    requests_.emplace_back();
    MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, tag, comm_, &requests_.back());
  }
  void wait_all() override {
    MPI_Waitall(count_of(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  template <class T>
  void reduce(std::span<T> v, MPI_Datatype type, MPI_Op op) {
    MPI_Allreduce(MPI_IN_PLACE, v.data(), count_of(v.size()), type, op, comm_);
  }
  std::vector<int> all_counts(std::size_t mine) {
    const int n = count_of(mine);
    std::vector<int> counts(static_cast<std::size_t>(size_));
    MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
    return counts;
  }
  // One more entry than counts: where each rank's bytes start, then the total.
  static std::vector<int> starts_of(const std::vector<int>& counts) {
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    require(total <= std::numeric_limits<int>::max(), "an MPI collective moves over 2 GiB");
    std::vector<int> starts(counts.size() + 1, 0);
    std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
    return starts;
  }
  static std::vector<Bytes> split(const Bytes& all, const std::vector<int>& starts) {
    std::vector<Bytes> parts;
    for (std::size_t r = 0; r + 1 < starts.size(); ++r)
      parts.emplace_back(all.begin() + starts[r], all.begin() + starts[r + 1]);
    return parts;
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

// A communicator of its own: the others may stand in a collective of world().
struct Environment::Ending {
  MPI_Comm comm = MPI_COMM_NULL;
  Ending() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
  ~Ending() { MPI_Comm_free(&comm); }
};

Environment::Environment(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  world_ = std::make_unique<Mpi>(MPI_COMM_WORLD);
  ending_ = std::make_unique<Ending>();
}

Environment::~Environment() {
  ending_.reset();
  world_.reset();
  MPI_Finalize();
}

bool Environment::all_arrive(double seconds) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ending_->comm, &request);
  const double begin = MPI_Wtime();
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
    if (MPI_Wtime() - begin > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

void Environment::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace terrawave::comm

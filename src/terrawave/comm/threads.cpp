// A group whose ranks are threads of this process. In a collective call each rank shows where its
// values lie, all meet, each takes what it needs, and all meet again.
#include "terrawave/comm/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "terrawave/base/error.hpp"

namespace terrawave::comm {
namespace {

// Thrown where a rank waits for one that ended.
struct TeamEnded {};

// What the ranks share.
class Team {
 public:
  explicit Team(int size) : ended_(std::size_t(size), 0), shown_(std::size_t(size), nullptr) {}

  int size() const { return int(shown_.size()); }
  void meet() {
    std::unique_lock lock(mutex_);
    if (any_ended_) throw TeamEnded{};
    if (++waiting_ == size()) {
      waiting_ = 0;
      ++meetings_;
      changed_.notify_all();
      return;
    }
    const std::uint64_t now = meetings_;
    changed_.wait(lock, [&] { return meetings_ != now || any_ended_; });
    if (meetings_ == now) throw TeamEnded{};
  }
  // A rank has returned or thrown: who waits for it would wait for ever.
  void end(int rank) {
    const std::lock_guard lock(mutex_);
    ended_[std::size_t(rank)] = 1;
    any_ended_ = true;
    changed_.notify_all();
  }

  // Shows this rank's values; take(all ranks' values) while all of them are there.
  template <class Values, class Take>
  void share(int rank, const Values& mine, const Take& take) {
    shown_[std::size_t(rank)] = &mine;
    meet();
    std::vector<const Values*> all;
    for (const void* values : shown_) all.push_back(static_cast<const Values*>(values));
    take(all);
    meet();
  }

  using Address = std::tuple<int, int, int>;  // from, to, tag
  void send(const Address& address, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    mail_[address].push_back(std::move(bytes));
    changed_.notify_all();
  }
  Bytes receive(const Address& address) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& box = mail_[address];
    const std::uint8_t& sender_ended = ended_[std::size_t(std::get<0>(address))];
    changed_.wait(lock, [&] { return !box.empty() || sender_ended != 0; });
    if (box.empty()) throw TeamEnded{};
    Bytes bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  std::uint64_t meetings_ = 0;
  std::vector<std::uint8_t> ended_;  // by rank
  bool any_ended_ = false;
  std::vector<const void*> shown_;  // by rank
  std::map<Address, std::deque<Bytes>> mail_;
};

class Member final : public Comm {
 public:
  Member(Team& team, int rank) : team_(team), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return team_.size(); }
  int local_rank() const override { return rank_; }
  int local_size() const override { return team_.size(); }

  void barrier() override { team_.meet(); }
  void min(std::span<double> values) override { join(values, least<double>); }
  void max(std::span<double> values) override { join(values, largest<double>); }
  void min(std::span<std::int64_t> values) override { join(values, least<std::int64_t>); }
  void max(std::span<std::int64_t> values) override { join(values, largest<std::int64_t>); }
  void sum(std::span<std::int64_t> values) override {
    join(values, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  void broadcast(Bytes& bytes, int root) override {
    Bytes copy;
    team_.share(rank_, bytes, [&](const auto& all) { copy = *all[std::size_t(root)]; });
    bytes = std::move(copy);
  }
  std::vector<Bytes> gather(std::span<const std::byte> mine, int root) override {
    return collect(mine, rank_ == root);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    return collect(mine, true);
  }
  std::vector<Bytes> exchange(const std::vector<Bytes>& outgoing) override {
    require(int(outgoing.size()) == size(), "exchange: expected bytes for each rank");
    std::vector<Bytes> received;
    team_.share(rank_, outgoing, [&](const auto& all) {
      for (const std::vector<Bytes>* from : all) received.push_back((*from)[std::size_t(rank_)]);
    });
    return received;
  }
  void post_receive(std::span<std::byte> into, int from, int tag) override {
    receives_.emplace_back(into, Team::Address{from, rank_, tag});
  }
  void post_send(std::span<const std::byte> bytes, int to, int tag) override {
    team_.send({rank_, to, tag}, Bytes(bytes.begin(), bytes.end()));
  }
  void wait_all() override {
    for (const auto& [into, address] : std::exchange(receives_, {})) {
      const Bytes bytes = team_.receive(address);
      require(bytes.size() == into.size(), "message size mismatch");
      if (!into.empty()) std::memcpy(into.data(), bytes.data(), into.size());
    }
  }

 private:
  template <class T>
  static T least(T a, T b) {
    return std::min(a, b);
  }
  template <class T>
  static T largest(T a, T b) {
    return std::max(a, b);
  }
  template <class T, class Join>
  void join(std::span<T> values, const Join& join_two) {
    std::vector<T> joined(values.begin(), values.end());
    team_.share(rank_, values, [&](const auto& all) {
      for (int other = 0; other < size(); ++other)
        for (std::size_t i = 0; other != rank_ && i < joined.size(); ++i)
          joined[i] = join_two(joined[i], (*all[std::size_t(other)])[i]);
    });
    std::copy(joined.begin(), joined.end(), values.begin());
  }
  std::vector<Bytes> collect(std::span<const std::byte> mine, bool wanted) {
    std::vector<Bytes> bytes;
    team_.share(rank_, mine, [&](const auto& all) {
      for (const auto* one : all)
        if (wanted) bytes.emplace_back(one->begin(), one->end());
    });
    return bytes;
  }

  Team& team_;
  int rank_;
  std::vector<std::pair<std::span<std::byte>, Team::Address>> receives_;
};

}  // namespace

void run_on_threads(int count, const std::function<void(Comm&)>& work) {
  Team team(count);
  // What ranks threw; after these that a rank had to be ended.
  std::vector<std::exception_ptr> thrown(std::size_t(count) + 1);
  std::mutex last;
  const auto run = [&](int rank) {
    try {
      Member member(team, rank);
      work(member);
    } catch (const TeamEnded&) {
      const std::lock_guard lock(last);
      thrown.back() = std::make_exception_ptr(LogicError("a rank waited for one that had ended"));
    } catch (...) {
      thrown[std::size_t(rank)] = std::current_exception();
    }
    team.end(rank);
  };
  std::vector<std::thread> others;
  for (int rank = 1; rank < count; ++rank) others.emplace_back(run, rank);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace terrawave::comm

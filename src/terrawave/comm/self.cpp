// The group of one rank: every message is to oneself.
#include <cstring>
#include <utility>

#include "terrawave/base/error.hpp"
#include "terrawave/comm/comm.hpp"

namespace terrawave::comm {
namespace {

class Self final : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  void min(std::span<double>) override {}
  void max(std::span<double>) override {}
  void min(std::span<std::int64_t>) override {}
  void max(std::span<std::int64_t>) override {}
  void sum(std::span<std::int64_t>) override {}
  void broadcast(Bytes&, int) override {}
  std::vector<Bytes> gather(std::span<const std::byte> mine, int) override {
    return all_gather(mine);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    return {Bytes(mine.begin(), mine.end())};
  }
  std::vector<Bytes> exchange(const std::vector<Bytes>& outgoing) override { return outgoing; }
  void post_receive(std::span<std::byte> into, int, int tag) override {
    receives_.push_back({into, tag});
  }
  void post_send(std::span<const std::byte> bytes, int, int tag) override {
    sends_.push_back({bytes, tag});
  }
  void wait_all() override {
    for (const auto& [into, tag] : receives_) deliver(into, tag);
    require(sends_.empty(), "a message to oneself was never received");
    receives_.clear();
  }

 private:
  void deliver(std::span<std::byte> into, int tag) {
    for (auto it = sends_.begin(); it != sends_.end(); ++it) {
      if (it->second != tag) continue;
      require(it->first.size() == into.size(), "message size mismatch");
      if (!into.empty()) std::memcpy(into.data(), it->first.data(), into.size());
      sends_.erase(it);
      return;
    }
    throw LogicError("a message from oneself was never sent");
  }
  std::vector<std::pair<std::span<std::byte>, int>> receives_;
  std::vector<std::pair<std::span<const std::byte>, int>> sends_;
};

}  // namespace

std::unique_ptr<Comm> make_self() { return std::make_unique<Self>(); }

}  // namespace terrawave::comm

#include "terrawave/io/windows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "terrawave/base/error.hpp"
#include "terrawave/io/collective.hpp"

namespace terrawave::io {
namespace {

// The positions in `ids` by increasing id; empty where they increase already.
std::vector<Index> order_of(std::span<const GlobalId> ids) {
  if (std::is_sorted(ids.begin(), ids.end())) return {};
  std::vector<Index> order(ids.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return ids[std::size_t(a)] < ids[std::size_t(b)]; });
  return order;
}

// Walks a rank's entries by increasing global id.
class Cursor {
 public:
  explicit Cursor(std::span<const GlobalId> ids) : ids_(ids), order_(order_of(ids)) {}
  bool before(GlobalId end) const { return at_ < ids_.size() && id() < end; }
  GlobalId id() const { return ids_[position()]; }
  std::size_t position() const { return order_.empty() ? at_ : std::size_t(order_[at_]); }
  void advance() { ++at_; }

 private:
  std::span<const GlobalId> ids_;
  std::vector<Index> order_;
  std::size_t at_ = 0;
};

// Runs of consecutive entries: first id and length, then their values. Most meshes and all grids
// have few runs.
class RunWriter {
 public:
  void add(GlobalId id, const std::byte* value, std::size_t bytes) {
    if (runs_.empty() || runs_[runs_.size() - 2] + runs_.back() != id) {
      runs_.push_back(id);
      runs_.push_back(0);
    }
    ++runs_.back();
    values_.insert(values_.end(), value, value + bytes);
  }
  comm::Bytes message() const {
    const std::int64_t count = std::int64_t(runs_.size());
    const std::size_t head = sizeof(count) + runs_.size() * sizeof(std::int64_t);
    comm::Bytes out(head + values_.size());
    std::memcpy(out.data(), &count, sizeof(count));
    if (count > 0) {
      std::memcpy(out.data() + sizeof(count), runs_.data(), head - sizeof(count));
      std::memcpy(out.data() + head, values_.data(), values_.size());
    }
    return out;
  }

 private:
  std::vector<std::int64_t> runs_;
  comm::Bytes values_;
};

// Copies one rank's message into the window that starts at `first`; returns the entries stored.
Index unpack(const comm::Bytes& message, Index first, std::size_t bytes, comm::Bytes& window) {
  std::int64_t count = 0;
  std::memcpy(&count, message.data(), sizeof(count));
  std::vector<std::int64_t> runs(static_cast<std::size_t>(count));
  if (count > 0)
    std::memcpy(runs.data(), message.data() + sizeof(count), runs.size() * sizeof(std::int64_t));
  const std::byte* from = message.data() + sizeof(count) + runs.size() * sizeof(std::int64_t);
  Index stored = 0;
  for (std::size_t r = 0; r + 1 < runs.size(); r += 2) {
    const std::size_t n = std::size_t(runs[r + 1]) * bytes;
    std::memcpy(window.data() + std::size_t(runs[r] - first) * bytes, from, n);
    from += n;
    stored += runs[r + 1];
  }
  return stored;
}

}  // namespace

std::size_t value_bytes(sim::FieldInfo::Type type) {
  using Type = sim::FieldInfo::Type;
  switch (type) {
    case Type::float32:
    case Type::int32:
      return 4;
    case Type::float64:
    case Type::int64:
      return 8;
    case Type::uint8:
      return 1;
  }
  throw LogicError("unknown type of field");
}

std::size_t entry_bytes(const sim::FieldInfo& field) {
  return value_bytes(field.type) * std::size_t(field.components);
}

Index window_entries(std::size_t bytes_per_entry, std::size_t window_bytes) {
  // An entry travels with at most 16 bytes of run description.
  return std::max<Index>(1, Index(window_bytes / (bytes_per_entry + 16)));
}

void collect_windows(comm::Comm& comm, const sim::FieldBlock& mine, Index global_size,
                     std::size_t bytes_per_entry, const StoreWindow& store,
                     std::size_t window_bytes) {
  require(mine.values.size() == mine.ids.size() * bytes_per_entry,
          "a field block's values do not match its ids");
  const Index length = window_entries(bytes_per_entry, window_bytes);
  Cursor cursor(mine.ids);
  for (Index first = 0; first < global_size; first += length) {
    const Index n = std::min(length, global_size - first);
    RunWriter out;
    for (; cursor.before(first + n); cursor.advance())
      out.add(cursor.id(), mine.values.data() + cursor.position() * bytes_per_entry,
              bytes_per_entry);
    const std::vector<comm::Bytes> messages = comm.gather(out.message(), 0);
    on_root(comm, [&] {
      comm::Bytes window(std::size_t(n) * bytes_per_entry);
      Index stored = 0;
      for (const comm::Bytes& m : messages) stored += unpack(m, first, bytes_per_entry, window);
      require(stored == n, "the ranks' entries do not cover the global array exactly once");
      store(first, window);
    });
  }
}

std::vector<std::byte> distribute_windows(comm::Comm& comm, std::span<const GlobalId> ids,
                                          Index global_size, std::size_t bytes_per_entry,
                                          const FetchWindow& fetch, std::size_t window_bytes) {
  std::vector<std::byte> values(ids.size() * bytes_per_entry);
  const Index length = window_entries(bytes_per_entry, window_bytes);
  Cursor cursor(ids);
  comm::Bytes window;
  for (Index first = 0; first < global_size; first += length) {
    const Index n = std::min(length, global_size - first);
    on_root(comm, [&] {
      window.resize(std::size_t(n) * bytes_per_entry);
      fetch(first, window);
    });
    comm.broadcast(window, 0);
    for (; cursor.before(first + n); cursor.advance())
      std::memcpy(values.data() + cursor.position() * bytes_per_entry,
                  window.data() + std::size_t(cursor.id() - first) * bytes_per_entry,
                  bytes_per_entry);
  }
  return values;
}

}  // namespace terrawave::io

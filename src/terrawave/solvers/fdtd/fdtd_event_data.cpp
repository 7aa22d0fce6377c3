#include "terrawave/solvers/fdtd/fdtd_event_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "terrawave/base/error.hpp"

namespace terrawave::fdtd {
namespace {

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

std::vector<std::int32_t> as_ints(std::span<const std::byte> bytes) {
  std::vector<std::int32_t> v(bytes.size() / sizeof(std::int32_t));
  if (!v.empty()) std::memcpy(v.data(), bytes.data(), v.size() * sizeof(std::int32_t));
  return v;
}

}  // namespace

template <class Real>
EventData<Real>::EventData(comm::Comm& comm, const par::Queue& queue, const Model& model,
                           const Layout& layout)
    : model_(&model), comm_(&comm), host_(locate_events(model, layout)) {
  std::size_t most = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    events_[p] = par::Buffer<Event>(queue, host_.events[p]);
    groups_[p] = par::Buffer<std::int32_t>(queue, host_.groups[p]);
    most = std::max(most, host_.groups[p].size() - 1);
  }
  coefficients_ = par::Buffer<double>(queue, host_.coefficients);
  states_ = par::Buffer<double>(queue, host_.states);
  states_.fill_bytes(0);
  next_states_ = par::Buffer<double>(queue, host_.states);
  next_states_.fill_bytes(0);
  scratch_ = par::Buffer<Real>(queue, Index(most));
  const auto signals = Index(model.signals.size()), probes = Index(model.probes.size());
  if (signals > 0) window_rows_ = std::clamp<Index>((Index{1} << 19) / signals, 16, 4096);
  samples_ = par::Buffer<double>(queue, window_rows_ * signals);
  capacity_ = probes > 0 ? std::clamp<Index>((Index{1} << 22) / probes, 16, 8192)
                         : std::numeric_limits<std::int32_t>::max();
  records_ = par::Buffer<double>(queue, probes > 0 ? capacity_ * probes : 0);
  records_.fill_bytes(0);
  plan_exchange();
}

template <class Real>
EventTables EventData<Real>::tables() {
  EventTables t;
  for (std::size_t p = 0; p < 2; ++p)
    t.list[p] = {events_[p].cview().data, groups_[p].cview().data,
                 std::int32_t(host_.groups[p].size()) - 1};
  t.coefficients = coefficients_.cview().data;
  t.samples = samples_.cview().data;
  t.signals = std::int32_t(model_->signals.size());
  t.probes = std::int32_t(model_->probes.size());
  t.records = records_.view().data;
  return t;
}

template <class Real>
void EventData<Real>::prepare_samples(std::int64_t step, std::int64_t count) {
  if (model_->signals.empty()) return;
  require(count <= window_rows_, "fdtd: more steps at once than the sample window holds");
  if (window_filled_ > 0 && step >= window_first_ && step + count <= window_first_ + window_filled_)
    return;
  std::vector<double> rows;
  rows.reserve(z(window_rows_) * model_->signals.size());
  for (std::int64_t n = 0; n < window_rows_; ++n)
    for (const Signal& s : model_->signals)
      rows.push_back(s.value((double(step + n) + s.offset) * model_->dt));
  samples_.upload(rows);
  window_first_ = step;
  window_filled_ = window_rows_;
}

template <class Real>
Records EventData<Real>::drain(std::int64_t step) {
  Records r;
  r.rows = rows_;
  r.first_step = step - rows_ + 1;
  const auto probes = Index(model_->probes.size());
  r.values.assign(z(rows_ * probes), 0.0);
  if (probes > 0) {
    records_.download(std::span<double>(r.values));
    if (comm_->size() > 1) {
      // Each probe has one owner: every rank takes that rank's column.
      std::vector<std::int32_t> mine;
      for (const auto& list : host_.events)
        for (const Event& e : list)
          if (e.kind == EventKind::record && e.owned != 0) mine.push_back(e.signal);
      std::vector<double> columns;
      for (const std::int32_t p : mine)
        for (Index row = 0; row < rows_; ++row) columns.push_back(r.values[z(row * probes + p)]);
      const auto ids = comm_->all_gather(std::as_bytes(std::span(mine)));
      const auto data = comm_->all_gather(std::as_bytes(std::span(columns)));
      for (std::size_t rank = 0; rank < ids.size(); ++rank) {
        const auto p = as_ints(ids[rank]);
        for (std::size_t n = 0; n < p.size(); ++n)
          for (Index row = 0; row < rows_; ++row)
            std::memcpy(&r.values[z(row * probes + p[n])],
                        data[rank].data() + (n * z(rows_) + z(row)) * sizeof(double),
                        sizeof(double));
      }
    }
  }
  rows_ = 0;
  return r;
}

template <class Real>
void EventData<Real>::restart(std::int64_t step) {
  rows_ = 0;
  window_filled_ = 0;
  window_first_ = step;
}

template <class Real>
void EventData<Real>::plan_exchange() {
  const auto ranks = z(comm_->size());
  send_.assign(ranks, {});
  receive_.assign(ranks, {});
  bool stateful = false;
  for (const PlacedEvent& e : model_->events) stateful = stateful || event_states(e.kind) > 0;
  if (!stateful) return;
  // Owners by event, and what each rank wants.
  std::map<std::int32_t, Piece> owned;
  std::vector<std::int32_t> have, want;
  std::vector<Piece> want_pieces;
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t n = 0; n < host_.events[p].size(); ++n) {
      const Event& e = host_.events[p][n];
      const std::int32_t count = event_states(e.kind);
      if (count == 0) continue;
      if (e.owned != 0) {
        owned[host_.model_id[p][n]] = {e.state, count};
        have.push_back(host_.model_id[p][n]);
      } else {
        want.push_back(host_.model_id[p][n]);
        want_pieces.push_back({e.state, count});
      }
    }
  const auto all_have = comm_->all_gather(std::as_bytes(std::span(have)));
  std::map<std::int32_t, std::size_t> owner;
  for (std::size_t r = 0; r < ranks; ++r)
    for (const std::int32_t id : as_ints(all_have[r])) owner[id] = r;
  const auto all_want = comm_->all_gather(std::as_bytes(std::span(want)));
  for (std::size_t r = 0; r < ranks; ++r)
    for (const std::int32_t id : as_ints(all_want[r])) {
      exchanges_ = true;
      const auto mine = owned.find(id);
      if (mine != owned.end()) send_[r].push_back(mine->second);
    }
  for (std::size_t n = 0; n < want.size(); ++n)
    receive_[owner.at(want[n])].push_back(want_pieces[n]);
}

template <class Real>
void EventData<Real>::exchange_states() {
  if (!exchanges_) return;
  std::vector<double> states = states_.download();
  std::vector<comm::Bytes> outgoing(send_.size());
  for (std::size_t r = 0; r < send_.size(); ++r)
    for (const Piece& p : send_[r]) {
      const auto bytes = std::as_bytes(std::span(states).subspan(z(p.state), z(p.count)));
      outgoing[r].insert(outgoing[r].end(), bytes.begin(), bytes.end());
    }
  const auto incoming = comm_->exchange(outgoing);
  for (std::size_t r = 0; r < receive_.size(); ++r) {
    std::size_t at = 0;
    for (const Piece& p : receive_[r]) {
      std::memcpy(&states[z(p.state)], incoming[r].data() + at, z(p.count) * sizeof(double));
      at += z(p.count) * sizeof(double);
    }
  }
  states_.upload(states);
}

template <class Real>
sim::FieldBlock EventData<Real>::save() const {
  sim::FieldBlock block;
  const std::vector<double> states = states_.download();
  std::vector<double> values;
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t n = 0; n < host_.events[p].size(); ++n) {
      const Event& e = host_.events[p][n];
      if (e.owned == 0 || host_.model_id[p][n] < 0) continue;
      block.ids.push_back(host_.model_id[p][n]);
      for (int s = 0; s < kMaxEventStates; ++s)
        values.push_back(s < event_states(e.kind) ? states[z(e.state + s)] : 0.0);
    }
  const auto bytes = std::as_bytes(std::span(values));
  block.values.assign(bytes.begin(), bytes.end());
  return block;
}

template <class Real>
void EventData<Real>::load(const sim::Solver::Read& read) {
  std::vector<GlobalId> ids;
  std::vector<Event> events;
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t n = 0; n < host_.events[p].size(); ++n)
      if (host_.model_id[p][n] >= 0) {
        ids.push_back(host_.model_id[p][n]);
        events.push_back(host_.events[p][n]);
      }
  const auto bytes = read(ids);
  require(bytes.size() == ids.size() * kMaxEventStates * sizeof(double),
          "fdtd: bad size of states");
  std::vector<double> states(z(host_.states), 0.0);
  for (std::size_t n = 0; n < ids.size(); ++n)
    for (int s = 0; s < event_states(events[n].kind); ++s)
      std::memcpy(&states[z(events[n].state + s)],
                  bytes.data() + (n * kMaxEventStates + z(s)) * sizeof(double), sizeof(double));
  states_.upload(states);
}

template class EventData<float>;
template class EventData<double>;

}  // namespace terrawave::fdtd

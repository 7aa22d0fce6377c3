// Which device each rank computes on.
#pragma once

#include <string>

#include "terrawave/app/case_file.hpp"
#include "terrawave/comm/comm.hpp"
#include "terrawave/par/queue.hpp"
#include "terrawave/sim/context.hpp"

namespace terrawave::app {

// The queue of this rank for run.device = auto, cpu or cuda: one rank drives one GPU, by its rank
// on this host modulo the number of GPUs. The mapping is logged; ranks that share a GPU are warned
// of. `threads` = 0 takes what OpenMP offers. Collective.
par::Queue choose_queue(const std::string& device, int threads, comm::Comm& comm,
                        const sim::Log& log);

// Ranks of one host share its memory, ranks on one GPU share that GPU's.
MemoryNeed memory_need(double needed, const par::Queue& queue, const comm::Comm& comm);

// Logs what the case needs and what there is, of the device and of the host. Throws InputError
// where it does not fit. Makes no mesh that the case describes by numbers. Collective.
void check_memory(const CaseFile& loaded, const par::Queue& queue, comm::Comm& comm,
                  const sim::Log& log);

}  // namespace terrawave::app

// Stands in for mpi.cpp where the build has no MPI.
#include "terrawave/comm/comm.hpp"

namespace terrawave::comm {

Environment::Environment(int*, char***) : world_(make_self()) {}
Environment::~Environment() = default;

}  // namespace terrawave::comm

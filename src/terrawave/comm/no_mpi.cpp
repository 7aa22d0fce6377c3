// Stands in for mpi.cpp where the build has no MPI.
#include <cstdlib>

#include "terrawave/comm/comm.hpp"

namespace terrawave::comm {

struct Environment::Ending {};

Environment::Environment(int*, char***) : world_(make_self()) {}
Environment::~Environment() = default;
bool Environment::all_arrive(double) { return true; }
void Environment::abort(int code) { std::_Exit(code); }

}  // namespace terrawave::comm

#include "terrawave/io/collective.hpp"

#include <cstring>
#include <string>

namespace terrawave::io {

void on_root(comm::Comm& comm, const std::function<void()>& work) {
  std::string verdict = "ok";
  if (comm.is_root()) {
    try {
      work();
    } catch (const InputError& e) {
      verdict = std::string("i") + e.what();
    } catch (const std::exception& e) {
      verdict = std::string("r") + e.what();
    }
  }
  comm::Bytes bytes(verdict.size());
  std::memcpy(bytes.data(), verdict.data(), verdict.size());
  comm.broadcast(bytes, 0);
  verdict.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (verdict == "ok") return;
  if (verdict[0] == 'i') throw InputError(verdict.substr(1));
  throw SharedError(verdict.substr(1));
}

}  // namespace terrawave::io

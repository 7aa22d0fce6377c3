// Owning handles of the HDF5 C API; included by .cpp files of io/ only.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/hdf5_exit.hpp"

namespace terrawave::io::h5 {

// An HDF5 id that is closed by the function given with it. Throws RunError for a negative id.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close closer, const std::string& what) : id_(id), close_(closer) {
    if (id_ < 0) throw RunError("HDF5 cannot " + what);
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }
  // Closes now and tells whether that worked: buffered bytes reach the disk here.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  Close close_;
};

inline void check(herr_t status, const std::string& what) {
  if (status < 0) throw RunError("HDF5 cannot " + what);
}

// Keeps the library from printing its error stack: messages come from the exceptions.
class Quiet {
 public:
  Quiet() {
    keep_hdf5_from_exit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace terrawave::io::h5

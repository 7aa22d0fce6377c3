// A NetCDF file that closes itself, with errors as exceptions. Included by io/geo/ only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <netcdf.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/hdf5_exit.hpp"

namespace terrawave::io {

class NetcdfFile {
 public:
  static NetcdfFile create(const std::filesystem::path& file) {
    int id = 0;
    keep_hdf5_from_exit();
    check(nc_create(file.c_str(), NC_CLOBBER | NC_NETCDF4 | NC_CLASSIC_MODEL, &id), file,
          "creating");
    return NetcdfFile(file, id);
  }
  static NetcdfFile open(const std::filesystem::path& file, bool writable) {
    int id = 0;
    keep_hdf5_from_exit();
    check(nc_open(file.c_str(), writable ? NC_WRITE : NC_NOWRITE, &id), file, "opening");
    return NetcdfFile(file, id);
  }
  NetcdfFile(NetcdfFile&& other) noexcept : file_(std::move(other.file_)), id_(other.id_) {
    other.id_ = -1;
  }
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  NetcdfFile& operator=(NetcdfFile&&) = delete;
  ~NetcdfFile() {
    if (id_ >= 0) nc_close(id_);
  }
  // Closes now, so that a full disk is an error and not a silence.
  void close() {
    const int id = id_;
    id_ = -1;
    ok(nc_close(id), "closing");
  }

  int id() const { return id_; }
  void ok(int status, const char* doing) const { check(status, file_, doing); }
  int dimension(const char* name, std::size_t size) {
    int d = 0;
    ok(nc_def_dim(id_, name, size, &d), "defining a dimension of");
    return d;
  }
  int variable(const std::string& name, nc_type type, const std::vector<int>& dimensions) {
    int v = 0;
    ok(nc_def_var(id_, name.c_str(), type, int(dimensions.size()), dimensions.data(), &v),
       "defining a variable of");
    return v;
  }
  int find(const std::string& name) const {
    int v = 0;
    ok(nc_inq_varid(id_, name.c_str(), &v), ("looking for " + name + " in").c_str());
    return v;
  }
  std::size_t dimension_size(const char* name) const {
    int d = 0;
    std::size_t n = 0;
    ok(nc_inq_dimid(id_, name, &d), "looking for a dimension of");
    ok(nc_inq_dimlen(id_, d, &n), "reading a dimension of");
    return n;
  }
  void text(int variable, const char* key, const std::string& value) {
    if (!value.empty())
      ok(nc_put_att_text(id_, variable, key, value.size(), value.c_str()), "describing");
  }
  void number(int variable, const char* key, int value) {
    ok(nc_put_att_int(id_, variable, key, NC_INT, 1, &value), "describing");
  }

 private:
  NetcdfFile(std::filesystem::path file, int id) : file_(std::move(file)), id_(id) {}
  static void check(int status, const std::filesystem::path& file, const char* doing) {
    if (status != NC_NOERR)
      throw RunError(std::string("NetCDF failed while ") + doing + " " + file.string() + ": " +
                     nc_strerror(status) + (status == NC_EHDFERR ? " (is the disk full?)" : ""));
  }
  std::filesystem::path file_;
  int id_;
};

}  // namespace terrawave::io

#include "terrawave/io/voxels.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <hdf5.h>

#include "terrawave/base/error.hpp"

namespace terrawave::io {

Voxels read_raw_voxels(const std::filesystem::path& file, std::array<int, 3> n, int bytes) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) throw InputError(fmt::format("cannot open {}", file.string()));
  const auto found = std::size_t(in.tellg());
  const auto count = std::size_t(n[0]) * std::size_t(n[1]) * std::size_t(n[2]);
  if (found != count * std::size_t(bytes))
    throw InputError(fmt::format("{}: {} x {} x {} voxels of {} byte{} are {} bytes, found {}",
                                 file.string(), n[0], n[1], n[2], bytes, bytes == 1 ? "" : "s",
                                 count * std::size_t(bytes), found));
  std::vector<unsigned char> raw(found);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(raw.data()), std::streamsize(found));
  if (!in) throw InputError(fmt::format("cannot read {}", file.string()));
  Voxels v{n, std::vector<std::uint16_t>(count)};
  for (std::size_t i = 0; i < count; ++i)
    v.labels[i] = bytes == 1 ? raw[i] : std::uint16_t(raw[2 * i] | raw[2 * i + 1] << 8);
  return v;
}

namespace {

// Closes an HDF5 handle at the end of its scope.
struct Handle {
  hid_t id;
  herr_t (*close)(hid_t);
  ~Handle() {
    if (id >= 0) close(id);
  }
};

}  // namespace

Voxels read_hdf5_voxels(const std::filesystem::path& file, const std::string& dataset) {
  const auto fail = [&](const std::string& why) {
    return InputError(fmt::format("{}: {}", file.string(), why));
  };
  if (!std::filesystem::exists(file))
    throw InputError(fmt::format("cannot open {}", file.string()));
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle f{H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (f.id < 0) throw fail("not an HDF5 file");
  const Handle d{H5Dopen2(f.id, dataset.c_str(), H5P_DEFAULT), H5Dclose};
  if (d.id < 0) throw fail(fmt::format("no data set \"{}\"", dataset));
  const Handle type{H5Dget_type(d.id), H5Tclose};
  if (H5Tget_class(type.id) != H5T_INTEGER)
    throw fail(fmt::format("data set \"{}\" does not hold integers", dataset));
  const Handle space{H5Dget_space(d.id), H5Sclose};
  if (H5Sget_simple_extent_ndims(space.id) != 3)
    throw fail(fmt::format("data set \"{}\" is not three-dimensional", dataset));
  hsize_t dims[3];
  H5Sget_simple_extent_dims(space.id, dims, nullptr);
  if (*std::max_element(dims, dims + 3) > 1 << 20)
    throw fail(fmt::format("data set \"{}\" is larger than 2^20 along an axis", dataset));
  std::vector<std::int64_t> wide(std::size_t(dims[0] * dims[1] * dims[2]));
  if (H5Dread(d.id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    throw fail(fmt::format("cannot read data set \"{}\"", dataset));
  Voxels v{{int(dims[2]), int(dims[1]), int(dims[0])}, std::vector<std::uint16_t>(wide.size())};
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (wide[i] < 0 || wide[i] > 65535)
      throw fail(fmt::format("label {} is not in 0...65535", wide[i]));
    v.labels[i] = std::uint16_t(wide[i]);
  }
  return v;
}

}  // namespace terrawave::io

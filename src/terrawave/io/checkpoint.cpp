#include "terrawave/io/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "terrawave/io/atomic_file.hpp"
#include "terrawave/io/collective.hpp"
#include "terrawave/io/hdf5.hpp"
#include "terrawave/io/windows.hpp"

namespace terrawave::io {
namespace {

using h5::check;
using h5::Handle;

constexpr const char* kFormat = "terrawave checkpoint";

hid_t hdf5_type(sim::FieldInfo::Type type) {
  using Type = sim::FieldInfo::Type;
  switch (type) {
    case Type::float32:
      return H5T_IEEE_F32LE;
    case Type::float64:
      return H5T_IEEE_F64LE;
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    case Type::uint8:
      return H5T_STD_U8LE;
  }
  throw LogicError("unknown type of field");
}

// ---- attributes

template <class T>
void put_number(hid_t at, const char* name, hid_t file_type, hid_t memory_type, const T& value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a scalar");
  const Handle attribute(H5Acreate2(at, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         std::string("make the attribute ") + name);
  check(H5Awrite(attribute, memory_type, &value), std::string("write the attribute ") + name);
}

// Bytes of any length, also above the 64 KiB of an attribute: a data set of one dimension.
void put_bytes(hid_t at, const std::string& name, const std::string& bytes) {
  const hsize_t n = bytes.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose, "make a space");
  const Handle plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  check(H5Pset_obj_track_times(plist, false), "leave times out");
  if (n > 0) {
    const hsize_t chunk = std::min<hsize_t>(n, 1 << 20);
    check(H5Pset_chunk(plist, 1, &chunk), "set the chunk size");
    check(H5Pset_fletcher32(plist), "set the checksum");
  }
  const Handle set(
      H5Dcreate2(at, name.c_str(), H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose,
      "make " + name);
  if (n > 0)
    check(H5Dwrite(set, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "write " + name);
}

std::string get_bytes(hid_t at, const std::string& name) {
  const Handle set(H5Dopen2(at, name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const Handle space(H5Dget_space(set), H5Sclose, "read the size of " + name);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (n < 0) throw RunError("HDF5 cannot read the size of " + name);
  std::string bytes(static_cast<std::size_t>(n), '\0');
  if (n > 0)
    check(H5Dread(set, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read " + name);
  return bytes;
}

template <class T>
T get_number(hid_t at, const char* name, hid_t memory_type) {
  const Handle attribute(H5Aopen(at, name, H5P_DEFAULT), H5Aclose,
                         std::string("find the attribute ") + name);
  T value{};
  check(H5Aread(attribute, memory_type, &value), std::string("read the attribute ") + name);
  return value;
}

Handle make_group(hid_t at, const char* name) {
  const Handle plist(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "make a property list");
  check(H5Pset_obj_track_times(plist, false), "leave times out");
  return {H5Gcreate2(at, name, H5P_DEFAULT, plist, H5P_DEFAULT), H5Gclose,
          std::string("make the group ") + name};
}

Handle open_group(hid_t at, const char* name) {
  return {H5Gopen2(at, name, H5P_DEFAULT), H5Gclose, std::string("open the group ") + name};
}

// ---- fields

std::vector<hsize_t> shape_of(const sim::FieldInfo& f) {
  std::vector<hsize_t> shape{hsize_t(f.global_size)};
  if (f.components > 1) shape.push_back(hsize_t(f.components));
  return shape;
}

// A chunk is about 1 MiB; one Fletcher-32 sum each.
Handle make_field(hid_t group, const sim::FieldInfo& f) {
  const std::vector<hsize_t> shape = shape_of(f);
  const Handle space(H5Screate_simple(int(shape.size()), shape.data(), nullptr), H5Sclose,
                     "make a space");
  const Handle plist(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a property list");
  check(H5Pset_obj_track_times(plist, false), "leave times out");
  if (f.global_size > 0) {
    std::vector<hsize_t> chunk = shape;
    chunk[0] = std::min<hsize_t>(shape[0], std::max<hsize_t>(1, (1 << 20) / entry_bytes(f)));
    check(H5Pset_chunk(plist, int(chunk.size()), chunk.data()), "set the chunk size");
    check(H5Pset_fletcher32(plist), "set the checksum");
  }
  return {
      H5Dcreate2(group, f.name.c_str(), hdf5_type(f.type), space, H5P_DEFAULT, plist, H5P_DEFAULT),
      H5Dclose, "make the field " + f.name};
}

// Reads or writes entries [first, first + n) of a field.
enum class Move { read, write };
void move_entries(Move move, hid_t set, const sim::FieldInfo& f, Index first, void* bytes,
                  Index n) {
  std::vector<hsize_t> start{hsize_t(first)}, count{hsize_t(n)};
  if (f.components > 1) {
    start.push_back(0);
    count.push_back(hsize_t(f.components));
  }
  const Handle space(H5Dget_space(set), H5Sclose, "read the shape of " + f.name);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "select entries of " + f.name);
  const Handle memory(H5Screate_simple(int(count.size()), count.data(), nullptr), H5Sclose,
                      "make a space");
  if (move == Move::write)
    check(H5Dwrite(set, hdf5_type(f.type), memory, space, H5P_DEFAULT, bytes), "write " + f.name);
  else
    check(H5Dread(set, hdf5_type(f.type), memory, space, H5P_DEFAULT, bytes), "read " + f.name);
}

// ---- whole files

Handle create_file(const std::filesystem::path& name) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make a property list");
  // The newer layout has checksums on the file's own structures too.
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the file version");
  const Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make a property list");
  check(H5Pset_obj_track_times(create, false), "leave times out");  // of the root group
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, create, access), H5Fclose,
          "create " + name.string()};
}

void write_head(hid_t file, const CheckpointHead& head) {
  put_bytes(file, "format", kFormat);
  put_number(file, "version", H5T_STD_I32LE, H5T_NATIVE_INT, kCheckpointVersion);
  put_number(file, "time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, head.time);
  put_number(file, "step", H5T_STD_I64LE, H5T_NATIVE_INT64, head.step);
  put_bytes(file, "solver", head.solver);
  put_bytes(file, "fingerprint", head.fingerprint);
  const Handle notes = make_group(file, "notes");
  for (const auto& [key, value] : head.notes) put_bytes(notes, key, value);
}

Handle open_file(const std::filesystem::path& name) {
  if (!std::filesystem::exists(name)) throw InputError(name.string() + ": no such file");
  const htri_t is_hdf5 = H5Fis_hdf5(name.c_str());
  const hid_t id = is_hdf5 > 0 ? H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
  if (id < 0)
    throw InputError(name.string() +
                     ": cannot be opened as a checkpoint: it is cut short, damaged or not an HDF5 "
                     "file. Start the run anew without --resume.");
  return {id, H5Fclose, "open " + name.string()};
}

// Refuses files of another kind and of a newer version.
void check_format(hid_t file, const std::string& name) {
  std::string format;
  try {
    format = get_bytes(file, "format");
  } catch (const RunError&) {
  }
  if (format != kFormat)
    throw InputError(name + ": is an HDF5 file but not a terrawave checkpoint");
  const int version = get_number<int>(file, "version", H5T_NATIVE_INT);
  if (version > kCheckpointVersion)
    throw InputError(name + ": checkpoint format " + std::to_string(version) +
                     ", but this program reads up to " + std::to_string(kCheckpointVersion) +
                     ". Resume with the newer program that wrote it.");
}

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& why) {
  throw InputError(file.string() + ": the checkpoint is damaged (" + why +
                   "). Start the run anew without --resume.");
}

CheckpointHead read_head(const std::filesystem::path& name) {
  const h5::Quiet quiet;
  const Handle file = open_file(name);
  try {
    check_format(file, name.string());
    CheckpointHead head;
    head.time = get_number<double>(file, "time", H5T_NATIVE_DOUBLE);
    head.step = get_number<std::int64_t>(file, "step", H5T_NATIVE_INT64);
    head.solver = get_bytes(file, "solver");
    head.fingerprint = get_bytes(file, "fingerprint");
    const Handle notes = open_group(file, "notes");
    H5G_info_t info;
    check(H5Gget_info(notes, &info), "list the notes");
    for (hsize_t k = 0; k < info.nlinks; ++k) {
      char key[256] = {};
      if (H5Lget_name_by_idx(notes, ".", H5_INDEX_NAME, H5_ITER_INC, k, key, sizeof(key),
                             H5P_DEFAULT) < 0)
        throw RunError("HDF5 cannot list the notes");
      head.notes[key] = get_bytes(notes, key);
    }
    return head;
  } catch (const RunError& e) {
    damaged(name, e.what());
  }
}

// ---- the head as one message

void append(comm::Bytes& out, const std::string& s) {
  const std::int64_t n = std::int64_t(s.size());
  const auto* size = reinterpret_cast<const std::byte*>(&n);
  out.insert(out.end(), size, size + sizeof(n));
  const auto* text = reinterpret_cast<const std::byte*>(s.data());
  out.insert(out.end(), text, text + s.size());
}

std::string take(const comm::Bytes& in, std::size_t& at) {
  std::int64_t n = 0;
  std::memcpy(&n, in.data() + at, sizeof(n));
  at += sizeof(n);
  std::string s(reinterpret_cast<const char*>(in.data() + at), std::size_t(n));
  at += std::size_t(n);
  return s;
}

comm::Bytes pack(const CheckpointHead& head) {
  comm::Bytes out(sizeof(double) + sizeof(std::int64_t));
  std::memcpy(out.data(), &head.time, sizeof(double));
  std::memcpy(out.data() + sizeof(double), &head.step, sizeof(std::int64_t));
  append(out, head.solver);
  append(out, head.fingerprint);
  for (const auto& [key, value] : head.notes) {
    append(out, key);
    append(out, value);
  }
  return out;
}

CheckpointHead unpack(const comm::Bytes& in) {
  CheckpointHead head;
  std::memcpy(&head.time, in.data(), sizeof(double));
  std::memcpy(&head.step, in.data() + sizeof(double), sizeof(std::int64_t));
  std::size_t at = sizeof(double) + sizeof(std::int64_t);
  head.solver = take(in, at);
  head.fingerprint = take(in, at);
  while (at < in.size()) {
    const std::string key = take(in, at);
    head.notes[key] = take(in, at);
  }
  return head;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// "key = value" -> key
std::string key_of(const std::string& line) { return line.substr(0, line.find(" = ")); }
std::string value_of(const std::string& line) {
  const auto at = line.find(" = ");
  return at == std::string::npos ? "" : line.substr(at + 3);
}

// The state fields of a checkpoint must be those of the solver, in kind and size.
void check_fields(hid_t group, const std::vector<sim::FieldInfo>& fields, const std::string& file) {
  for (const sim::FieldInfo& f : fields) {
    const Handle set(H5Dopen2(group, f.name.c_str(), H5P_DEFAULT), H5Dclose,
                     "find the field " + f.name);
    const Handle type(H5Dget_type(set), H5Tclose, "read the type of " + f.name);
    const Handle space(H5Dget_space(set), H5Sclose, "read the shape of " + f.name);
    hsize_t dims[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2) throw RunError("field " + f.name + " has an unknown shape");
    H5Sget_simple_extent_dims(space, dims, nullptr);
    if (H5Tequal(type, hdf5_type(f.type)) <= 0)
      throw InputError(file + ": field " + f.name +
                       " is stored in another precision than this run's");
    if (dims[0] != hsize_t(f.global_size) || dims[1] != hsize_t(f.components))
      throw InputError(file + ": field " + f.name + " has " + std::to_string(dims[0]) + " x " +
                       std::to_string(dims[1]) + " values, this run needs " +
                       std::to_string(f.global_size) + " x " + std::to_string(f.components));
  }
}

}  // namespace

std::string fingerprint_differences(const std::string& checkpoint, const std::string& present) {
  std::map<std::string, std::string> there, here;
  std::vector<std::string> keys;
  for (const std::string& l : lines_of(checkpoint)) {
    there[key_of(l)] = value_of(l);
    keys.push_back(key_of(l));
  }
  for (const std::string& l : lines_of(present)) {
    here[key_of(l)] = value_of(l);
    if (!there.contains(key_of(l))) keys.push_back(key_of(l));
  }
  std::string text;
  const auto side = [](const std::map<std::string, std::string>& m, const std::string& key) {
    const auto it = m.find(key);
    return it == m.end() ? std::string("not given") : it->second;
  };
  for (const std::string& key : keys) {
    const std::string a = side(there, key), b = side(here, key);
    if (a != b) text += "  " + key + ": " + a + " in the checkpoint, " + b + " in this case\n";
  }
  return text;
}

void write_checkpoint(const std::filesystem::path& file, const CheckpointHead& head,
                      sim::Solver& solver, comm::Comm& comm) {
  // Opened by hand, not by write_atomically: the collective work between must reach every rank.
  const h5::Quiet quiet;
  std::optional<PartFile> part;
  std::optional<Handle> h5file, fields;
  on_root(comm, [&] {
    part.emplace(file);
    h5file.emplace(create_file(part->name()));
    write_head(*h5file, head);
    fields.emplace(make_group(*h5file, "fields"));
  });
  for (const sim::FieldInfo& f : solver.fields()) {
    const sim::FieldBlock block = solver.save(f.name);
    std::optional<Handle> set;
    on_root(comm, [&] { set.emplace(make_field(*fields, f)); });
    collect_windows(comm, block, f.global_size, entry_bytes(f),
                    [&](Index first, std::span<const std::byte> bytes) {
                      move_entries(Move::write, *set, f, first,
                                   const_cast<std::byte*>(bytes.data()),
                                   Index(bytes.size() / entry_bytes(f)));
                    });
    on_root(comm, [&] {
      if (!set->close()) throw RunError("cannot write " + file.string() + ": is the disk full?");
    });
  }
  on_root(comm, [&] {
    const bool group_ok = fields->close();
    if (!h5file->close() || !group_ok)
      throw RunError("cannot write " + file.string() + ": is the disk full?");
    part->keep();
  });
}

CheckpointHead read_checkpoint_head(const std::filesystem::path& file, comm::Comm& comm) {
  comm::Bytes bytes;
  on_root(comm, [&] { bytes = pack(read_head(file)); });
  comm.broadcast(bytes, 0);
  return unpack(bytes);
}

void load_checkpoint(const std::filesystem::path& file, sim::Solver& solver, comm::Comm& comm) {
  const CheckpointHead head = read_checkpoint_head(file, comm);
  if (head.solver != solver.name())
    throw InputError(file.string() + ": is a checkpoint of " + head.solver + ", this case is " +
                     std::string(solver.name()));
  const std::string differences = fingerprint_differences(head.fingerprint, solver.fingerprint());
  if (!differences.empty())
    throw InputError(file.string() + ": the checkpoint belongs to another case:\n" + differences +
                     "Resume with the case it was made from, or start anew without --resume.");
  const h5::Quiet quiet;
  const std::vector<sim::FieldInfo> infos = solver.fields();
  std::optional<Handle> h5file, fields, set;
  on_root(comm, [&] {
    h5file.emplace(open_file(file));
    try {
      fields.emplace(open_group(*h5file, "fields"));
      check_fields(*fields, infos, file.string());
    } catch (const RunError& e) {
      damaged(file, e.what());
    }
  });
  for (const sim::FieldInfo& f : infos) {
    const auto fetch = [&](Index first, std::span<std::byte> bytes) {
      try {
        const Handle open(H5Dopen2(*fields, f.name.c_str(), H5P_DEFAULT), H5Dclose,
                          "open " + f.name);
        move_entries(Move::read, open, f, first, bytes.data(),
                     Index(bytes.size() / entry_bytes(f)));
      } catch (const RunError& e) {
        damaged(file, e.what());
      }
    };
    solver.load(f.name, [&](std::span<const GlobalId> ids) {
      return distribute_windows(comm, ids, f.global_size, entry_bytes(f), fetch);
    });
  }
}

}  // namespace terrawave::io

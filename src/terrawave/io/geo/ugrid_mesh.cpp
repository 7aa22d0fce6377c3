#include "terrawave/io/ugrid_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <netcdf.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/geo/in_child.hpp"
#include "terrawave/io/hdf5_exit.hpp"

namespace terrawave::io {
namespace {

using domain::RawMesh;
using domain::TriMesh;

// Closes the file whatever happens.
class NetCdf {
 public:
  explicit NetCdf(std::string name) : name_(std::move(name)) { keep_hdf5_from_exit(); }
  ~NetCdf() {
    if (open_) nc_close(id_);
  }
  NetCdf(const NetCdf&) = delete;
  NetCdf& operator=(const NetCdf&) = delete;

  int id() const { return id_; }
  int* slot() {
    open_ = true;
    return &id_;
  }
  void opened(int status) {
    open_ = status == NC_NOERR;
    if (!open_)
      fail(fmt::format("cannot be read as NetCDF ({}). Was the file damaged or cut short?",
                       nc_strerror(status)));
  }
  int close() {
    open_ = false;
    return nc_close(id_);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(fmt::format("{}: error: {}", name_, message));
  }
  void need(int status, const std::string& doing) const {
    if (status != NC_NOERR) fail(fmt::format("{}: {}", doing, nc_strerror(status)));
  }

 private:
  std::string name_;
  int id_ = 0;
  bool open_ = false;
};

std::optional<std::string> text_attribute(const NetCdf& file, int variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(file.id(), variable, name, &type, &length) != NC_NOERR) return std::nullopt;
  if (type == NC_CHAR) {
    std::string text(length, '\0');
    if (nc_get_att_text(file.id(), variable, name, text.data()) != NC_NOERR) return std::nullopt;
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
  if (type == NC_STRING && length == 1) {
    char* value = nullptr;
    if (nc_get_att_string(file.id(), variable, name, &value) != NC_NOERR) return std::nullopt;
    std::string text = value == nullptr ? "" : value;
    nc_free_string(1, &value);
    return text;
  }
  return std::nullopt;
}

std::optional<long long> int_attribute(const NetCdf& file, int variable, const char* name) {
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (nc_inq_att(file.id(), variable, name, &type, &length) != NC_NOERR || length != 1 ||
      type == NC_CHAR || type == NC_STRING)
    return std::nullopt;
  long long value = 0;
  if (nc_get_att_longlong(file.id(), variable, name, &value) != NC_NOERR) return std::nullopt;
  return value;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_(path.string()) {
    file_.opened(nc_open(path.c_str(), NC_NOWRITE, file_.slot()));
    mesh_.source = path.string();
    bytes_ = double(std::filesystem::file_size(path));
  }

  RawMesh read() {
    topology_ = find_topology();
    read_nodes();
    read_faces();
    read_boundary();
    return std::move(mesh_);
  }

 private:
  std::string variable_name(int variable) const {
    char name[NC_MAX_NAME + 1] = {};
    file_.need(nc_inq_varname(file_.id(), variable, name), "reading a name");
    return name;
  }

  int find_topology() const {
    int variables = 0;
    file_.need(nc_inq_nvars(file_.id(), &variables), "listing variables");
    std::vector<int> found;
    for (int v = 0; v < variables; ++v)
      if (text_attribute(file_, v, "cf_role") == "mesh_topology" &&
          int_attribute(file_, v, "topology_dimension") == 2)
        found.push_back(v);
    if (found.empty())
      file_.fail(
          "expected a UGRID mesh: a variable with cf_role = \"mesh_topology\" and "
          "topology_dimension = 2; found none");
    if (found.size() > 1)
      file_.fail(
          fmt::format("expected one 2-D mesh topology, found {}, among them \"{}\" and \"{}\"",
                      found.size(), variable_name(found[0]), variable_name(found[1])));
    return found[0];
  }

  int variable(const std::string& name) const {
    int v = -1;
    if (nc_inq_varid(file_.id(), name.c_str(), &v) != NC_NOERR)
      file_.fail(
          fmt::format("the mesh topology names the variable \"{}\", which is not there", name));
    return v;
  }

  std::string topology_text(const char* attribute) const {
    const auto text = text_attribute(file_, topology_, attribute);
    if (!text)
      file_.fail(fmt::format("the mesh topology \"{}\" has no attribute {}",
                             variable_name(topology_), attribute));
    return *text;
  }

  std::vector<std::size_t> shape(int v) const {
    int dims = 0;
    file_.need(nc_inq_varndims(file_.id(), v, &dims), "reading a shape");
    std::vector<int> ids(static_cast<std::size_t>(dims));
    file_.need(nc_inq_vardimid(file_.id(), v, ids.data()), "reading a shape");
    std::vector<std::size_t> sizes(ids.size());
    for (std::size_t d = 0; d < ids.size(); ++d) {
      file_.need(nc_inq_dimlen(file_.id(), ids[d], &sizes[d]), "reading a shape");
      if (sizes[d] > std::size_t(std::numeric_limits<LocalIndex>::max() / 4))
        file_.fail(fmt::format("variable \"{}\" is too large for a mesh", variable_name(v)));
    }
    refuse_hollow(v, sizes);
    return sizes;
  }

  // Deflate makes nothing smaller than 1/1032: a variable far beyond the file was never written.
  void refuse_hollow(int v, const std::vector<std::size_t>& sizes) const {
    double numbers = 1;
    for (const std::size_t size : sizes) numbers *= double(size);
    if (numbers > 1e5 + 1100.0 * bytes_)
      file_.fail(
          fmt::format("variable \"{}\" should hold {:.0f} numbers, more than this file of {:.0f} "
                      "bytes can hold",
                      variable_name(v), numbers, bytes_));
  }

  std::vector<double> coordinates(int v) const {
    const auto size = shape(v);
    if (size.size() != 1)
      file_.fail(
          fmt::format("expected one dimension of \"{}\", found {}", variable_name(v), size.size()));
    std::vector<double> values(size[0]);
    file_.need(nc_get_var_double(file_.id(), v, values.data()),
               fmt::format("reading \"{}\"", variable_name(v)));
    return values;
  }

  void read_nodes() {
    const auto names = words(topology_text("node_coordinates"));
    if (names.size() != 2)
      file_.fail(fmt::format("expected two variables in node_coordinates, found {}", names.size()));
    int x = variable(names[0]), y = variable(names[1]);
    const std::string first = text_attribute(file_, x, "standard_name").value_or("");
    if (first == "latitude" || first == "projection_y_coordinate") std::swap(x, y);
    mesh_.x = coordinates(x);
    mesh_.y = coordinates(y);
    if (mesh_.x.size() != mesh_.y.size())
      file_.fail(
          fmt::format("found {} x and {} y coordinates of nodes", mesh_.x.size(), mesh_.y.size()));
    for (auto* values : {&mesh_.x, &mesh_.y}) {
      const int v = values == &mesh_.x ? x : y;
      double fill = NC_FILL_DOUBLE;
      nc_get_att_double(file_.id(), v, "_FillValue", &fill);
      for (double& value : *values)
        if (value == fill) value = std::numeric_limits<double>::quiet_NaN();
    }
    read_crs(x);
    mesh_.node_id.resize(mesh_.x.size());  // from 0; read_faces adds the start index
    for (std::size_t n = 0; n < mesh_.x.size(); ++n) mesh_.node_id[n] = GlobalId(n);
  }

  void read_crs(int x) {
    const auto mapping = text_attribute(file_, x, "grid_mapping");
    int v = -1;
    if (mapping && nc_inq_varid(file_.id(), mapping->c_str(), &v) == NC_NOERR)
      for (const char* attribute : {"crs_wkt", "spatial_ref", "epsg_code"})
        if (mesh_.crs.empty()) mesh_.crs = text_attribute(file_, v, attribute).value_or("");
    const std::string unit = text_attribute(file_, x, "units").value_or("");
    if (mesh_.crs.empty() && unit.starts_with("degree")) mesh_.crs = "EPSG:4326";
  }

  // Rows of node positions, -1 where filled. Transposed where the file keeps faces last.
  struct Table {
    std::size_t rows = 0, columns = 0;
    std::vector<long long> node;
    long long start = 0;
  };
  Table table(const std::string& name, const char* row_dimension,
              std::size_t columns_at_most) const {
    const int v = variable(name);
    const auto size = shape(v);
    if (size.size() != 2)
      file_.fail(fmt::format("expected two dimensions of \"{}\", found {}", name, size.size()));
    Table t{size[0], size[1], {}, 0};
    bool transposed = false;
    if (const auto dimension = text_attribute(file_, topology_, row_dimension)) {
      int ids[2] = {}, wanted = -1;
      file_.need(nc_inq_vardimid(file_.id(), v, ids), "reading a shape");
      transposed =
          nc_inq_dimid(file_.id(), dimension->c_str(), &wanted) == NC_NOERR && ids[1] == wanted;
    }
    if (transposed) std::swap(t.rows, t.columns);
    if (t.columns > columns_at_most)
      file_.fail(fmt::format("expected \"{}\" with at most {} nodes a row, found {}", name,
                             columns_at_most, t.columns));
    std::vector<long long> raw(t.rows * t.columns);
    file_.need(nc_get_var_longlong(file_.id(), v, raw.data()), fmt::format("reading \"{}\"", name));
    t.start = int_attribute(file_, v, "start_index").value_or(0);
    const auto fill = int_attribute(file_, v, "_FillValue");
    t.node.resize(raw.size());
    for (std::size_t r = 0; r < t.rows; ++r)
      for (std::size_t c = 0; c < t.columns; ++c) {
        const long long value = raw[transposed ? c * t.rows + r : r * t.columns + c];
        long long& node = t.node[r * t.columns + c];
        node = -1;
        if (value == fill || value == NC_FILL_INT || value == NC_FILL_INT64) continue;
        if (value < t.start || value - t.start >= static_cast<long long>(mesh_.x.size()))
          file_.fail(fmt::format("row {} of \"{}\" uses node {}, but nodes go from {} to {}",
                                 static_cast<long long>(r) + t.start, name, value, t.start,
                                 t.start + static_cast<long long>(mesh_.x.size()) - 1));
        node = value - t.start;
      }
    return t;
  }

  void read_faces() {
    const std::string name = topology_text("face_node_connectivity");
    const Table t = table(name, "face_dimension", 64);
    std::map<int, Index> others;  // faces of other than 3 nodes, counted
    mesh_.triangles.reserve(t.rows);
    mesh_.cell_id.reserve(t.rows);
    for (std::size_t r = 0; r < t.rows; ++r) {
      std::array<LocalIndex, 3> nodes{};
      int count = 0;
      for (std::size_t c = 0; c < t.columns; ++c) {
        const long long n = t.node[r * t.columns + c];
        if (n < 0) continue;
        if (count < 3) nodes[std::size_t(count)] = LocalIndex(n);
        ++count;
      }
      if (count != 3) ++others[count];
      mesh_.triangles.push_back(nodes);
      mesh_.cell_id.push_back(GlobalId(r) + t.start);
    }
    for (GlobalId& id : mesh_.node_id) id += t.start;
    if (others.empty()) return;
    std::string list;
    for (const auto& [count, n] : others)
      list += fmt::format("{}{} of {} nodes", list.empty() ? "" : ", ", n, count);
    file_.fail(
        fmt::format("expected faces of 3 nodes only, found {}. Cut them into triangles", list));
  }

  void read_boundary() {
    const auto name = text_attribute(file_, topology_, "boundary_node_connectivity");
    const auto group_name = text_attribute(file_, topology_, "boundary_group");
    if (!name || !group_name) return;
    const Table t = table(*name, "boundary_dimension", 2);
    const int v = variable(*group_name);
    if (const auto size = shape(v); t.columns != 2 || size.size() != 1 || size[0] != t.rows)
      file_.fail(fmt::format("\"{}\" and \"{}\" do not match", *name, *group_name));
    std::vector<long long> group(t.rows);
    file_.need(nc_get_var_longlong(file_.id(), v, group.data()), "reading boundary groups");
    for (const std::string& g : group_names(v)) mesh_.groups.push_back(g);
    for (std::size_t r = 0; r < t.rows; ++r) {
      if (group[r] < 0 || group[r] >= static_cast<long long>(mesh_.groups.size()))
        file_.fail(fmt::format("\"{}\" holds {}, but there are {} groups", *group_name, group[r],
                               mesh_.groups.size()));
      const long long a = t.node[2 * r], b = t.node[2 * r + 1];
      if (a < 0 || b < 0) file_.fail(fmt::format("row {} of \"{}\" lacks a node", r, *name));
      mesh_.lines.push_back({{LocalIndex(a), LocalIndex(b)}, int(group[r]), GlobalId(r) + t.start});
    }
  }

  // Names of groups 1, 2, ...: exact ones, or the words of flag_meanings.
  std::vector<std::string> group_names(int v) const {
    std::size_t length = 0;
    nc_type type = NC_NAT;
    std::vector<std::string> names;
    if (nc_inq_att(file_.id(), v, "group_names", &type, &length) == NC_NOERR && type == NC_STRING) {
      std::vector<char*> values(length, nullptr);
      file_.need(nc_get_att_string(file_.id(), v, "group_names", values.data()), "reading names");
      for (const char* value : values) names.push_back(value == nullptr ? "" : value);
      nc_free_string(length, values.data());
    } else {
      names = words(text_attribute(file_, v, "flag_meanings").value_or(""));
    }
    if (!names.empty()) names.erase(names.begin());
    return names;
  }

  NetCdf file_;
  RawMesh mesh_;
  double bytes_ = 0;  // of the file
  int topology_ = -1;
};

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(path.string()) {
    const int status = nc_create(path.c_str(), NC_NETCDF4 | NC_CLOBBER, file_.slot());
    if (status != NC_NOERR) throw RunError(nc_strerror(status));
  }

  void write(const TriMesh& m) {
    const int nodes = dimension("mesh_nodes", m.x.size());
    const int faces = dimension("mesh_faces", m.triangles.size());
    const int edges = dimension("mesh_boundary_edges", m.boundary.size());
    const int three = dimension("three", 3), two = dimension("two", 2);
    const int topology = define("mesh", NC_INT, {});
    const int x = define("mesh_node_x", NC_DOUBLE, {nodes});
    const int y = define("mesh_node_y", NC_DOUBLE, {nodes});
    const int face = define("mesh_face_nodes", NC_INT, {faces, three});
    const int edge = define("mesh_boundary_nodes", NC_INT, {edges, two});
    const int group = define("mesh_boundary_group", NC_INT, {edges});
    text(NC_GLOBAL, "Conventions", "CF-1.8 UGRID-1.0");
    describe(topology);
    const bool degrees = m.crs == "EPSG:4326";
    text(x, "standard_name", degrees ? "longitude" : "projection_x_coordinate");
    text(y, "standard_name", degrees ? "latitude" : "projection_y_coordinate");
    text(x, "units", degrees ? "degrees_east" : "m");
    text(y, "units", degrees ? "degrees_north" : "m");
    text(face, "cf_role", "face_node_connectivity");
    text(edge, "cf_role", "boundary_node_connectivity");
    for (const int v : {face, edge}) {
      const int zero = 0;
      need(nc_put_att_int(file_.id(), v, "start_index", NC_INT, 1, &zero));
    }
    if (!m.crs.empty()) {
      const int crs = define("crs", NC_INT, {});
      text(crs, m.crs.starts_with("EPSG:") ? "epsg_code" : "crs_wkt", m.crs);
      text(x, "grid_mapping", "crs");
      text(y, "grid_mapping", "crs");
    }
    name_groups(group, m.groups);
    need(nc_enddef(file_.id()));

    need(nc_put_var_double(file_.id(), x, m.x.data()));
    need(nc_put_var_double(file_.id(), y, m.y.data()));
    need(nc_put_var_int(file_.id(), face, m.triangles.data()->data()));
    std::vector<int> pairs, groups;
    for (const auto& e : m.boundary) {
      pairs.insert(pairs.end(), e.nodes.begin(), e.nodes.end());
      groups.push_back(e.group);
    }
    need(nc_put_var_int(file_.id(), edge, pairs.data()));
    need(nc_put_var_int(file_.id(), group, groups.data()));
    need(file_.close());
  }

 private:
  static void need(int status) {
    if (status != NC_NOERR)
      throw RunError(fmt::format("{}{}", nc_strerror(status),
                                 status == NC_EHDFERR ? " (is the disk full?)" : ""));
  }
  int dimension(const char* name, std::size_t size) {
    int id = -1;
    need(nc_def_dim(file_.id(), name, size, &id));
    return id;
  }
  int define(const char* name, nc_type type, std::initializer_list<int> dims) {
    int id = -1;
    need(nc_def_var(file_.id(), name, type, int(dims.size()), std::data(dims), &id));
    return id;
  }
  void text(int variable, const char* name, const std::string& value) {
    need(nc_put_att_text(file_.id(), variable, name, value.size(), value.data()));
  }
  void describe(int topology) {
    text(topology, "cf_role", "mesh_topology");
    const int two = 2;
    need(nc_put_att_int(file_.id(), topology, "topology_dimension", NC_INT, 1, &two));
    text(topology, "node_coordinates", "mesh_node_x mesh_node_y");
    text(topology, "face_node_connectivity", "mesh_face_nodes");
    text(topology, "face_dimension", "mesh_faces");
    text(topology, "boundary_node_connectivity", "mesh_boundary_nodes");
    text(topology, "boundary_group", "mesh_boundary_group");
  }
  void name_groups(int variable, const std::vector<std::string>& names) {
    std::vector<int> values;
    std::vector<const char*> exact;
    std::string meanings;
    for (std::size_t g = 0; g < names.size(); ++g) {
      values.push_back(int(g));
      exact.push_back(names[g].c_str());
      std::string word = names[g];
      std::replace(word.begin(), word.end(), ' ', '_');
      meanings += (g == 0 ? "" : " ") + word;
    }
    text(variable, "long_name", "name of the boundary that the edge belongs to");
    need(nc_put_att_int(file_.id(), variable, "flag_values", NC_INT, values.size(), values.data()));
    text(variable, "flag_meanings", meanings);
    need(nc_put_att_string(file_.id(), variable, "group_names", exact.size(), exact.data()));
  }

  NetCdf file_;
};

}  // namespace

// HDF5 may crash on a damaged file; the user shall get a message. Every array that is read later is
// read here too.
RawMesh read_ugrid_mesh(const std::filesystem::path& file) {
  constexpr double slowest = 1e6;  // bytes/s that a disk surely gives
  std::error_code none;
  const auto seconds = 60 + unsigned(double(std::filesystem::file_size(file, none)) / slowest);
  const std::string crash = crash_of([&] { Reader(file).read(); }, seconds);
  if (!crash.empty())
    throw InputError(fmt::format(
        "{}: error: the NetCDF library cannot read this file ({}): it is damaged. Make or fetch it "
        "again",
        file.string(), crash));
  return Reader(file).read();
}

void write_ugrid_mesh(const std::filesystem::path& file, const TriMesh& mesh) {
  Writer(file).write(mesh);
}

}  // namespace terrawave::io

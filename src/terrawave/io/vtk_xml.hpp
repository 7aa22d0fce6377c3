// Pieces of VTK XML files. Arrays stand in the text as base64, not behind it as raw bytes: ParaView
// 5.11 with the expat of Debian 12 cannot read raw appended data, not even its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace terrawave::io {

// The file's first lines, up to and with <VTKFile ...>; `type` is "UnstructuredGrid" and the like.
std::string vtk_head(const std::string& type);

// Appends a <DataArray> of little-endian numbers; `type` is VTK's name, such as "Float64".
void append_vtk_array(std::string& xml, const std::string& type, const std::string& name,
                      int components, std::span<const std::byte> bytes);

template <class T>
void append_vtk_array(std::string& xml, const std::string& name, const std::vector<T>& values,
                      int components = 1) {
  static_assert(std::is_arithmetic_v<T>);
  const std::string kind = std::is_floating_point_v<T> ? "Float"
                           : std::is_signed_v<T>       ? "Int"
                                                       : "UInt";
  append_vtk_array(xml, kind + std::to_string(8 * sizeof(T)), name, components,
                   std::as_bytes(std::span(values)));
}

}  // namespace terrawave::io

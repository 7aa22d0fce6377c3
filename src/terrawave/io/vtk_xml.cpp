#include "terrawave/io/vtk_xml.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "terrawave/io/base64.hpp"

namespace terrawave::io {

static_assert(std::endian::native == std::endian::little, "files are written little-endian");

std::string vtk_head(const std::string& type) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      type);
}

void append_vtk_array(std::string& xml, const std::string& type, const std::string& name,
                      int components, std::span<const std::byte> bytes) {
  xml += fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n", type,
      name, components);
  // One text of the length (UInt64) and the numbers: 8 + 1 bytes of the start make whole triples.
  const std::uint64_t length = bytes.size();
  std::byte start[9] = {};
  std::memcpy(start, &length, sizeof length);
  const std::size_t first = bytes.empty() ? 0 : 1;
  if (first != 0) start[8] = bytes[0];
  append_base64(xml, std::span(start).first(8 + first));
  append_base64(xml, bytes.subspan(first));
  xml += "\n</DataArray>\n";
}

}  // namespace terrawave::io

// PNG files through libpng.
#include <png.h>

#include "terrawave/base/error.hpp"
#include "terrawave/io/report.hpp"

namespace terrawave::io {

std::vector<std::uint8_t> encode_png(const Image& image) {
  require(image.width > 0 && image.height > 0, "an empty image cannot become a PNG");
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::uint8_t> out(bytes);
  if (png_image_write_to_memory(&png, out.data(), &bytes, 0, image.rgb.data(), 0, nullptr) == 0)
    throw RunError(std::string("cannot encode a picture: ") + png.message);
  out.resize(bytes);
  return out;
}

}  // namespace terrawave::io

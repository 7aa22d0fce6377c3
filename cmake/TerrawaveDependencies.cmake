# Third-party packages. A missing one is an error that names the Debian package to install.

function(terrawave_missing what package)
  message(FATAL_ERROR "${what} not found. On Debian: apt-get install ${package}")
endfunction()

macro(terrawave_find package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    terrawave_missing(${package} ${debian})
  endif()
endmacro()

terrawave_find(fmt libfmt-dev)
terrawave_find(CLI11 libcli11-dev)
terrawave_find(nlohmann_json nlohmann-json3-dev)

# terrawave_plain_library(TARGET HEADER LIBRARY DEBIAN): a library without a CMake package.
function(terrawave_plain_library target header library debian)
  find_path(${target}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
  if(TERRAWAVE_STATIC)
    find_library(${target}_LIBRARY NAMES lib${library}.a ${library})
  else()
    find_library(${target}_LIBRARY NAMES ${library})
  endif()
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    terrawave_missing(${library} ${debian})
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

terrawave_plain_library(deps_metis metis.h metis libmetis-dev)
terrawave_plain_library(deps_muparser muParser.h muparser libmuparser-dev)
terrawave_plain_library(deps_udunits udunits2.h udunits2 libudunits2-dev)
if(TERRAWAVE_STATIC)
  find_library(deps_EXPAT NAMES libexpat.a expat)
  if(NOT deps_EXPAT)
    terrawave_missing(expat libexpat1-dev)
  endif()
  target_link_libraries(deps_udunits INTERFACE ${deps_EXPAT})
endif()

find_path(deps_TOML_INCLUDE toml++/toml.h)
if(NOT deps_TOML_INCLUDE)
  terrawave_missing(toml++ libtomlplusplus-dev)
endif()
add_library(deps_toml INTERFACE IMPORTED)
target_include_directories(deps_toml INTERFACE ${deps_TOML_INCLUDE})
target_compile_definitions(deps_toml INTERFACE TOML_HEADER_ONLY=1 TOML_EXCEPTIONS=0)

# Serial HDF5 by its Debian names; rank 0 writes, or each rank in turn.
terrawave_plain_library(deps_hdf5 hdf5.h hdf5_serial libhdf5-dev hdf5/serial)

if(TERRAWAVE_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    terrawave_missing(MPI "libopenmpi-dev openmpi-bin")
  endif()
endif()

if(TERRAWAVE_GEO)
  terrawave_find(GDAL libgdal-dev)
  terrawave_plain_library(deps_netcdf netcdf.h netcdf libnetcdf-dev)
endif()

if(TERRAWAVE_TESTS)
  terrawave_find(GTest libgtest-dev)
endif()

terrawave_plain_library(deps_png png.h png16 libpng-dev)
if(TERRAWAVE_STATIC)
  find_library(deps_Z NAMES libz.a z)
  target_link_libraries(deps_png INTERFACE ${deps_Z} m)
endif()

# Chart.js is inlined into report.html: its text becomes a source file of string pieces.
find_file(TERRAWAVE_CHART_JS NAMES chart.min.js Chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH)
if(NOT TERRAWAVE_CHART_JS)
  terrawave_missing("Chart.js" libjs-chart.js)
endif()
set(chart_source ${PROJECT_BINARY_DIR}/generated/chart_js.cpp)
if(NOT EXISTS ${chart_source} OR ${TERRAWAVE_CHART_JS} IS_NEWER_THAN ${chart_source})
  file(READ ${TERRAWAVE_CHART_JS} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(WRITE ${chart_source} "// Chart.js, as installed on the machine that built this.\n#include <string_view>\nnamespace terrawave::io {\nstd::string_view chart_js();\nnamespace {\nconstexpr unsigned char kBytes[] = {${bytes}};\n}\nstd::string_view chart_js() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }\n}\n")
endif()
